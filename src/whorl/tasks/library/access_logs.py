"""Import access logs of the owner's web server as attestations of first publication."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import page_of
from whorl.corpus.pages.addresses import canonical_url
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.provenance.access_logs import CRAWLERS, LogLine, crawler_of, read_line
from whorl.library.provenance.attestations import Attestation
from whorl.library.provenance.hosts import domain_of
from whorl.tasks.library.arguments import Place, lent
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

KIND = "server-log"
"""Kind of the attestations."""

_LONGEST_LINE = 64 * 1024
_LISTED = 20
_AT_ONCE = 1000
_GZIP = b"\x1f\x8b"


@frozen
class LogRejection(Plain):
    """A line that could not be parsed.

    Attributes:
        file: the file.
        line: number of the line, from 1.
        text: beginning of the line.
    """

    file: str
    line: int
    text: str


@frozen
class LogImport(Plain):
    """Result of an import of access logs.

    Attributes:
        lines: number of lines, without blank ones. The following counts add up to it.
        served: lines that show an article of the library being served to a crawler.
        failed: lines of crawlers that were not served, such as 404.
        unknown: lines of crawlers that were served an address of no article.
        others: lines of readers and of other programs.
        rejected: lines that could not be parsed.
        articles: number of articles with a new attestation.
        rejects: the first rejected lines.
    """

    lines: int
    served: int
    failed: int
    unknown: int
    others: int
    rejected: int
    articles: int
    rejects: tuple[LogRejection, ...] = ()


def import_access_logs(
    library: Library | Place,
    files: Iterable[Place],
    *,
    host: str,
    crawlers: Iterable[str] = (),
    by: str = "",
) -> LogImport:
    """Attest for each article when its address was first served to a crawler.

    >>> import whorl
    >>> from pathlib import Path
    >>> from whorl.tasks.library.access_logs import import_access_logs
    >>> line = '192.0.2.1 - - [05/Mar/2026:08:00:00 +0800] "GET /1 HTTP/1.1" 200 51 "-" "Baiduspider/2.0"'
    >>> written = Path("access.log").write_text(line)
    >>> with whorl.open("logged") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。", "url": "https://paper.example/1"})
    ...     imported = import_access_logs(library, ["access.log"], host="paper.example")
    ...     [attestation.at.isoformat() for attestation in library.attestations.of("a")]
    ['2026-03-05T00:00:00+00:00']
    >>> imported.articles, imported.rejected
    (1, 0)

    Args:
        library: its address, or an open library.
        files: logs in the combined format of Apache or nginx, also compressed with gzip; ``-`` is standard input. Their
            order does not matter.
        host: host of the addresses, for lines that do not name a virtual host.
        crawlers: further names of crawlers, as they occur in their user agents; lines of others are not used.
        by: person who imports them.

    Raises:
        UsageError: the host is not a domain.
        InputError: a file cannot be read, or has lines and none of them could be parsed.

    Cost: some microseconds per line; memory for the addresses of all articles.
    """
    if not domain_of(host):
        raise UsageError(
            say("{given!r:.80} is not a domain", given=host), hint=say("use a name such as news.example.org")
        )
    reading = _LogReading(host, (*crawlers, *CRAWLERS))
    with lent(library) as opened:
        reading.addresses = dict(_addresses(opened))
        for file in files:
            reading.read(str(file))
        attestations = [
            Attestation(id, KIND, request.at, f"{crawler}: {request.method} {request.path} {request.status}", by)
            for id, (request, crawler) in sorted(reading.first.items())
        ]
        new = [attestation for attestation in attestations if not _is_attested(opened, attestation)]
        opened.attestations.put(new)
    return reading.result(len(new))


def _is_attested(library: Library, attestation: Attestation) -> bool:
    """Return True if another log already showed the article at that time or before."""
    existing = library.attestations.of(attestation.document)
    return any(earlier.kind == KIND and earlier.at <= attestation.at for earlier in existing)


def _addresses(library: Library) -> Iterator[tuple[str, str]]:
    """Yield the addresses of all articles, normalized, with their ids."""
    mark = None
    while True:
        page = library.documents(after=mark, limit=_AT_ONCE)
        yield from ((_page(entry.url), entry.id) for entry in page.items if entry.url)
        if page.mark is None:
            return
        mark = page.mark


def _page(url: str) -> str:
    """Normalize an address: without scheme, tracking parameters, usual prefixes of hosts and trailing slash."""
    return page_of(canonical_url(url) or url)


class _LogReading:
    """Counts of the lines read so far, and the first request for each article."""

    def __init__(self, host: str, crawlers: tuple[str, ...]) -> None:
        self._host, self._crawlers = host, crawlers
        self._counts = dict.fromkeys(("served", "failed", "unknown", "others", "rejected"), 0)
        self._rejects: list[LogRejection] = []
        self.addresses: dict[str, str] = {}
        self.first: dict[str, tuple[LogLine, str]] = {}

    def read(self, file: str) -> None:
        parsed = before = self._counts["rejected"]
        with _opened(file) as stream:
            number = 0
            while line := stream.readline(_LONGEST_LINE):
                number += 1
                text = line.decode("utf-8", "replace").strip()
                if text:
                    parsed += 1
                    self._count(text, file, number)
        rejected = self._counts["rejected"] - before
        if rejected and rejected == parsed - before:
            raise InputError(
                say("{path} is not an access log in the combined format", path=file),
                hint=say("expected lines such as: {line}", line='192.0.2.1 - - [05/Mar/2026:08:00:00 +0800] "GET /1 …'),
            )

    def _count(self, text: str, file: str, number: int) -> None:
        request = read_line(text)
        if request is None:
            self._counts["rejected"] += 1
            if len(self._rejects) < _LISTED:
                self._rejects.append(LogRejection(file, number, text[:200]))
            return
        crawler = crawler_of(request.agent, self._crawlers)
        if not crawler:
            self._counts["others"] += 1
        elif not request.is_served:
            self._counts["failed"] += 1
        else:
            self._served(request, crawler)

    def _served(self, request: LogLine, crawler: str) -> None:
        id = self.addresses.get(_page(f"https://{request.host or self._host}{request.path}"))
        self._counts["unknown" if id is None else "served"] += 1
        if id is not None and (id not in self.first or request.at < self.first[id][0].at):
            self.first[id] = request, crawler

    def result(self, articles: int) -> LogImport:
        return LogImport(sum(self._counts.values()), **self._counts, articles=articles, rejects=tuple(self._rejects))


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    """Open a log, decompressing gzip.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if file == "-":
            yield sys.stdin.buffer
            return
        with Path(file).open("rb") as stream:
            is_compressed = stream.peek(len(_GZIP)).startswith(_GZIP)
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if is_compressed else stream
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            say("cannot read {path}: {reason}", path=file, reason=reason), hint=say("check its path and permissions")
        ) from error


__all__ = ["CRAWLERS", "KIND", "LogImport", "LogRejection", "import_access_logs"]
