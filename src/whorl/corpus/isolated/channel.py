"""How questions reach a process that parses: frames, each with the file that it asks about.

Such a process may open nothing but its installation (see ``confinement``). Where the system can pass descriptors, it
gets an anonymous copy of the file in memory, and reads that below ``/proc/self/fd`` as if it were a path. A descriptor
of the file itself would not do: parsers open files by path, which opens the file anew, and Landlock looks at its path.
The copy is at most as large as the file, of which every budget allows several times the size.
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

from whorl.corpus.isolated.frames import framed, receive

CAN_PASS_FILES = sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(socket, "send_fds")
"""Whether a question carries its file."""

_PIECE_BYTES = 2**20
_PREFIX_BYTES = 4


class Sender:
    """Sends questions; ``end`` is what the process gets as its standard input, to be closed once it has begun."""

    def __init__(self) -> None:
        self._own, self.end = socket.socketpair()

    def send(self, header: dict[str, Any]) -> None:
        """Send a question. Raises OSError where the process has ended."""
        frame = framed(header)
        path = header["source"]["path"]
        with _copy(path) as copied:
            socket.send_fds(self._own, [frame[:_PREFIX_BYTES]], [] if copied is None else [copied])
        self._own.sendall(frame[_PREFIX_BYTES:])

    def close(self) -> None:
        """Let go of both ends."""
        self._own.close()
        self.end.close()


class Receiver:
    """Receives questions from standard input, a socket or a pipe, and the file of each."""

    def __init__(self) -> None:
        own = os.dup(0)
        is_socket = stat.S_ISSOCK(os.fstat(own).st_mode)
        self._socket = socket.socket(fileno=own) if is_socket else None
        self._stream: IO[bytes] | None = None if is_socket else os.fdopen(own, "rb")
        self._files: deque[int] = deque()

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end."""
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
        """The next question, whose file is there as long as it is looked at; None at the end."""
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
    """An anonymous copy of a file in memory; None where it cannot be made, which the parser then says of the path."""
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


__all__ = ["CAN_PASS_FILES", "Receiver", "Sender"]
