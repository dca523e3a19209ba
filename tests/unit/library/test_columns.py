"""Document columns in files; nothing is dropped."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article
from tests.rounds import rounds
from tests.unit.cli.articles import write_jsonl

import whorl
from whorl import Document
from whorl.corpus import Rejects
from whorl.errors import InputError
from whorl.library.ingest.columns import USUAL, UnparsedValues
from whorl.library.ingest.files import read_documents, write_documents
from whorl.recipe import Recipe

NEW_YEAR = datetime(2020, 1, 1, tzinfo=UTC)


def written(original: str, precision: str) -> dict[str, Any]:
    """Return the fields of the time NEW_YEAR, written without a zone."""
    names = ("published_at", "published_precision", "published_zone", "published_original")
    return dict(zip(names, (NEW_YEAR, precision, "unknown", original), strict=True))


def read(
    *files: Path, recipe: Recipe | None = None, **named: str | None
) -> tuple[list[Document], Counter[UnparsedValues]]:
    misread: Counter[UnparsedValues] = Counter()
    arguments = [str(file) for file in files]
    documents = list(read_documents(arguments, recipe or Recipe(), Rejects(), named=named, misread=misread))
    return documents, misread


def read_row(row: dict[str, Any], folder: Path, **named: str | None) -> tuple[Document, Counter[UnparsedValues]]:
    (document,), misread = read(write_jsonl(folder / "one.jsonl", {"id": "a", "text": "甲", **row}), **named)
    return document, misread


@pytest.mark.parametrize(("field", "column"), [(field, column) for field, names in USUAL.items() for column in names])
def test_every_usual_name_is_read_in_any_letter_case(tmp_path: Path, field: str, column: str) -> None:
    value: Any = {"metadata": {"views": 7}, "links": ["https://example.org"]}.get(field, "2020-01-01")
    (document,), misread = read(write_jsonl(tmp_path / "one.jsonl", {"text": "甲", column.upper(): value}))
    expected = {"metadata": value, "links": tuple(value)}.get(field, NEW_YEAR if field.endswith("_at") else value)
    assert getattr(document, field) == expected
    assert (document.metadata if field != "metadata" else {}, misread) == ({}, Counter())


@pytest.mark.parametrize("column", ["Publish-Time", "publish_time", "publishTime", "Publish Time"])
def test_signs_between_words_do_not_count(tmp_path: Path, column: str) -> None:
    assert read_row({column: "2020"}, tmp_path)[0].published_at == NEW_YEAR


def test_the_most_telling_of_the_usual_names_is_taken_and_the_others_are_kept(tmp_path: Path) -> None:
    row = {"time": "12:30", "date": "2021", "published": "2020", "headline": "题", "title": ""}
    document, misread = read_row(row, tmp_path)
    assert (document.published_at, document.title) == (NEW_YEAR, "题")
    assert document.metadata == {"time": "12:30", "date": "2021"}
    assert misread == Counter()


def test_names_are_read_however_they_are_written(tmp_path: Path) -> None:
    document, _ = read_row({"author": ["甲", {"name": "乙"}], "publisher": {"name": "甲报"}, "title": 7}, tmp_path)
    assert (document.author, document.source, document.title) == ("甲, 乙", "甲报", "7")


def test_a_column_that_was_named_wins(tmp_path: Path) -> None:
    row = {"published_at": "2021", "seen": "2020", "title": "甲", "heading": "乙"}
    document, _ = read_row(row, tmp_path, published_at="seen", title="heading")
    assert (document.published_at, document.title) == (NEW_YEAR, "乙")
    assert document.metadata == {"published_at": "2021", "title": "甲"}


def test_a_column_that_was_named_and_is_nowhere_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column 'seen'; its columns are id, text, published_at[\s\S]*hint"):
        read_row({"published_at": "2021"}, tmp_path, published_at="seen")


def without_title(file: Path) -> Iterator[Document]:
    return read_documents([str(file)], Recipe(), Rejects(), named={"title": "题"}, misread=Counter())


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_column_that_a_header_lacks_is_told_before_a_row_is_taken(tmp_path: Path, name: str) -> None:
    columns = {"text": ["甲" * 30_000] * 300, "date": ["2020"] * 300}
    if name == "a.csv":
        lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    else:
        pq.write_table(pa.table(columns), tmp_path / name, use_dictionary=False)
    with pytest.raises(InputError, match=r"no column '题'; its columns are text, date"):
        next(without_title(tmp_path / name))


def test_a_column_that_no_line_has_is_told_at_the_end_where_it_could_have_come_late(tmp_path: Path) -> None:
    rows = [{"id": f"{number}", "text": "甲" * 30_000} for number in range(300)]
    documents = without_title(write_jsonl(tmp_path / "n.jsonl", *rows))
    assert next(documents).id == "0"
    with pytest.raises(InputError, match=r"no column '题'; its columns are id, text"):
        list(documents)


def test_columns_that_begin_far_down_are_read(tmp_path: Path) -> None:
    """The first block of a file is of eight million bytes."""
    early = [{"id": f"{number}", "text": "甲" * 30_000} for number in range(100)]
    late = {"id": "late", "text": "乙", "date": "2020", "seen": "晚", "tag": "x", "links": ["https://example.org"]}
    file = write_jsonl(tmp_path / "n.jsonl", *early, late)
    assert file.stat().st_size > 2**23
    documents, _ = read(file, source="seen")
    assert documents[-1] == Document(
        "late", "乙", source="晚", **written("2020", "year"), metadata={"tag": "x"}, links=("https://example.org",)
    )


def test_what_is_not_understood_is_counted_and_kept(tmp_path: Path) -> None:
    rows = [{"text": "甲", "id": f"{number}", "date": f"day {number}", "link": ["a", 7]} for number in range(3)]
    documents, misread = read(write_jsonl(tmp_path / "n.jsonl", *rows))
    assert misread == {UnparsedValues("date", "published_at"): 3, UnparsedValues("link", "url"): 3}
    assert documents[2].metadata == {"date": "day 2", "link": ["a", 7]}


def test_what_no_database_takes_is_kept_as_metadata(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(rb'{"id": "a", "text": "x", "title": "\u7532\u0000", "links": ["\ud800"]}')
    (document,), misread = read(tmp_path / "one.jsonl")
    assert (document.title, document.links) == (None, ())
    assert document.metadata == {"title": "甲\0", "links": ["\ud800"]}
    assert misread.total() == 2
    with whorl.open(tmp_path / "library") as library:
        library.add(document)
        kept = library.get("a")
    assert kept is not None
    assert kept.metadata == document.metadata


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Shanghai"])
def test_timestamps_of_any_unit_are_times(tmp_path: Path, unit: str, zone: str | None) -> None:
    seconds = 1_577_836_800
    counted = seconds * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit] + (unit == "ns")
    table = pa.table({"text": ["甲"], "date": pa.array([counted], pa.timestamp(unit, zone))})
    pq.write_table(table, tmp_path / "n.parquet")
    (document,), _ = read(tmp_path / "n.parquet")
    assert document.published_at == NEW_YEAR


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_days_of_any_type_are_times(tmp_path: Path, kind: pa.DataType) -> None:
    days = pa.array([date(2020, 1, 1)], pa.date32())
    column = days.cast(kind) if pa.types.is_date(kind) else days.cast(pa.string()).cast(kind)
    pq.write_table(pa.table({"text": ["甲"], "date": column}), tmp_path / "n.parquet")
    (document,), _ = read(tmp_path / "n.parquet")
    assert document.published_at == NEW_YEAR


def test_every_type_of_a_table_is_kept_as_plain_data(tmp_path: Path) -> None:
    nanoseconds = pa.timestamp("ns")
    columns = {
        "text": ["甲", "乙"],
        "count": pa.array([3, None], pa.uint64()),
        "share": pa.array([0.5, float("nan")]),
        "price": pa.array([Decimal("1.50"), Decimal("2.00")]),
        "told": pa.array([True, False]),
        "raw": pa.array([b"abc", b"\xff"]),
        "tags": pa.array([["a", "b"], []]),
        "deep": pa.array(
            [{"at": 1, "to": ["x"]}, None], pa.struct([("at", nanoseconds), ("to", pa.list_(pa.string()))])
        ),
        "far": pa.array([10**15, 0], pa.timestamp("s")),
        "of": pa.array(["甲报", "乙报"]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "n.parquet")
    (first, second), _ = read(tmp_path / "n.parquet")
    assert f"{10**18}" in first.metadata["far"]
    assert {name: value for name, value in first.metadata.items() if name != "far"} == {
        "count": 3,
        "share": 0.5,
        "price": 1.5,
        "told": True,
        "raw": "abc",
        "tags": ["a", "b"],
        "deep": {"at": "1970-01-01T00:00:00", "to": ["x"]},
        "of": "甲报",
    }
    assert second.metadata["price"] == 2
    assert (second.metadata["raw"], second.metadata["share"]) == ("ff", "nan")
    assert "count" not in second.metadata
    json.dumps([first.metadata, second.metadata], allow_nan=False)


def _csv(path: Path, rows: list[list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _xlsx(path: Path, rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(path)


@pytest.mark.parametrize(("suffix", "write"), [("csv", _csv), ("tsv", _csv), ("xlsx", _xlsx)])
def test_tables_of_people_are_read_whole(
    tmp_path: Path, suffix: str, write: Callable[[Path, list[list[Any]]], None]
) -> None:
    rows = [
        ["编号", "text", "标题", "发布日期", "来源", "links", "版面", "", "版面"],
        ["a", "甲", "题", "2020-01-01", "甲报", "https://a.example https://b.example", "A1", "边", "A2"],
        ["b", "乙", None, None, None, None, None, None, None],
    ]
    path = tmp_path / f"n.{suffix}"
    write(path, rows)
    if suffix == "tsv":
        path.write_text(path.read_text(encoding="utf-8").replace(",", "\t"), encoding="utf-8")
    (first, second), misread = read(path)
    assert first == Document(
        "a",
        "甲",
        title="题",
        source="甲报",
        **written("2020-01-01", "day"),
        links=("https://a.example", "https://b.example"),
        metadata={"版面": "A1", "column 8": "边", "版面 9": "A2"},
    )
    assert second == Document("b", "乙")
    assert not misread


def test_links_that_come_one_by_one_are_kept(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": "甲", "links": (f"https://example.org/{number}" for number in range(3))})
        kept = library.get("a")
    assert kept is not None
    assert kept.links == tuple(f"https://example.org/{number}" for number in range(3))


STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
TIMES = st.none() | st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 29), timezones=st.just(UTC))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | STORABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STORABLE, inner, max_size=3),
    max_leaves=5,
)
NAMES = STORABLE | st.sampled_from(["cluster", "revision", "title", "date", "text", "metadata", "origin"])
DOCUMENTS = st.builds(
    Document,
    id=STORABLE.filter(bool),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    title=st.none() | STORABLE,
    url=st.none() | STORABLE.filter(bool),
    source=st.none() | STORABLE,
    author=st.none() | STORABLE,
    published_at=TIMES,
    first_seen_at=TIMES,
    metadata=st.dictionaries(NAMES, JSON, max_size=3),
    links=st.lists(STORABLE, unique=True, max_size=3).map(tuple),
    collection=STORABLE,
)


@settings(max_examples=rounds(15))
@given(st.lists(DOCUMENTS, max_size=4, unique_by=lambda document: document.id))
def test_what_is_exported_comes_back(documents: list[Document]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "all.jsonl"
        with whorl.open(Path(folder) / "first") as library:
            library.add(documents)
            kept = [library.get(id_) for id_ in library]
            write_documents(library.export(), file)
            rows = list(library.export())
        read_back = read(file)[0] if documents else []
        with whorl.open(Path(folder) / "second") as library:
            library.add(read_back)
            assert [library.get(id_) for id_ in library] == kept
        with whorl.open(Path(folder) / "third") as library:
            library.add(rows)
            assert [library.get(id_) for id_ in library] == kept


EVENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("甲乙丙"), st.none() | st.sampled_from(["u", "v"]), TIMES),
    max_size=8,
)
REVIEWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("abc"),
        st.sampled_from(["confirmed", "rejected", "pending", "authorised", "undo"]),
    ),
    max_size=5,
)


@settings(max_examples=rounds(10))
@given(EVENTS, REVIEWS)
def test_what_a_library_remembers_comes_back_with_an_export(
    events: list[tuple[str, str, str | None, datetime | None]], reviews: list[tuple[str, str, str]]
) -> None:
    """Every revision, sighting and review; only the numbers of clusters are new."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "all.jsonl"
        with whorl.open(Path(folder) / "first") as library:
            for id_, text, url, at in events:
                library.add(Document(id_, text, url=url, first_seen_at=at))
            for id_, other, state in reviews:
                if id_ not in library or other not in library or id_ == other:
                    continue
                if state != "undo":
                    library.review(id_, other, state, by="编辑", note=f"{id_}{other}")
                elif any(record.undone_at is None for record in library.reviews.of(id_, other)):
                    library.reviews.undo(id_, other, by="主编")
            rows = exported(library)
            former = [library.get(id_, revision=1) for id_ in library]
            upheld = reviewed(library)
            write_documents(library.export(), file)
        for number, again in enumerate((list(rows.values()), read(file)[0] if rows else [])):
            with whorl.open(Path(folder) / f"again-{number}") as library:
                library.add(again)
                assert exported(library) == rows
                assert [library.get(id_, revision=1) for id_ in library] == former
                assert reviewed(library) == upheld


def reviewed(library: Any) -> list[Any]:
    """Return every match with its counted reviews."""
    return [(id_, match.id, match.review) for id_ in library for match in library.matches(id_)]


def exported(library: Any) -> dict[str, dict[str, Any]]:
    return {row["id"]: row | {"cluster": 0} for row in library.export()}


def test_a_history_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": article(1)})
        [row] = library.export()
        for broken in (
            {"revision": "x"},
            {"history": 3},
            {"history": {"former": [{}]}},
            {"history": {"seen": [{"at": 3}]}},
        ):
            with pytest.raises(InputError, match=r"(?s)history of the document 'a'.*hint"):
                library.add(row | broken)


def test_only_an_export_has_columns_that_a_library_decides(tmp_path: Path) -> None:
    document, _ = read_row({"cluster": 7, "revision": "b"}, tmp_path)
    assert document.metadata == {"cluster": 7, "revision": "b"}
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": article(1), "cluster": 7, "revision": "b"})
        kept = library.get("a")
    assert kept is not None
    assert kept.metadata == document.metadata
