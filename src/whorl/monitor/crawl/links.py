"""Link extraction from pages, feeds and sitemaps. Nothing in them is executed or fetched.

``read`` implements a format of `whorl.corpus.sandbox`, so that pages are not parsed in the crawler process.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Batch, Columns, DownloadInfo, ReadOptions, Source
from whorl.corpus.pages.attributes import without_many_attributes
from whorl.corpus.rejects import Rejects
from whorl.corpus.sandbox.parsers import SandboxedFormat

MAX_LINKS = 50_000
"""Maximum number of links per page, the limit of the sitemap protocol."""

_LONGEST = 2000
_PIECE_BYTES = 2**20
_GZIP = 31
"""zlib setting for a gzip header and the largest window."""
_PAGE, _SITEMAP = "page", "sitemap"
_THIS: Any = sys.modules[__name__]
_BASE = "{http://www.w3.org/XML/1998/namespace}base"


class BrokenPageError(Exception):
    """A page crashed its parser, or exceeded the limits of time or memory."""


def links_in_isolation(path: Path, url: str, kind: str, most_bytes: int) -> tuple[list[str], list[str]]:
    """Extract links like ``links_of`` in another process with limits of time and memory.

    Raises:
        BrokenPageError: the page exceeds the limits or crashes the parser.
        IsolationError: the process cannot be started.
    """
    source = Source(path, kind, "links", fetched=DownloadInfo(url))
    rejects = Rejects()
    results: dict[str, list[str]] = {_PAGE: [], _SITEMAP: []}
    for batch in SandboxedFormat(_THIS, __name__).read(
        source, Columns(), rejects, ReadOptions(max_row_bytes=most_bytes)
    ):
        for link, is_of in zip(batch.texts.to_pylist(), batch.ids.to_pylist(), strict=True):
            results[is_of].append(link)
    if rejects.total:
        raise BrokenPageError(rejects.named[-1].reason)
    return results[_PAGE], results[_SITEMAP]


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the links of a page as rows: texts are addresses, and ids distinguish pages from sitemaps.

    Args:
        source: the page; its name is its kind.
        columns: unused.
        rejects: unused.
        options: ``max_row_bytes`` limits the decompressed size of a feed or sitemap.
    """
    import numpy as np
    import pyarrow as pa

    del columns, rejects
    with ByteReader(source) as file:
        body = b"".join(iter(lambda: file.read(_PIECE_BYTES), b""))
    pages, sitemaps = links_of(body, source.fetched.url, source.name, options.max_row_bytes)
    texts, ids = [*pages, *sitemaps], [*[_PAGE] * len(pages), *[_SITEMAP] * len(sitemaps)]
    rows = np.arange(1, len(texts) + 1, dtype=np.int64)
    yield Batch(pa.array(texts, pa.string()), pa.array(ids, pa.string()), None, rows)


def write(source: Source, target: Path, keep: Any, options: ReadOptions) -> int:
    """Do nothing: links are not written."""
    del source, target, keep, options
    return 0


def links_of(body: bytes, url: str, kind: str, most_bytes: int) -> tuple[list[str], list[str]]:
    """Return the unique links of a page: pages, and sitemaps of a sitemap index.

    Args:
        body: content of the page.
        url: address of the page.
        kind: "feed", "sitemap", or anything else for a page.
        most_bytes: maximum decompressed size of a compressed feed or sitemap.
    """
    pages: Iterable[str]
    sitemaps: Iterable[str] = ()
    if kind in ("feed", "sitemap"):
        body = _unpacked(body, most_bytes)
    if kind == "sitemap":
        pages, sitemaps = _of_sitemap(body)
    else:
        pages = _of_feed(body, url) if kind == "feed" else _of_page(body, url)
    return _absolute(pages, url), _absolute(sitemaps, url)


