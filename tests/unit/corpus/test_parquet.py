from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whorl.corpus import Columns
from whorl.errors import InputError

TEXTS = ["新建公园", "", "地铁延长线", "图书馆"]
STRING_TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("kind", STRING_TYPES, ids=str)
def test_every_string_type_is_text(tmp_path: Path, read, keep_rows, kind: pa.DataType) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": pa.array(TEXTS).cast(kind), "id": [4, 5, 6, None]}), path)
    kept = pq.read_table(keep_rows(path, [1, 3], 4))
    assert kept["text"].type == pq.read_schema(path).field("text").type
    assert kept["id"].to_pylist() == [4, 6]
    reading = read(path)
    assert (reading.texts, reading.rows) == (TEXTS, [1, 2, 3, 4])
    assert reading.ids == ["4", "5", "6", None]


def test_kept_rows_keep_schema_metadata_codecs_and_row_groups(tmp_path: Path, keep_rows) -> None:
    table = pa.table(
        {
            "text": TEXTS,
            "tags": [["a"], None, ["b", "c"], []],
            "when": [datetime(2024, 1, day, tzinfo=UTC) for day in range(1, 5)],
        },
        metadata={"origin": "test"},
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=2, compression={"text": "zstd", "tags.list.element": "gzip"})
    kept = pq.ParquetFile(keep_rows(path, [1, 3, 4], 4))
    original = pq.ParquetFile(path)
    assert kept.read() == table.take([0, 2, 3])
    assert kept.schema_arrow.equals(original.schema_arrow, check_metadata=True)
    assert kept.metadata.num_row_groups == 2
    for column in range(3):
        codecs = [file.metadata.row_group(0).column(column).compression for file in (kept, original)]
        assert codecs[0] == codecs[1]


def test_a_file_of_which_nothing_is_kept_is_still_a_file(tmp_path: Path, keep_rows) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": TEXTS}), path)
    assert pq.read_table(keep_rows(path, [], 4)) == pa.table({"text": TEXTS}).slice(0, 0)


def test_null_broken_and_long_texts_are_rejected_with_all_their_columns(tmp_path: Path, read) -> None:
    raw = pa.array([b"good", None, b"\xff\xfe", b"x" * 101, b"also good"], pa.binary())
    text = pa.StringArray.from_buffers(5, raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
    table = pa.table({"text": text, "url": ["a", "b", "c", "d", "e"]})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, store_schema=False)
    reading = read(path, max_row_bytes=100)
    assert (reading.texts, reading.rows) == (["good", "also good"], [1, 5])
    assert [(entry["row"], entry["reason"]) for entry in reading.rejected] == [
        (2, "column 'text' is null"),
        (3, "column 'text' is not valid UTF-8"),
        (4, "the text exceeds the maximum size of a row"),
    ]
    assert pq.read_table(reading.rejected_path)["url"].to_pylist() == ["b", "c", "d"]


def test_columns_are_joined_and_rank_keeps_its_type(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"title": ["T", None, None], "body": ["B", "B", None], "priority": [3, 1, 2]})
    pq.write_table(table, path)
    reading = read(path, Columns(text=("title", "absent", "body"), order="priority"))
    assert reading.texts == ["T\n\nB", "\n\nB"]
    assert reading.order == [3, 1]
    assert reading.reasons == ["column 'title', 'body' is null"]


def test_a_column_of_nulls_rejects_every_row(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": pa.nulls(2)}), path)
    assert read(path).reasons == ["column 'text' is null"] * 2


def test_batches_are_bounded_whatever_the_row_groups(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * 1000] + ["y" * 10] * 1000}), path, compression="none", use_dictionary=False)
    reading = read(path, block_bytes=1000)
    assert len(reading.texts) == 1001
    assert reading.batches >= 11


def test_columns_that_cannot_serve_are_errors_with_a_hint(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [1, 2], "content": ["a", "b"]}), path)
    with pytest.raises(InputError, match=r"(?s)'text' is int64, not text.*`text=content`"):
        read(path)
    with pytest.raises(InputError, match="its columns are text, content"):
        read(path, Columns(text=("body",)))


OF_BYTES = [
    *((pa.binary(), pa.binary_view(), pa.large_binary(), pa.binary(3))),
    pa.dictionary(pa.int8(), pa.binary()),
]


