"""Serialization of arrays, for exchange between processes."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


def packed(arrays: Arrays) -> bytes:
    """Serialize named arrays; equal arrays give equal bytes, and loading them never executes code."""
    file = BytesIO()
    np.savez(file, allow_pickle=False, **dict(arrays))
    return file.getvalue()


def unpacked(data: bytes | IO[bytes], *names: str) -> Arrays:
    """Load the arrays of ``packed``; from a file, only the requested arrays are read.

    Raises:
        ValueError: the bytes are damaged.
    """
    file = BytesIO(data) if isinstance(data, bytes) else data
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in names or arrays.files}
    except (OSError, EOFError, LookupError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(str(error)) from error


__all__ = ["Arrays", "packed", "unpacked"]
