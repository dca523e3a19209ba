"""The process that fetches, as a watch sees it: addresses go in, answers come out, and it is begun again if it ends."""

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

from whorl.corpus.isolated.confinement import environment
from whorl.corpus.isolated.frames import receive, send
from whorl.errors import ResourceError
from whorl.language import say
from whorl.release import missing_package
from whorl.scratch import ScratchFolder

_SILENCE = 900.0
"""Seconds without an answer, after which the process is ended; a page may take ten minutes."""
_PLAIN = ("why", "status", "to", "etag", "modified", "address", "digest")


@dataclass(frozen=True, slots=True)
class Question:
    """A page to fetch.

    Attributes:
        number: by which its answer is known.
        url: its address.
        kind: "page", "list", "feed" or "sitemap".
        rate: requests a second that its host gets at most.
        most_bytes: that it may have.
        seconds: that it may take.
        private: whether its host may have an address that is not of the public network.
        etag: what the server called what it sent before.
        modified: when the server said that this was changed.
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


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        number: of the question.
        outcome: "page", "moved", "failed", or "ended" where the process ended before it answered.
        at: when, as ISO 8601; empty for "ended".
        why: why it failed, a word of ``whorl.monitor.reasons``.
        status: of HTTP.
        to: where the page has moved.
        headers: as they came.
        etag: what the server calls it.
        modified: when the server says that it was changed.
        address: of the network, which it came from.
        body: the file with the body, unpacked; it belongs to the asker. None for any other status than 200.
        digest: SHA-256 of the body.
        links: the pages that it names.
        sitemaps: the sitemaps that it names.
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
        """Make it of what the process says."""
        told = {name: frame[name] for name in _PLAIN if name in frame}
        return cls(
            frame["number"],
            frame["is"],
            frame["at"],
            headers=tuple((name, value) for name, value in frame.get("headers", ())),
            body=Path(frame["path"]) if "path" in frame else None,
            links=tuple(frame.get("links", ())),
            sitemaps=tuple(frame.get("sitemaps", ())),
            **told,
        )


@dataclass
class Fetcher:
    """Fetches pages in a process of its own; to be used in a ``with`` statement.

    Args:
        agent: how it calls itself to servers.
    """

    agent: str
    _asked: dict[int, Question] = field(default_factory=dict, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        demand_scrapy()
        self._answers: Queue[dict[str, Any] | None] = Queue()
        self._spool = ScratchFolder()

    @property
    def waiting(self) -> int:
        """How many questions have no answer yet."""
        return len(self._asked)

    def ask(self, question: Question) -> None:
        """Ask for a page."""
        if self._process is None:
            self._begin()
        self._asked[question.number] = question
        stream = self._process.stdin if self._process else None
        if stream is not None:
            with suppress(OSError):  # it has ended, which its answers will say
                send(stream, asdict(question))

    def answers(self, seconds: float) -> list[Answer]:
        """Return the answers that are there, and wait for the first one; none after so many seconds.

        Where the process has ended, every question that it leaves has such an answer.

        Raises:
            ResourceError: it ends as soon as it is begun.
        """
        found: list[Answer] = []
        with suppress(Empty):
            frame = self._answers.get(timeout=seconds)
            while True:
                if frame is None:
                    found += self._ended(bool(found))
                    break
                if self._asked.pop(frame["number"], None):
                    self._has_answered = True
                    found.append(Answer.of(frame))
                frame = self._answers.get_nowait()
        return found

    def renew(self) -> None:
        """End the process, whatever it does."""
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
                say("the process that fetches pages ends as soon as it is begun"),
                cure=say("run `python -m whorl.monitor.crawl.worker` to see why"),
            )
        if self._process is not None:
            self._let_go(self._process)
        self._process = None
        left = [Answer(number, "ended") for number in self._asked]
        self._asked.clear()
        return left

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
    """Refuse to watch where the package that fetches is not installed.

    Raises:
        UsageError: with the cure.
    """
    if find_spec("scrapy") is None:
        raise missing_package(say("{what} needs {package}", what=say("fetching pages"), package="scrapy"), "watch")


__all__ = ["Answer", "Fetcher", "Question", "demand_scrapy"]
