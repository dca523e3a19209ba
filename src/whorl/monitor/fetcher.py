"""Client of the crawler process, which is restarted when it dies."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import IO, Any, Self

from whorl._internal.frozen import frozen
from whorl._internal.scratch import ScratchFolder
from whorl.corpus.sandbox.confinement import environment
from whorl.corpus.sandbox.frames import receive, send
from whorl.errors import ResourceError
from whorl.i18n import say
from whorl.release import missing_package

_SILENCE = 900.0
"""Seconds without an answer after which the process is killed; a page may take ten minutes."""
_PLAIN = ("why", "status", "to", "etag", "modified", "address", "digest")


@frozen
class PageRequest:
    """A request for a page.

    Attributes:
        number: request number, repeated in the answer.
        url: address of the page.
        kind: "page", "list", "feed" or "sitemap".
        rate: maximum requests per second for the host.
        most_bytes: maximum size.
        seconds: timeout.
        private: True if the host may have a private address.
        etag: ``ETag`` of the previous response.
        modified: ``Last-Modified`` of the previous response.
    """

    number: int
    url: str
    kind: str
    rate: float
    most_bytes: int
    seconds: float
    private: bool
    etag: str = ""
    modified: str = ""


@frozen
class Answer:
    """The answer to a request.

    Attributes:
        number: request number.
        outcome: "page", "moved", "failed", or "ended" if the process died before answering.
        at: time of the response in ISO 8601; empty for "ended".
        why: reason of a failure, a key of ``whorl.monitor.findings.reasons``.
        status: HTTP status.
        to: redirect target.
        headers: response headers.
        etag: ``ETag`` of the response.
        modified: ``Last-Modified`` of the response.
        address: network address of the server.
        body: file with the decoded body, owned by the caller. None for any status other than 200.
        digest: SHA-256 of the body.
        links: linked pages.
        sitemaps: linked sitemaps.
    """

    number: int
    outcome: str
    at: str = ""
    why: str = ""
    status: int = 0
    to: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""
    modified: str = ""
    address: str = ""
    body: Path | None = None
    digest: str = ""
    links: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def of(cls, frame: dict[str, Any]) -> Self:
        """Build an answer from a frame of the process."""
        data = {name: frame[name] for name in _PLAIN if name in frame}
        return cls(
            frame["number"],
            frame["is"],
            frame["at"],
            headers=tuple((name, value) for name, value in frame.get("headers", ())),
            body=Path(frame["path"]) if "path" in frame else None,
            links=tuple(frame.get("links", ())),
            sitemaps=tuple(frame.get("sitemaps", ())),
            **data,
        )


@dataclass
class Fetcher:
    """Context manager that fetches pages in a separate process.

    Args:
        agent: user agent.
    """

    agent: str
    _pending: dict[int, PageRequest] = field(default_factory=dict, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        demand_scrapy()
        self._answers: Queue[dict[str, Any] | None] = Queue()
        self._spool = ScratchFolder()

    @property
    def waiting(self) -> int:
        """Number of open requests."""
        return len(self._pending)

    def ask(self, question: PageRequest) -> None:
        """Request a page."""
        if self._process is None:
            self._begin()
        self._pending[question.number] = question
        stream = self._process.stdin if self._process else None
        if stream is not None:
            with suppress(OSError):  # the process has died, which its answers report
                send(stream, asdict(question))

    def answers(self, seconds: float) -> list[Answer]:
        """Wait for an answer and return all available ones; empty after the timeout.

        If the process has died, every open request gets the answer "ended".

        Raises:
            ResourceError: the process dies immediately after its start.
        """
        results: list[Answer] = []
        with suppress(Empty):
            frame = self._answers.get(timeout=seconds)
            while True:
                if frame is None:
                    results += self._ended(bool(results))
                    break
                if self._pending.pop(frame["number"], None):
                    self._has_answered = True
                    results.append(Answer.of(frame))
                frame = self._answers.get_nowait()
        return results

    def renew(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._let_go(self._process)
        self._spool.cleanup()

    def _begin(self) -> None:
        self._has_answered = False
        self._answers = Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "whorl.monitor.crawl.worker", self.agent, str(self._spool.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment("SSL_CERT_FILE", "SSL_CERT_DIR"),
        )
        Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()

    def _ended(self, has_found: bool) -> list[Answer]:
        if not self._has_answered and not has_found:
            raise ResourceError(
                say("the crawler process exits immediately after its start"),
                hint=say("run `python -m whorl.monitor.crawl.worker` to see why"),
            )
        if self._process is not None:
            self._let_go(self._process)
        self._process = None
        remaining = [Answer(number, "ended") for number in self._pending]
        self._pending.clear()
        return remaining

    @staticmethod
    def _let_go(process: subprocess.Popen[bytes]) -> None:
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _listen(stream: IO[bytes], answers: Queue[dict[str, Any] | None]) -> None:
    frame = receive(stream)
    while frame is not None:
        answers.put(frame[0])
        frame = receive(stream)
    answers.put(None)


def demand_scrapy() -> None:
    """Require the optional package for fetching.

    Raises:
        UsageError: the package is not installed.
    """
    if find_spec("scrapy") is None:
        raise missing_package(say("{what} needs {package}", what=say("fetching pages"), package="scrapy"), "watch")


__all__ = ["Answer", "Fetcher", "PageRequest", "demand_scrapy"]
