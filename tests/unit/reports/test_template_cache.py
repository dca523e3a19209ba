"""Compiled templates are kept if they can be, and never needed."""

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from whorl.reports.template_cache import TemplateCache


def rendered(folder: Path) -> str:
    """Render a template as a new process would."""
    environment = Environment(loader=FileSystemLoader(folder), bytecode_cache=TemplateCache(folder), autoescape=True)
    return environment.get_template("page.html").render(name="<Crane Rock>")


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "page.html").write_text("<p>{{ name }}</p>", encoding="utf-8")
    return tmp_path


def test_a_compiled_template_is_used_until_its_source_changes(templates: Path) -> None:
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"
    (compiled,) = (templates / "__pycache__").iterdir()
    before = compiled.stat().st_mtime_ns, compiled.read_bytes()
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"
    assert (compiled.stat().st_mtime_ns, compiled.read_bytes()) == before
    (templates / "page.html").write_text("<b>{{ name }}</b>", encoding="utf-8")
    assert rendered(templates) == "<b>&lt;Crane Rock&gt;</b>"


@pytest.mark.parametrize("content", [b"", b"not compiled"])
def test_a_damaged_file_is_replaced(content: bytes, templates: Path) -> None:
    rendered(templates)
    (compiled,) = (templates / "__pycache__").iterdir()
    whole = compiled.read_bytes()
    compiled.write_bytes(content)
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"
    assert compiled.read_bytes() == whole


def test_a_cut_file_is_replaced(templates: Path) -> None:
    rendered(templates)
    (compiled,) = (templates / "__pycache__").iterdir()
    whole = compiled.read_bytes()
    compiled.write_bytes(whole[: len(whole) // 2])
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"


def test_a_folder_that_cannot_be_written_needs_no_cache(templates: Path) -> None:
    (templates / "__pycache__").write_bytes(b"a file in its place")
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"
    assert {path.name for path in templates.iterdir()} == {"__pycache__", "page.html"}


def test_nothing_is_written_where_python_writes_no_bytecode(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(templates) == "<p>&lt;Crane Rock&gt;</p>"
    assert not (templates / "__pycache__").exists()
