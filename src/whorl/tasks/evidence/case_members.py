"""The case in an evidence pack: its events with the log of fetches, and the revision and pages that show the copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library.cases.recording import KIND, data_text, witness
from whorl.tasks.compare.run import Compared, compare_documents
from whorl.tasks.evidence.archives import json_bytes
from whorl.types.cases import ALERTED, PAGE_TIME, Case, CaseEvent
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.provenance.pages import PageSnapshot

CASE = "case.json"
_REVISIONS = 50
_MOST_EVENTS = 5000
_MOST_PAGES = 12

Times = Callable[[datetime], dict[str, str]]


def compared_revision(
    library: Library, id: str, other: str, case: Case | None, revision: int | None
) -> tuple[Compared, int]:
    """Compare a copy with its original; return the comparison and the revision of the copy.

    By default it is the revision that the case shows, or the one that has most of the original.

    Args:
        library: the library.
        id: id of the copy.
        other: id of the original.
        case: case of the two; its revision is the default.
        revision: revision of the copy; None for the default.

    Raises:
        NotFoundError: the revision does not exist, or no revision has text of the original.
    """
    latest = library.get(id)
    newest = 1 if latest is None or latest.revision is None else latest.revision
    preferred = revision if case is None or revision is not None else case.revision
    numbers = range(newest, max(0, newest - _REVISIONS), -1) if preferred is None else [preferred]
    compared = {number: compare_documents(library, id, other, revision=number) for number in numbers}
    best = max(compared, key=lambda number: _common(compared[number]))
    if not compared[best].result.passages:
        raise NotFoundError(
            say("{id!r} and {other!r} have no text in common", id=id, other=other),
            hint=say("`whorl review` lists the matches"),
        )
    return compared[best], best


def _common(compared: Compared) -> int:
    return sum(passage.matched for passage in compared.result.passages)


def pages_of_case(library: Library, case: Case | None, pages: Iterable[PageSnapshot]) -> list[PageSnapshot]:
    """Return the pages of a copy that its case refers to, in the order of storing; without a case all distinct ones."""
    successful = [page for page in pages if page.bytes and (page.status == 0 or 200 <= page.status < 300)]
    if case is None:
        distinct = {page.digest: page for page in reversed(successful)}
        return sorted(distinct.values(), key=lambda page: page.number)[:_MOST_PAGES]
    events = [event.data for event in library.cases.events(case.number) if event.kind != "fetched"]
    numbers = {data.get("snapshot") for data in events}
    # The pages of a case that came with an export may be imported after it.
    times = {datetime.fromisoformat(data[PAGE_TIME]) for data in events if data.get(PAGE_TIME)}
    chosen = {
        page.number: page
        for page in library.pages.at(case.url)
        if page.bytes and (page.number in numbers or page.fetched_at in times)
    }
    return [page for _, page in sorted(chosen.items())][:_MOST_PAGES]


def case_members(library: Library, case: Case, times: Times) -> tuple[dict[str, bytes], list[int]]:
    """Return the members of a pack about a case, and the numbers of the ledger entries of its events.

    Of a case with very many requests, those in the middle are omitted, and counted.
    """
    events = library.cases.events(case.number)
    kept = _shortened(events)
    data = case.to_dict() | {
        "omitted": len(events) - len(kept),
        "events": [event.to_dict() | {"time": times(event.at)} for event in kept],
    }
    return {CASE: json_bytes(data)}, [event.number for event in kept]


def _shortened(events: list[CaseEvent]) -> list[CaseEvent]:
    if len(events) <= _MOST_EVENTS:
        return events
    half = _MOST_EVENTS // 2
    ends = {event.number for event in (*events[:half], *events[-half:])}
    return [event for event in events if event.number in ends or event.kind in ALERTED]


def witnesses_of_case(data: Mapping[str, Any]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield number, and kind and digest of the ledger entry of each event in the data of a case.

    Raises:
        ValueError: the data is damaged.
        KeyError: a field is missing.
    """
    for event in data["events"]:
        at = microseconds(datetime.fromisoformat(event["at"]))
        digest = witness(int(event["case"]), str(event["kind"]), at, data_text(event["data"]))
        yield int(event["number"]), (KIND, digest.hex())


__all__ = ["CASE", "case_members", "compared_revision", "pages_of_case", "witnesses_of_case"]
