"""Every store saves sites, pages, reviews and alerts according to the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.stores import TO_VERSION_5, Open

from whorl.errors import WhorlError
from whorl.stores import schemes
from whorl.stores.monitoring_records import (
    AlertRecord,
    AttestationRecord,
    BodyRecord,
    CaseEventRecord,
    CaseFilter,
    CaseRecord,
    LedgerRecord,
    PermissionRecord,
    SiteRecord,
    SnapshotRecord,
)
from whorl.stores.records import Content, DecisionRecord, Entry, ReviewRecord

FIRST, SECOND = b"\1" * 32, b"\2" * 32


@pytest.fixture(params=schemes())
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens the same location repeatedly."""
    with Open(request.param, tmp_path) as opened:
        yield opened


def entry(number: int, collection: str = "", seen_at: int = 7) -> Entry:
    return Entry(number, f"id {number}", 1, 1, 5, None, seen_at, None, None, None, None, "", None, collection)


def snapshot(
    number: int, url: str, at: int, digest: bytes = FIRST, status: int = 200, document: int | None = None
) -> SnapshotRecord:
    return SnapshotRecord(number, url, at, digest, 3, status, "[]", document)


def alert(number: int, key: str = "", state: str = "waiting", next_try: int | None = None) -> AlertRecord:
    return AlertRecord(number, key, "规则", "{}", 5, state, 0, next_try, "")


def test_everything_comes_back(opened: Open) -> None:
    zoned = SiteRecord("a.org", "甲", 0.5, -1, 7, True, "Asia/Shanghai")
    sites = [zoned, SiteRecord("b.org", "", None, None, None, False)]
    permissions = [
        PermissionRecord("a.org", "", "", None, None, ""),
        PermissionRecord("a.org", "/a", "边", 1, 2, "合同"),
    ]
    dated = AttestationRecord(1, "print", 3, "", "", "day +08:00 1970-01-01")
    attestations = [dated, AttestationRecord(1, "server-log", 9, "第17行", "编辑")]
    ledger = [LedgerRecord(1, 5, "snapshot", FIRST, SECOND), LedgerRecord(2, 6, "manifest", SECOND, FIRST)]
    decisions = [
        DecisionRecord(1, 1, 2, "confirmed", "甲", 3, "抄"),
        DecisionRecord(2, 1, 2, "rejected", "乙", 4, "", "丙", 5),
    ]
    bodies = [BodyRecord(FIRST, 3, b"\0\xff"), BodyRecord(SECOND, 0, b"")]
    with opened().writing() as writer:
        assert (writer.next_decision(), writer.next_alert(), writer.last_ledger_record()) == (1, 1, None)
        writer.put_sites(sites[::-1])
        writer.put_permissions(permissions[::-1])
        writer.put_attestations([*attestations[::-1], attestations[0]])
        writer.put_bodies(bodies)
        writer.put_bodies([BodyRecord(FIRST, 9, b"another")])
        writer.put_ledger_records(ledger)
        writer.put_decisions(decisions)
        writer.put_alerts([alert(1, "a"), alert(2)])
    with opened().reading() as reader:
        assert (list(reader.all_sites()), reader.sites(["b.org", "c.org"])) == (sites, {"b.org": sites[1]})
        assert (list(reader.all_permissions()), reader.permissions(["a.org", "b.org"])) == (
            permissions,
            {"a.org": permissions},
        )
        assert (list(reader.all_attestations()), reader.attestations([1, 2])) == (attestations, {1: attestations})
        assert reader.bodies([FIRST, b"?"]) == {FIRST: bodies[0]}
        assert reader.known_bodies([SECOND, b"?"]) == {SECOND}
        assert (reader.bodies_after(b"", 9), reader.bodies_after(FIRST, 9)) == ([FIRST, SECOND], [SECOND])
        assert (reader.ledger_records([2, 3]), reader.ledger_records_after(0, 1)) == ({2: ledger[1]}, ledger[:1])
        assert reader.last_ledger_record() == ledger[1]
        assert reader.decisions([(1, 2), (1, 3)]) == {(1, 2): decisions}
        assert reader.decisions_about([2]) == reader.decisions_after(0, 9) == decisions
        assert reader.alerts([2, 3]) == {2: alert(2)}
        assert reader.alerts_about(["a", ""]) == {"a": alert(1, "a")}
        assert reader.kept() == {
            "sites": 2,
            "permissions": 2,
            "attestations": 2,
            "snapshots": 0,
            "bodies": 2,
            "noted": 2,
            "decisions": 2,
            "alerts": 2,
            "cases": 0,
            "case_events": 0,
        }


