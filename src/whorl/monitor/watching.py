"""A watch: one run of it, over the network or over saved pages, and runs that repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from whorl.corpus import Rejects
from whorl.corpus.pages import canonical_url
from whorl.errors import UsageError
from whorl.language import say
from whorl.library.columns import Misread
from whorl.library.files import read_documents
from whorl.monitor.alerting import Alerting
from whorl.monitor.fetcher import demand_scrapy
from whorl.monitor.figures import WatchRun, figures
from whorl.monitor.frontier import FILE, Finding, Frontier, Page
from whorl.monitor.judging import Judge
from whorl.monitor.run import Crawl
from whorl.monitor.sites import Watch, read_watch, watch_of
from whorl.recipe import recipe_of
from whorl.release import missing_package
from whorl.tasks import Silent
from whorl.tasks.arguments import Place, Places, lent, places

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.model import Document
    from whorl.monitor.alerts.settings import AlertSettings
    from whorl.tasks import Progress

_TOGETHER = 16
_ANYWHERE = Watch(())


def watch(
    library: Library | Place,
    sites: Place | Mapping[str, Any] | None = None,
    *,
    saved: Places | None = None,
    state: Place | None = None,
    alerts: AlertSettings | Place | None = None,
    each: Callable[[Finding], None] | None = None,
    progress: Progress | None = None,
) -> WatchRun:
    """Look once at the watched sites for copies of the protected articles of a library.

    >>> import whorl
    >>> from pathlib import Path
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 5
    >>> with whorl.open("ours") as library:
    ...     report = library.add({"id": "ice", "text": text, "collection": "protected"})
    >>> page = f"<html><body><article><p>{text}</p></article></body></html>"
    >>> count = Path("saved.html").write_text(page, encoding="utf-8")
    >>> run = whorl.watch("ours", saved="saved.html")
    >>> [(one.verdict, one.article, one.share) for one in run.new]
    [('copy', 'ice', 1.0)]

    A run that was interrupted, in whatever way, goes on where it was. Pages are kept in the collection "watched" of the
    library with a snapshot of each; articles to be watched over are those of the collection "protected", or as the
    sites say. robots.txt is obeyed, and no access control is evaded.

    Args:
        library: its address, or an open library.
        sites: a file ``sites.toml``, or the same as data; None for saved pages of any site.
        saved: WARC files, pages, folders and globs that are read instead of the network; with ``sites`` only pages that
            belong to them.
        state: the folder where it is remembered what was fetched; None is that of the library.
        alerts: who is told of what, a file for ``whorl alerts``: alerts are kept in the outbox of the library as copies
            are found, and sent beside the run.
        each: is given each copy once it is recorded.
        progress: is told what happens.

    Returns:
        What was found, now and before, by site, article and day.

    Raises:
        InputError: there is no library, or a file cannot be read.
        UsageError: the sites are not told as they should be, or a package is missing.
        ResourceError: another process watches for this library, or the disk is full.

    Cost: that of fetching, at most at the rate of each site; 50 to 100 ms of a core a page.
    """
    if sites is None and saved is None:
        raise UsageError(say("nothing is to be watched"), cure=say("name a file with sites, or saved pages"))
    watched = _ANYWHERE if sites is None else watch_of(sites) if isinstance(sites, Mapping) else read_watch(sites)
    if saved is None:
        demand_scrapy()
    report = progress or Silent()
    with ExitStack() as open_things:
        opened = open_things.enter_context(lent(library))
        frontier = open_things.enter_context(Frontier(_folder(opened, state) / FILE))
        alerting = None
        if alerts is not None:
            alerting = open_things.enter_context(Alerting(opened, alerts, watched.protected))
        run = frontier.begin(_now())
        judge = Judge(opened, watched.protected, watched.watched, run, _now)

        def tell(found: Finding) -> None:
            if alerting is not None:
                alerting.tell(found)
            if each is not None:
                each(found)

        if opened.collections().get(watched.protected, 0) == 0:
            report.note(
                say("the library has no article in the collection {name!r} to watch over", name=watched.protected)
            )
        _hold_new_articles(opened, watched, frontier, judge, tell)
        report.stage("fetch" if saved is None else "read", None, "pages")
        if saved is None:
            Crawl(watched, opened, frontier, judge, run, tell, report).go()
        else:
            _Saved(watched, opened, frontier, judge, run, tell, report).go(places(saved))
        frontier.end(run, _now())
        counted = figures(frontier, opened, run)
    for remark in [] if alerting is None else alerting.remarks():
        report.note(remark)
    return counted


def repeat(every: timedelta, once: Callable[[], object]) -> None:
    """Do something now and again after each span of time, until it is interrupted; never twice at once.

    Raises:
        UsageError: APScheduler is not installed.
    """
    try:
        from apscheduler.schedulers.blocking import BlockingScheduler
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("watching again and again"), package="apscheduler"), "watch"
        ) from None
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            once()
        except BaseException as error:
            failures.append(error)
            scheduler.shutdown(wait=False)

    scheduler = BlockingScheduler(timezone=UTC)
    scheduler.add_job(
        guarded, "interval", seconds=every.total_seconds(), next_run_time=_now(), max_instances=1, coalesce=True
    )
    scheduler.start()
    if failures:
        raise failures[0]


def _folder(library: Library, state: Place | None) -> Path:
    if state is not None:
        folder = Path(state)
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    if library.folder is None:
        raise UsageError(
            say("the store of this library has no folder"), cure=say("say where to remember what was fetched: `state`")
        )
    return library.folder


def _hold_new_articles(
    library: Library, watched: Watch, frontier: Frontier, judge: Judge, tell: Callable[[Finding], None]
) -> None:
    """Hold the articles that are new in the library against all pages that were crawled before."""
    are_pages = library.collections().get(watched.watched, 0) > 0
    new = frontier.new_articles(library.ids(among=watched.protected))
    while ids := list(islice(new, 1000)):
        for id_ in ids if are_pages else ():
            for found in frontier.find(judge.of_article(id_, frontier.site_of)):
                tell(found)
        frontier.held_against(ids)


class _Saved:
    """A run over saved pages."""

    def __init__(
        self,
        watched: Watch,
        library: Library,
        frontier: Frontier,
        judge: Judge,
        run: int,
        tell: Callable[[Finding], None],
        progress: Progress,
    ) -> None:
        self._watched = watched
        self._library = library
        self._frontier = frontier
        self._judge = judge
        self._run = run
        self._tell = tell
        self._progress = progress

    def go(self, files: tuple[str, ...]) -> None:
        """Keep and judge the pages of files."""
        pages = self._pages(files)
        while together := list(islice(pages, _TOGETHER)):
            self._library.add([document for _, document in together])
            for site, document in together:
                found = list(self._judge.of_page(document, site, document.first_seen_at or _now()))
                for new in self._frontier.find(found):
                    self._tell(new)
                self._settle(site, document, [one.article for one in found])
            self._progress.advance(len(together))

    def _pages(self, files: tuple[str, ...]) -> Iterator[tuple[str, Document]]:
        rejects, misread = Rejects(), Counter[Misread]()
        for document in read_documents(files, recipe_of(None), rejects, named={}, misread=misread):
            url = canonical_url(document.url or "")
            site = self._site(url)
            if site is not None:
                name = url or document.id
                yield site, replace(document, id=name, url=url or None, collection=self._watched.watched)
        for one in rejects.named:
            self._progress.note(say("not read: {file}: {reason}", file=one.file, reason=one.reason))

    def _site(self, url: str) -> str | None:
        """The site that a page belongs to; its host where no sites were given."""
        if not self._watched.sites:
            return urlsplit(url).hostname or "files"
        return next((site.name for site in self._watched.sites if site.scope.has(url)), None)

    def _settle(self, site: str, document: Document, articles: list[str]) -> None:
        now = _now()
        self._frontier.put(site, "page", 0, [document.id], now)
        page: Page | None = self._frontier.page(document.id)
        if page is not None:
            self._frontier.check(page.url, self._run, now, 200, "there" if articles else "changed", articles)
            self._frontier.settle(page, self._run, "done", now, status=200, document=document.id)


def _now() -> datetime:
    return datetime.now(UTC)


__all__ = ["WatchRun", "repeat", "watch"]
