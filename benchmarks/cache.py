"""The cache folder of generated corpora and of the rivals' environment."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / ".cache"


def cache(name: str) -> Path:
    """Return a folder of the cache. Git and the tools that read .gitignore skip the cache."""
    folder = _FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    (_FOLDER / ".gitignore").write_text("*\n", encoding="ascii")
    return folder
