"""Documents in lists, without their texts."""

from __future__ import annotations

from whorl.library.model import DocumentEntry, DocumentPage, moment
from whorl.stores import Reader
from whorl.stores.records import Chosen


def document_page(
    reader: Reader, chosen: Chosen, after: int | None, most: int, *, newest: bool = False
) -> DocumentPage:
    """Return the next ``most`` chosen documents after a number, with the cluster of each."""
    entries, mark = reader.documents(chosen, after, most, newest=newest)
    contents = reader.contents({entry.content for entry in entries})
    items = (
        DocumentEntry(
            id=entry.id,
            title=entry.title,
            url=entry.url,
            source=entry.source,
            author=entry.author,
            published_at=None if entry.published_at is None else moment(entry.published_at),
            first_seen_at=moment(entry.first_seen_at),
            collection=entry.collection,
            characters=entry.characters,
            revision=entry.revision,
            cluster_id=contents[entry.content].cluster,
        )
        for entry in entries
    )
    return DocumentPage(tuple(items), mark)


__all__ = ["document_page"]
