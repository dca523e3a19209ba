"""Extraction of documents from pages in parallel processes with limits of time and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from whorl._internal.frozen import frozen
from whorl._internal.scratch import ScratchFolder
from whorl.corpus import Columns, ReadOptions, Rejects, Source, format_of, sources_ahead
from whorl.corpus.contract import WHOLE_PAGE
from whorl.corpus.contract import DownloadInfo as Delivery
from whorl.corpus.pages.further import joined as joined_texts
from whorl.errors import InputError
from whorl.library.ingest.documents import publication_fields
from whorl.library.provenance.times import publication_of
from whorl.types.library import Document
from whorl.types.times import PublicationTime

_FORMATS = {
    "": "html",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/xml": "html",
    "text/xml": "html",
    "application/octet-stream": "html",
    "multipart/related": "mhtml",
    "application/pdf": "pdf",
    "text/plain": "text",
}
_METADATA = ("author_from", "account", "origin", "origin_url", "editor")


@frozen
class Fetched:
    """A fetched page.

    Attributes:
        url: address.
        site: name of the site.
        at: time of the response.
        body: content.
        headers: response headers.
        collection: collection to store it in.
        status: HTTP status; 0 for a page from a file without a recorded response.
        zone: zone of the times that its site states without one; empty if unknown.
    """

    url: str
    site: str
    at: datetime
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    collection: str = ""
    status: int = 200
    zone: str = ""

    @property
    def content_type(self) -> str:
        """``Content-Type`` of the response."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


@frozen
class ExtractedArticle:
    """Result of an extraction.

    Attributes:
        document: the article, or all text of a page without an article; None if there is no text.
        is_article: True if it is an article.
        why: key of ``reasons`` if extraction failed; otherwise empty.
        reason: detailed reason of a failure, if known.
        following: address of the continuation of the article, or None.
        seconds: time that other sites waited for the extraction.
    """

    document: Document | None
    is_article: bool = False
    why: str = ""
    reason: str = ""
    following: str | None = None
    seconds: float = 0.0


def articles_of(pages: Sequence[Fetched]) -> Iterator[ExtractedArticle]:
    """Extract the article of each page, in order.

    Pages that crash the parser or exceed the limits of time or memory yield a failure and do not affect others.

    Cost: 20 to 50 ms per page and core; memory and disk space for all these pages.
    """
    columns, options = Columns(others=True), ReadOptions()
    with ScratchFolder() as folder:
        sources = [_source(page, folder, number) for number, page in enumerate(pages)]
        rejects = Rejects()
        ahead = sources_ahead([source for source in sources if source is not None], columns, rejects, options)
        for page, source in zip(pages, sources, strict=True):
            if source is None:
                yield ExtractedArticle(None, why="format")
                continue
            rejected, began = rejects.total, monotonic()
            batches = list(format_of(next(ahead)).read(source, columns.of(source), rejects, options))
            article = _article(page, batches, rejects.named[-1].reason if rejects.total > rejected else "")
            yield replace(article, seconds=monotonic() - began)
        next(ahead, None)


def joined(documents: Sequence[Document]) -> Document:
    """Merge the pages of an article in order into one document with the id of the first.

    Each property is taken from the first page that has it; the metadata contain the addresses of all pages.
    """
    first = documents[0]
    metadata = {name: value for document in reversed(documents) for name, value in document.metadata.items()}
    if len(documents) > 1:
        metadata["pages"] = [document.url for document in documents]
    return replace(
        first,
        text=joined_texts([document.text for document in documents]),
        links=tuple(dict.fromkeys(link for document in documents for link in document.links)),
        metadata=metadata,
        title=next((document.title for document in documents if document.title), None),
        author=next((document.author for document in documents if document.author), None),
        **publication_fields(next((document.publication for document in documents if document.published_at), None)),
    )


def _source(page: Fetched, folder: Path, number: int) -> Source | None:
    """Write a page to a file; return None for an unsupported media type."""
    kind = _FORMATS.get(page.content_type.partition(";")[0].strip().lower())
    if kind is None:
        return None
    path = folder / str(number)
    path.write_bytes(page.body)
    return Source(path, path.name, kind, fetched=Delivery(page.url, page.content_type, page.at, page.zone))


def _article(page: Fetched, batches: Sequence[Any], reason: str) -> ExtractedArticle:
    texts = [str(text) for batch in batches for text in batch.texts.to_pylist()]
    text = "\n".join(texts)
    if not text.strip():
        return ExtractedArticle(None, why="no-text", reason=reason)
    stated: Mapping[str, Any] = next((row for batch in batches for row in batch.others or ()), {})
    metadata: dict[str, Any] = {name: stated[name] for name in _METADATA if stated.get(name)}
    if stated.get("url"):
        metadata["canonical"] = stated["url"]
    if stated.get("mark"):
        metadata["is_original"] = True
    return ExtractedArticle(
        Document(
            id=page.url,  # the canonical address is a claim and may belong to somebody else
            text=text,
            title=stated.get("title"),
            url=page.url,
            source=page.site or None,
            author=stated.get("author"),
            first_seen_at=page.at if page.status else None,
            metadata=metadata,
            links=tuple((stated.get("links") or "").split()),
            collection=page.collection,
            **publication_fields(_time(stated)),
        ),
        is_article=not any(WHOLE_PAGE in batch.notices for batch in batches),
        following=stated.get("next_page"),
    )


def _time(stated: Mapping[str, Any]) -> PublicationTime | None:
    written = {part: stated.get(f"published_{part}") for part in ("precision", "zone", "original")}
    with suppress(InputError):
        return publication_of(stated.get("date") or None, "date", **written)
    return None


__all__ = ["ExtractedArticle", "Fetched", "articles_of", "joined"]
