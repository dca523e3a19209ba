"""Publication times in a library: zone, precision and written form, in any store and through an export."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores import SERVERS, place
from tests.unit.cli.articles import write_jsonl

import whorl
from whorl import Document
from whorl.errors import InputError, UsageError
from whorl.library.provenance.times import publication_of
from whorl.stores import schemes
from whorl.types.times import PRECISIONS, PublicationTime, reading_in, shown_time, zone_of

SHANGHAI = "Asia/Shanghai"
NEW_YORK = "America/New_York"


def written(value: Any, zone: str | None = None) -> tuple[str, str, str]:
    time = publication_of(value, "at", zone=zone)
    assert time is not None
    return time.at.isoformat(), time.precision, time.zone


@pytest.mark.parametrize(
    ("value", "at", "precision", "zone"),
    [
        ("2026-11-24", "2026-11-23T16:00", "day", SHANGHAI),
        ("2026-11-24 08:00", "2026-11-24T00:00", "minute", SHANGHAI),
        ("2026-11-24 00:00:00", "2026-11-23T16:00", "second", SHANGHAI),
        ("2026年11月24日", "2026-11-23T16:00", "day", SHANGHAI),
        ("2026年11月24日 08:00", "2026-11-24T00:00", "minute", SHANGHAI),
        ("2026年11月24日（星期二）8时", "2026-11-24T00:00", "hour", SHANGHAI),
        ("2026年11月", "2026-10-31T16:00", "month", SHANGHAI),
        ("2026", "2025-12-31T16:00", "year", SHANGHAI),
        ("20261124", "2026-11-23T16:00", "day", SHANGHAI),
        ("202611240800", "2026-11-24T00:00", "minute", SHANGHAI),
        ("2026-11-24T08:00:00+09:00", "2026-11-23T23:00", "second", "+09:00"),
        ("2026-11-24T08:00Z", "2026-11-24T08:00", "minute", "+00:00"),
        ("20261124T080000Z", "2026-11-24T08:00", "second", "+00:00"),
        ("2026-11-24T08:00[America/New_York]", "2026-11-24T13:00", "minute", NEW_YORK),
        ("2026-11-24 08:00（北京时间）", "2026-11-24T00:00", "minute", "+08:00"),
        ("2026-11-24+08:00", "2026-11-23T16:00", "day", "+08:00"),
        ("20261124+08:00", "2026-11-23T16:00", "day", "+08:00"),
        ("20261124-05:00", "2026-11-24T05:00", "day", "-05:00"),
        ("20261124Z", "2026-11-24T00:00", "day", "+00:00"),
        ("2026-W48-2+08:00", "2026-11-23T16:00", "day", "+08:00"),
        ("2026-11+08:00", "2026-10-31T16:00", "month", "+08:00"),
        ("202611+08:00", "2026-10-31T16:00", "month", "+08:00"),
        ("2026年11月+08:00", "2026-10-31T16:00", "month", "+08:00"),
        ("2026+08:00", "2025-12-31T16:00", "year", "+08:00"),
        ("20261124080000+0800", "2026-11-24T00:00", "second", "+08:00"),
        ("202611240800 +08:00", "2026-11-24T00:00", "minute", "+08:00"),
        ("20261124T08+08:00", "2026-11-24T00:00", "hour", "+08:00"),
        ("20261124 0800+0800", "2026-11-24T00:00", "minute", "+08:00"),
        ("Tue, 24 Nov 2026 08:00:00 +0900", "2026-11-23T23:00", "second", "+09:00"),
        ("Tue, 24 Nov 2026 08:00 GMT", "2026-11-24T08:00", "minute", "+00:00"),
        ("Tue, 24 Nov 2026 08:00:00 CST", "2026-11-24T00:00", "second", SHANGHAI),
        ("Tue Nov 24 08:00:00 +0900 2026", "2026-11-23T23:00", "second", "+09:00"),
        ("24 Nov 2026", "2026-11-23T16:00", "day", SHANGHAI),
        (1_795_478_400, "2026-11-24T00:00", "second", "+00:00"),
        (1_795_478_400_000, "2026-11-24T00:00", "second", "+00:00"),
        (date(2026, 11, 24), "2026-11-23T16:00", "day", SHANGHAI),
        (datetime(2026, 11, 24), "2026-11-23T16:00", "second", SHANGHAI),
        (datetime(2026, 11, 24, tzinfo=UTC), "2026-11-24T00:00", "second", "+00:00"),
    ],
)
def test_precision_and_zone_are_what_was_written(value: Any, at: str, precision: str, zone: str) -> None:
    time = publication_of(value, "at")
    assert time is not None
    placed = time.in_zone(SHANGHAI)
    assert (placed.at.isoformat(), placed.precision, placed.zone) == (f"{at}:00+00:00", precision, zone)


def test_a_time_without_a_zone_may_be_anywhere() -> None:
    time = publication_of("2026-11-24 08:00", "at")
    assert time is not None
    assert (time.zone, str(time)) == ("unknown", "2026-11-24 08:00")
    start, end = time.bounds
    assert (start.isoformat(), end.isoformat()) == ("2026-11-23T18:00:00+00:00", "2026-11-24T20:01:00+00:00")


@pytest.mark.parametrize(
    ("value", "start", "end"),
    [
        ("2026-11-01 01:30", "2026-11-01T05:30", "2026-11-01T06:31"),  # twice: clocks are set back
        ("2026-03-08 02:30", "2026-03-08T07:30", "2026-03-08T07:31"),  # never: clocks are set forward
        ("2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00"),
        ("2026-03-08", "2026-03-08T05:00", "2026-03-09T04:00"),
        ("2026-11-01 01:30:00-05:00", "2026-11-01T06:30", "2026-11-01T06:30:01"),
        ("2026-02", "2026-02-01T05:00", "2026-03-01T05:00"),
        ("2026-12", "2026-12-01T05:00", "2027-01-01T05:00"),
    ],
)
def test_bounds_follow_the_clocks_of_the_zone(value: str, start: str, end: str) -> None:
    time = publication_of(value, "at")
    assert time is not None
    bounds = time.in_zone(NEW_YORK).bounds
    assert [at.replace(tzinfo=None) for at in bounds] == [datetime.fromisoformat(at) for at in (start, end)]


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 30)),
    st.sampled_from(PRECISIONS),
    st.sampled_from([SHANGHAI, NEW_YORK, "+05:45", "-12:00", "unknown"]),
)
def test_every_time_comes_back_from_its_stored_form(clock: datetime, precision: str, zone: str) -> None:
    time = PublicationTime.local(clock, precision, zone, "as written")
    assert PublicationTime.unpacked(time.at, time.packed) == time
    start, end = time.written
    assert start < end
    moment = clock.replace(tzinfo=UTC if zone == "unknown" else zone_of(zone)).astimezone(UTC)
    assert start <= moment < end
    assert time.bounds.start <= start < end <= time.bounds.end


def test_the_zone_of_a_library_and_of_its_sites(tmp_path: Path) -> None:
    def added(library: whorl.Library, url: str) -> str:
        library.add({"id": url, "text": f"渔港的冰厂 {url}", "url": url, "published_at": "2026-11-24 08:00"})
        document = library.get(url)
        assert document is not None
        return str(document.publication)

    with whorl.open(tmp_path / "library") as library:
        assert added(library, "https://a.example/1") == "2026-11-24 08:00"
        library.sites.put([{"domain": "tokyo.example", "zone": "Asia/Tokyo"}])
        assert added(library, "https://news.tokyo.example/1") == "2026-11-24 08:00 +09:00"
    with whorl.open(tmp_path / "library", zone=SHANGHAI) as library:
        assert added(library, "https://a.example/2") == "2026-11-24 08:00 +08:00"
    with whorl.open(tmp_path / "library") as library:
        assert library.zone == SHANGHAI, "it is stored"
        assert added(library, "https://tokyo.example/2") == "2026-11-24 08:00 +09:00"
        assert added(library, "https://a.example/1") == "2026-11-24 08:00 +08:00", "added again, it is read again"
        library.zone = ""
        assert added(library, "https://a.example/3") == "2026-11-24 08:00"


@pytest.mark.parametrize("zone", ["Nowhere", "?", "../etc/passwd", "+15:00", "+08:75", "unknown"])
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str) -> None:
    with whorl.open(tmp_path / "library") as library, pytest.raises(UsageError, match=r"time zone[\s\S]*hint"):
        library.zone = zone


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library, pytest.raises(InputError, match=r"precision[\s\S]*hint"):
        library.add({"id": "a", "text": "甲", "published_at": "2026-11-24", "published_precision": "week"})


ROWS: list[dict[str, Any]] = [
    {"id": "day", "text": "一", "published_at": "2026-11-24"},
    {"id": "zoned", "text": "二", "published_at": "2026-11-24", "published_zone": SHANGHAI},
    {"id": "minute", "text": "三", "published_at": "2026年11月24日 08:00", "published_zone": SHANGHAI},
    {"id": "offset", "text": "四", "published_at": "2026-11-24T08:00:00+08:00"},
    {"id": "midnight", "text": "五", "published_at": datetime(2026, 11, 24, tzinfo=timezone(timedelta(hours=8)))},
    {"id": "year", "text": "六", "published_at": 2026, "published_zone": "-05:00"},
    {"id": "none", "text": "七"},
]


@pytest.mark.parametrize("scheme", schemes())
def test_times_come_back_from_every_store_and_its_export(tmp_path: Path, scheme: str) -> None:
    with whorl.open(place(scheme, tmp_path)) as library:
        library.add(ROWS)
        kept = {row["id"]: library.get(row["id"]) for row in ROWS}
        exported = [json.loads(json.dumps(row)) for row in library.export()]
        assert [entry.publication for entry in library.documents().items] == [
            document.publication for document in kept.values() if document is not None
        ]
    listed = {name: str(document.publication) for name, document in kept.items() if document is not None}
    assert listed == {
        "day": "2026-11-24",
        "zoned": "2026-11-24",
        "minute": "2026-11-24 08:00 +08:00",
        "offset": "2026-11-24 08:00 +08:00",
        "midnight": "2026-11-24 00:00 +08:00",
        "year": "2026",
        "none": "None",
    }
    assert [row["published_original"] for row in exported[:4]] == [row["published_at"] for row in ROWS[:4]]
    assert exported[1]["published_at"] == "2026-11-23T16:00:00+00:00"
    other = tmp_path / "other" if scheme in SERVERS else place(scheme, tmp_path, "other")
    with whorl.open(other, zone="Asia/Tokyo") as library:
        library.add(document for document in kept.values() if document is not None)
        again = [library.get(row["id"]) for row in ROWS]
    with whorl.open(tmp_path / "imported") as library:
        library.add(exported)
        assert {row["id"]: library.get(row["id"]) for row in ROWS} == kept
        assert whorl.library.add_files(library, write_jsonl(tmp_path / "all.jsonl", *exported)).known == len(ROWS)
        assert {row["id"]: library.get(row["id"]) for row in ROWS} == kept
    assert [document.publication for document in again[1:] if document] == [
        document.publication for document in list(kept.values())[1:] if document
    ]
    assert again[0] is not None
    assert again[0].published_zone == "Asia/Tokyo", "the zone was unknown, and this library has a default"


def test_attestations_keep_their_precision(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", zone=SHANGHAI) as library:
        library.add({"id": "a", "text": "甲"})
        library.attestations.put(
            [
                {"document": "a", "kind": "print", "at": "2026-11-24"},
                {"document": "a", "kind": "server-log", "at": "2026-11-24T08:00:00Z"},
            ]
        )
        first, second = library.attestations.of("a")
        assert (str(first.time), first.at.isoformat()) == ("2026-11-24", "2026-11-23T16:00:00+00:00")
        assert (str(second.time), second.at_original) == ("2026-11-24 08:00 +00:00", "2026-11-24T08:00:00Z")
        library.attestations.put([first, second.to_dict()])
        assert library.attestations.of("a") == [first, second]


def test_columns_of_days_and_of_timestamps_differ(tmp_path: Path) -> None:
    columns = {
        "id": ["a"],
        "text": ["甲"],
        "date": pa.array([date(2026, 11, 24)], pa.date32()),
    }
    pq.write_table(pa.table(columns), tmp_path / "days.parquet")
    stamps = pa.array([datetime(2026, 11, 24, tzinfo=UTC)], pa.timestamp("us", SHANGHAI))
    pq.write_table(pa.table({**columns, "id": ["b"], "date": stamps}), tmp_path / "stamps.parquet")
    with whorl.open(tmp_path / "library", zone=SHANGHAI) as library:
        whorl.library.add_files(library, [tmp_path / "days.parquet", tmp_path / "stamps.parquet"])
        assert [str(entry.publication) for entry in library.documents().items] == [
            "2026-11-24",
            "2026-11-24 08:00 +08:00",
        ]


def test_times_of_earlier_versions_are_read_by_their_value(tmp_path: Path) -> None:
    times = {"2026-11-24T00:00Z": "2026-11-24", "2026-11-23T16:00Z": "2026-11-24", "2026-11-24T08:30Z": None}
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": at, "text": at, "published_at": at} for at in times)
    with sqlite3.connect(tmp_path / "library" / "library.sqlite") as store:
        store.execute("UPDATE document SET published_as = NULL")
    store.close()
    with whorl.open(tmp_path / "library") as library:
        listed = {entry.id: entry for entry in library.documents().items}
        assert str(listed["2026-11-24T00:00Z"].publication) == "2026-11-24"
        assert listed["2026-11-24T00:00Z"].published_zone == "unknown"
        assert str(listed["2026-11-23T16:00Z"].publication) == "2026-11-24"
        assert str(listed["2026-11-24T08:30Z"].publication) == "2026-11-24 08:30 +00:00"
        assert {entry.published_original for entry in listed.values()} == {None}


def test_readers_see_times_in_their_zone_and_days_as_days() -> None:
    day, time = (publication_of(text, "", zone=SHANGHAI) for text in ("2026-11-24", "2026-11-24 08:00"))
    assert day is not None
    assert time is not None
    with reading_in(NEW_YORK):
        assert (day.format(), time.format()) == ("2026-11-24", "2026-11-23 19:00 -05:00")
        assert shown_time(time.at) == "2026-11-23 19:00 -05:00"
    assert (day.format(), time.format()) == ("2026-11-24", "2026-11-24 08:00 +08:00")
    assert shown_time(time.at) == "2026-11-24 00:00 +00:00"


def test_a_document_as_callers_make_it_has_a_publication_time() -> None:
    naive = datetime(2026, 11, 24, 8)
    assert str(Document("a", "", published_at=naive).publication) == "2026-11-24 08:00"
    assert str(Document("a", "", published_at=naive, published_zone=SHANGHAI).publication) == (
        "2026-11-24 08:00 +08:00"
    )
    assert Document("a", "").publication is None
