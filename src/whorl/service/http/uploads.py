"""Temporary files for uploads, so that large bodies are not held in memory."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import time
from typing import IO, TYPE_CHECKING

from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from whorl._internal.disk import make_folder, saving_uploads
from whorl.tasks.compare.submissions import suffix_of

if TYPE_CHECKING:
    from whorl.service.running import Service

FOLDER = "uploads"
_PIECE_BYTES = 2**20
_DAY = 86_400


def folder_of(service: Service) -> Path:
    """Return the private folder for uploads."""
    folder = service.settings.files_folder / FOLDER
    with saving_uploads():
        make_folder(folder, private=True)
        _clear(folder)
    return folder


@cache
def _clear(folder: Path) -> None:
    """Remove old files of processes that were killed."""
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):  # its process may delete it at the same time
            if time() - entry.stat().st_mtime > _DAY:
                shutil.rmtree(entry, ignore_errors=True)


async def spooled(pieces: AsyncIterator[bytes], folder: Path) -> IO[bytes]:
    """Return an unnamed temporary file with a whole body. At most a mebibyte is buffered in memory."""
    file: IO[bytes] = await run_in_threadpool(_without_name, folder)
    try:
        waiting = bytearray()
        async for piece in pieces:
            waiting += piece
            if len(waiting) >= _PIECE_BYTES:
                await run_in_threadpool(_write, file, bytes(waiting))
                waiting.clear()
        await run_in_threadpool(_write, file, bytes(waiting))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _without_name(folder: Path) -> IO[bytes]:
    with saving_uploads():
        return TemporaryFile(dir=folder)


def _write(file: IO[bytes], data: bytes) -> None:
    with saving_uploads():
        file.write(data)
        file.flush()


@contextmanager
def kept_while_read(upload: UploadFile, folder: Path) -> Iterator[Path]:
    """Save an upload to a temporary file for the duration of the context, keeping only its suffix."""
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place, f"file{suffix_of(upload.filename or '')}")
        with saving_uploads(), path.open("wb") as file:
            shutil.copyfileobj(upload.file, file, _PIECE_BYTES)
        yield path


__all__ = ["FOLDER", "folder_of", "kept_while_read", "spooled"]
