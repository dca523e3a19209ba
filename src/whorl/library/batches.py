"""Documents in batches, each made ready while the one before it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from whorl.library.adding import Batch
from whorl.library.documents import FromFile
from whorl.library.model import Document
from whorl.library.rules import Making

_MOST_DOCUMENTS, _MOST_CHARACTERS = 2000, 4_000_000


def prepared(making: Making, documents: Iterable[Document]) -> Iterator[Batch]:
    """Yield documents in batches with their fingerprints, read at most one batch ahead."""
    batches = _batches(documents)
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield Batch.of(making, first)
        return
    with ThreadPoolExecutor(1) as worker:
        waiting = worker.submit(Batch.of, making, first)
        for batch in chain([second], batches):
            ready, waiting = waiting, worker.submit(Batch.of, making, batch)
            yield ready.result()
        yield waiting.result()


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in groups of bounded size, in each of which every id and every origin occurs once."""
    batch: list[Document] = []
    met: set[tuple[str, ...]] = set()
    characters = 0
    for document in documents:
        own = {("id", document.id)} | ({("origin", document.origin)} if isinstance(document, FromFile) else set())
        if own & met or len(batch) >= _MOST_DOCUMENTS or characters > _MOST_CHARACTERS:
            yield batch
            batch, met, characters = [], set(), 0
        batch.append(document)
        met |= own
        characters += len(document.text)
    if batch:
        yield batch


__all__ = ["prepared"]
