"""The documents for contributors match the project: every path exists, and the layer table equals ``.importlinter``."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT

DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/DEPENDENCIES.md")
BASES = (ROOT, ROOT / "src" / "whorl", ROOT / "crates", ROOT / "src")
"""Folders to which the paths of a document are relative."""

PATH = re.compile(r"[\w.<>*-]*(?:/[\w.<>*-]*)+|[\w<>-]+\.(?:c|lock|md|py|pyi|rs|sh|toml)")
GENERATED = re.compile(r"OUT/|OUT$|kept/|sketches/|dist/|rejected/|docs/pictures$|[.]servers|[.]java|/v1")
"""Paths that only exist after a run or a build."""


def paths(text: str) -> list[str]:
    """Return the paths in code spans and the targets of links to files."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", text)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    spans = [span for span in spans if PATH.fullmatch(span) and not GENERATED.match(span)]
    return [*spans, *(link for link in links if ":" not in link)]


def exists(path: str, base: Path) -> bool:
    """Return True if the path exists below a folder; a placeholder such as ``<name>`` matches any name."""
    return any(base.glob(re.sub(r"<\w+>", "*", path).rstrip("/")))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_exists(name: str) -> None:
    bases = (*BASES, (ROOT / name).parent)
    named = paths((ROOT / name).read_text(encoding="utf-8"))
    assert named
    assert [path for path in named if not any(exists(path, base) for base in bases)] == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("`cli/ui/help.py`, `recipe.py` and `tasks/`", ["cli/ui/help.py", "recipe.py", "tasks/"]),
        ("`whorl dedup a/b.jsonl`, `OUT/.whorl` and `run.json`", []),
        ("[here](docs/API.md#errors) and [there](https://example.org/a.py)", ["docs/API.md"]),
    ],
)
def test_paths_are_recognized(text: str, named: list[str]) -> None:
    assert paths(text) == named


def test_the_layer_table_matches_the_contract() -> None:
    contract = ConfigParser()
    contract.read(ROOT / ".importlinter", encoding="utf-8")
    lines = contract["importlinter:contract:layers"]["layers"].split("\n")
    layers = [set(re.findall(r"\w+", line)) for line in lines if line.strip()]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("| layer |")[2].partition("\n\n")[0]
    rows = [set(re.findall(r"`(\w+)`", line.split("|")[1])) for line in table.splitlines()[2:]]
    assert rows == layers