def test_what_is_known_is_replaced_or_forgotten(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_sites([SiteRecord("a.org", "", None, None, None, False)])
        writer.put_sites([SiteRecord("a.org", "甲", 1.0, None, None, True)])
        writer.put_permissions(
            [PermissionRecord("a.org", "", "", None, 5, ""), PermissionRecord("a.org", "", "", 0, None, "")]
        )
        writer.put_permissions([PermissionRecord("a.org", "", "", None, 6, "")])
        assert writer.sites(["a.org"])["a.org"].name == "甲"
        assert [permission.until for permission in writer.all_permissions()] == [6, None]
        writer.remove_permissions([PermissionRecord("a.org", "", "", None, None, "")])
        assert [permission.since for permission in writer.all_permissions()] == [0]
        writer.remove_sites(["a.org", "b.org"])
        assert list(writer.all_sites()) == []
        writer.put_verdicts([ReviewRecord(1, 2, "confirmed", "", 1, "")])
        before = writer.mark().change
        writer.remove_verdicts([(1, 2), (1, 3)])
        assert writer.verdicts([1, 2]) == {}
        assert (1, 2) in writer.changes(before, 9).verdicts


def test_the_latest_snapshot_is_the_last_in_time(opened: Open) -> None:
    rows = [
        snapshot(1, "a", 9),
        snapshot(2, "a", 9, SECOND, status=304),
        snapshot(3, "a", 5),
        snapshot(4, "b", 7, status=404),
    ]
    with opened().writing() as writer:
        writer.put_snapshots(rows)
        assert writer.snapshots_at(["a", "?"]) == {"a": [rows[2], rows[0], rows[1]]}
        assert writer.latest_at(["a", "b", "?"], range(1000)) == {"a": rows[1], "b": rows[3]}
        assert writer.latest_at(["a", "b"], range(200, 300)) == {"a": rows[0]}
        assert writer.latest_with([FIRST, SECOND, b"?"]) == {FIRST: rows[0], SECOND: rows[1]}
        assert writer.snapshots_after(1, 2) == rows[1:3]
        writer.put_snapshots([rows[0]._replace(document=7)])
        assert writer.snapshots_of([7, 8]) == {7: [rows[0]._replace(document=7)]}


def test_a_document_takes_with_it_what_is_its_own(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_entries([entry(1), entry(2)])
        writer.put_contents([Content(1, b"d", 0, 2, 1)])
        writer.put_bodies([BodyRecord(FIRST, 3, b"a"), BodyRecord(SECOND, 3, b"b")])
        mine, shared, other = (
            snapshot(1, "a", 1, SECOND, document=1),
            snapshot(2, "a", 2, document=1),
            snapshot(3, "b", 3),
        )
        writer.put_snapshots([mine, shared, other])
        writer.put_attestations([AttestationRecord(1, "print", 3, "", ""), AttestationRecord(2, "print", 3, "", "")])
        writer.put_decisions([DecisionRecord(1, 1, 2, "confirmed", "", 3, "")])
        writer.remove_entries([1])
        assert writer.snapshots_after(0, 9) == [other]
        assert writer.known_bodies([FIRST, SECOND]) == {FIRST}
        assert [attestation.document for attestation in writer.all_attestations()] == [2]
        assert writer.decisions_about([1, 2]) == []
        assert writer.next_decision() == 2


def test_alerts_are_due_when_they_wait_and_their_time_has_come(opened: Open) -> None:
    rows = [alert(1), alert(2, state="sent"), alert(3, next_try=9), alert(4, state="dead"), alert(5, next_try=10)]
    with opened().writing() as writer:
        writer.put_alerts(rows)
        assert [sent.number for sent in writer.due(9, 9)] == [1, 3]
        assert [sent.number for sent in writer.due(10, 2)] == [1, 3]
        assert [sent.number for sent in writer.alerts_after(0, 9, "waiting")] == [1, 3, 5]
        assert [sent.number for sent in writer.alerts_after(1, 2, None)] == [2, 3]
        assert writer.next_alert() == 6


def test_documents_are_told_by_collection(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_entries([entry(1), entry(2, "甲"), entry(3, "甲", seen_at=9), entry(4, "乙")])
        assert writer.collections() == {"甲": 2, "乙": 1}
        assert [record.number for record in writer.all_entries("甲")] == [2, 3]
        assert [record.number for record in writer.all_entries("甲", 8)] == [3]
        assert [record.number for record in writer.all_entries("", 7)] == [1]
        assert [record.number for record in writer.members([1], 1, "甲")[1]] == [2]
        assert writer.members([1], None, "丙") == {}


def test_nothing_is_asked_for_and_nothing_put(opened: Open) -> None:
    with opened().writing() as writer:
        empty_calls = (
            writer.sites,
            writer.permissions,
            writer.attestations,
            writer.snapshots_of,
            writer.snapshots_at,
            writer.latest_with,
        )
        more = (writer.bodies, writer.ledger_records, writer.decisions, writer.alerts, writer.alerts_about)
        assert [ask([]) for ask in (*empty_calls, *more)] == [{}] * 11
        assert (writer.latest_at([], range(9)), writer.known_bodies([])) == ({}, set())
        for put in (
            writer.put_sites,
            writer.put_permissions,
            writer.put_attestations,
            writer.put_bodies,
            writer.put_snapshots,
        ):
            put([])
        for put in (
            writer.put_ledger_records,
            writer.put_decisions,
            writer.put_alerts,
            writer.remove_sites,
            writer.remove_permissions,
        ):
            put([])
        writer.remove_verdicts([])
        assert set(writer.kept().values()) == {0}


def test_the_ledger_takes_no_number_twice(opened: Open) -> None:
    record = LedgerRecord(1, 5, "snapshot", FIRST, SECOND)
    store = opened()
    with store.writing() as writer:
        writer.put_ledger_records([record])
    with pytest.raises(WhorlError), store.writing() as writer:
        writer.put_ledger_records([record._replace(kind="other")])
    with store.reading() as reader:
        assert reader.ledger_records_after(0, 9) == [record]


def case(number: int, state: str = "open", site: str = "甲", article: str = "a") -> CaseRecord:
    return CaseRecord(number, article, f"https://{site}/{number % 2}", f"doc {number}", site, state, number, "{}")


def test_cases_are_selected_and_paged(opened: Open) -> None:
    cases = [case(1), case(2, "closed"), case(3, site="乙"), case(4, article="b"), case(5)]
    with opened().writing() as writer:
        assert (writer.last_case(), writer.case_states(), writer.cases_after(CaseFilter(), None, 9)) == (0, {}, [])
        writer.put_cases(cases)
        writer.put_cases([cases[4]._replace(state="removed")])
    cases[4] = cases[4]._replace(state="removed")
    with opened().reading() as reader:
        assert reader.last_case() == 5
        assert reader.case_states() == {"open": 3, "closed": 1, "removed": 1}
        assert reader.cases([2, 7]) == {2: cases[1]}
        assert reader.cases_at(["https://甲/1", "?"]) == {"https://甲/1": [cases[0], cases[4]]}
        assert reader.cases_about(["doc 3", "?"]) == {"doc 3": [cases[2]]}
        for chosen, numbers in (
            (CaseFilter(), [1, 2, 3, 4, 5]),
            (CaseFilter(("open", "removed")), [1, 3, 4, 5]),
            (CaseFilter(("closed",), site="甲"), [2]),
            (CaseFilter(article="a"), [1, 2, 3, 5]),
            (CaseFilter(site="乙", article="b"), []),
        ):
            selected = [cases[number - 1] for number in numbers]
            assert reader.cases_after(chosen, None, 9) == selected
            assert reader.cases_after(chosen, None, 9, newest=True) == selected[::-1]
            assert reader.cases_after(chosen, 2, 2) == [item for item in selected if item.number > 2][:2]
            assert reader.cases_after(chosen, 4, 2, newest=True) == [i for i in selected[::-1] if i.number < 4][:2]
    with opened().writing() as writer:
        writer.remove_cases([5, 9])
        assert sorted(writer.cases(range(9))) == [1, 2, 3, 4]


def test_events_of_cases_are_only_appended(opened: Open) -> None:
    events = [CaseEventRecord(3, 1, "found", 5, "{}"), CaseEventRecord(4, 2, "found", 6, '{"说": "明"}')]
    events.append(CaseEventRecord(9, 1, "fetched", 4, "{}"))
    store = opened()
    with store.writing() as writer:
        writer.put_case_events(events)
        assert writer.case_events([1, 2, 3]) == {1: [events[0], events[2]], 2: [events[1]]}
        assert writer.case_events_after(3, 1) == [events[1]]
        assert writer.kept()["case_events"] == 3
    with pytest.raises(WhorlError), store.writing() as writer:
        writer.put_case_events([events[0]._replace(kind="removed")])
    with store.reading() as reader:
        assert reader.case_events_after(0, 9) == events


def test_snapshots_are_removed_by_number_with_their_bodies(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_bodies([BodyRecord(FIRST, 3, b"a"), BodyRecord(SECOND, 3, b"b")])
        rows = [snapshot(1, "a", 1, SECOND), snapshot(2, "a", 2), snapshot(3, "b", 3)]
        writer.put_snapshots(rows)
        writer.remove_snapshots_numbered([1, 2, 9])
        assert writer.snapshots_after(0, 9) == [rows[2]]
        assert writer.known_bodies([FIRST, SECOND]) == {FIRST}


def test_tables_that_an_older_version_lacks_are_created(opened: Open) -> None:
    if opened.scheme not in ("postgresql", "mysql"):
        pytest.skip("its tables are not created after the migrations")
    with opened().writing() as writer:
        writer.put_bodies([BodyRecord(FIRST, 3, b"a")])
        dropped = ('DROP TABLE "case_file"', 'DROP TABLE "case_event"', 'UPDATE "library" SET "version" = 4')
        for statement in (*TO_VERSION_5, *dropped):
            writer.run(statement)  # type: ignore[attr-defined]
    with opened().writing() as writer:
        writer.put_cases([case(1)])
        assert writer.case_states() == {"open": 1}
        assert writer.known_bodies([FIRST]) == {FIRST}
