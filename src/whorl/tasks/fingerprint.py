"""Fingerprints for the pipelines of other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.engines.memory.rows import fingerprint_rows
from whorl.engines.memory.sources import hold
from whorl.recipe import Recipe

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.fingerprints import Fingerprints

_DIGEST_BYTES = 16


def fingerprint(texts: Any, method: str = "minhash", **parameters: Any) -> pa.Table:
    """Return the fingerprints of texts as an Arrow table; texts that share a key are candidates for comparison.

    >>> import whorl
    >>> table = whorl.fingerprint(["今天天气很好，适合出门。", "今天天气很好,适合出门!"])
    >>> table["digest"][0] == table["digest"][1]
    True

    Keys only nominate candidates; ``whorl.compare`` decides. The keys of a method and its parameters never change.

    Args:
        texts: any source of ``whorl.dedup``; of a frame or of dicts the column "text".
        method: a fingerprint family or a preset.
        **parameters: parameters of the family, as listed by ``whorl.lab.describe_method``.

    Returns:
        A row for each text: ``digest``, 128 bits of the folded text, little-endian, the same for equal
        texts; ``length`` in folded code points, 0 for a text without features; ``keys``, a list of uint64; and
        ``code``, the bytes that estimate similarity, null if the family has none.

    Raises:
        UsageError: the method or parameter is unknown, or the texts are file names.
        InputError: an item is not a string.

    Cost: that of reading in a run: microseconds per text, on all cores; memory for the table.
    """
    import pyarrow as pa

    chosen = Recipe().changed(method=method, parameters=parameters)
    return pa.Table.from_batches(map(_batch, fingerprint_rows(hold(texts, chosen).rows, chosen.family())))


def _batch(prints: Fingerprints) -> pa.RecordBatch:
    import pyarrow as pa

    count, width = prints.codes.shape
    offsets = np.concatenate([[0], np.cumsum(prints.counts)]).astype(np.int32)
    columns = {
        "digest": _bytes(prints.digests, _DIGEST_BYTES, count),
        "length": pa.array(prints.lengths, pa.uint32()),
        "keys": pa.ListArray.from_arrays(pa.array(offsets), pa.array(prints.keys, pa.uint64())),
        "code": _bytes(prints.codes, width, count).cast(pa.binary()) if width else pa.nulls(count, pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def _bytes(values: Any, width: int, count: int) -> pa.Array:
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(values).tobytes())
    return pa.Array.from_buffers(pa.binary(width), count, [None, buffer])


__all__ = ["fingerprint"]
