"""Read stored documents: single documents with any revision of their text, and pages of them without texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from whorl.library.ingest.documents import document_from, publication_fields, publication_in
from whorl.library.maintenance.packing import unpacked
from whorl.library.provenance.history import texts_before
from whorl.stores import Reader
from whorl.stores.records import DocumentFilter
from whorl.types.library import Document, DocumentEntry, DocumentPage, moment


def kept_document(reader: Reader, id_: str, revision: int | None = None) -> Document | None:
    """Return a document with its latest text or that of a revision; None if it does not exist."""
    entry = reader.entries([id_]).get(id_)
    if entry is None:
        return None
    text = unpacked(reader.texts([entry.number])).get(entry.number, "")
    if revision not in (None, entry.revision):
        revisions = texts_before(reader, [entry.number]).get(entry.number, ())
        former = {record.revision: old for record, old in revisions}
        if revision not in former:
            return None
        text = former[revision]
    document = document_from(entry, text, reader.links([entry.number]).get(entry.number, ()))
    return document if revision is None else replace(document, revision=revision)


def kept_documents(reader: Reader, ids: Iterable[str], *, texts: bool = True) -> dict[str, Document]:
    """Return the documents that exist by id, with their latest texts and their links, or without both."""
    entries = reader.entries(dict.fromkeys(ids))
    numbers = [entry.number for entry in entries.values()] if texts else []
    bodies, links = (unpacked(reader.texts(numbers)), reader.links(numbers)) if numbers else ({}, {})
    return {
        id: document_from(entry, bodies.get(entry.number, ""), links.get(entry.number, ()))
        for id, entry in entries.items()
    }


def document_page(
    reader: Reader, chosen: DocumentFilter, after: int | None, limit: int, *, newest: bool = False
) -> DocumentPage:
    """Return the next page of selected documents after a number, with the cluster of each."""
    entries, mark = reader.documents(chosen, after, limit, newest=newest)
    contents = reader.contents({entry.content for entry in entries})
    items = (
        DocumentEntry(
            id=entry.id,
            title=entry.title,
            url=entry.url,
            source=entry.source,
            author=entry.author,
            first_seen_at=moment(entry.first_seen_at),
            collection=entry.collection,
            characters=entry.characters,
            revision=entry.revision,
            cluster_id=contents[entry.content].cluster,
            **publication_fields(publication_in(entry)),
        )
        for entry in entries
    )
    return DocumentPage(tuple(items), mark)


__all__ = ["document_page", "kept_document", "kept_documents"]
