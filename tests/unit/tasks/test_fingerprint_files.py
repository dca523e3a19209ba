"""Fingerprints of files: the values of `whorl.fingerprint`, in every key type and format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, edited

import whorl
from whorl.cli import main
from whorl.engines.prints.columns import KEY_TYPES
from whorl.engines.prints.lines import json_lines
from whorl.errors import InputError, UsageError
from whorl.fingerprints.minhash import MinHash

TEXTS = [article(1), "", edited(article(1), 3), "的", *(article(number) for number in range(2, 9))]
ROWS = [{"id": f"news/{number}", "text": text} for number, text in enumerate(TEXTS)]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "articles.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


@pytest.mark.parametrize("method", ["minhash", "news", "simhash", "exact"])
@pytest.mark.parametrize("keys", KEY_TYPES)
def test_a_file_has_the_fingerprints_of_its_texts(method: str, keys: Any, corpus: Path, tmp_path: Path) -> None:
    signature = method in ("minhash", "simhash")
    iscc = 64 if method == "exact" else None
    columns: dict[str, Any] = {"method": method, "keys": keys, "signature": signature, "iscc": iscc}
    expected = whorl.fingerprint(ROWS, id="id", **columns).drop_columns("code")
    for suffix in ("parquet", "jsonl"):
        whorl.fingerprint_files(corpus, tmp_path / f"prints.{suffix}", **columns)
    written = pq.read_table(tmp_path / "prints.parquet")
    assert written["row"].to_pylist() == list(range(1, len(ROWS) + 1))
    assert set(written["file"].to_pylist()) == {corpus.name}
    assert written.drop_columns(["file", "row"]).to_pylist() == expected.to_pylist()
    plain = [
        {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}
        for row in written.to_pylist()
    ]
    assert lines_of(tmp_path / "prints.jsonl") == plain


def test_the_command_writes_isccs(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "codes.jsonl"
    with pytest.raises(SystemExit) as ended:
        main(["fingerprint", str(corpus), "-o", str(out), "--method", "exact", "--iscc", "256", "--quiet"])
    assert not ended.value.code
    assert [row["iscc"] for row in lines_of(out)] == whorl.iscc.text_codes(TEXTS, 256)


def test_a_size_of_no_iscc_is_refused(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="64 to 256 bits"):
        whorl.fingerprint_files(corpus, tmp_path / "codes.jsonl", iscc=32)
    assert not (tmp_path / "codes.jsonl").exists()
    with pytest.raises(UsageError, match="64 to 256 bits"):
        whorl.fingerprint(TEXTS, iscc=512)


def test_key_types_are_the_same_bits() -> None:
    unsigned, signed, digits = (
        whorl.fingerprint(TEXTS, "news", keys=keys)["keys"].combine_chunks().flatten() for keys in KEY_TYPES
    )
    assert unsigned.to_numpy().view(np.int64).tolist() == signed.to_pylist()
    assert [int(key, 16) for key in digits.to_pylist()] == unsigned.to_pylist()
    assert {len(key) for key in digits.to_pylist()} == {16}
    assert min(signed.to_pylist()) < 0


def test_signatures_estimate_the_similarity() -> None:
    column = whorl.fingerprint(TEXTS, signature=True, values=256)["signature"]
    assert column.type == pa.binary(1024)
    signatures = [None if value is None else np.frombuffer(value, "<u4") for value in column.to_pylist()]
    assert [signature is None for signature in signatures] == [
        length == 0 for length in whorl.fingerprint(TEXTS)["length"].to_pylist()
    ]
    first, other = signatures[0], signatures[2]
    assert first is not None
    assert other is not None
    assert np.mean(first == other) == MinHash(values=256).similarity(TEXTS[0], TEXTS[2])


def test_schema_and_metadata_depend_only_on_the_options(corpus: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    whorl.fingerprint_files(corpus, tmp_path / "a.parquet", method="news", keys="int64")
    whorl.fingerprint_files(empty, tmp_path / "b.parquet", method="news", keys="int64", on_error="skip")
    schema, other = (pq.read_schema(tmp_path / name) for name in ("a.parquet", "b.parquet"))
    assert schema.equals(other, check_metadata=True)
    assert schema.names == ["id", "file", "row", "digest", "length", "keys"]
    assert schema.field("keys").type.value_type == pa.int64()
    facts = json.loads(schema.metadata[b"whorl"])
    assert (facts["method"], facts["min_shared"], facts["key_type"]) == ("winnowing", 2, "int64")
    again = whorl.fingerprint(ROWS, facts["method"], keys="int64", **facts["parameters"])
    assert again["keys"].to_pylist() == pq.read_table(tmp_path / "a.parquet")["keys"].to_pylist()


def test_many_small_files_are_read_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.txt").write_text(article(number), encoding="utf-8")
    written = whorl.fingerprint_files(folder, tmp_path / "prints.jsonl.gz", keys="hex")
    lines = lines_of(tmp_path / "prints.jsonl.gz")
    assert [line["file"] for line in lines] == [f"{number:02}.txt" for number in range(40)]
    expected = whorl.fingerprint([article(number) for number in range(40)], keys="hex")
    assert [line["keys"] for line in lines] == expected["keys"].to_pylist()
    assert {line["id"] for line in lines} == {None}
    assert written.documents == 40


def test_counts_and_rejected_rows_are_reported(corpus: Path, tmp_path: Path) -> None:
    with corpus.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    done = whorl.fingerprint_files(corpus, tmp_path / "prints.parquet").to_dict()
    table = pq.read_table(tmp_path / "prints.parquet")
    assert done["documents"] == len(table) == len(ROWS) - done["rejected"].get("text is empty", 0)
    assert done["keys"] == pc.sum(pc.list_value_length(table["keys"])).as_py()
    assert done["without_keys"] == table["length"].to_pylist().count(0)
    assert sum(done["rejected"].values()) == 1 + len(ROWS) - done["documents"]
    assert done["bytes"] == (tmp_path / "prints.parquet").stat().st_size
    with pytest.raises(InputError):
        whorl.fingerprint_files(corpus, tmp_path / "other.parquet", on_error="stop")
    assert not (tmp_path / "other.parquet").exists()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("prints.csv", {}, r"unknown output format(?s:.*)hint: .*\.parquet"),
        ("prints.parquet", {"keys": "int32"}, r"no key type 'int32'(?s:.*)hint: .*uint64"),
        ("prints.parquet", {"method": "exact", "signature": True}, r"'exact' has no signature(?s:.*)hint: "),
        ("articles.jsonl", {}, r"already exists(?s:.*)hint: "),
    ],
)
def test_contradictions_are_refused_before_reading(
    name: str, options: dict[str, Any], message: str, corpus: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        whorl.fingerprint_files(corpus, tmp_path / name, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == [corpus.name]


def test_an_id_column_without_values_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps(ROWS[0]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'code'(?s:.*)hint: "):
        whorl.fingerprint_files(folder, tmp_path / "prints.parquet", id="code")
    assert not (tmp_path / "prints.parquet").exists()


def test_frames_keep_their_ids() -> None:
    frame = pl.DataFrame({"body": TEXTS, "number": range(len(TEXTS))})
    table = whorl.fingerprint(frame, text="body", id="number", keys="int64")
    assert table.column_names == ["id", "digest", "length", "keys", "code"]
    assert table["id"].to_pylist() == [str(number) for number in range(len(TEXTS))]
    assert table["keys"].to_pylist() == whorl.fingerprint(TEXTS, keys="int64")["keys"].to_pylist()


def test_the_command_prints_a_summary(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "prints.parquet"
    with pytest.raises(SystemExit) as ended:
        main(["fingerprint", str(corpus), "-o", str(out), "--keys", "int64", "--signature", "--json"])
    assert not ended.value.code
    printed = json.loads(capsys.readouterr().out)
    assert printed["documents"] == len(pq.read_table(out))
    assert printed["signature_bytes"] == 512


TEXT = st.text(st.characters(codec="utf-8"), max_size=8)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | TEXT,
            st.integers(-(2**63), 2**63 - 1),
            st.none() | st.binary(min_size=3, max_size=3),
            st.lists(st.integers(0, 2**64 - 1), max_size=3),
            st.lists(TEXT.filter(str.isalnum), max_size=3),
        ),
        max_size=5,
    ),
    st.integers(0, 2),
)
def test_lines_are_those_of_a_json_encoder(rows: list[Any], start: int) -> None:
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("row", pa.int64()),
            ("digest", pa.binary(3)),
            ("keys", pa.list_(pa.uint64())),
            ("names", pa.list_(pa.string())),
        ]
    )
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema).slice(start)
    expected = [
        {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}
        for row in batch.to_pylist()
    ]
    lines = bytes(json_lines(batch)).decode("utf-8").split("\n")
    assert [json.loads(line) for line in lines[:-1]] == expected
    assert lines[-1] == ""
