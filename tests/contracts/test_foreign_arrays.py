"""Arrow arrays from other programs: faulty buffers are reported with the row, and no memory outside them is read."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article
from tests.runs import rejected

import whorl
from whorl.errors import InputError
from whorl.fingerprints import families

TEXTS = [article(1), article(2), article(3)]
FAR = 2**30


def strings(values: bytes, offsets: list[int], kind: type[Any] = pa.StringArray) -> pa.Array:
    """Return an array of strings from any buffers whose ends fit."""
    width = np.int32 if kind is pa.StringArray else np.int64
    return kind.from_buffers(len(offsets) - 1, pa.py_buffer(np.array(offsets, width)), pa.py_buffer(values))


def received(values: list[str], offset: int) -> pa.Array:
    """Return strings from a stream whose last offset is damaged."""
    batch = pa.record_batch({"text": pa.array(values)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    end = len("".join(values).encode())
    data = sink.getvalue().to_pybytes()
    place = data.index(struct.pack("<3i", 0, len(values[0].encode()), end)) + 8
    data = data[:place] + struct.pack("<i", offset) + data[place + 4 :]
    return pa.ipc.open_stream(data).read_next_batch().column(0)


def views(values: list[str], data: bytes) -> pa.Array:
    """Return string views over a different buffer."""
    array = pa.array(values, pa.string_view())
    validity, entries, *_ = array.buffers()
    return pa.Array.from_buffers(pa.string_view(), len(values), [validity, entries, pa.py_buffer(data)])


LONG = "一二三四五六七八"
DAMAGED: dict[str, tuple[Callable[[], pa.Array], int]] = {
    "bytes that are not UTF-8": (lambda: strings(b"abc\xff\xfe", [0, 3, 5]), 1),
    "the same with long offsets": (lambda: strings(b"abc\xff\xfe", [0, 3, 5], pa.LargeStringArray), 1),
    "a character cut in two": (lambda: strings("今天".encode(), [0, 3, 4, 6]), 1),
    "offsets that descend": (lambda: strings(b"abcdef", [0, 3, 1, 6]), 1),
    "an offset far beyond the bytes": (lambda: strings(b"abcdef", [0, FAR, 6]), 1),
    "an offset below 0": (lambda: strings(b"abcdef", [0, -FAR, 6]), 0),
    "views that are not UTF-8": (lambda: views(["a", LONG], b"\xff" * 24), 1),
    "views beyond their bytes": (lambda: views(["a", LONG], b"abc"), 1),
}


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize("name", ["exact", "winnowing", "simhash", "pinyin"])
def test_a_family_refuses_a_damaged_array(name: str, kind: str) -> None:
    make, row = DAMAGED[kind]
    with pytest.raises(InputError, match=rf"texts: row {row}, from 0: (?s:.)*hint"):
        families()[name]().fingerprint(make())
    with pytest.raises(InputError, match=rf"texts: row {row + 1}, from 0: (?s:.)*hint"):
        families()[name]().fingerprint(pa.chunked_array([pa.array(["a"], make().type), make()]))


@pytest.mark.parametrize("name", ["exact", "winnowing"])
def test_a_family_refuses_an_array_that_was_damaged_on_the_way(name: str) -> None:
    with pytest.raises(InputError, match=r"(?s)damaged.*hint"):
        families()[name]().fingerprint(received(["abc", "defg"], FAR))


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize("column", ["text", "id"])
def test_dedup_names_the_column_and_the_row(column: str, kind: str) -> None:
    make, row = DAMAGED[kind]
    array = make()
    table = pa.table({"text": TEXTS[: len(array)], column: array})
    with pytest.raises(InputError, match=rf"column '{column}', row {row}, from 0: (?s:.)*hint"):
        whorl.dedup(table)


def test_the_row_is_counted_over_all_chunks() -> None:
    column = pa.chunked_array([pa.array(["a"] * 10), strings(b"ab\xff", [0, 1, 2, 3])])
    with pytest.raises(InputError, match="row 12, from 0"):
        whorl.dedup(pa.table({"text": column}))


def test_what_lies_under_a_null_is_of_no_account() -> None:
    values, offsets = pa.py_buffer(b"abc\xff"), pa.py_buffer(np.array([0, 3, 4], np.int32))
    array = pa.StringArray.from_buffers(2, offsets, values, pa.py_buffer(b"\x01"))
    fingerprints = families()["exact"]().fingerprint(array)
    assert (fingerprints.digests == families()["exact"]().fingerprint(["abc", ""]).digests).all()


def test_slices_are_read_from_where_they_begin() -> None:
    array = pa.array(["x", *TEXTS, None, "y"])
    for part in (array, array.cast(pa.large_string()), array.cast(pa.string_view())):
        fingerprints = families()["exact"]().fingerprint(part[1:5])
        assert (fingerprints.digests == families()["exact"]().fingerprint([*TEXTS, None]).digests).all()


def test_an_array_that_was_taken_before_is_an_error() -> None:
    class OnceOnly:
        capsules = pa.array(TEXTS).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return self.capsules

    array = OnceOnly()
    assert len(families()["exact"]().fingerprint(array).digests) == len(TEXTS)
    with pytest.raises(InputError, match="taken before"):
        families()["exact"]().fingerprint(array)


def test_a_parquet_row_that_is_not_utf8_is_set_aside(tmp_path: Path) -> None:
    texts = strings(b"".join([TEXTS[0].encode(), b"\xff\xfe", TEXTS[1].encode()]), [0, 660, 662, 1322])
    pq.write_table(pa.table({"id": ["1", "2", "3"], "text": texts}), tmp_path / "a.parquet")
    run = whorl.dedup_files(tmp_path / "a.parquet", tmp_path / "out").run
    assert (run["counts"]["kept"], run["counts"]["rejected"]) == (2, 1)
    assert [(row["row"], "UTF-8" in row["reason"]) for row in rejected(tmp_path / "out")] == [(2, True)]
