"""Durable files with checksums."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from whorl import _core

Sums = Mapping[str, Sequence[int]]
"""Size and CRC-32 of files by their names."""

_BLOCK = 2**20
_MOST_FILES = 256
"""Above this number of files, one flush of the whole file system is faster than one flush per file."""


def sync(files: Iterable[Path]) -> None:
    """Flush files to disk, several at the same time.

    Raises:
        OSError: a file cannot be flushed; the others may have been.
    """
    paths = list(map(str, files))
    if len(paths) > _MOST_FILES and hasattr(os, "sync"):
        os.sync()
    else:
        _core.sync_files(paths)


def sync_open(files: Iterable[IO[bytes]]) -> None:
    """Flush open files to disk, as `sync` does."""
    files = list(files)
    for file in files:
        file.flush()
    sync(Path(file.name) for file in files)


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
    """Return True if the checksums of all files match. Reads every file once."""
    try:
        return all(
            (folder / name).stat().st_size == size and sum_of(folder / name)[1] == checksum
            for name, (size, checksum) in sums.items()
        )
    except (OSError, ValueError, TypeError):
        return False


def write_json(value: Any, path: Path) -> None:
    """Write a JSON file atomically and durably."""
    temporary = path.with_name(f"{path.name}.part")
    with temporary.open("wb") as file:
        # A lone surrogate, as in a file name that is not UTF-8, is written as a JSON escape.
        file.write(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """Read a JSON file; None if it is missing or truncated."""
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
    "sync_open",
    "write_json",
]
