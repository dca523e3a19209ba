"""Resolve which stored document an added one refers to: by its id or, if that is derived from a path, by its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import PurePosixPath
from typing import NamedTuple, TypeGuard

from whorl.library.ingest.documents import FileDocument
from whorl.stores import Reader
from whorl.stores.records import Entry
from whorl.types.library import Document

Says = Callable[[int, Entry], bool]
"""Return True if an entry has the same text as the document of a row."""


class NamedDocument(NamedTuple):
    """A document under the id that it has in the library.

    Attributes:
        document: the document.
        before: entry stored under that id; None for a new document.
    """

    document: Document
    before: Entry | None


class DocumentNaming:
    """Documents of one batch, with distinct ids and origins.

    An explicit id refers to the document with this id. An id derived from a path refers to the document of that file,
    under any id. An unknown file may be stored under its id with the same text. If that id belongs to another document,
    parent folders are prepended one by one until the id is free.
    """

    def __init__(self, reader: Reader, documents: Sequence[Document]) -> None:
        self._reader, self._documents = reader, documents
        self._looked_up = {document.id for document in documents}
        self._kept = reader.entries(self._looked_up)
        explicit_ids = {document.id for document in documents if not isinstance(document, FileDocument)}
        origins = reader.entries_from(document.origin for document in documents if isinstance(document, FileDocument))
        self._by_origin = {origin: entry for origin, entry in origins.items() if entry.id not in explicit_ids}
        self._lost = origins.keys() - self._by_origin.keys()
        self._batch_ids = {document.id for document in documents}
        self._meant = {*explicit_ids, *(entry.id for entry in self._by_origin.values())}
        further = {name for document in documents if self._may_be_renamed(document) for name in _ends(document)}
        self._kept |= reader.entries(further - self._looked_up)
        self._looked_up |= further

    def stored_entries(self) -> list[Entry]:
        """Return stored documents that may be referred to."""
        return list(
            {
                entry.number: entry for entries_by in (self._kept, self._by_origin) for entry in entries_by.values()
            }.values()
        )

    def named(self, says: Says) -> Iterator[NamedDocument]:
        """Yield the documents in their order."""
        for row, document in enumerate(self._documents):
            if not isinstance(document, FileDocument):
                yield NamedDocument(document, self._kept.get(document.id))
            elif document.origin in self._by_origin:
                before = self._by_origin[document.origin]
                yield NamedDocument(replace(document, id=before.id), before)
            else:
                yield self._first_met(row, document, says)

    def _may_be_renamed(self, document: Document) -> TypeGuard[FileDocument]:
        is_new = isinstance(document, FileDocument) and document.origin not in self._by_origin
        return is_new and (document.id in self._kept or document.id in self._meant)

    def _under(self, name: str) -> Entry | None:
        """Return the entry with an id. Only numbered ids, for files with many name clashes, are not prefetched."""
        return self._kept.get(name) if name in self._looked_up else self._reader.entries([name]).get(name)

    def _first_met(self, row: int, document: FileDocument, says: Says) -> NamedDocument:
        """Name an unknown file by the first of its names that is free or whose document has the same text."""
        tried = (
            (name, self._under(name))
            for name in _names(document)
            if name not in self._meant and (name == document.id or name not in self._batch_ids)
        )
        name, before = next((name, before) for name, before in tried if before is None or says(row, before))
        self._meant.add(name)
        # A caller that adds the document under an explicit id has taken it over, together with its origin.
        origin = "" if document.origin in self._lost else document.origin
        return NamedDocument(replace(document, id=name, origin=origin), before)


def _names(document: FileDocument) -> Iterator[str]:
    """Yield the id, longer suffixes of the path, the whole path, and the path with numbers."""
    yield document.id
    yield from _ends(document)
    yield from (f"{document.origin}~{number}" for number in count(2))


def _ends(document: FileDocument) -> Iterator[str]:
    parts = PurePosixPath(document.origin).parts
    for length in range(len(PurePosixPath(document.id).parts) + 1, len(parts)):
        yield "/".join(parts[-length:])
    yield document.origin


__all__ = ["DocumentNaming", "NamedDocument"]
