"""What was found, fetched and stored: the memory of a watch, which a killed process leaves whole.

A page is done only when the library has acknowledged it. What was asked for and did not come that far is asked for
again; adding it a second time changes nothing.
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
from whorl.language import say
from whorl.monitor.records import Finding, Page, Recheck
from whorl.stores.sqlite.failures import failures

FILE = "watch.sqlite"
TRIES = 3
"""How often a page is asked for whose fetching ended without an answer."""

MOST_PARTS = 50
"""Pages of one article; those that come after are an article of their own."""

_PATIENCE = 60.0
_AHEAD = timedelta(days=1)
"""A page that was fetched so far in the future was fetched by a clock that has been set back since."""
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
)
"""What each version of the file added; a file of an earlier one gets what it lacks."""


_PAGE = ", ".join(field.name for field in fields(Page))
_FINDING = tuple(field.name for field in fields(Finding))


class Frontier:
    """The pages of a watch; to be used in a ``with`` statement, by one process at a time.

    Args:
        path: the file, which is made if there is none.

    Raises:
        ResourceError: another process watches, or the file cannot be written.
        InputError: it is damaged, or of a later version.
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
                    say("{path} was written by a later version of whorl", path=self._path),
                    cure=say("install that version"),
                )
            for schema in _SCHEMAS[version:]:
                for statement in schema.split(";\n"):
                    self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version = {len(_SCHEMAS)}")

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One transaction."""
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
        """Begin a run, or go on with one that was not ended; return its number."""
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

    def new_articles(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield those of some articles that were not held against what was crawled."""
        for id_ in ids:
            if not self._rows("SELECT 1 FROM articles WHERE id = ?", id_):
                yield id_

    def held_against(self, ids: Iterable[str]) -> None:
        """Remember that articles were held against what was crawled."""
        with self._changing():
            self._database.executemany("INSERT OR IGNORE INTO articles VALUES (?)", ((id_,) for id_ in ids))

    def times(self, run: int) -> tuple[datetime, datetime]:
        """When a run began, and when it ended; now, where it has not."""
        [(begun, ended)] = self._rows("SELECT begun_at, ended_at FROM runs WHERE number = ?", run)
        return datetime.fromisoformat(begun), _read(ended) or datetime.now(UTC)

    def put(self, site: str, kind: str, depth: int, urls: Iterable[str], now: datetime, hops: int = 0) -> int:
        """Queue pages that are not known yet; return how many there were."""
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
        """Forget lists of a kind that a site does not name any more."""
        marks = ",".join("?" * len(named))
        with self._changing():
            self._database.execute(
                f"DELETE FROM pages WHERE site = ? AND kind = ? AND hops = 0 AND url NOT IN ({marks})",
                (site, kind, *named),
            )

    def renew(self, site: str, run: int, revisit: timedelta | None, now: datetime) -> None:
        """Queue again what a run has to look at again: lists, pages with copies, and pages of which it is time."""
        before = "" if revisit is None else _written(now - revisit)
        after = _written(now + _AHEAD)
        with self._changing():
            self._database.execute(
                "UPDATE pages SET state = 'queued', tries = 0 WHERE site = ? AND run < ? AND state != 'queued' AND ("
                " kind IN ('sitemap', 'feed', 'list') OR fetched_at < ? OR fetched_at > ?"
                " OR url IN (SELECT url FROM found) OR document IN (SELECT document FROM found))",
                (site, run, before, after),
            )

    def next(self, site: str, most: int, without: Sequence[int]) -> list[Page]:
        """Return queued pages of a site, lists first and then pages of articles that have begun to come.

        Those that are being fetched are left out.
        """
        held = ",".join(map(str, without))
        rows = self._rows(
            f"SELECT {_PAGE} FROM pages"
            f" WHERE site = ? AND state = 'queued' AND number NOT IN ({held})"
            " ORDER BY kind = 'page', NOT EXISTS (SELECT 1 FROM pages AS before WHERE before.following = pages.url),"
            " depth, number LIMIT ?",
            site,
            most,
        )
        return [Page(*row) for row in rows]

    def page(self, url: str) -> Page | None:
        """The page of an address; None for one that is not known."""
        rows = self._rows(f"SELECT {_PAGE} FROM pages WHERE url = ?", url)
        return Page(*rows[0]) if rows else None

    def goes_on(self, page: Page, following: str | None) -> None:
        """Note where the article of a page goes on; the article is to be made again."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET following = ?, is_unmade = 1 WHERE number = ?", (following, page.number)
            )

    def before(self, url: str) -> Page | None:
        """The page whose article goes on at an address, the first of several that say so; None for no such page."""
        rows = self._rows(f"SELECT {_PAGE} FROM pages WHERE following = ? ORDER BY number LIMIT 1", url)
        return Page(*rows[0]) if rows else None

    def chain(self, url: str) -> list[Page]:
        """The known pages of the article of which an address is one, in their order; each page is of one article."""
        met = {url}
        while (before := self.before(url)) is not None and before.url not in met:
            met.add(url := before.url)
        first = (len(met) - 1) // MOST_PARTS * MOST_PARTS
        pages: dict[int, Page] = {}
        page = self.page(url)
        while page is not None and page.number not in pages and len(pages) < first + MOST_PARTS:
            pages[page.number] = page
            page = self._after(page)
        return list(pages.values())[first:]

    def _after(self, page: Page) -> Page | None:
        """The page on which the article of a page goes on, if no other page was the first to say so."""
        if page.following is None:
            return None
        before = self.before(page.following)
        return self.page(page.following) if before is not None and before.number == page.number else None

    def unmade(self, most: int) -> list[Page]:
        """Some pages of articles that are to be made again."""
        return [Page(*row) for row in self._rows(f"SELECT {_PAGE} FROM pages WHERE is_unmade LIMIT ?", most)]

    def replaced(self, document: str, used: Sequence[Page]) -> list[str]:
        """Return the documents of pages of which another one is made, as far as no further page has them."""
        numbers = ",".join(str(page.number) for page in used)
        before = {page.document for page in used if page.document is not None} - {document}
        further = f"SELECT 1 FROM pages WHERE document = ? AND number NOT IN ({numbers})"
        return sorted(one for one in before if not self._rows(further, one))

    def made(self, document: str | None, used: Sequence[Page], known: Sequence[Page], replaced: Sequence[str]) -> None:
        """Note of which pages a document was made.

        Args:
            document: None where none could be made.
            used: the pages whose text it has.
            known: all pages of its article, which need not be looked at again for it.
            replaced: the documents that were made of its pages before.
        """
        numbers = ",".join(str(page.number) for page in used)
        with self._changing():
            self._database.executemany("DELETE FROM found WHERE document = ?", ((one,) for one in replaced))
            self._database.execute(
                f"UPDATE pages SET document = NULL WHERE document = ? AND number NOT IN ({numbers})", (document,)
            )
            self._database.execute(f"UPDATE pages SET document = ? WHERE number IN ({numbers})", (document,))
            self._database.executemany(
                "UPDATE pages SET is_unmade = 0 WHERE number = ?", ((page.number,) for page in known)
            )

    def fetched(self, run: int, site: str) -> int:
        """How many pages of a site a run has asked for, and got an answer."""
        return int(self._rows("SELECT count(*) FROM pages WHERE site = ? AND run = ?", site, run)[0][0])

    def size(self, site: str) -> int:
        """How many pages of a site are known."""
        return int(self._rows("SELECT count(*) FROM pages WHERE site = ?", site)[0][0])

    def articles(self, url: str) -> list[str]:
        """Of which articles a page had text when it was last looked at."""
        return [article for (article,) in self._rows("SELECT article FROM found WHERE url = ?", url)]

    def since(self, document: str, article: str) -> datetime | None:
        """When a document was fetched that was the first to have text of an article, and has it still; None for new."""
        rows = self._rows(
            "SELECT fetched_at FROM found WHERE document = ? AND article = ? AND gone_at IS NULL", document, article
        )
        return _read(rows[0][0]) if rows else None

    def site_of(self, document: str) -> str | None:
        """The site of a document; None for one that is not of this watch."""
        rows = self._rows("SELECT site FROM pages WHERE document = ?", document)
        return rows[0][0] if rows else None

    def settle(
        self,
        page: Page,
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
        """Note what became of a page: "done", "moved", "failed", "refused" or "gone"."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET state = ?, run = ?, fetched_at = ?, status = ?, why = ?, etag = ?, modified = ?,"
                " digest = ?, document = coalesce(?, document) WHERE number = ?",
                (state, run, _written(at), status, why, etag, modified, digest or page.digest, document, page.number),
            )

    def unanswered(self, page: Page, run: int, at: datetime) -> None:
        """Note that the fetching of a page ended without an answer; it stays queued, but not for ever."""
        with self._changing():
            self._database.execute(
                "UPDATE pages SET tries = tries + 1, state = iif(tries + 1 >= ?, 'failed', state),"
                " run = iif(tries + 1 >= ?, ?, run), fetched_at = ?, why = 'broken' WHERE number = ?",
                (TRIES, TRIES, run, _written(at), page.number),
            )

    def find(self, found: Iterable[Finding]) -> list[Finding]:
        """Keep what was found; return what was not known."""
        new: list[Finding] = []
        with self._changing():
            for one in found:
                known = self._database.execute(
                    "SELECT gone_at FROM found WHERE document = ? AND article = ?", (one.document, one.article)
                ).fetchone()
                if known is None:
                    new.append(one)
                self._database.execute(
                    "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
                    " ON CONFLICT (document, article) DO UPDATE SET kind = excluded.kind, verdict = excluded.verdict,"
                    " share = excluded.share, similarity = excluded.similarity, length = excluded.length,"
                    " gone_at = NULL",
                    (
                        *(one.document, one.article, one.url, one.site, one.kind, one.verdict, one.share),
                        *(one.similarity, one.length, _written(one.fetched_at), _written(one.found_at), one.run),
                    ),
                )
        return new

    def check(self, url: str, run: int, at: datetime, status: int, outcome: str, still: Iterable[str] = ()) -> None:
        """Note a look at a page that had copies, and of which articles it still has text."""
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

    def found(self) -> Iterator[Finding]:
        """What was found, the oldest first."""
        for row in self._rows(f"SELECT {', '.join(_FINDING)} FROM found ORDER BY found_at, document, article"):
            told = dict(zip(_FINDING, row, strict=True))
            times = {name: _read(told[name]) for name in ("fetched_at", "found_at", "gone_at")}
            yield Finding(**told | times)

    def checks(self) -> Iterator[Recheck]:
        """The looks at pages that had copies, the oldest first."""
        for url, at, status, outcome in self._rows("SELECT url, at, status, outcome FROM checks ORDER BY at, url"):
            yield Recheck(url, datetime.fromisoformat(at), status, outcome)

    def counts(self, run: int) -> dict[tuple[str, str, str, str], int]:
        """How many pages of each site, kind and state a run asked for, and why some did not come."""
        rows = self._rows(
            "SELECT site, kind, state, coalesce(why, ''), count(*) FROM pages WHERE run = ? GROUP BY 1, 2, 3, 4", run
        )
        return {(site, kind, state, why): count for site, kind, state, why, count in rows}

    def queued(self) -> int:
        """How many pages are to be fetched."""
        return int(self._rows("SELECT count(*) FROM pages WHERE state = 'queued'")[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._database.close()
        self._alone.close()


def _alone(path: Path) -> sqlite3.Connection:
    """Keep other watches out, but none who only looks, for as long as this is open; the end of the process ends it."""
    lock = sqlite3.connect(path.with_suffix(".lock"), isolation_level=None, timeout=1.0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise ResourceError(say("another process watches with {path}", path=path), cure=say("let it end")) from None
        raise
    return lock


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def _read(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


__all__ = ["FILE", "Frontier"]
