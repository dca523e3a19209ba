"""Channel for requests to a worker process: frames, each with its file.

Such a process may only open its installation (see ``confinement``). If the system can pass descriptors, it gets an
anonymous copy of the file in memory, and opens it by its path below ``/proc/self/fd``. A descriptor of the original
file would not work: parsers open files by path, which opens the file anew, and Landlock checks its path. The copy is at
most as large as the file, and every budget allows several times that size.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from whorl.corpus.sandbox.frames import framed, receive

CAN_PASS_FILES = sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(socket, "send_fds")
"""Whether a request carries its file."""

_PIECE_BYTES = 2**20
_PREFIX_BYTES = 4


class RequestSender:
    """Sender of requests. ``end`` becomes the standard input of the process, and is closed here once it has started."""

    def __init__(self) -> None:
        self._socket, self.end = socket.socketpair()

    def send(self, header: dict[str, Any]) -> None:
        """Send a request. Raises OSError if the process has ended."""
        frame = framed(header)
        path = header["source"]["path"]
        with _copy(path) as copied:
            socket.send_fds(self._socket, [frame[:_PREFIX_BYTES]], [] if copied is None else [copied])
        self._socket.sendall(frame[_PREFIX_BYTES:])

    def close(self) -> None:
        """Close both ends."""
        self._socket.close()
        self.end.close()


class RequestReceiver:
    """Receiver of requests from standard input, a socket or a pipe, with the file of each."""

    def __init__(self) -> None:
        descriptor = os.dup(0)
        is_socket = stat.S_ISSOCK(os.fstat(descriptor).st_mode)
        self._socket = socket.socket(fileno=descriptor) if is_socket else None
        self._stream: IO[bytes] | None = None if is_socket else os.fdopen(descriptor, "rb")
        self._files: deque[int] = deque()

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, or fewer at the end."""
        if self._stream is not None:
            return self._stream.read(size)
        read = bytearray()
        while self._socket is not None and len(read) < size:
            piece, files, _, _ = socket.recv_fds(self._socket, size - len(read), 1)
            self._files.extend(files)
            if not piece:
                break
            read += piece
        return bytes(read)

    @contextmanager
    def question(self) -> Iterator[dict[str, Any] | None]:
        """Yield the next request, or None at the end; its file exists until the context is left."""
        stream: Any = self
        frame = receive(stream)
        if frame is None:
            yield None
            return
        header, _ = frame
        opened = self._files.popleft() if self._files else None
        if opened is not None:
            source = header["source"]
            source["address"] = source["address"] or source["path"]
            source["path"] = f"/proc/self/fd/{opened}"
        try:
            yield header
        finally:
            if opened is not None:
                os.close(opened)


@contextmanager
def _copy(path: str) -> Iterator[int | None]:
    """Yield an anonymous copy of a file in memory; None if that fails: the parser then reports the path."""
    copied: int | None = None
    with suppress(OSError), Path(path).open("rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            copied = os.memfd_create("whorl")
            with os.fdopen(os.dup(copied), "wb") as target:
                shutil.copyfileobj(file, target, _PIECE_BYTES)
    try:
        yield copied
    finally:
        if copied is not None:
            os.close(copied)


__all__ = ["CAN_PASS_FILES", "RequestReceiver", "RequestSender"]
