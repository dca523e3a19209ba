"""The documents of the project, gathered for one language; pages in both languages have the same name."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from whorl.i18n import Language

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"

_CHINESE = ".zh-CN.md"
_PLACES = ("*.md", "docs/**/*.md", "benchmarks/README.md", "benchmarks/results/README.md", "examples/**/*.md")
_LINK = re.compile(r"(\]\()((?!https?:|#)[^)\s#]+)(#[^)\s]*)?(\))")
_ENGLISH = "english://"
"""Mark in the Chinese tree for pages that exist in English only."""


def documents() -> list[Path]:
    """Return the documents in English, from the root of the project."""
    paths = (path.relative_to(ROOT) for place in _PLACES for path in sorted(ROOT.glob(place)))
    return [path for path in paths if not path.name.endswith(_CHINESE) and SITE not in (ROOT / path).parents]


def chinese(document: Path) -> Path:
    """Return the Chinese translation of a document, if it exists."""
    return document.with_name(f"{document.stem}{_CHINESE}")


def gather(folder: Path, language: Language) -> None:
    """Copy the documents of a language and the files that they link to into a folder."""
    for document in documents():
        there = chinese(document)
        if language == "en":
            _copy(document, there, document, folder, language)
        elif (ROOT / there).exists():
            _copy(there, document, document, folder, language)
    index = (SITE / "index.md").relative_to(ROOT)
    _copy(chinese(index) if language == "zh" else index, Path(), Path("index.md"), folder, language)


def _copy(source: Path, other: Path, name: Path, folder: Path, language: Language) -> None:
    """Copy a document under a name, without its link to the other language."""
    lines = (ROOT / source).read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for number, line in enumerate(lines) if number > 5 or f"]({other.name})" not in line]

    def link(match: re.Match[str]) -> str:
        opened, path, anchor, closed = match.groups(default="")
        return f"{opened}{_target(source, name, path, folder, language)}{anchor}{closed}"

    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_LINK.sub(link, "".join(kept)), encoding="utf-8")


def _target(source: Path, name: Path, path: str, folder: Path, language: Language) -> str:
    """Return the target of a link within the tree; copies a linked file that is not a document."""
    meant = Path(os.path.normpath(source.parent / path))
    if meant.suffix == ".md":
        page = meant.with_name(f"{meant.name.removesuffix(_CHINESE)}.md") if meant.name.endswith(_CHINESE) else meant
        if language == "zh" and not (ROOT / chinese(page)).exists():
            return f"{_ENGLISH}{page.with_suffix('.html').as_posix()}"
        return Path(os.path.relpath(page, name.parent)).as_posix()
    if (ROOT / meant).is_file():
        (folder / meant).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / meant, folder / meant)
    return Path(os.path.relpath(meant, name.parent)).as_posix()


def point_to_english(folder: Path) -> None:
    """Link the Chinese pages to pages that exist in English only."""
    for page in (folder / "zh").rglob("*.html"):
        up = "../" * len(page.relative_to(folder).parent.parts)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(f'href="{_ENGLISH}', f'href="{up}en/'), encoding="utf-8")
