"""Crawl state of a watch in a SQLite file, which survives a killed process.

A page is done only after the library has acknowledged it. Unfinished pages are requested again, and adding a page twice
has no effect.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from whorl.errors import InputError, ResourceError
from whorl.i18n import say
from whorl.monitor.findings.records import CrawlPage, Finding, Recheck
from whorl.stores.sqlite.failures import failures

FILE = "watch.sqlite"
TRIES = 3
"""Maximum number of attempts for a page that gets no answer."""

MOST_PARTS = 50
"""Maximum number of pages per article; further pages form a separate article."""

_PATIENCE = 60.0
_AHEAD = timedelta(days=1)
"""Times this far in the future come from a clock that has been set back since."""
_SCHEMAS = (
    """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, begun_at TEXT NOT NULL, ended_at TEXT
) STRICT;
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, site TEXT NOT NULL, kind TEXT NOT NULL,
    depth INTEGER NOT NULL, hops INTEGER NOT NULL, state TEXT NOT NULL, found_at TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, run INTEGER NOT NULL DEFAULT 0, fetched_at TEXT,
    status INTEGER, why TEXT, etag TEXT NOT NULL DEFAULT '', modified TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '', document TEXT
) STRICT;
CREATE INDEX pages_by_state ON pages (site, state, kind);
CREATE INDEX pages_by_document ON pages (document) WHERE document IS NOT NULL;
CREATE TABLE found (
    document TEXT NOT NULL, article TEXT NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL, kind TEXT NOT NULL,
    verdict TEXT NOT NULL, share REAL NOT NULL, similarity REAL NOT NULL, length INTEGER NOT NULL,
    fetched_at TEXT NOT NULL, found_at TEXT NOT NULL, run INTEGER NOT NULL, gone_at TEXT,
    PRIMARY KEY (document, article)
) STRICT;
CREATE TABLE checks (
    url TEXT NOT NULL, at TEXT NOT NULL, run INTEGER NOT NULL, status INTEGER NOT NULL, outcome TEXT NOT NULL
) STRICT;
CREATE INDEX checks_by_url ON checks (url);
CREATE TABLE articles (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
""",
    """
ALTER TABLE pages ADD COLUMN following TEXT;
ALTER TABLE pages ADD COLUMN is_unmade INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pages_by_following ON pages (following) WHERE following IS NOT NULL;
CREATE INDEX pages_unmade ON pages (number) WHERE is_unmade;
""",
    """
UPDATE found SET verdict = 'reprint' WHERE verdict = 'leave';
""",
)
"""Schema changes by file version; older files are upgraded."""


_PAGE = ", ".join(field.name for field in fields(CrawlPage))
_FINDING = tuple(field.name for field in fields(Finding))


class Frontier:
    """Context manager for the pages of a watch. Only one process may use it at a time.

    Args:
        path: the file, created if missing.

    Raises:
        ResourceError: another process is watching, or the file is not writable.
        InputError: the file is damaged or from a later version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with failures(path):
            self._alone = _alone(path)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
            self._prepare()

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        with self._changing():
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version > len(_SCHEMAS):
                raise InputError(
                    say("{path} was created by a newer version of whorl", path=self._path),
                    hint=say("update whorl"),
                )
            create_tables(self._database, version)
            self._database.execute(f"PRAGMA user_version = {len(_SCHEMAS)}")

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Run a transaction."""
        with failures(self._path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with failures(self._path):
            return self._database.execute(statement, values).fetchall()

    def begin(self, now: datetime) -> int:
        """Start a run or resume an unfinished one; return its number."""
        open_ = self._rows("SELECT number FROM runs WHERE ended_at IS NULL")
        if open_:
            return int(open_[0][0])
        with self._changing():
            self._database.execute("INSERT INTO runs (begun_at) VALUES (?)", (_written(now),))
        return int(self._rows("SELECT max(number) FROM runs")[0][0])

    def end(self, run: int, now: datetime) -> None:
        """End a run."""
        with self._changing():
            self._database.execute("UPDATE runs SET ended_at = ? WHERE number = ?", (_written(now), run))

    def is_complete(self, site: str, run: int) -> bool:
        """Return True if a run read a list of the site, failed to read none, and left no page to fetch."""
        [(lists, rest)] = self._rows(
            "SELECT coalesce(sum(kind != 'page' AND state = 'done' AND run = ?), 0),"
            " coalesce(sum(state = 'queued' OR (kind != 'page' AND state = 'failed' AND run = ?)), 0)"
            " FROM pages WHERE site = ?",
            *(run, run, site),
        )
        return bool(lists > 0 and rest == 0)

    def new_articles(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield articles that were not yet compared with the crawled pages."""
        for id_ in ids:
            if not self._rows("SELECT 1 FROM articles WHERE id = ?", id_):
                yield id_

    def held_against(self, ids: Iterable[str]) -> None:
        """Mark articles as compared with the crawled pages."""
        with self._changing():
            self._database.executemany("INSERT OR IGNORE INTO articles VALUES (?)", ((id_,) for id_ in ids))

    def times(self, run: int) -> tuple[datetime, datetime]:
        """Return start and end of a run; an unfinished run ends now."""
        [(begun, ended)] = self._rows("SELECT begun_at, ended_at FROM runs WHERE number = ?", run)
        return datetime.fromisoformat(begun), _read(ended) or datetime.now(UTC)

    def put(self, site: str, kind: str, depth: int, urls: Iterable[str], now: datetime, hops: int = 0) -> int:
        """Queue new pages; return their number."""
        rows = [(url, site, kind, depth, hops, _written(now)) for url in urls]
        with self._changing():
            before = self._database.total_changes
            self._database.executemany(
                "INSERT INTO pages (url, site, kind, depth, hops, state, found_at) VALUES (?, ?, ?, ?, ?, 'queued', ?)"
                " ON CONFLICT (url) DO NOTHING",
                rows,
            )
            return self._database.total_changes - before

    def forget(self, site: str, kind: str, named: Sequence[str]) -> None:
        """Delete lists of a kind that are no longer in the settings of a site."""
        marks = ",".join("?" * len(named))
        with self._changing():
            self._database.execute(
                f"DELETE FROM pages WHERE site = ? AND kind = ? AND hops = 0 AND url NOT IN ({marks})",
                (site, kind, *named),
            )

    def renew(self, site: str, run: int, revisit: timedelta | None, now: datetime) -> None:
        """Requeue lists, pages with copies, and pages that are due for a revisit."""
        before = "" if revisit is None else _written(now - revisit)
        after = _written(now + _AHEAD)
        with self._changing():
            self._database.execute(
                "UPDATE pages SET state = 'queued', tries = 0 WHERE site = ? AND run < ? AND state != 'queued' AND ("
                " kind IN ('sitemap', 'feed', 'list') OR fetched_at < ? OR fetched_at > ?"
                " OR url IN (SELECT url FROM found) OR document IN (SELECT document FROM found))",
                (site, run, before, after),
            )

    def next(self, site: str, limit: int, without: Sequence[int]) -> list[CrawlPage]:
        """Return queued pages of a site: first lists, then pages of articles that are partly fetched.

        Pages that are being fetched are excluded.
        """
        excluded = ",".join(map(str, without))
        rows = self._rows(
            f"SELECT {_PAGE} FROM pages"
            f" WHERE site = ? AND state = 'queued' AND number NOT IN ({excluded})"
            " ORDER BY kind = 'page', NOT EXISTS (SELECT 1 FROM pages AS before WHERE before.following = pages.url),"
            " depth, number LIMIT ?",
            site,
            limit,
        )
        return [CrawlPage(*row) for row in rows]

    def page(self, url: str) -> CrawlPage | None:
        """Return the page of an address; None if it is unknown."""
        rows = self._rows(f"SELECT {_PAGE} FROM pages WHERE url = ?", url)
        return CrawlPage(*rows[0]) if rows else None

    def goes_on(self, page: CrawlPage, following: str | None) -> None:
        """Record the continuation of the article of a page and mark the article for rebuilding."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET following = ?, is_unmade = 1 WHERE number = ?", (following, page.number)
            )

    def before(self, url: str) -> CrawlPage | None:
        """Return the first page whose article continues at an address, or None."""
        rows = self._rows(f"SELECT {_PAGE} FROM pages WHERE following = ? ORDER BY number LIMIT 1", url)
        return CrawlPage(*rows[0]) if rows else None

    def chain(self, url: str) -> list[CrawlPage]:
        """Return the known pages of the article that contains an address, in order. A page belongs to one article."""
        met = {url}
        while (before := self.before(url)) is not None and before.url not in met:
            met.add(url := before.url)
        first = (len(met) - 1) // MOST_PARTS * MOST_PARTS
        pages: dict[int, CrawlPage] = {}
        page = self.page(url)
        while page is not None and page.number not in pages and len(pages) < first + MOST_PARTS:
            pages[page.number] = page
            page = self._after(page)
        return list(pages.values())[first:]

    def _after(self, page: CrawlPage) -> CrawlPage | None:
        """Return the continuation of a page, unless another page claimed it first."""
        if page.following is None:
            return None
        before = self.before(page.following)
        return self.page(page.following) if before is not None and before.number == page.number else None

    def unmade(self, limit: int) -> list[CrawlPage]:
        """Return pages of articles that must be rebuilt."""
        return [CrawlPage(*row) for row in self._rows(f"SELECT {_PAGE} FROM pages WHERE is_unmade LIMIT ?", limit)]

    def replaced(self, document: str, used: Sequence[CrawlPage]) -> list[str]:
        """Return earlier documents of merged pages that no other page uses."""
        numbers = ",".join(str(page.number) for page in used)
        before = {page.document for page in used if page.document is not None} - {document}
        further = f"SELECT 1 FROM pages WHERE document = ? AND number NOT IN ({numbers})"
        return sorted(item for item in before if not self._rows(further, item))

    def record_document(
        self, document: str | None, used: Sequence[CrawlPage], members: Sequence[CrawlPage], replaced: Sequence[str]
    ) -> None:
        """Record the pages of a document.

        Args:
            document: id of the document; None if none could be built.
            used: pages with text in the document.
            members: all pages of the article, which need no further rebuild.
            replaced: earlier documents of its pages.
        """
        numbers = ",".join(str(page.number) for page in used)
        with self._changing():
            self._database.executemany("DELETE FROM found WHERE document = ?", ((item,) for item in replaced))
            self._database.execute(
                f"UPDATE pages SET document = NULL WHERE document = ? AND number NOT IN ({numbers})", (document,)
            )
            self._database.execute(f"UPDATE pages SET document = ? WHERE number IN ({numbers})", (document,))
            self._database.executemany(
                "UPDATE pages SET is_unmade = 0 WHERE number = ?", ((page.number,) for page in members)
            )

    def fetched(self, run: int, site: str) -> int:
        """Count the pages of a site with a response in a run."""
        return int(self._rows("SELECT count(*) FROM pages WHERE site = ? AND run = ?", site, run)[0][0])

    def size(self, site: str) -> int:
        """Count the known pages of a site."""
        return int(self._rows("SELECT count(*) FROM pages WHERE site = ?", site)[0][0])

    def articles(self, url: str) -> list[str]:
        """Return the articles whose text a page had at its last check."""
        return [article for (article,) in self._rows("SELECT article FROM found WHERE url = ?", url)]

    def since(self, document: str, article: str) -> datetime | None:
        """Return when a document with current text of an article was first fetched; None if the finding is new."""
        rows = self._rows(
            "SELECT fetched_at FROM found WHERE document = ? AND article = ? AND gone_at IS NULL", document, article
        )
        return _read(rows[0][0]) if rows else None

    def site_of(self, document: str) -> str | None:
        """Return the site of a document; None if it is not from this watch."""
        rows = self._rows("SELECT site FROM pages WHERE document = ?", document)
        return rows[0][0] if rows else None

    def settle(
        self,
        page: CrawlPage,
        run: int,
        state: str,
        at: datetime,
        *,
        status: int = 0,
        why: str = "",
        etag: str = "",
        modified: str = "",
        digest: str = "",
        document: str | None = None,
    ) -> None:
        """Record the state of a page: "done", "moved", "failed", "refused" or "gone"."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET state = ?, run = ?, fetched_at = ?, status = ?, why = ?, etag = ?, modified = ?,"
                " digest = ?, document = coalesce(?, document) WHERE number = ?",
                (state, run, _written(at), status, why, etag, modified, digest or page.digest, document, page.number),
            )

    def unanswered(self, page: CrawlPage, run: int, at: datetime) -> None:
        """Record an attempt without an answer; the page stays queued up to the limit of attempts."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET tries = tries + 1, state = iif(tries + 1 >= ?, 'failed', state),"
                " run = iif(tries + 1 >= ?, ?, run), fetched_at = ?, why = 'broken' WHERE number = ?",
                (TRIES, TRIES, run, _written(at), page.number),
            )

    def find(self, findings: Iterable[Finding]) -> list[Finding]:
        """Store findings; return the new ones, and those of pages that had lost the text and have it again."""
        new: list[Finding] = []
        with self._changing():
            for finding in findings:
                existing = self._database.execute(
                    "SELECT gone_at FROM found WHERE document = ? AND article = ?", (finding.document, finding.article)
                ).fetchone()
                if existing is None or existing[0] is not None:
                    new.append(finding)
                self._database.execute(
                    "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
                    " ON CONFLICT (document, article) DO UPDATE SET kind = excluded.kind, verdict = excluded.verdict,"
                    " share = excluded.share, similarity = excluded.similarity, length = excluded.length,"
                    " fetched_at = iif(gone_at IS NULL, fetched_at, excluded.fetched_at),"
                    " found_at = iif(gone_at IS NULL, found_at, excluded.found_at),"
                    " run = iif(gone_at IS NULL, run, excluded.run), gone_at = NULL",
                    (
                        *(
                            finding.document,
                            finding.article,
                            finding.url,
                            finding.site,
                            finding.kind,
                            finding.verdict,
                            finding.share,
                        ),
                        *(
                            finding.similarity,
                            finding.length,
                            _written(finding.fetched_at),
                            _written(finding.found_at),
                            finding.run,
                        ),
                    ),
                )
        return new

    def returned(self, url: str, articles: Sequence[str], run: int, at: datetime) -> None:
        """Record that an unchanged page, which was away, is there again with the text of articles."""
        marks = ",".join("?" * len(articles))
        if articles and self._rows(f"SELECT 1 FROM found WHERE url = ? AND article IN ({marks})", url, *articles):
            with self._changing():
                self._database.execute(
                    "UPDATE found SET gone_at = NULL, run = ?, found_at = ?, fetched_at = ?"
                    f" WHERE url = ? AND gone_at IS NOT NULL AND article IN ({marks})",
                    (run, _written(at), _written(at), url, *articles),
                )

    def check(self, url: str, run: int, at: datetime, status: int, outcome: str, still: Iterable[str] = ()) -> None:
        """Record a recheck of a page with copies, and the articles whose text it still has."""
        if not self._rows("SELECT 1 FROM found WHERE url = ?", url):
            return
        kept = tuple(still)
        with self._changing():
            self._database.execute(
                "INSERT INTO checks VALUES (?, ?, ?, ?, ?)", (url, _written(at), run, status, outcome)
            )
            if outcome in ("gone", "changed"):
                marks = ",".join("?" * len(kept))
                self._database.execute(
                    f"UPDATE found SET gone_at = ? WHERE url = ? AND gone_at IS NULL AND article NOT IN ({marks})",
                    (_written(at), url, *kept),
                )

    def findings(self) -> Iterator[Finding]:
        """Yield all findings, the oldest first."""
        for row in self._rows(f"SELECT {', '.join(_FINDING)} FROM found ORDER BY found_at, document, article"):
            data = dict(zip(_FINDING, row, strict=True))
            times = {name: _read(data[name]) for name in ("fetched_at", "found_at", "gone_at")}
            yield Finding(**data | times)

    def findings_at(self, url: str) -> list[Finding]:
        """Return the findings of a page whose text it had at its last check."""
        return [finding for finding in self.findings() if finding.url == url and finding.gone_at is None]

    def checks(self) -> Iterator[Recheck]:
        """Yield rechecks of pages with copies, the oldest first."""
        for url, at, status, outcome in self._rows("SELECT url, at, status, outcome FROM checks ORDER BY at, url"):
            yield Recheck(url, datetime.fromisoformat(at), status, outcome)

    def counts(self, run: int) -> dict[tuple[str, str, str, str], int]:
        """Count requested pages of a run by site, kind, state and reason of failure."""
        rows = self._rows(
            "SELECT site, kind, state, coalesce(why, ''), count(*) FROM pages WHERE run = ? GROUP BY 1, 2, 3, 4", run
        )
        return {(site, kind, state, why): count for site, kind, state, why, count in rows}

    def queued(self) -> int:
        """Count queued pages."""
        return int(self._rows("SELECT count(*) FROM pages WHERE state = 'queued'")[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._database.close()
        self._alone.close()


def create_tables(database: sqlite3.Connection, version: int = 0) -> None:
    """Create the tables of a crawl state, or upgrade them from an older version."""
    for schema in _SCHEMAS[version:]:
        for statement in schema.split(";\n"):
            database.execute(statement)


def _alone(path: Path) -> sqlite3.Connection:
    """Lock out other watches, but not readers, until the connection or process ends."""
    lock = sqlite3.connect(path.with_suffix(".lock"), isolation_level=None, timeout=1.0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise ResourceError(
                say("another process is watching with {path}", path=path), hint=say("wait until it ends")
            ) from None
        raise
    return lock


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def _read(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


__all__ = ["FILE", "Frontier", "create_tables"]
