"""Recover every readable byte from a damaged or padded gzip file, member by member."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 2**16
_GZIP = 16 + zlib.MAX_WBITS


class MemberReader:
    """Reader of a gzip file by members. NULs between members and at the end are padding, as for gzip itself."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._pieces = self._all()
        self._buffer = b""

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, or an empty string at the end.

        Raises:
            OSError: the archive is truncated or damaged, and everything before that has been returned. A wrong checksum
                is reported after the bytes that it covers.
        """
        while not self._buffer:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._buffer = piece
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _all(self) -> Iterator[bytes]:
        rest = self._file.read(_CHUNK)
        while rest:
            member = zlib.decompressobj(_GZIP)
            while not member.eof:
                yield from _inflated(member, rest)
                rest = member.unused_data or self._file.read(_CHUNK)
                if not rest and not member.eof:
                    raise OSError("Truncated gzip data")
            while rest and not rest.strip(b"\0"):
                rest = self._file.read(_CHUNK)
            rest = rest.lstrip(b"\0")


def _inflated(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    before = member.copy()
    try:
        yield member.decompress(data)
    except zlib.error as error:
        # Bytes inflated before a break are only returned if no later call reads on.
        yield from _up_to_the_break(before, data)
        raise OSError(f"gzip data is damaged: {error}") from error


def _up_to_the_break(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    for place in range(len(data)):
        try:
            yield member.decompress(data[place : place + 1])
        except zlib.error:
            return


__all__ = ["MemberReader"]
