"""An exported library has its cases and attestations, and says what it lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rounds import rounds
from tests.stores import place
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.errors import InputError
from whorl.library import Library
from whorl.stores import schemes
from whorl.tasks.evidence.case_members import pages_of_case
from whorl.tasks.library.maintenance import export
from whorl.tasks.library.monitoring import export_rows, import_rows
from whorl.types.cases import Case, CopyDetails, PageCheck

NOW = datetime(2026, 3, 5, 8, tzinfo=UTC)
URL = "https://copies.example/7"
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 3
COPY = CopyDetails("b7", "a1", "转载站", judged="copy", relation="exact", share=1.0, length=90)
NUMBERED = ("number", "last", "unalerted", "snapshot")


@pytest.fixture(params=schemes())
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def library(scheme: str, tmp_path: Path) -> Iterator[Library]:
    """Return a library of each store, with an article and a page that copies it."""
    with whorl.open(place(scheme, tmp_path)) as opened:
        _fill(opened)
        yield opened


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        _fill(opened)
        yield opened


def _fill(opened: Library) -> None:
    opened.add({"id": "a1", "text": TEXT, "collection": "protected", "title": "冰厂"})
    opened.add({"id": "b7", "text": TEXT, "collection": "watched", "url": URL})


def check(opened: Library, day: int, outcome: str, copy: CopyDetails | None = None, url: str = URL) -> Case:
    status = 404 if outcome == "gone" else 200
    at = NOW + timedelta(days=day)
    (case,) = opened.cases.observe(PageCheck(url, at, status, outcome, "", None if copy is None else (copy,)))
    return case


def history_of(opened: Library) -> list[tuple[int, dict[str, Any], list[tuple[Any, ...]]]]:
    """Return all cases with their events, without numbers that a library assigns itself."""
    return [
        (
            case.number,
            {name: value for name, value in case.to_dict().items() if name not in NUMBERED},
            [(event.kind, event.at, without(event.data)) for event in opened.cases.events(case.number)],
        )
        for case in opened.cases
    ]


def without(data: Any) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in ("of", "alerts", "snapshot", "page_at")}


def copied(opened: Library, target: str | Path, tmp_path: Path) -> Library:
    """Return a library that was filled with an export of another one."""
    file = tmp_path / "all.jsonl"
    export(opened, file)
    whorl.library.add_files(target, file)
    return whorl.open(target)


def test_an_exported_library_has_its_cases_and_attestations(library: Library, scheme: str, tmp_path: Path) -> None:
    library.attestations.put(
        [
            {"document": "a1", "kind": "print", "at": "2026-03-01", "at_zone": "Asia/Shanghai", "by": "编辑"},
            {"document": "a1", "kind": "server-log", "at": "2026-03-01T08:00:00Z", "note": "第17行"},
        ]
    )
    case = check(library, 0, "there", COPY)
    library.cases.alerted(case.number, case.unalerted, [5])
    library.cases.record(case.number, "notice", by="mei", deadline="2026-04-01", to="转载站")
    library.add({"id": "b8", "text": TEXT, "url": f"{URL}8"})
    check(library, 1, "there", CopyDetails("b8", "a1", "", judged="copy", share=1.0), f"{URL}8")
    check(library, 2, "gone")
    library.review("b8", "a1", "rejected", by="mei")
    library.remove("b8")
    with copied(library, place(scheme, tmp_path, "other"), tmp_path) as again:
        assert history_of(again) == history_of(library)
        assert [case.state for case in again.cases] == ["removed", "rejected"]
        assert list(again.attestations) == list(library.attestations)
        assert again.verify().faults == ()
        assert again.cases.get(1).unalerted == 0
        returned = check(again, 3, "there", COPY)
        assert (returned.state, returned.unalerted) == ("open", returned.last)
        library_rows = list(library.export())
        added = again.add(library_rows)
        assert {report.state for report in added} == {"known"}
        assert len(again.cases) == 2


def test_alerts_of_cases_keep_their_numbers_and_are_not_sent_again(
    library: Library, scheme: str, tmp_path: Path
) -> None:
    case = check(library, 0, "there", COPY)
    others = library.outbox.put([{"rule": "other", "payload": {"channel": "desk"}}])
    queued = library.outbox.put(
        [{"rule": name, "payload": {"channel": name, "copy": {"case": 1}}, "key": f"{name} b7 a1"} for name in "xy"]
    )
    library.cases.alerted(case.number, case.unalerted, [alert.number for alert in queued])
    library.outbox.sent([queued[0].number])
    exported_file = tmp_path / "third.jsonl"
    assert export(library, exported_file).omitted["alerts"] == len(others)
    with copied(library, place(scheme, tmp_path, "other"), tmp_path) as again:
        (event,) = (event for event in again.cases.events(1) if event.kind == "alert")
        assert event.data["alerts"] == [2, 3]
        assert [(alert.number, alert.rule, alert.state) for alert in again.outbox] == [
            (2, "x", "sent"),
            (3, "y", "dead"),
        ]
        assert again.outbox.due() == []
        assert [alert.number for alert in again.outbox.put([{"rule": "z", "payload": {}}])] == [4]
        assert again.outbox.put([{"rule": "x", "payload": {}, "key": "x b7 a1"}]) == []
        assert again.verify().faults == ()
    with whorl.open(place(scheme, tmp_path, "third")) as third:
        third.outbox.put([{"rule": "z", "payload": {}} for _ in range(2)])
        third.outbox.put([{"rule": "y", "payload": {}, "key": "y b7 a1"}])
        whorl.library.add_files(third, exported_file)
        (event,) = (event for event in third.cases.events(1) if event.kind == "alert")
        assert event.data["alerts"] == [4, 3]
        assert third.verify().faults == ()


def test_cases_keep_their_numbers_and_never_replace_others(local: Library, tmp_path: Path) -> None:
    for number in range(3):
        local.add({"id": f"c{number}", "text": TEXT, "url": f"{URL}{number}"})
    for day, number in enumerate((2, 0, 1)):
        check(local, day, "there", CopyDetails(f"c{number}", "a1", "", judged="copy"), f"{URL}{number}")
    rows = list(local.export())
    with whorl.open(tmp_path / "one by one") as again:
        for row in rows:
            again.add(row)
        assert history_of(again) == history_of(local)
    with whorl.open(tmp_path / "other") as other:
        _fill(other)
        check(other, 0, "there", COPY)
        check(other, 0, "there", CopyDetails("x", "a1", "", judged="copy"), f"{URL}2")
        other.add(rows)
        assert [(case.number, case.url) for case in other.cases] == [
            (1, URL),
            (2, f"{URL}2"),
            (3, f"{URL}1"),
            (4, f"{URL}0"),
        ]
        assert other.verify().faults == ()


def test_a_case_finds_its_pages_that_are_imported_before_or_after_it(local: Library, tmp_path: Path) -> None:
    page = local.pages.keep(URL, b"<p>copy</p>", at=NOW, document="b7")
    local.pages.keep(URL, b"<p>other</p>", at=NOW + timedelta(days=9), document="b7")
    local.cases.observe(
        PageCheck(URL, NOW, 200, "there", "", (CopyDetails("b7", "a1", "", snapshot=page.number),), page.number)
    )
    local.pages.keep(f"{URL}0", b"<p>unrelated</p>", at=NOW)
    export_rows(local, "snapshots", tmp_path / "pages.jsonl")
    with copied(local, tmp_path / "after", tmp_path) as again:
        again.ledger.note("manifest", "0" * 64)
        assert import_rows(again, "snapshots", tmp_path / "pages.jsonl").kept == 3
        pages = pages_of_case(again, again.cases.get(1), again.pages.of("b7"))
        assert [(page.url, page.fetched_at) for page in pages] == [(URL, NOW)]
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    with whorl.open(tmp_path / "before") as other:
        other.ledger.note("manifest", "0" * 64)
        other.pages.keep(URL, b"<p>copy</p>", at=NOW)
        other.add(rows)
        assert other.cases.get(1).snapshot == 2
        assert [row["history"] for row in other.export() if "history" in row] == [
            row["history"] for row in rows if "history" in row
        ]


def test_an_export_says_what_it_lacks(local: Library, tmp_path: Path) -> None:
    check(local, 0, "there", COPY)
    assert export(local, tmp_path / "few.jsonl").omitted == {"noted": 2}
    local.sites.put([{"domain": "copies.example"}])
    local.accounts.put([{"author": "甲", "domain": "copies.example"}])
    local.permissions.put([{"domain": "copies.example"}])
    local.pages.keep(f"{URL}0", b"<p>page</p>")
    local.outbox.put([{"rule": "copies", "payload": {}}])
    local.cases.record(1, "closed")
    local.remove(["a1", "b7"])
    lacking = export(local, tmp_path / "more.jsonl").omitted
    assert {name: lacking[name] for name in lacking if name != "noted"} == {
        "sites": 1, "permissions": 1, "accounts": 1, "snapshots": 1, "alerts": 1, "cases": 1
    }  # fmt: skip
    result = CliRunner().invoke(
        build_app(), ["library", "export", str(tmp_path / "library"), str(tmp_path / "told.jsonl")]
    )
    assert result.exit_code == 0, result.output
    assert "not in the file: sites 1" in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    "change",
    [
        lambda cases: cases[0].pop("events"),
        lambda cases: cases[0]["events"].clear(),
        lambda cases: cases[0]["events"].reverse(),
        lambda cases: cases[0]["events"][0].update(kind="stolen"),
        lambda cases: cases[0]["events"][0]["data"].pop("url"),
        lambda cases: cases[0]["events"][0]["data"].update(url="\0"),
        lambda cases: cases[0]["events"][0]["data"].update(page_at="soon"),
        lambda cases: cases[0]["events"][0]["data"].update(share="much"),
        lambda cases: cases[0]["events"][0]["data"].pop("length"),
        lambda cases: cases[0]["events"][0]["data"].update(by=["chief"]),
        lambda cases: cases[0]["events"][1]["data"].update(status=10**30),
        lambda cases: cases[0].update(number=0),
    ],
)
def test_a_damaged_case_is_an_error_and_adds_nothing(local: Library, tmp_path: Path, change: Any) -> None:
    check(local, 0, "there", COPY)
    rows = json.loads(json.dumps(list(local.export())))
    change(rows[1]["history"]["cases"])
    with whorl.open(tmp_path / "other") as other:
        with pytest.raises(InputError, match=r"(?s)history of the document 'b7'.*hint"):
            other.add(rows)
        assert (len(other), len(other.cases)) == (0, 0)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from("123"),
        st.sampled_from(["there", "gone", "copy", "alerted", "note", "closed", "reopened", "deadline"]),
    ),
    max_size=12,
)


@settings(max_examples=rounds(8), deadline=None)
@given(EVENTS)
def test_any_history_of_cases_comes_back(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("transfer")
    with whorl.open(folder / "first") as first, whorl.open(folder / "second") as second:
        _fill(first)
        first.add([{"id": f"c{name}", "text": TEXT, "url": f"{URL}{name}"} for name in "123"])
        for day, (name, what) in enumerate(events):
            _do(first, day, name, what)
        second.add(json.loads(json.dumps(list(first.export()))))
        assert history_of(second) == history_of(first)
        assert [case.unalerted > 0 for case in second.cases] == [case.unalerted > 0 for case in first.cases]
        assert second.verify().faults == ()


def _do(opened: Library, day: int, name: str, what: str) -> None:
    """Record an event of a case, if it applies."""
    url, at = f"{URL}{name}", NOW + timedelta(days=day)
    if what in ("there", "gone", "copy"):
        copies = (CopyDetails(f"c{name}", "a1", "", judged="copy", length=day),) if what == "copy" else None
        outcome = "gone" if what == "gone" else "there"
        opened.cases.observe(PageCheck(url, at, 404 if what == "gone" else 200, outcome, "", copies))
        return
    for case in opened.cases.at(url):
        if what == "alerted":
            opened.cases.alerted(case.number, case.unalerted, [day])
        elif what in ("note", "deadline") or (what == "closed") == (case.closed_at is None):
            opened.cases.record(case.number, what, at=at)
