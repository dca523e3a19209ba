"""Entry points of the watch: a single run over the network or saved pages, and repeated runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Literal

from whorl.errors import ResourceError
from whorl.i18n import Message, say, say_many
from whorl.library.provenance.hosts import domain_of
from whorl.monitor.alerting import Alerting
from whorl.monitor.alerts.stored import alerts_for
from whorl.monitor.casework import Casework
from whorl.monitor.fetcher import demand_scrapy
from whorl.monitor.findings.figures import WatchRun, figures
from whorl.monitor.findings.judging import Judge
from whorl.monitor.findings.records import Finding
from whorl.monitor.frontier import FILE, Frontier
from whorl.monitor.keeping import Keeper
from whorl.monitor.run import Crawl
from whorl.monitor.saved import SavedPages
from whorl.monitor.settings.schedule import due_watch, record_starts
from whorl.monitor.settings.sites import Watch
from whorl.monitor.settings.stored_sites import watch_for
from whorl.monitor.state import state_folder
from whorl.tasks import Silent
from whorl.tasks.library.arguments import Place, Places, lent, places

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.monitor.alerts.settings import AlertSettings
    from whorl.tasks import Progress

_AFTER_FAILURE = 60.0
"""Seconds until the next attempt after an outage."""
_ANYWHERE = Watch(())


def watch(
    library: Library | Place,
    sites: Place | Mapping[str, Any] | Watch | None = None,
    *,
    saved: Places | None = None,
    state: Place | None = None,
    alerts: AlertSettings | Place | Literal[False] | None = None,
    on_finding: Callable[[Finding], None] | None = None,
    progress: Progress | None = None,
) -> WatchRun:
    """Search the watched sites once for copies of the protected articles of a library.

    >>> import whorl
    >>> from pathlib import Path
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 5
    >>> with whorl.open("ours") as library:
    ...     report = library.add({"id": "ice", "text": text, "collection": "protected"})
    >>> page = f"<html><body><article><p>{text}</p></article></body></html>"
    >>> count = Path("saved.html").write_text(page, encoding="utf-8")
    >>> run = whorl.watch.watch("ours", saved="saved.html")
    >>> [(one.verdict, one.article, one.share) for one in run.new]
    [('copy', 'ice', 1.0)]

    An interrupted run is resumed. Pages are stored in the collection "watched" of the library with a snapshot of each.
    The protected articles are those of the collection "protected", or of the one in the settings. robots.txt is obeyed,
    and no access control is evaded.

    Args:
        library: open library, or its address.
        sites: a file ``sites.toml``, or its content as data; None for the sites that are stored with the library, or
            with ``saved`` for saved pages of any site.
        saved: WARC files, pages, folders and globs to read instead of the network; with ``sites``, only pages in their
            scope.
        state: folder of the crawl state; None for the folder of the library, or of the user for a library on a server.
            If it is lost, pages with open cases are requested again, and no alert is repeated.
        alerts: alert settings, or a file for ``whorl alerts``; None for those of the library, if it has any; False to
            send none. Alerts are stored in the outbox of the library and sent during the run.
        on_finding: called with each new finding after it is recorded.
        progress: receiver of progress.

    Returns:
        Current and earlier findings by site, article and day.

    Raises:
        InputError: the library does not exist, or a file is unreadable.
        UsageError: the settings are invalid, or a package is missing.
        ResourceError: another process is watching for this library, or the disk is full.

    Cost: that of fetching at the rate of each site; 50 to 100 ms of a core per page.
    """
    if saved is None:
        demand_scrapy()
    report = progress or Silent()
    with ExitStack() as open_things:
        opened = open_things.enter_context(lent(library))
        watched = _ANYWHERE if sites is None and saved is not None else watch_for(opened, sites)
        frontier = open_things.enter_context(Frontier(state_folder(opened, state) / FILE))
        receivers = alerts_for(opened) if alerts is None else alerts
        alerting = None
        if receivers:
            alerting = open_things.enter_context(Alerting(opened, receivers, watched.protected))
        run = frontier.begin(_now())
        record_starts(opened, watched.sites if saved is None else (), _now())
        judge = Judge(opened, watched.protected, watched.watched, run, _now)
        casework = Casework(opened, frontier, run, on_finding or (lambda _: None), alerting)
        if opened.collections().get(watched.protected, 0) == 0:
            report.note(say("the library has no article in the collection {name!r} to protect", name=watched.protected))
        _compare_new_articles(opened, watched, frontier, judge, casework)
        casework.queue_cases(watched.sites)
        zones = {site.name: site.zone for site in watched.sites}
        keeper = Keeper(opened, frontier, judge, casework, zones=zones)
        if saved is None:
            report.stage("fetch", None, "pages")
            Crawl(watched, frontier, keeper, run, report).go()
            _record_visits(opened, watched, frontier, run)
        else:
            report.stage("read", None, "pages")
            SavedPages(watched, frontier, keeper, run, _now, report).go(places(saved))
        keeper.make_rest()
        frontier.end(run, _now())
        counted = figures(frontier, opened, run)
    for remark in _remarks(keeper, alerting):
        report.note(remark)
    return counted


def due_sites(library: Library | Place, sites: Place | Mapping[str, Any] | None = None) -> Watch:
    """Return the settings that ``watch`` would use, without the sites whose schedule is not due.

    Raises:
        InputError: as for ``watch``.
        UsageError: as for ``watch``.
    """
    with lent(library) as opened:
        return due_watch(opened, watch_for(opened, sites), _now())


def repeat(
    every: timedelta, once: Callable[[], object], failed: Callable[[ResourceError], object] | None = None
) -> None:
    """Call a function now and after each interval until interrupted. Calls never overlap.

    The interval uses a monotonic clock. After a call longer than the interval, the next one starts at the next
    multiple.

    Args:
        every: the interval.
        once: the function.
        failed: called if a disk or a server fails after the first call; the function is then called again within a
            minute. None ends the repetition.

    Raises:
        ResourceError: the first call failed, or ``failed`` is None.
    """
    begun, has_succeeded = monotonic(), False
    while True:
        interval = every.total_seconds()
        try:
            once()
            has_succeeded = True
        except ResourceError as error:
            if failed is None or not has_succeeded:
                raise
            failed(error)
            interval = min(interval, _AFTER_FAILURE)
        done = monotonic() - begun
        sleep(interval - done % interval)


def _remarks(keeper: Keeper, alerting: Alerting | None) -> list[Message]:
    remarks = [] if alerting is None else alerting.remarks()
    if keeper.cut:
        remarks.append(
            say_many("of {count:,} article not all pages came", "of {count:,} articles not all pages came", keeper.cut)
        )
    return remarks


def _compare_new_articles(
    library: Library, watched: Watch, frontier: Frontier, judge: Judge, casework: Casework
) -> None:
    """Compare articles that are new in the library with all pages crawled before."""
    are_pages = library.collections().get(watched.watched, 0) > 0
    new = frontier.new_articles(library.ids(collection=watched.protected))
    while ids := list(islice(new, 1000)):
        for id_ in ids if are_pages else ():
            for finding in judge.of_article(id_, frontier.site_of):
                casework.compared(finding)
        frontier.held_against(ids)


def _record_visits(library: Library, watched: Watch, frontier: Frontier, run: int) -> None:
    """Record a visit to each site whose pages were all fetched."""
    for site in watched.sites:
        if frontier.is_complete(site.name, run):
            addresses = (*site.start, *site.lists, *site.feeds, *site.sitemaps)
            library.visits.record({domain_of(address) for address in addresses} - {""}, _now())


def _now() -> datetime:
    return datetime.now(UTC)


__all__ = ["WatchRun", "due_sites", "repeat", "watch"]