@pytest.mark.parametrize(
    ("role", "kind"), [("id", pa.string()), *(("order", kind) for kind in (*OF_BYTES, pa.string()))], ids=str
)
def test_a_row_whose_id_or_rank_is_not_utf8_is_rejected(tmp_path: Path, read, role: str, kind: pa.DataType) -> None:
    values = [b"abc", b"\xff\xfe\xfd", b"xyz"]
    names = pa.array(values, pa.binary() if kind == pa.string() else kind)
    if kind == pa.string():
        names = pa.StringArray.from_buffers(3, names.buffers()[1], names.buffers()[2])
    pq.write_table(pa.table({"text": ["a", "b", "c"], "name": names}), tmp_path / "a.parquet", store_schema=True)
    reading = read(tmp_path / "a.parquet", Columns(**{role: "name"}))
    assert reading.texts == ["a", "c"]
    assert (reading.ids if role == "id" else reading.order) == ["abc", "xyz"]
    assert [(entry["row"], entry["reason"]) for entry in reading.rejected] == [(2, "column 'name' is not valid UTF-8")]


@pytest.mark.parametrize("kind", OF_BYTES, ids=str)
def test_an_id_of_bytes_that_are_no_text_is_its_hexadecimal_digits(tmp_path: Path, read, kind: pa.DataType) -> None:
    ids = pa.array([b"abc", b"\xff\xfe\xfd", b"xyz"], kind)
    pq.write_table(pa.table({"text": ["a", "b", "c"], "name": ids}), tmp_path / "a.parquet")
    reading = read(tmp_path / "a.parquet", Columns(id="name"))
    assert (reading.texts, reading.ids, reading.rejected) == (["a", "b", "c"], ["abc", "fffefd", "xyz"], [])


@pytest.mark.parametrize(
    ("kind", "visible"),
    [
        (pa.timestamp("ns"), "1970-01-01 00:00:00.000000001"),
        (pa.timestamp("ms"), "1970-01-01 00:00:00.001"),
        (pa.time64("us"), "00:00:00.000001"),
        (pa.duration("ms"), "1"),
        (pa.date32(), "1970-01-02"),
        (pa.decimal128(20, 1), "1.0"),
        (pa.float32(), "1.0"),
        (pa.float64(), "1.0"),
        (pa.bool_(), "true"),
    ],
    ids=str,
)
def test_ids_are_what_their_type_shows(tmp_path: Path, read, kind: pa.DataType, visible: str) -> None:
    ids = pa.array([1], pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    pq.write_table(pa.table({"text": ["a"], "id": ids}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").ids == [visible]


@pytest.mark.parametrize("values", [[[1]], [{"a": 1}]], ids=["list", "struct"])
def test_nested_ids_and_ranks_are_errors(tmp_path: Path, read, values: list[object]) -> None:
    pq.write_table(pa.table({"text": ["a"], "id": values}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"(?s)'id' is .* cannot name a document.*hint"):
        read(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"(?s)'id' is .* cannot rank.*hint"):
        read(tmp_path / "a.parquet", Columns(id="text", order="id"))


def test_a_damaged_file_is_an_error_wherever_it_is_damaged(tmp_path: Path, read, keep_rows) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"{number:09} {'x' * number}" for number in range(300)]
    pq.write_table(pa.table({"text": texts, "beside": texts}), path, compression="zstd")
    sound = path.read_bytes()
    refused = 0
    for place in range(4, len(sound), len(sound) // 60):
        path.write_bytes(sound[:place] + b"\0" * 20 + sound[place + 20 :])
        try:
            read(path)
            keep_rows(path, [1, 2], 300)
        except InputError:
            refused += 1
    assert refused > 40


def test_a_file_whose_column_has_no_name_in_utf8_in_one_place_is_an_error(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": TEXTS, "beside": TEXTS}), path, store_schema=False)
    head, name, tail = path.read_bytes().rpartition(b"beside")
    path.write_bytes(head + b"\xe7" + name[1:] + tail)
    with pytest.raises(InputError, match="damaged"):
        read(path)


def test_a_file_that_is_not_parquet_is_an_error(tmp_path: Path, read) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"not at all")
    with pytest.raises(InputError, match="as Parquet"):
        read(path)
