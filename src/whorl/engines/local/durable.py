"""Files that lie on the disk before anything names them, and whether they are still what was written."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Sums = Mapping[str, Sequence[int]]
"""Size and CRC-32 of files by their names."""

_BLOCK = 2**20
_MOST_FILES = 256
"""Of more files the whole system is flushed at once, which then takes less than one after the other."""


def sync(files: Iterable[Path]) -> None:
    """Return when files are on the disk."""
    files = list(files)
    if len(files) > _MOST_FILES and hasattr(os, "sync"):
        os.sync()
        return
    for path in files:
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def files_below(folder: Path) -> list[Path]:
    """Return all files below a folder, in a stable order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def sum_of(path: Path) -> tuple[int, int]:
    """Return the size and the CRC-32 of a file."""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return size, checksum


def is_as_written(folder: Path, sums: Sums) -> bool:
    """Whether every file is still what its sum says. One pass over them."""
    try:
        return all(
            (folder / name).stat().st_size == size and sum_of(folder / name)[1] == checksum
            for name, (size, checksum) in sums.items()
        )
    except (OSError, ValueError, TypeError):
        return False


def write_json(value: Any, path: Path) -> None:
    """Write a JSON file; it appears when it is whole and on the disk."""
    temporary = path.with_name(f"{path.name}.part")
    with temporary.open("wb") as file:
        # Half a character, as in the name of a file that is not UTF-8, becomes an escape of JSON.
        file.write(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """Return what a JSON file holds; None where there is none, or none that is whole."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None


__all__ = [
    "Sums",
    "files_below",
    "is_as_written",
    "read_json",
    "sum_of",
    "sync",
    "write_json",
]
