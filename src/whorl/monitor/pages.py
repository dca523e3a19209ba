"""Pages as documents: read in processes with limits of time and memory, some beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from whorl.corpus import Columns, ReadOptions, Rejects, Source, format_of, sources_ahead
from whorl.corpus.contract import WHOLE_PAGE
from whorl.corpus.contract import DownloadInfo as Delivery
from whorl.corpus.pages import joined as joined_texts
from whorl.errors import InputError
from whorl.library.model import Document
from whorl.library.times import time_of
from whorl.scratch import ScratchFolder

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
_METADATA = ("origin", "origin_url", "editor")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page that has come.

    Attributes:
        url: its address.
        site: the name of the site.
        at: when it came.
        body: its bytes.
        headers: of the answer.
        collection: in which it is kept.
        status: of HTTP; 0 for a page that was read from a file, of which nothing tells who sent it and when.
    """

    url: str
    site: str
    at: datetime
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    collection: str = ""
    status: int = 200

    @property
    def content_type(self) -> str:
        """What the server says that it is."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


@dataclass(frozen=True, slots=True)
class Article:
    """What a page is.

    Attributes:
        document: the article, or all that a page shows which has none; None where it has no text.
        is_article: whether it is an article.
        why: a word of ``reasons`` where the page is none at all; empty where it is one, with or without an article.
        reason: the same as a sentence, as far as it is known.
        following: the address on which the article goes on; None where the page says none.
        seconds: for which it was waited for, while pages of other sites waited too.
    """

    document: Document | None
    is_article: bool = False
    why: str = ""
    reason: str = ""
    following: str | None = None
    seconds: float = 0.0


def articles_of(pages: Sequence[Fetched]) -> Iterator[Article]:
    """Yield what each of some pages is, in their order.

    A page that breaks its parser, or takes too long or too much memory to read, is none; the others are read.

    Cost: 20 to 50 ms a page and core; memory and disk all these pages.
    """
    asked, options = Columns(others=True), ReadOptions()
    with ScratchFolder() as folder:
        sources = [_held(page, folder, number) for number, page in enumerate(pages)]
        told = Rejects()
        ahead = sources_ahead([source for source in sources if source is not None], asked, told, options)
        for page, source in zip(pages, sources, strict=True):
            if source is None:
                yield Article(None, why="format")
                continue
            known, began = told.total, monotonic()
            batches = list(format_of(next(ahead)).read(source, asked, told, options))
            article = _article(page, batches, told.named[-1].reason if told.total > known else "")
            yield replace(article, seconds=monotonic() - began)
        next(ahead, None)


def joined(documents: Sequence[Document]) -> Document:
    """Return the pages of one article, in their order, as one document, which is called as the first is.

    What they state is taken from the first that states it; the metadata have the addresses of all.
    """
    first = documents[0]
    metadata = {name: value for one in reversed(documents) for name, value in one.metadata.items()}
    if len(documents) > 1:
        metadata["pages"] = [one.url for one in documents]
    return replace(
        first,
        text=joined_texts([one.text for one in documents]),
        links=tuple(dict.fromkeys(link for one in documents for link in one.links)),
        metadata=metadata,
        title=next((one.title for one in documents if one.title), None),
        author=next((one.author for one in documents if one.author), None),
        published_at=next((one.published_at for one in documents if one.published_at), None),
    )


def _held(page: Fetched, folder: Path, number: int) -> Source | None:
    """A file with a page; None for what is no format that articles come in."""
    kind = _FORMATS.get(page.content_type.partition(";")[0].strip().lower())
    if kind is None:
        return None
    path = folder / str(number)
    path.write_bytes(page.body)
    return Source(path, path.name, kind, fetched=Delivery(page.url, page.content_type, page.at))


def _article(page: Fetched, batches: Sequence[Any], reason: str) -> Article:
    texts = [str(text) for batch in batches for text in batch.texts.to_pylist()]
    text = "\n".join(texts)
    if not text.strip():
        return Article(None, why="no-text", reason=reason)
    said: Mapping[str, Any] = next((row for batch in batches for row in batch.others or ()), {})
    metadata: dict[str, Any] = {name: said[name] for name in _METADATA if said.get(name)}
    if said.get("url"):
        metadata["canonical"] = said["url"]
    if said.get("mark"):
        metadata["is_original"] = True
    return Article(
        Document(
            id=page.url,  # what it calls its canonical address may be the page of somebody else
            text=text,
            title=said.get("title"),
            url=page.url,
            source=page.site or None,
            author=said.get("author"),
            published_at=_time(said.get("date")),
            first_seen_at=page.at if page.status else None,
            metadata=metadata,
            links=tuple((said.get("links") or "").split()),
            collection=page.collection,
        ),
        is_article=not any(WHOLE_PAGE in batch.notices for batch in batches),
        following=said.get("next_page"),
    )


def _time(text: str | None) -> datetime | None:
    with suppress(InputError):
        return time_of(text, "published_at") if text else None
    return None


__all__ = ["Article", "Fetched", "articles_of", "joined"]
