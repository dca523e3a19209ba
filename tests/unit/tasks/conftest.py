"""A small corpus for the tasks."""

from pathlib import Path

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, write_jsonl

ROOT = Path(__file__).parents[3]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, with the examples of the project."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def corpus(workplace: Path) -> Path:
    """Return two articles, one of them with an exact copy and a longer near-duplicate."""
    return write_jsonl(
        workplace / "news.jsonl",
        {"id": "bridge", "text": BRIDGE, "title": "Bridge to close"},
        {"id": "bridge-shouted", "text": BRIDGE.upper(), "title": "BRIDGE"},
        {"id": "harbour", "text": HARBOUR, "title": "新冰厂"},
        {"id": "bridge-longer", "text": f"{BRIDGE} Tolls are waived.", "title": "Bridge"},
    )
