"""What callers send: no body is longer than the service takes, and what is kept meanwhile is on the disk."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.disk import make_folder
from whorl.tasks.handed_in import suffix_of

if TYPE_CHECKING:
    from whorl.service.running import Service

FOLDER = "uploads"
_PIECE_BYTES = 2**20
_PARSING_AT_ONCE = 2
_MOST_DIGITS = 20
_LIMITERS = RunVar[CapacityLimiter]("whorl_parsing")


class BoundedBodies:
    """Refuses bodies that are too long: by what they say, or as soon as it is met; what is read is no more."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose body, as it is read, ends in a refusal where it is too long."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told, met = _told(Headers(scope=scope)), 0

        async def receiving() -> Message:
            nonlocal met
            message: Message = {} if told > self._most else await receive()
            met += len(message.get("body", b""))
            if max(told, met) > self._most:
                raise HTTPException(413)
            return message

        await self._app(scope, receiving, send)


def _told(headers: Headers) -> int:
    """How long a body says that it is; 0 where it does not say."""
    given = headers.get("content-length", "")
    return int(given) if given.isdecimal() and len(given) <= _MOST_DIGITS else 0


def folder_of(service: Service) -> Path:
    """Return the folder for what is handed in; only the service may look into it."""
    folder = service.state.database.folder / FOLDER
    make_folder(folder)
    return folder


async def spooled(pieces: AsyncIterator[bytes], folder: Path) -> IO[bytes]:
    """Return a file without a name that has all of a body, to be closed; memory for a mebibyte."""
    file: IO[bytes] = await run_in_threadpool(TemporaryFile, dir=folder)
    try:
        waiting = bytearray()
        async for piece in pieces:
            waiting += piece
            if len(waiting) >= _PIECE_BYTES:
                await run_in_threadpool(file.write, bytes(waiting))
                waiting.clear()
        file.write(waiting)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def kept_while_read(upload: UploadFile, folder: Path) -> Iterator[Path]:
    """Keep what was handed in as a file, which goes in the end; of its name only the kind is left."""
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place, f"file{suffix_of(upload.filename or '')}")
        with path.open("wb") as file:
            shutil.copyfileobj(upload.file, file, _PIECE_BYTES)
        yield path


def parsing() -> CapacityLimiter:
    """Return what lets only two threads at once work on files and pages that take seconds; others wait in no thread."""
    try:
        return _LIMITERS.get()
    except LookupError:
        limiter = CapacityLimiter(_PARSING_AT_ONCE)
        _LIMITERS.set(limiter)
        return limiter


__all__ = ["FOLDER", "BoundedBodies", "folder_of", "kept_while_read", "parsing", "spooled"]
