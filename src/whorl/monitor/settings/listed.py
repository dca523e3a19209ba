"""Addresses from a file: lines, a column of a table, or the links of a saved search result."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from whorl.corpus.encoding import decode_text
from whorl.errors import InputError
from whorl.i18n import say

_COLUMNS = ("url", "link", "href", "网址", "網址", "链接", "連結")
_MOST_BYTES = 64 * 2**20


def addresses_of(path: Path) -> tuple[str, ...]:
    """Return the unique addresses in a file, in order.

    Tables and JSON have them in a column such as ``url``, ``link`` or ``网址``; in other text, every line that is an
    address counts, and in a saved page every link.

    Raises:
        InputError: the file is unreadable or contains no address.

    Cost: the file in memory, at most 64 MiB.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(say("{path} is too large for a list of addresses", path=path), hint=say("split it"))
        data = _unpacked(path)
        text = decode_text(data, None).text.lstrip("\ufeff")
        suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
        addresses = tuple(
            dict.fromkeys(address.strip() for address in _listed(suffix, text, data) if _is_address(address))
        )
    except (OSError, ValueError, csv.Error, zlib.error, RecursionError) as error:
        raise InputError(
            say("{path}: {reason}", path=path, reason=str(error)),
            hint=say("rewrite it with one address per line"),
        ) from error
    if not addresses:
        raise InputError(
            say("{path} contains no web address", path=path),
            hint=say("write one address per line, or in a column called url"),
        )
    return addresses


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if not data.startswith(b"\x1f\x8b"):
        return data
    unpacked = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, _MOST_BYTES + 1)
    if len(unpacked) > _MOST_BYTES:
        raise InputError(say("{path} is too large for a list of addresses", path=path), hint=say("split it"))
    return unpacked


def _listed(suffix: str, text: str, data: bytes) -> Iterable[str]:
    if suffix == ".jsonl":
        return chain.from_iterable(_strings(json.loads(line)) for line in text.splitlines() if line.strip())
    if suffix == ".json":
        return _strings(json.loads(text))
    if suffix in (".csv", ".tsv"):
        rows = csv.DictReader(StringIO(text), delimiter="\t" if suffix == ".tsv" else ",")
        return chain.from_iterable(_strings(row) for row in rows)
    if suffix in (".html", ".htm"):
        return _linked(text)
    if text.lstrip()[:1] == "<":
        from whorl.monitor.crawl.links import links_of

        return [link for kind in ("feed", "sitemap") for link in links_of(data, "", kind, _MOST_BYTES)[0]]
    return text.splitlines()


def _strings(value: Any) -> Iterator[str]:
    """Yield the addresses in JSON data: those in a known column, otherwise all strings in lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_strings, value))
    elif isinstance(value, Mapping):
        items = [
            value[name] for name in value if str(name).strip().lower() in _COLUMNS and isinstance(value[name], str)
        ]
        yield from items or chain.from_iterable(
            _strings(item) for item in value.values() if isinstance(item, list | Mapping)
        )


def _linked(text: str) -> Iterator[str]:
    from html.parser import HTMLParser

    links: list[str] = []

    class ListedLinks(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            links.extend(value for name, value in attrs if tag == "a" and name in ("href", "mu") and value)

    ListedLinks().feed(text)
    yield from links


def _is_address(text: str) -> bool:
    return text.strip().lower().startswith(("http://", "https://"))


__all__ = ["addresses_of"]
