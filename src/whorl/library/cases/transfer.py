"""Cases in an export of documents, and their restoration in another library.

A case is exported with the document of its copy, or with the protected article if the copy was removed. Its events get
new numbers, because they join the ledger of the other library; the chain of the first ledger is not exported. Alerts
about the case come along and keep their numbers, unless these are taken. A
reference to a stored page becomes the time of its fetch, which identifies the page if it is imported, too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl.library.cases.recording import NewEvent, append, event_from
from whorl.library.provenance.history import ExportedDocument
from whorl.stores.monitoring_records import AlertRecord, CaseFilter
from whorl.types.cases import PAGE_TIME
from whorl.types.library import microseconds, moment

if TYPE_CHECKING:
    from whorl.library.provenance.history import StoredCase
    from whorl.stores import Reader, Writer
    from whorl.types.cases import CaseEvent
    from whorl.types.library import Document

_BLOCK = 1000

_PageTimes = Mapping[tuple[str, int], str]
"""Time of the fetch of each snapshot, by address and number."""


class CaseExport:
    """The cases of a library as plain data, by the documents that they are exported with.

    Cost: a pass over all cases at the beginning, without their events.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._without_copy = _without_copy(reader)

    def rows(self, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """Return the cases that are exported with each document; documents without any are omitted."""
        about = self._reader.cases_about(ids)
        numbers_of = {
            id_: sorted([*(row.number for row in about.get(id_, ())), *self._without_copy.get(id_, ())]) for id_ in ids
        }
        numbers = [number for numbers in numbers_of.values() for number in numbers]
        events = self._reader.case_events(numbers) if numbers else {}
        states = self._reader.cases(numbers) if numbers else {}
        times = _page_times(self._reader, {row.url for row in states.values()})
        parsed = {number: list(map(event_from, events[number])) for number in numbers}
        alerts = self._reader.alerts({alert for some in parsed.values() for alert in _alerts_of(some)})
        return {
            id_: [
                {
                    "number": number,
                    "events": [_event(event, states[number].url, times) for event in parsed[number]],
                }
                | _exported_alerts(alerts, _alerts_of(parsed[number]))
                for number in numbers
            ]
            for id_, numbers in numbers_of.items()
            if numbers
        }


def _alerts_of(events: Iterable[CaseEvent]) -> list[int]:
    """Return the numbers of the alerts that events name."""
    return [number for event in events if event.kind == "alert" for number in event.data.get("alerts", ())]


def _exported_alerts(alerts: Mapping[int, AlertRecord], numbers: Iterable[int]) -> dict[str, Any]:
    rows = [alerts[number] for number in numbers if number in alerts]
    exported = [
        {
            "number": row.number,
            "key": row.key,
            "rule": row.rule,
            "payload": json.loads(row.payload),
            "made_at": moment(row.made_at).isoformat(),
            "state": row.state,
            "tries": row.tries,
            "error": row.error,
        }
        for row in rows
    ]
    return {"alerts": exported} if exported else {}


def _without_copy(reader: Reader) -> Mapping[str, Sequence[int]]:
    """Return the numbers of the cases whose copies were removed, by article."""
    numbers, last = defaultdict[str, list[int]](list), 0
    while block := reader.cases_after(CaseFilter(), last, _BLOCK):
        last = block[-1].number
        existing = reader.entries({row.document for row in block})
        for row in block:
            if row.document not in existing:
                numbers[row.article].append(row.number)
    return numbers


def _page_times(reader: Reader, urls: Iterable[str]) -> _PageTimes:
    pages = reader.snapshots_at(urls)
    return {(url, page.number): moment(page.fetched_at).isoformat() for url, rows in pages.items() for page in rows}


def _event(event: CaseEvent, url: str, times: _PageTimes) -> dict[str, Any]:
    data = dict(event.data)
    if data.get("snapshot") is not None:
        number, data["snapshot"] = data["snapshot"], None
        if (url, number) in times:
            data[PAGE_TIME] = times[url, number]
    return {"number": event.number, "kind": event.kind, "at": event.at.isoformat(), "data": data}


class _Restored(NamedTuple):
    """A case to be restored, and its number in this library."""

    number: int
    case: StoredCase


def restore_cases(writer: Writer, documents: Iterable[Document]) -> None:
    """Store the cases of new documents, within the transaction that adds these.

    A case keeps its number, unless another one has it. A case at an address where the article has one is skipped.
    """
    cases = [
        case
        for document in documents
        if isinstance(document, ExportedDocument) and document.history is not None
        for case in document.history.cases
    ]
    if not cases:
        return
    restored = list(_numbered(writer, cases))
    alerts = _restore_alerts(writer, restored)
    append(writer, list(_events(writer, restored, alerts)))


def _restore_alerts(writer: Writer, cases: Sequence[_Restored]) -> dict[int, int]:
    """Store the alerts of cases; return the number of each in this library by that in the exporting one."""
    rows = list({row.number: row for item in cases for row in item.case.alerts}.values())
    if not rows:
        return {}
    used = set(writer.alerts(row.number for row in rows))
    existing = {key: row.number for key, row in writer.alerts_about({row.key for row in rows if row.key}).items()}
    following = max(writer.next_alert() - 1, *(row.number for row in rows))
    numbers, new = dict[int, int](), list[AlertRecord]()
    for row in rows:
        number = existing.get(row.key, row.number) if row.key else row.number
        if row.key not in existing:
            if number in used:
                following += 1
                number = following
            used.add(number)
            existing |= {row.key: number} if row.key else {}
            new.append(row._replace(number=number))
        numbers[row.number] = number
    writer.put_alerts(new)
    return numbers


def _numbered(writer: Writer, cases: Sequence[StoredCase]) -> Iterator[_Restored]:
    existing = {
        (row.url, row.article) for rows in writer.cases_at({case.url for case in cases}).values() for row in rows
    }
    used = set(writer.cases(case.number for case in cases))
    following = max(writer.last_case(), *(case.number for case in cases))
    for case in cases:
        if (case.url, case.article) in existing:
            continue
        existing.add((case.url, case.article))
        number = case.number
        if number in used:
            following += 1
            number = following
        used.add(number)
        yield _Restored(number, case)


def _events(writer: Writer, cases: Sequence[_Restored], alerts: Mapping[int, int]) -> Iterator[NewEvent]:
    """Yield all events in their original order, with references to the numbers that they get."""
    last = writer.last_ledger_record()
    pages = {
        (url, page.fetched_at): page.number
        for url, rows in writer.snapshots_at({item.case.url for item in cases}).items()
        for page in rows
    }
    events = sorted(
        ((event, item) for item in cases for event in item.case.events),
        key=lambda pair: (pair[0].number, pair[1].number),
    )
    numbers: dict[tuple[int, int], int] = {}
    for number, (event, item) in enumerate(events, 1 if last is None else last.number + 1):
        numbers[item.number, event.number] = number
        data = dict(event.data)
        if PAGE_TIME in data:
            fetched_at = microseconds(datetime.fromisoformat(data[PAGE_TIME]))
            data["snapshot"] = pages.get((item.case.url, fetched_at))
        if event.kind == "alert":
            data["of"] = numbers.get((item.number, data["of"]), 0)
            data["alerts"] = [alerts[alert] for alert in data.get("alerts", ()) if alert in alerts]
        yield NewEvent(item.number, event.kind, microseconds(event.at), data)


__all__ = ["CaseExport", "restore_cases"]