def _absolute(links: Iterable[str], base: str) -> list[str]:
    kept: dict[str, None] = {}
    for address in islice(links, MAX_LINKS):
        with suppress(ValueError):
            absolute = urldefrag(urljoin(base, address.strip())).url
            if len(absolute) <= _LONGEST and urlsplit(absolute).scheme in ("http", "https"):
                kept[absolute] = None
    return list(kept)


def _of_page(body: bytes, url: str) -> Iterator[str]:
    from lxml import etree, html

    try:
        tree = html.document_fromstring(
            without_many_attributes(body), parser=html.HTMLParser(no_network=True, huge_tree=True)
        )
    except (etree.LxmlError, ValueError):
        return
    base = tree.find(".//base[@href]")
    start = url if base is None else urljoin(url, base.get("href"))
    for link in tree.iter("a", "area"):
        if link.get("href") and "nofollow" not in (link.get("rel") or "").lower():
            with suppress(ValueError):
                yield urljoin(start, link.get("href").strip())


def _of_feed(body: bytes, url: str) -> Iterator[str]:
    """Yield the articles of RSS 0.9 to 2.0, Atom, or a JSON Feed."""
    if body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        yield from _of_json_feed(body)
        return
    for entry in _elements(body, {"item", "entry"}):
        base = _base_of(entry, url)
        links = [child for child in entry if _name(child) == "link" and child.get("rel", "alternate") == "alternate"]
        results = [address.strip() for child in links if (address := child.get("href") or child.text or "").strip()]
        # A guid is the address of the article unless marked otherwise, and some feeds have no link element.
        ids = [child for child in entry if _name(child) in ("guid", "id") and child.get("isPermaLink") != "false"]
        results = results or [text for child in ids if _is_address(text := (child.text or "").strip())]
        for address in results:
            with suppress(ValueError):
                yield urljoin(base, address)


def _of_json_feed(body: bytes) -> Iterator[str]:
    try:
        feed = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            addresses = [item.get(name) for name in ("url", "external_url", "id")]
            yield from [address for address in addresses if isinstance(address, str) and address.strip()][:1]


def _base_of(element: Any, url: str) -> str:
    """Return the base address of an element."""
    bases = [base for value in (element, *element.iterancestors()) if (base := value.get(_BASE))]
    with suppress(ValueError):
        for base in reversed(bases):
            url = urljoin(url, base)
    return url


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _unpacked(body: bytes, most_bytes: int) -> bytes:
    """Decompress a gzip body up to a damaged part; return nothing if it exceeds the limit."""
    if body[:2] != b"\x1f\x8b":
        return body
    unpacked = bytearray()
    while body[:2] == b"\x1f\x8b":
        member = zlib.decompressobj(_GZIP)
        try:
            unpacked += member.decompress(body, most_bytes + 1 - len(unpacked))
        except zlib.error:
            break
        if len(unpacked) > most_bytes:
            return b""
        body = member.unused_data
    return bytes(unpacked)


def _of_sitemap(body: bytes) -> tuple[list[str], list[str]]:
    if body.lstrip()[:1] != b"<":
        return body.decode("utf-8-sig", "replace").split(), []
    pages: list[str] = []
    sitemaps: list[str] = []
    for element in _elements(body, {"url", "sitemap"}):
        place = pages if _name(element) == "url" else sitemaps
        place.extend((child.text or "") for child in element if _name(child) == "loc")
    return pages, sitemaps


def _elements(body: bytes, names: set[str]) -> Iterator[Any]:
    """Yield elements with the given names and release them; a damaged file yields those before the damage."""
    from io import BytesIO

    from lxml import etree

    walk = etree.iterparse(
        BytesIO(body), events=("end",), recover=True, resolve_entities=False, no_network=True, remove_comments=True
    )
    with suppress(etree.LxmlError):
        for _, element in walk:
            if _name(element) in names:
                yield element
                element.clear()


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


__all__ = ["MAX_LINKS", "BrokenPageError", "links_in_isolation", "links_of", "read", "write"]
