"""Look up many addresses and digests together, for crawlers that ask before they fetch or extract a page.

A page is looked up by its address among stored pages and among the ids of articles, and by its content: the SHA-256 of
the body as it was received, or the digest of the normalised text, which is also the same for pages whose frame differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from time import time_ns
from typing import Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.library import ledger
from whorl.library.core import Core
from whorl.library.ingest.user_data import FieldReader, several
from whorl.stores import Reader
from whorl.stores.monitoring_records import SnapshotRecord
from whorl.stores.records import Content, Entry
from whorl.types.library import moment
from whorl.types.pages import SeenPage

_ANY, _WITH_A_PAGE = range(1000), range(200, 300)
_TEXT_DIGEST_BYTES = 16
_ELSEWHERE = 10


@frozen
class _Question:
    """A page as the caller passes it."""

    url: str | None = None
    page_digest: str | None = None
    text_digest: str | None = None


class _Sought(NamedTuple):
    """A validated question."""

    url: str | None
    page: bytes | None
    text: bytes | None


class _StoredPages(NamedTuple):
    """Everything that a library has of some pages.

    Attributes:
        last: latest fetch of each address.
        pages: latest fetch of each address that returned a page.
        entries: documents whose ids are addresses.
        sighted: time of the last sighting of each of these documents at its address.
        bodies: latest fetch of each body.
        contents: contents by the digest of their texts.
        members: some documents of each content.
        contents_of: contents of the documents.
    """

    last: Mapping[str, SnapshotRecord]
    pages: Mapping[str, SnapshotRecord]
    entries: Mapping[str, Entry]
    sighted: Mapping[int, int]
    bodies: Mapping[bytes, SnapshotRecord]
    contents: Mapping[bytes, Content]
    members: Mapping[int, Sequence[Entry]]
    contents_of: Mapping[int, Content]


def seen_pages(core: Core, questions: Iterable[Mapping[str, Any]]) -> list[SeenPage]:
    """Look up pages, in the order of the questions.

    Raises:
        InputError: a question has neither an address nor a digest, or a digest is malformed.
    """
    sought = list(map(_sought, several(questions)))
    with core.store.reading() as reader:
        stored = _stored(core, reader, sought)
    return [_answer(question, stored) for question in sought]


def _sought(value: Mapping[str, Any]) -> _Sought:
    fields = FieldReader(_Question, value)
    url = None if fields.get("url") is None else fields.named("url")
    page, text = fields.get("page_digest"), fields.get("text_digest")
    if url is None and page is None and text is None:
        raise InputError(
            say("a page has neither an address nor a digest"), hint=say("give url, page_digest or text_digest")
        )
    return _Sought(url, None if page is None else ledger.digest_of(page), None if text is None else _text_digest(text))


def _text_digest(value: object) -> bytes:
    with suppress(ValueError, TypeError):
        digest = bytes.fromhex(value)  # type: ignore[arg-type]
        if len(digest) == _TEXT_DIGEST_BYTES:
            return digest
    raise InputError(
        say("{value!r:.80} is no digest of a text", value=value),
        hint=say("give the digest of `whorl.fingerprint` as 32 hexadecimal digits"),
    )


def _stored(core: Core, reader: Reader, sought: Sequence[_Sought]) -> _StoredPages:
    urls = {question.url for question in sought if question.url is not None}
    texts = {question.text for question in sought if question.text is not None}
    core.index.catch_up(reader)
    first, last = core.periods_near(time_ns() // 1000)
    same = core.index.same([(digest, range(first, last + 1)) for digest in texts], reader) if texts else {}
    contents = {digest: content for (digest, _), content in sorted(same.items())}
    entries = reader.entries(urls)
    return _StoredPages(
        last=reader.latest_at(urls, _ANY),
        pages=reader.latest_at(urls, _WITH_A_PAGE),
        entries=entries,
        sighted=_sighted(reader, entries),
        bodies=reader.latest_with({question.page for question in sought if question.page is not None}),
        contents=contents,
        members=reader.members({content.number for content in contents.values()}, _ELSEWHERE + 1),
        contents_of=reader.contents({entry.content for entry in entries.values()}),
    )


def _sighted(reader: Reader, entries: Mapping[str, Entry]) -> dict[int, int]:
    addresses = {entry.number: url for url, entry in entries.items()}
    last: dict[int, int] = {}
    for number, sightings in reader.sightings(addresses).items():
        for sighting in sightings:
            if sighting.url in (None, addresses[number]):
                last[number] = max(sighting.at, last.get(number, sighting.at))
    return last


def _answer(question: _Sought, stored: _StoredPages) -> SeenPage:
    url = question.url or ""
    last, page, entry = stored.last.get(url), stored.pages.get(url), stored.entries.get(url)
    body = None if question.page is None else stored.bodies.get(question.page)
    content = None if question.text is None else stored.contents.get(question.text)
    members = () if content is None else stored.members.get(content.number, ())
    times = [] if last is None else [last.fetched_at]
    if entry is not None:
        times.append(max(entry.first_seen_at, stored.sighted.get(entry.number, entry.first_seen_at)))
    if not times and question.url is None:
        times = ([] if body is None else [body.fetched_at]) + [member.first_seen_at for member in members]
    headers = {} if page is None else _headers(page)
    places = [] if body is None else [body.url]
    places += [member.url or member.id for member in members]
    return SeenPage(
        url=question.url,
        is_known=bool(last or entry or body or members),
        unchanged=_unchanged(question, page, entry, stored),
        last_seen_at=moment(max(times)) if times else None,
        status=None if last is None else last.status,
        etag=headers.get("etag", ""),
        last_modified=headers.get("last-modified", ""),
        document=None if entry is None else entry.id,
        elsewhere=tuple(place for place in dict.fromkeys(places) if place != question.url)[:_ELSEWHERE],
    )


def _unchanged(
    question: _Sought, page: SnapshotRecord | None, entry: Entry | None, stored: _StoredPages
) -> bool | None:
    """Return True if one of the digests is that of the latest content of the address."""
    results = []
    if question.page is not None and page is not None:
        results.append(page.digest == question.page)
    if question.text is not None and entry is not None and entry.content in stored.contents_of:
        results.append(stored.contents_of[entry.content].digest == question.text)
    return any(results) if results else None


def _headers(page: SnapshotRecord) -> dict[str, str]:
    with suppress(TypeError, ValueError):
        return {str(name).lower(): str(value) for name, value in json.loads(page.headers)}
    return {}


__all__ = ["seen_pages"]
