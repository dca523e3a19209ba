"""Append events of cases to the ledger, and keep the projection of their states.

An event and its ledger entry have the same number, and are written in one transaction with the projection. The ledger
contains the SHA-256 of the event, so an event that was altered, removed or invented later is detected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl.errors import InputError
from whorl.i18n import say
from whorl.library import ledger
from whorl.stores.monitoring_records import CaseEventRecord, CaseFilter, CaseRecord
from whorl.types.cases import Case, CaseEvent, after, case_of, opened
from whorl.types.library import moment

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer

KIND = "case"
"""Kind of ledger entries that record events of cases."""

_BLOCK = 1000


class NewEvent(NamedTuple):
    """An event to be recorded.

    Attributes:
        case: the number of the case.
        kind: kind of event.
        at: when it happened, in microseconds.
        data: details, as JSON values.
    """

    case: int
    kind: str
    at: int
    data: Mapping[str, Any]


def append(writer: Writer, events: Sequence[NewEvent], cases: Mapping[int, Case] | None = None) -> dict[int, Case]:
    """Record events within a transaction; return the new states of their cases.

    Args:
        writer: the transaction.
        events: the events, in their order; the first one of a new case is "found".
        cases: states of cases that were read in this transaction; others are read.
    """
    if not events:
        return {}
    rows = [(event, data_text(event.data)) for event in events]
    digests = [(KIND, witness(event.case, event.kind, event.at, data)) for event, data in rows]
    entries = ledger.append(writer, digests)
    kept = [
        CaseEventRecord(entry.number, event.case, event.kind, event.at, data)
        for entry, (event, data) in zip(entries, rows, strict=True)
    ]
    states = {number: case for number, case in (cases or {}).items() if number > 0}
    unread = {event.case for event in events} - states.keys()
    states |= {number: case_from(record) for number, record in writer.cases(unread).items()}
    changed = _folded(states, map(event_from, kept))
    writer.put_case_events(kept)
    writer.put_cases([record_of(case) for case in changed.values()])
    return changed


def witness(case: int, kind: str, at: int, data: str) -> bytes:
    """Return the digest that the ledger records of an event: SHA-256 of number, kind, time and details as JSON."""
    return sha256(f"[{case},{_json(kind)},{at},{data}]".encode()).digest()


def data_text(data: Mapping[str, Any]) -> str:
    """Return the details of an event as they are stored and witnessed: JSON with sorted names and without blanks."""
    return _json(data)


def record_of(case: Case) -> CaseRecord:
    """Return the row of a case."""
    fields = _json(case.to_dict())
    return CaseRecord(case.number, case.article, case.url, case.document, case.site, case.state, case.last, fields)


def case_from(record: CaseRecord) -> Case:
    """Return the case of a row.

    Raises:
        InputError: the row is damaged.
    """
    try:
        return case_of(json.loads(record.fields))
    except (TypeError, ValueError) as error:
        raise InputError(
            say("case {number} is damaged", number=record.number),
            hint=say("compute the cases again: `whorl case rebuild LIBRARY`"),
        ) from error


def event_from(record: CaseEventRecord) -> CaseEvent:
    """Return the event of a row.

    Raises:
        InputError: the row is damaged.
    """
    try:
        data = json.loads(record.data)
    except ValueError as error:
        raise InputError(
            say("event {number} of a case is damaged", number=record.number),
            hint=say("check for more damage with `whorl library verify`, then restore a backup"),
        ) from error
    return CaseEvent(record.number, record.case_number, record.kind, moment(record.at), data)


def rebuild(writer: Writer) -> int:
    """Compute the projection again from the events; return the number of cases."""
    cases = _replayed(writer)
    writer.remove_cases([record.number for record in _all_cases(writer) if record.number not in cases])
    writer.put_cases([record_of(case) for case in cases.values()])
    return len(cases)


def faults_of_cases(reader: Reader) -> list[str]:
    """Return a sentence for each event that differs from the ledger, and for each case that differs from its events.

    Cost: a pass over the ledger and the events, with the states of all cases in memory.
    """
    faults = list(_faults_of_events(reader))
    try:
        expected = {number: record_of(case) for number, case in _replayed(reader).items()}
    except InputError as error:
        return [*faults, error.message]
    states = {record.number: record for record in _all_cases(reader)}
    numbers = sorted(expected.keys() | states.keys())
    differing = [number for number in numbers if not _agree(expected.get(number), states.get(number))]
    faults += [say("case {number:,} differs from its events", number=number) for number in differing]
    return faults


def _agree(expected: CaseRecord | None, kept: CaseRecord | None) -> bool:
    """Return True if a case is as expected; fields that a newer version added may be missing."""
    if expected is None or kept is None or expected[:-1] != kept[:-1]:
        return False
    try:
        fields, others = json.loads(kept.fields), json.loads(expected.fields)
        return all(others.get(name) == value for name, value in fields.items())
    except (AttributeError, TypeError, ValueError):
        return False


def _faults_of_events(reader: Reader) -> Iterator[str]:
    recorded = 0
    for block in _blocks(reader):
        entries = reader.ledger_records(row.number for row in block)
        for row in block:
            entry = entries.get(row.number)
            digest = witness(row.case_number, row.kind, row.at, row.data)
            if entry is None or (entry.kind, entry.digest) != (KIND, digest):
                yield say("event {number:,} of a case differs from its ledger entry", number=row.number)
        recorded += len(block)
    expected = _entries_of_cases(reader)
    if expected != recorded:
        yield say(
            "the ledger has {expected:,} entries for events of cases, but there are {count:,} events",
            expected=expected,
            count=recorded,
        )


def _entries_of_cases(reader: Reader) -> int:
    count = last = 0
    while block := reader.ledger_records_after(last, _BLOCK):
        count += sum(entry.kind == KIND for entry in block)
        last = block[-1].number
    return count


def _replayed(reader: Reader) -> dict[int, Case]:
    """Return the states that follow from all events."""
    states: dict[int, Case] = {}
    for block in _blocks(reader):
        states |= _folded(states, map(event_from, block))
    return states


def _folded(states: Mapping[int, Case], events: Iterable[CaseEvent]) -> dict[int, Case]:
    """Return the states of cases after events, for the cases that have some."""
    changed: dict[int, Case] = {}
    for event in events:
        case = changed.get(event.case) or states.get(event.case)
        try:
            changed[event.case] = opened(event) if case is None else after(case, event)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                say("event {number} of a case is damaged", number=event.number),
                hint=say("check for more damage with `whorl library verify`, then restore a backup"),
            ) from error
    return changed


def _blocks(reader: Reader) -> Iterator[list[CaseEventRecord]]:
    last = 0
    while block := reader.case_events_after(last, _BLOCK):
        yield block
        last = block[-1].number


def _all_cases(reader: Reader) -> Iterator[CaseRecord]:
    last = 0
    while block := reader.cases_after(CaseFilter(), last, _BLOCK):
        yield from block
        last = block[-1].number


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


__all__ = [
    "KIND",
    "NewEvent",
    "append",
    "case_from",
    "data_text",
    "event_from",
    "faults_of_cases",
    "rebuild",
    "record_of",
    "witness",
]
