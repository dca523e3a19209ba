"""Fingerprints as Arrow columns, in the key type that the target database supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.errors import UsageError
from whorl.fingerprints import Signing
from whorl.i18n import say

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from whorl.fingerprints import Family, Fingerprints
    from whorl.matching.fields import Fields

KEY_TYPES = ("uint64", "int64", "hex")
"""How a key is written: as it is; as the signed integer with the same bits; or as 16 hexadecimal digits."""

DIGEST_BYTES = 16
_HEX_DIGITS = 16


def demand_key_type(key_type: str) -> None:
    """Refuse an unknown key type.

    Raises:
        UsageError: it is not in ``KEY_TYPES``.
    """
    if key_type not in KEY_TYPES:
        raise UsageError(
            say("there is no key type {name!r}", name=key_type),
            hint=say("choose one of: {known}", known=", ".join(KEY_TYPES)),
        )


def key_lists(prints: Fingerprints, key_type: str) -> pa.ListArray:
    """Return the keys of each text as a list."""
    import pyarrow as pa

    bounds = np.concatenate([[0], np.cumsum(prints.counts, dtype=np.int64)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(bounds), _keys(prints.keys, key_type))


def _keys(keys: NDArray[np.uint64], key_type: str) -> pa.Array:
    import pyarrow as pa

    if key_type == "hex":
        return hex_strings(keys.astype(">u8").view(np.uint8).reshape(-1, keys.itemsize))
    return pa.array(keys.view(np.int64) if key_type == "int64" else keys)


def hex_strings(rows: NDArray[np.uint8]) -> pa.StringArray:
    """Return each row of bytes in hexadecimal."""
    import pyarrow as pa

    count, width = rows.shape
    bounds = np.arange(count + 1, dtype=np.int32) * np.int32(2 * width)
    digits = np.ascontiguousarray(rows).tobytes().hex().encode()
    return pa.StringArray.from_buffers(count, pa.py_buffer(bounds), pa.py_buffer(digits))


def byte_rows(rows: NDArray[Any], width: int) -> pa.FixedSizeBinaryArray:
    """Return each row of an array, ``width`` bytes long, as a binary value."""
    import pyarrow as pa

    values = np.ascontiguousarray(rows)
    return pa.Array.from_buffers(pa.binary(width), len(values), [None, pa.py_buffer(values.tobytes())])


def demand_signature(maker: Family | Fields) -> None:
    """Refuse a method without signatures.

    Raises:
        UsageError: the method has keys only.
    """
    if not isinstance(maker, Signing):
        raise UsageError(
            say("the method '{name}' has no signature", name=getattr(maker, "name", "fields")),
            hint=say("use minhash or simhash, or omit the signature"),
        )


def signatures(maker: Family | Fields, texts: Any, prints: Fingerprints) -> pa.Array:
    """Return the signature of each text; null for a text without features.

    Raises:
        UsageError: the method has no signatures.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    demand_signature(maker)
    assert isinstance(maker, Signing)
    rows = maker.signatures(texts, prints)
    column = byte_rows(rows, rows.shape[1])
    return pc.if_else(pa.array(prints.counts > 0), column, pa.scalar(None, column.type))


__all__ = [
    "DIGEST_BYTES",
    "KEY_TYPES",
    "byte_rows",
    "demand_key_type",
    "demand_signature",
    "hex_strings",
    "key_lists",
    "signatures",
]
