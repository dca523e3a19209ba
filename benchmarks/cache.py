"""The folder of what is made once and kept: corpora and the rivals' environment."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / ".cache"


def cache(name: str) -> Path:
    """Return a folder of the cache; git and the tools that follow it ignore the cache."""
    folder = _FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    (_FOLDER / ".gitignore").write_text("*\n", encoding="ascii")
    return folder
