"""Cases: their state follows from their events, which survive everything that a library survives."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores import place

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.library import Library
from whorl.stores import open_store, schemes
from whorl.types.cases import OPEN_STATES, Case, CaseEvent, CopyDetails, PageCheck, case_of, state_of

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 5, 8, tzinfo=UTC)
URL = "https://copies.example/7"
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 3
COPY = CopyDetails("b7", "a1", "转载站", judged="copy", relation="exact", share=1.0, length=90)

_VERDICTS = st.sampled_from(["copy", "undetermined", "reprint", "same-author"])
_PERMISSIONS = st.sampled_from(["none", "given", "claimed"])
_DECISIONS = st.sampled_from(["pending", "confirmed", "rejected", "authorised"])
_COPIES = st.fixed_dictionaries(
    {"document": st.just("b7"), "judged": _VERDICTS, "permission": _PERMISSIONS, "decision": _DECISIONS}
)
_LATER = st.one_of(
    st.tuples(st.sampled_from(["changed", "returned"]), _COPIES),
    st.tuples(st.just("returned"), st.just({"snapshot": None})),
    st.tuples(
        st.just("fetched"),
        st.fixed_dictionaries(
            {"status": st.integers(0, 599), "outcome": st.sampled_from(["there", "changed", "gone", "unknown"])}
        ),
    ),
    st.tuples(st.just("removed"), st.fixed_dictionaries({"why": st.sampled_from(["gone", "changed", "moved"])})),
    st.tuples(st.just("permission"), st.fixed_dictionaries({"permission": _PERMISSIONS})),
    st.tuples(st.just("decision"), st.fixed_dictionaries({"state": _DECISIONS})),
    st.tuples(
        st.sampled_from(["notice", "deadline"]),
        st.fixed_dictionaries({"deadline": st.sampled_from([None, "2026-04-01T00:00:00+00:00"])}),
    ),
    st.tuples(st.sampled_from(["closed", "reopened", "note"]), st.just({})),
    st.tuples(st.just("alert"), st.fixed_dictionaries({"of": st.integers(1, 30)})),
)


def _last(events: Sequence[CaseEvent], *kinds: str) -> CaseEvent | None:
    return next((event for event in reversed(events) if event.kind in kinds), None)


def _latest(events: Sequence[CaseEvent], name: str, kind: str, field: str) -> Any:
    """Return the last value of a field, of events about the copy or of the events of a kind."""
    for event in reversed(events):
        if event.kind == kind:
            return event.data[field]
        if event.kind in ("found", "changed", "returned") and name in event.data:
            return event.data[name]
    return None


def slow_state(events: Sequence[CaseEvent]) -> str:
    """Derive the state of a case by searching its whole history for each question."""
    closing = _last(events, "closed", "reopened", "returned")
    if closing is not None and closing.kind == "closed":
        return "closed"
    decision = _latest(events, "decision", "decision", "state")
    permission = _latest(events, "permission", "permission", "permission")
    judged = _latest(events, "judged", "", "")
    presence = _last(events, "removed", "returned")
    since_return = events[max([place for place, event in enumerate(events) if event.kind == "returned"], default=0) :]
    if decision == "rejected":
        return "rejected"
    if presence is not None and presence.kind == "removed":
        return "removed"
    if decision == "authorised" or permission == "given":
        return "permitted"
    if decision != "confirmed" and judged not in ("copy", "undetermined"):
        return "permitted"
    if _last(since_return, "notice"):
        return "noticed"
    is_copy = decision == "confirmed" or (judged == "copy" and permission != "claimed")
    return "open" if is_copy else "undetermined"


@settings(max_examples=300, deadline=None)
@given(first=_COPIES, later=st.lists(_LATER, max_size=25))
def test_the_state_follows_from_the_events(first: dict[str, Any], later: list[tuple[str, dict[str, Any]]]) -> None:
    opening = {**first, "article": "a1", "url": URL, "site": "转载站"}
    events = [
        CaseEvent(number, 1, kind, NOW + timedelta(hours=number), data)
        for number, (kind, data) in enumerate([("found", opening), *later], start=1)
    ]
    case = state_of(events)
    assert case is not None
    assert case.state == slow_state(events)
    assert case.returns == sum(event.kind == "returned" for event in events)
    assert (case.events, case.last) == (len(events), len(events))
    assert case.is_open == (case.state in OPEN_STATES)
    assert case_of(json.loads(json.dumps(case.to_dict()))) == case


@pytest.fixture(params=schemes())
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """Return a library of each store, with an article and a page that copies it."""
    with whorl.open(place(request.param, tmp_path)) as opened:
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


def check(opened: Library, day: int, status: int, outcome: str, *copies: CopyDetails, why: str = "") -> Case:
    """Record a check of the page; without copies its text is the same as before."""
    page = PageCheck(URL, NOW + timedelta(days=day), status, outcome, why, copies or None)
    (case,) = opened.cases.observe(page)
    return case


def kinds(opened: Library, number: int = 1) -> list[str]:
    return [event.kind for event in opened.cases.events(number)]


def test_a_copy_that_was_removed_and_is_there_again_has_returned(library: Library) -> None:
    assert check(library, 0, 200, "there", COPY).state == "open"
    assert check(library, 1, 304, "there").confirmed_at == NOW + timedelta(days=1)
    assert check(library, 2, 503, "unknown").state == "open"
    assert check(library, 3, 404, "gone").state == "removed"
    assert check(library, 4, 0, "unknown", why="robots").state == "removed"
    case = check(library, 5, 304, "there")
    assert (case.state, case.returns, case.since, case.cause) == ("open", 1, NOW + timedelta(days=5), "returned")
    assert kinds(library) == [
        "found", "fetched", "fetched", "fetched", "fetched", "removed", "fetched", "fetched", "returned",
    ]  # fmt: skip
    assert [event.data["status"] for event in library.cases.events(1) if event.kind == "fetched"] == [
        200, 304, 503, 404, 0, 304,
    ]  # fmt: skip
    assert library.verify().faults == ()


def test_a_page_that_lost_the_text_and_is_unchanged_has_not_returned(local: Library) -> None:
    check(local, 0, 200, "there", COPY)
    page = PageCheck(URL, NOW + timedelta(days=1), 200, "changed", copies=())
    assert [case.removed_by for case in local.cases.observe(page)] == ["changed"]
    assert check(local, 2, 304, "there").state == "removed"
    assert check(local, 3, 404, "gone").state == "removed"
    assert check(local, 4, 304, "there").state == "removed"
    assert check(local, 5, 200, "there", COPY).state == "open"


def test_a_page_that_was_away_and_is_there_without_the_text_has_not_returned(local: Library) -> None:
    check(local, 0, 200, "there", COPY)
    check(local, 1, 404, "gone")
    local.cases.observe(PageCheck(URL, NOW + timedelta(days=2), 200, "changed", copies=()))
    assert check(local, 3, 304, "there").state == "removed"


def test_a_changed_copy_is_recorded_and_other_text_of_the_page_is_not(local: Library) -> None:
    check(local, 0, 200, "there", COPY)
    assert check(local, 1, 200, "there", COPY).changes == 0
    shorter = CopyDetails("b7", "a1", "转载站", 2, "excerpt", "undetermined", share=0.4, length=36)
    case = check(local, 2, 200, "there", shorter)
    assert (case.changes, case.state, case.revision, case.cause) == (1, "undetermined", 2, "changed")


def test_a_repeated_check_changes_nothing(local: Library) -> None:
    first = check(local, 0, 200, "there", COPY)
    assert check(local, 0, 200, "there", COPY) == first
    removed = check(local, 1, 404, "gone")
    assert check(local, 1, 404, "gone") == removed


def test_a_permission_and_a_decision_judge_the_case_again(library: Library) -> None:
    case = library.cases.open("b7", "a1", by="mei")
    assert (case.state, library.cases.open("b7", "a1")) == ("open", case)
    library.permissions.put([{"domain": "copies.example", "note": "合同"}])
    assert library.cases.get(1).state == "permitted"
    library.permissions.remove([{"domain": "copies.example"}])
    case = library.cases.get(1)
    assert (case.state, case.cause) == ("open", "permission")
    library.sites.put([{"domain": "example", "authorised": True}])
    assert library.cases.get(1).state == "permitted"
    library.sites.remove(["example"])
    library.review("a1", "b7", "rejected", by="chief", note="我们的")
    assert library.cases.get(1).state == "rejected"
    assert library.cases.events(1)[-1].data == {"state": "rejected", "by": "chief", "note": "我们的"}
    library.reviews.undo("b7", "a1", by="mei")
    assert library.cases.get(1).state == "open"
    library.review("a1", "b7", "authorised")
    assert library.cases.get(1).state == "permitted"
    assert library.verify().faults == ()


def test_a_case_of_a_permitted_site_is_permitted_from_the_beginning(local: Library) -> None:
    local.permissions.put([{"domain": "copies.example"}])
    assert local.cases.open("b7", "a1").state == "permitted"
    assert [case.number for case in local.cases.page().items] == []
    assert [case.number for case in local.cases.page(states=None).items] == [1]


def test_what_people_do_is_recorded(local: Library) -> None:
    local.cases.open("b7", "a1")
    case = local.cases.record(1, "notice", by="mei", deadline=NOW + timedelta(days=7), to="转载站")
    assert (case.state, case.deadline) == ("noticed", NOW + timedelta(days=7))
    assert (case.is_overdue(NOW + timedelta(days=8)), case.is_overdue(NOW)) == (True, False)
    assert local.cases.record(1, "deadline").deadline is None
    assert local.cases.record(1, "closed", note="付款").state == "closed"
    with pytest.raises(UsageError, match="case 1 is closed"):
        local.cases.record(1, "closed")
    assert local.cases.record(1, "reopened").state == "noticed"
    with pytest.raises(UsageError, match="only a closed case") as refused:
        local.cases.record(1, "reopened")
    assert refused.value.hint
    for number, kind in ((1, "found"), (9, "note"), ("1", "note")):
        with pytest.raises((UsageError, NotFoundError)):
            local.cases.record(number, kind)  # type: ignore[arg-type]
    local.add({"id": "c", "text": "明天有雨，出海的船请留意风浪。"})
    with pytest.raises(NotFoundError, match="no match"):
        local.cases.open("c", "a1")


def test_cases_are_listed_page_by_page(local: Library) -> None:
    for number in range(25):
        copy = CopyDetails(f"d{number}", "a1", f"site {number % 3}", judged="copy")
        local.cases.observe(PageCheck(f"{URL}/{number}", NOW, 200, "there", copies=(copy,)))
    local.cases.record(3, "closed")
    first = local.cases.page(limit=10)
    assert [case.number for case in first.items] == list(range(25, 15, -1))
    rest = local.cases.page(limit=30, after=first.mark)
    assert ([case.number for case in rest.items], rest.mark) == ([*range(15, 3, -1), 2, 1], None)
    assert local.cases.counts()["open"] == 24
    assert {case.site for case in local.cases.page(site="site 1").items} == {"site 1"}
    with pytest.raises(NotFoundError, match="stolen"):
        local.cases.page(states=["stolen"])


def test_an_altered_event_is_detected_and_lost_states_are_computed_again(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as opened:
        _fill(opened)
        check(opened, 0, 200, "there", COPY)
        check(opened, 1, 404, "gone")
    store = open_store(str(tmp_path / "library"), create=False)
    with store.writing() as writer:
        row = writer.cases([1])[1]
        writer.put_cases([row._replace(state="closed"), row._replace(number=7)])
    with whorl.open(tmp_path / "library") as opened:
        assert [fault.partition(" differs")[0] for fault in opened.verify().faults] == ["case 1", "case 7"]
        assert opened.cases.rebuild() == 1
        assert (opened.verify().faults, opened.cases.get(1).state) == ((), "removed")
    with store.writing() as writer:
        (event, *_) = writer.case_events_after(0, 1)
        writer.run("UPDATE case_event SET data = ? WHERE number = ?", event.data.replace("1.0", "0.1"), event.number)  # type: ignore[attr-defined]
    store.close()
    with whorl.open(tmp_path / "library") as opened:
        assert f"event {event.number} of a case differs" in opened.verify().faults[0]


def test_a_copied_library_has_the_cases(local: Library, tmp_path: Path) -> None:
    from whorl.library.maintenance.copy import copy

    check(local, 0, 200, "there", COPY)
    check(local, 1, 404, "gone")
    result = copy(tmp_path / "library", tmp_path / "other")
    assert (result.rows["cases"], result.rows["case_events"], result.faults) == (1, 4, ())
    with whorl.open(tmp_path / "other") as opened:
        assert list(opened.cases) == list(local.cases)
        assert opened.cases.events(1) == local.cases.events(1)
        assert opened.verify().faults == ()


def test_the_evidence_of_open_cases_outlives_documents_and_old_pages(local: Library) -> None:
    pages = local.pages
    kept = pages.keep(URL, b"<p>copy</p>", at=NOW, document="b7")
    other = pages.keep("https://other.example/1", b"<p>other</p>", at=NOW)
    recent = pages.keep("https://other.example/2", b"<p>recent</p>", at=NOW + timedelta(days=40))
    check(local, 0, 200, "there", COPY)
    assert pages.prune(NOW + timedelta(days=30)) == 1
    assert {page.number for page in pages} == {kept.number, recent.number}
    with pytest.raises(NotFoundError):
        pages.body(other.digest)
    local.remove("b7", force=True)
    assert pages.body(pages.at(URL)[0].digest) == b"<p>copy</p>"
    local.cases.record(1, "closed")
    assert pages.prune(NOW + timedelta(days=30)) == 1
    assert [page.number for page in pages] == [recent.number]
    assert local.verify().faults == ()


def test_the_documents_of_open_cases_are_removed_only_by_force(library: Library) -> None:
    library.add([{"id": f"other {number}", "text": f"{TEXT}{number}"} for number in range(9)])
    check(library, 0, 200, "there", COPY)
    everything = list(library)
    for ids in ("a1", "b7", ["other 0", "a1"], everything):
        with pytest.raises(
            UsageError, match=r"(?s)'(a1|b7)' is evidence of an open case: 1.*whorl case close.*--force"
        ):
            library.remove(ids)
    with pytest.raises(UsageError, match="open case"):
        library.remove_if("a1", lambda _: None)
    assert list(library) == everything
    assert library.remove(["other 0", "nobody"]) == 1
    assert library.remove("a1", force=True, by="mei") == 1
    removal = library.cases.events(1)[-1]
    assert (removal.kind, removal.data["by"], removal.data["document_removed"]) == ("note", "mei", "a1")
    assert removal.data["text_sha256"] == sha256(TEXT.encode()).hexdigest()
    assert library.cases.get(1).state == "open"
    library.cases.record(1, "closed")
    assert library.remove("b7") == 1
    assert library.cases.events(1)[-1].kind == "closed"
    assert library.verify().faults == ()


def test_an_article_and_its_copy_are_removed_together_by_force(library: Library) -> None:
    check(library, 0, 200, "there", COPY)
    assert library.remove(["a1", "b7"], force=True) == 2
    assert sorted(event.data.get("document_removed", "") for event in library.cases.events(1))[-2:] == ["a1", "b7"]
    assert library.verify().faults == ()


WRITER = """
import json, sys
from datetime import UTC, datetime, timedelta
import whorl
from whorl.types.cases import CopyDetails, PageCheck
seed = int(sys.argv[2])
now = datetime(2026, 3, 5, tzinfo=UTC) + timedelta(days=seed)
with whorl.open(sys.argv[1]) as library:
    print("ready", flush=True)
    for step in range(10**6):
        copy = CopyDetails("b7", "a1", "site", judged="copy", share=1.0, length=90)
        url, at = f"https://copies.example/{step % 5}", now + timedelta(seconds=step)
        outcome = ("there", "gone", "there")[step % 3]
        copies = (copy,) if outcome == "there" else None
        check = PageCheck(url, at, 404 if copies is None else 200, outcome, "", copies)
        (case,) = library.cases.observe(check) or [None]
        if case is not None:
            case = library.cases.record(case.number, "note", note=f"{seed} {step}")
            print(json.dumps([case.number, case.last, case.events, f"{seed} {step}"]), flush=True)
"""


def survives(folder: Path, rounds: int) -> None:
    """Kill a writer at random moments; all acknowledged events are there, and every state follows from its events."""
    rng = random.Random(3)
    acknowledged = 0
    for seed in range(rounds):
        command = [sys.executable, "-c", WRITER, str(folder), str(seed)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        lines = [json.loads(line) for line in process.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
        acknowledged += len(lines)
        with whorl.open(folder) as opened:
            assert opened.verify().faults == ()
            for number, last, count, note in lines:
                events = opened.cases.events(number)
                assert (events[count - 1].number, events[count - 1].data["note"]) == (last, note)
                assert state_of(events) == opened.cases.get(number)
    assert acknowledged


def test_a_killed_writer_loses_no_event(tmp_path: Path) -> None:
    survives(tmp_path / "library", 4)


@pytest.mark.soak
def test_a_writer_killed_two_hundred_times_loses_no_event(tmp_path: Path) -> None:
    survives(tmp_path / "library", 200)
