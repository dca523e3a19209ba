"""Export all documents as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library.cases.transfer import CaseExport
from whorl.library.ingest.documents import document_from
from whorl.library.maintenance.packing import unpacked
from whorl.library.provenance.history import COLUMN, exported_histories
from whorl.stores import Reader
from whorl.stores.records import Entry

ORDERS = ("added", "time", "cluster")
_BLOCK = 1000


def export(reader: Reader, order: str) -> Iterator[dict[str, Any]]:
    """Yield every document as plain data, with its cluster and its history, which includes its cases.

    Orders other than "added" keep one number per document in memory.

    Raises:
        NotFoundError: the order is unknown.
    """
    if order not in ORDERS:
        raise NotFoundError(
            say("unknown order '{order}'", order=order),
            hint=say("choose one of: {known}", known=", ".join(ORDERS)),
        )
    exported_cases = CaseExport(reader)
    for entries in _blocks(reader, order):
        numbers = [entry.number for entry in entries]
        texts, links = unpacked(reader.texts(numbers)), reader.links(numbers)
        contents = reader.contents({entry.content for entry in entries})
        pasts, cases = exported_histories(reader, numbers), exported_cases.rows([entry.id for entry in entries])
        for entry in entries:
            document = document_from(entry, texts.get(entry.number, ""), links.get(entry.number, ())).to_dict()
            past = pasts[entry.number] | ({"cases": cases[entry.id]} if entry.id in cases else {})
            yield document | {"cluster": contents[entry.content].cluster} | ({COLUMN: past} if past else {})


def _blocks(reader: Reader, order: str) -> Iterator[list[Entry]]:
    numbers = reader.ordered(order)
    for start in range(0, len(numbers), _BLOCK):
        entries = reader.numbered(numbers[start : start + _BLOCK])
        yield [entries[number] for number in numbers[start : start + _BLOCK] if number in entries]


__all__ = ["ORDERS", "export"]
