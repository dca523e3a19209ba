"""The spider: one request per question, one answer per response."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from whorl.corpus.sandbox.frames import receive, send
from whorl.errors import IsolationError
from whorl.monitor.crawl.links import BrokenPageError, links_in_isolation
from whorl.monitor.crawl.pace import set_rate
from whorl.monitor.crawl.resolver import HOSTS
from whorl.monitor.crawl.robots import RobotsForbiddenError, UnknownRulesError, UnreachableError

_FOR_LATER = ("etag", "last-modified")
_LONGEST = 2000
"""Maximum length of a redirect target in characters."""
_PARSED_AT_ONCE = 8
"""Concurrent link extractions, each for a different host. The process pool has one process per core and grows."""
_MOST_HEADERS, _MOST_HEADER_BYTES = 200, 64 * 1024


class PageSpider(Spider):
    """Spider that fetches requested pages until its input ends.

    Args:
        questions: input stream of request frames; see ``whorl.monitor.fetcher``.
        answers: output stream of answer frames.
        spool: folder for bodies of pages; the receiver of the answer owns the file.
    """

    name = "pages"

    def __init__(self, questions: IO[bytes], answers: IO[bytes], spool: Path, **others: Any) -> None:
        super().__init__(**others)
        self._questions = questions
        self._answers = answers
        self._spool = spool
        self._threads = ThreadPoolExecutor(_PARSED_AT_ONCE)
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def start(self) -> AsyncIterator[Any]:
        """Yield a request for each question."""
        waiting: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        Thread(target=self._listen, args=(loop, waiting), daemon=True).start()
        while (question := await waiting.get()) is not None:
            try:
                yield self._request(question)
            except ValueError:
                self._tell(question, {"is": "failed", "why": "address"})

    def _listen(self, loop: asyncio.AbstractEventLoop, waiting: asyncio.Queue[dict[str, Any] | None]) -> None:
        frame = receive(self._questions)
        while frame is not None:
            loop.call_soon_threadsafe(waiting.put_nowait, frame[0])
            frame = receive(self._questions)
        loop.call_soon_threadsafe(waiting.put_nowait, None)

    def _request(self, question: dict[str, Any]) -> Request:
        url = question["url"]
        if question["private"]:
            HOSTS.private.add((urlsplit(url).hostname or "").lower())
        set_rate(self.crawler, url, question["rate"])
        conditions = {"etag": "If-None-Match", "modified": "If-Modified-Since"}
        return Request(
            url,
            callback=self.parse,
            errback=self._failed,
            dont_filter=True,
            headers={header: question[name] for name, header in conditions.items() if question[name]},
            meta={
                "question": question,
                "dont_redirect": True,
                "handle_httpstatus_all": True,
                "download_maxsize": question["most_bytes"],
                "download_timeout": question["seconds"],
            },
        )

    async def parse(self, response: Response, **_: Any) -> None:
        """Answer a response in every case: a missing answer would block all sites."""
        question = response.meta["question"]
        try:
            answer = await self._answer(response, question)
        except (BrokenPageError, IsolationError):
            answer = {"is": "failed", "why": "parser"}
        except (ValueError, ArithmeticError, LookupError, MemoryError, OSError, RecursionError):
            answer = {"is": "failed", "why": "format"}
        self._tell(question, answer)

    async def _answer(self, response: Response, question: dict[str, Any]) -> dict[str, Any]:
        place = response.headers.get(b"Location")
        if response.status in (301, 302, 303, 307, 308) and place:
            try:
                to = urljoin(response.url, place.decode("utf-8", "replace").strip())
            except ValueError:
                return {"is": "failed", "why": "address"}
            return {"is": "moved", "to": to[:_LONGEST], "status": response.status}
        kept = {name: (response.headers.get(name) or b"")[:_LONGEST].decode("latin-1") for name in _FOR_LATER}
        answer = {
            "is": "page",
            "status": response.status,
            "headers": _headers(response),
            "etag": kept["etag"],
            "modified": kept["last-modified"],
            "address": str(response.ip_address or ""),
        }
        if response.status == 200:
            body = response.body
            path = self._spool / str(question["number"])
            path.write_bytes(body)
            try:
                links, sitemaps = await self._links(path, response.url, question)
            except BaseException:
                path.unlink()
                raise
            answer |= {"path": str(path), "digest": sha256(body).hexdigest(), "links": links, "sitemaps": sitemaps}
        return answer

    async def _links(self, path: Path, url: str, question: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Extract links in another process, one page per host at a time, so that a host cannot occupy all processes."""
        async with self._turns[urlsplit(url).netloc]:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, links_in_isolation, path, url, question["kind"], question["most_bytes"]
            )

    def _failed(self, failure: Failure) -> None:
        request = failure.request  # type: ignore[attr-defined]
        self._tell(request.meta["question"], {"is": "failed", "why": _reason(failure, request.url)})

    def _tell(self, question: dict[str, Any], answer: dict[str, Any]) -> None:
        now = datetime.now(UTC).isoformat()
        send(self._answers, {"number": question["number"], "url": question["url"], "at": now, **answer})


def _headers(response: Response) -> list[tuple[str, str]]:
    """Return the first headers up to the limits of count and size."""
    kept: list[tuple[str, str]] = []
    size = 0
    for name, values in response.headers.items():
        for value in values:
            size += len(name) + len(value)
            if len(kept) == _MOST_HEADERS or size > _MOST_HEADER_BYTES:
                return kept
            kept.append((name.decode("latin-1"), value.decode("latin-1")))
    return kept


def _reason(failure: Failure, url: str) -> str:
    """Return the reason of a failure as a key of ``whorl.monitor.findings.reasons``."""
    kinds: tuple[tuple[Any, str], ...] = (
        (RobotsForbiddenError, "robots"),
        (UnknownRulesError, "rules"),
        (UnreachableError, "network"),
        (DownloadTimeoutError, "time"),
        ((DownloadCancelledError, IgnoreRequest), "size"),
    )
    host = (urlsplit(url).hostname or "").lower()
    is_private = host in HOSTS.refused and isinstance(failure.value, CannotResolveHostError | UnreachableError)
    return "private" if is_private else next((why for kind, why in kinds if isinstance(failure.value, kind)), "network")


__all__ = ["PageSpider"]
