"""Keep the evidence of open cases when documents or old pages are removed."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from whorl.library.core import Core
from whorl.stores.monitoring_records import CaseFilter
from whorl.stores.records import Entry
from whorl.types.cases import OPEN_STATES
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer

_BLOCK = 5000


def keep_evidence(writer: Writer, entries: Collection[Entry]) -> None:
    """Detach the snapshots of documents with open cases from the documents, which are about to be removed."""
    cases = writer.cases_about([entry.id for entry in entries])
    numbers = [entry.number for entry in entries if any(case.state in OPEN_STATES for case in cases.get(entry.id, ()))]
    snapshots = [row for rows in writer.snapshots_of(numbers).values() for row in rows]
    writer.put_snapshots([row._replace(document=None) for row in snapshots])


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


__all__ = ["keep_evidence", "prune_pages"]
