"""The addresses that a page, a feed or a sitemap names. Nothing that these contain is executed or fetched here.

``read`` makes this a format of `whorl.corpus.isolated`: no page is parsed by the process that fetches all sites.
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
from whorl.corpus.isolated import SandboxedFormat
from whorl.corpus.pages.attributes import without_many_attributes
from whorl.corpus.rejected import Rejects

MOST = 50_000
"""Links of one page, as many as a sitemap may have."""

_LONGEST = 2000
_PIECE_BYTES = 2**20
_GZIP = 31
"""For zlib: a gzip header, and the largest window."""
_PAGE, _SITEMAP = "page", "sitemap"
_THIS: Any = sys.modules[__name__]
_BASE = "{http://www.w3.org/XML/1998/namespace}base"


class BrokenPageError(Exception):
    """A page broke its parser, or takes it too much time or memory."""


def links_in_isolation(path: Path, url: str, kind: str, most_bytes: int) -> tuple[list[str], list[str]]:
    """Return what a page names, as ``links_of``, read by another process with limits of time and memory.

    Raises:
        BrokenPageError: it cannot be read within these.
        IsolationError: no such process can be begun.
    """
    source = Source(path, kind, "links", fetched=DownloadInfo(url))
    rejects = Rejects()
    found: dict[str, list[str]] = {_PAGE: [], _SITEMAP: []}
    for batch in SandboxedFormat(_THIS, __name__).read(
        source, Columns(), rejects, ReadOptions(max_row_bytes=most_bytes)
    ):
        for link, is_of in zip(batch.texts.to_pylist(), batch.ids.to_pylist(), strict=True):
            found[is_of].append(link)
    if rejects.total:
        raise BrokenPageError(rejects.named[-1].reason)
    return found[_PAGE], found[_SITEMAP]


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the links of a page as rows: texts are addresses, and ids tell pages from sitemaps.

    Args:
        source: the page, whose name is its kind.
        columns: are not looked at.
        rejects: get nothing.
        options: ``max_row_bytes`` is the most that a feed or a sitemap is unpacked to.
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
    """Write nothing: links are not kept."""
    del source, target, keep, options
    return 0


def links_of(body: bytes, url: str, kind: str, most_bytes: int) -> tuple[list[str], list[str]]:
    """Return what a page names, each once: pages, and sitemaps of which an index consists.

    Args:
        body: the page.
        url: its address.
        kind: "feed", "sitemap", or anything else for a page.
        most_bytes: of a feed or a sitemap that is packed.
    """
    found: Iterable[str]
    sitemaps: Iterable[str] = ()
    if kind in ("feed", "sitemap"):
        body = _unpacked(body, most_bytes)
    if kind == "sitemap":
        found, sitemaps = _of_sitemap(body)
    else:
        found = _of_feed(body, url) if kind == "feed" else _of_page(body, url)
    return _absolute(found, url), _absolute(sitemaps, url)


def _absolute(found: Iterable[str], base: str) -> list[str]:
    kept: dict[str, None] = {}
    for link in islice(found, MOST):
        with suppress(ValueError):
            address = urldefrag(urljoin(base, link.strip())).url
            if len(address) <= _LONGEST and urlsplit(address).scheme in ("http", "https"):
                kept[address] = None
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
    """The articles of RSS 0.9 to 2.0, of Atom, and of a JSON Feed."""
    if body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        yield from _of_json_feed(body)
        return
    for entry in _elements(body, {"item", "entry"}):
        base = _base_of(entry, url)
        links = [child for child in entry if _name(child) == "link" and child.get("rel", "alternate") == "alternate"]
        found = [address.strip() for child in links if (address := child.get("href") or child.text or "").strip()]
        # A guid is the address of the article unless it says otherwise, and some feeds have nothing else.
        ids = [child for child in entry if _name(child) in ("guid", "id") and child.get("isPermaLink") != "false"]
        found = found or [text for child in ids if _is_address(text := (child.text or "").strip())]
        for address in found:
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
            yield from [own for own in addresses if isinstance(own, str) and own.strip()][:1]


def _base_of(element: Any, url: str) -> str:
    """The address that those in an element are relative to."""
    bases = [base for own in (element, *element.iterancestors()) if (base := own.get(_BASE))]
    with suppress(ValueError):
        for base in reversed(bases):
            url = urljoin(url, base)
    return url


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _unpacked(body: bytes, most_bytes: int) -> bytes:
    """A body out of gzip, where it is in it, up to where it is damaged; nothing of one that is too large."""
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
    """The elements of some names, each let go of after it was looked at; of a damaged file those before the damage."""
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


__all__ = ["MOST", "BrokenPageError", "links_in_isolation", "links_of", "read", "write"]
