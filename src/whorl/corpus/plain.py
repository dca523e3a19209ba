"""Text files: each is one document."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode, detect_encoding, named_encoding, wide_encoding
from whorl.corpus.rejected import Rejects

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the file as one document without an id; an empty file is a document without text.

    Rejected: a file that is longer than ``max_row_bytes``, breaks off, or is not text in its encoding.
    """
    with ByteReader(source) as stream:
        try:
            data = _read_up_to(stream, options.max_row_bytes + 1)
        except TruncatedStream as damage:
            rejects.add(source, row=1, line=None, reason=f"{damage.fault}: fetch the file again", data=damage.tail)
            return
        if len(data) > options.max_row_bytes:
            reason = f"the file is longer than {options.max_row_bytes} bytes"
            rejects.add(source, row=1, line=None, reason=reason, data=_all_of(data, stream, options.block_bytes))
            return
    try:
        text = _text(data, options.encoding)
    except _NotTextError as error:
        rejects.add(source, row=1, line=None, reason=str(error), data=data)
        return
    order = pa.nulls(1, pa.string()) if columns.order is not None else None
    yield Batch(pa.array([text], pa.string()), pa.nulls(1, pa.string()), order, np.ones(1, np.int64))


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> None:  # noqa: ARG001
    """Copy the file byte for byte if it is kept; write nothing if it is not."""
    if source.path is not None and len(keep) and keep[0]:
        shutil.copyfile(source.path, target)


class _NotTextError(Exception):
    """Why the bytes of a file are not text."""


def _text(data: bytes, named: str | None) -> str:
    """Decode a whole file. Null bytes are text in UTF-8 and where an encoding was named; else they tell binary data."""
    wide = wide_encoding(data)
    encoding = wide or (detect_encoding(data) if named is None else named_encoding(named))
    binary = b"\0" in data and wide is None
    if binary and named is None and encoding != "utf-8":
        raise _NotTextError("the file is binary data, not text")
    try:
        return decode(data, encoding)
    except UnicodeDecodeError:
        kind = "binary data, not text" if binary else f"not valid {encoding.upper()} text"
        raise _NotTextError(f"the file is {kind}") from None


def _read_up_to(stream: ByteReader, limit: int) -> bytes:
    """All bytes, or the first ``limit`` of them; a break hands over what was before it as its tail."""
    data = bytearray()
    try:
        while len(data) < limit and (chunk := stream.read(limit - len(data))):
            data += chunk
    except TruncatedStream as damage:
        damage.tail = bytes(data)
        raise
    return bytes(data)


def _all_of(start: bytes, stream: ByteReader, step: int) -> Iterator[bytes]:
    """``start`` and the rest of ``stream`` up to its end or break."""
    yield start
    try:
        while chunk := stream.read(step):
            yield chunk
    except TruncatedStream:
        return


__all__ = ["read", "write"]
