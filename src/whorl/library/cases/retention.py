"""Keep the evidence of open cases when documents or old pages are removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.i18n import say, say_many
from whorl.library.cases.recording import NewEvent, append, case_from
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.stores.monitoring_records import CaseFilter
from whorl.stores.records import Entry
from whorl.types.cases import OPEN_STATES, REMOVED_DOCUMENT, Case
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer
    from whorl.stores.monitoring_records import CaseRecord

_OPEN = frozenset(OPEN_STATES)
_BLOCK = 5000
_CASES = 1000
_FEW = 8


def open_cases(reader: Reader, entries: Collection[Entry]) -> dict[str, list[Case]]:
    """Return the open cases whose copy or article is each document; documents without any are omitted.

    Cost: a query if no case is open; otherwise one for each document, or a pass over the open cases for many of them.
    """
    ids = {entry.id for entry in entries}
    if not ids or _OPEN.isdisjoint(reader.case_states()):
        return {}
    rows = {row.number: row for of_copy in reader.cases_about(ids).values() for row in of_copy}
    rows |= {row.number: row for row in _about_articles(reader, ids)}
    cases = defaultdict[str, list[Case]](list)
    for _, row in sorted(rows.items()):
        if row.state in _OPEN:
            for id_ in ids.intersection((row.document, row.article)):
                cases[id_].append(case_from(row))
    return dict(cases)


def _about_articles(reader: Reader, ids: Collection[str]) -> Iterator[CaseRecord]:
    for article in ids if len(ids) <= _FEW else (None,):
        last = 0
        while block := reader.cases_after(CaseFilter(OPEN_STATES, article), last, _CASES):
            yield from block
            last = block[-1].number


def demand_settled(cases_of: Mapping[str, Sequence[Case]]) -> None:
    """Refuse to remove documents that the evidence of open cases needs.

    Raises:
        UsageError: a document has open cases.
    """
    for id_, cases in cases_of.items():
        raise UsageError(
            say_many(
                "{id!r:.60} is evidence of an open case: {numbers}",
                "{id!r:.60} is evidence of {count:,} open cases: {numbers}",
                len(cases),
                id=id_,
                numbers=", ".join(
                    [*(str(case.number) for case in cases[:_FEW]), *(["…"] if len(cases) > _FEW else [])]
                ),
            ),
            hint=say(
                "close the cases first (`whorl case close`), or use `force` (`--force`), which records the removal in "
                "the cases; no evidence pack can be made of them afterwards"
            ),
        )


def keep_evidence(
    writer: Writer, entries: Collection[Entry], cases_of: Mapping[str, Sequence[Case]], by: str = ""
) -> None:
    """Keep the pages of open cases when documents are removed, and record the removal in the cases.

    The snapshots of copies are detached from the documents. The events have the digests of the texts that are lost.

    Args:
        writer: the transaction.
        entries: the documents, which are about to be removed.
        cases_of: their open cases.
        by: person who removes them.
    """
    numbers = {entry.id: entry.number for entry in entries if entry.id in cases_of}
    if not numbers:
        return
    copies = [numbers[id_] for id_, cases in cases_of.items() if any(case.document == id_ for case in cases)]
    snapshots = [row for rows in writer.snapshots_of(copies).values() for row in rows]
    writer.put_snapshots([row._replace(document=None) for row in snapshots])
    texts, now = unpacked(writer.texts(numbers.values())), microseconds(datetime.now(UTC))
    events, states = list[NewEvent](), dict[int, Case]()
    for id_, cases in cases_of.items():
        text = texts.get(numbers[id_])
        digest = "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        data = {"by": by, "note": "", REMOVED_DOCUMENT: id_, "text_sha256": digest}
        events += [NewEvent(case.number, "note", now, data) for case in cases]
        states |= {case.number: case for case in cases}
    append(writer, events, states)


def prune_pages(core: Core, before: datetime) -> int:
    """Remove the snapshots of pages fetched before a time, with their bodies; return their number.

    Snapshots at the address of an open case are kept, and those of its document. The ledger keeps all its entries.

    Cost: a pass over all snapshots, without their bodies.
    """
    limit = microseconds(before)
    removed = last = 0
    while True:
        with core.turn, core.store.writing() as writer:
            block = writer.snapshots_after(last, _BLOCK)
            if not block:
                return removed
            last = block[-1].number
            old = [row for row in block if row.fetched_at < limit]
            urls, documents = _protected(writer) if old else (set(), set())
            unused = [row.number for row in old if row.url not in urls and row.document not in documents]
            writer.remove_snapshots_numbered(unused)
            removed += len(unused)


def _protected(reader: Reader) -> tuple[set[str], set[int]]:
    """Return the addresses of open cases, and the numbers of the documents of their copies and articles."""
    urls, ids, last = set[str](), set[str](), 0
    while block := reader.cases_after(CaseFilter(OPEN_STATES), last, 1000):
        last = block[-1].number
        urls |= {case.url for case in block}
        ids |= {name for case in block for name in (case.document, case.article)}
    return urls, {entry.number for entry in reader.entries(ids).values()}


__all__ = ["demand_settled", "keep_evidence", "open_cases", "prune_pages"]
