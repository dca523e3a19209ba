"""Durable files with checksums."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, TypeVar

Item = TypeVar("Item")

Sums = Mapping[str, Sequence[int]]
"""Size and CRC-32 of files by their names."""

_BLOCK = 2**20
_FILES_AT_ONCE = 16
_MOST_FILES = 256
"""Above this number of files, one flush of the whole file system is faster than one flush per file."""


def sync(files: Iterable[Path]) -> None:
    """Flush files to disk."""
    files = list(files)
    if len(files) > _MOST_FILES and hasattr(os, "sync"):
        os.sync()
        return
    _at_once(_sync_path, files)


def sync_open(files: Sequence[IO[bytes]]) -> None:
    """Flush open files to disk."""
    for file in files:
        file.flush()
    _at_once(os.fsync, [file.fileno() for file in files])


def _sync_path(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _at_once(flush: Callable[[Item], None], items: Sequence[Item]) -> None:
    """Flush several files at the same time.

    A file system commits them together; flushing one after the other takes several times as long.

    Raises:
        OSError: a file cannot be flushed; the others may have been.
    """
    with ThreadPoolExecutor(_FILES_AT_ONCE, "whorl-sync") as pool:
        for flushed in [pool.submit(flush, item) for item in items]:
            flushed.result()


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
