"""Fingerprints for pipelines of other programs."""

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
    """Return the fingerprints of texts as an Arrow table: two texts that share a key are worth comparing.

    >>> import whorl
    >>> table = whorl.fingerprint(["今天天气很好，适合出门。", "今天天气很好,适合出门!"])
    >>> table["digest"][0] == table["digest"][1]
    True

    The keys nominate; ``whorl.compare`` decides. Of a method and its parameters they are the same for ever.

    Args:
        texts: whatever ``whorl.dedup`` takes; of a frame or of dicts its column "text".
        method: a fingerprint family or a preset.
        **parameters: of the family, as ``whorl.describe_method`` lists them.

    Returns:
        A row for each text: ``digest``, 128 bits of the folded text, the lowest byte first, which equal texts have in
        common; ``length`` in folded code points, 0 for a text without features; ``keys``, a list of uint64; and
        ``code``, the bytes by which the family estimates similarity, null where it keeps none.

    Raises:
        UsageError: there is no such method or parameter, or the texts name files.
        InputError: an item is no text.

    Cost: that of reading a run: microseconds a text, on all cores; memory that of the table.
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
