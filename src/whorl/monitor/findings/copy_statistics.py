"""Who copies the articles of a collection: copies by site, author, work and period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from statistics import median
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.library.provenance.times import time_of
from whorl.monitor.findings.copy_records import copy_records, work_of
from whorl.monitor.findings.watched import every_finding
from whorl.monitor.settings.stored_sites import watch_for
from whorl.tasks.library.arguments import Clock, Place, demand_from, lent, utc_now
from whorl.types.copies import CopyFigures, CopyGroup, CopyPeriod, CopyRecord, CopyStatistics

if TYPE_CHECKING:
    from typing import Any

    from whorl.library import Library

_PERIODS: Mapping[str, str] = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
_GROUPS = ("site", "author", "work", *_PERIODS)


def copy_statistics(
    library: Library | Place,
    *,
    of: str = "protected",
    by: CopyGroup = "site",
    period: CopyPeriod | None = None,
    zone: str = "UTC",
    sites: Place | Mapping[str, Any] | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    top: int | None = None,
    now: Clock = utc_now,
) -> CopyStatistics:
    """Count the copies of the articles of a collection: who copies them, how much, and what was removed.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     ours = library.add({"id": "a", "text": text, "collection": "protected"})
    ...     copies = [
    ...         library.add({"id": id, "text": text, "url": f"https://copies.example/{id}"}) for id in ("1", "2?print")
    ...     ]
    ...     counted = whorl.watch.copy_statistics(library)
    >>> [(row.name, row.articles, row.addresses, row.unpermitted) for row in counted.rows]
    [('copies.example', 1, 2, 1)]

    An article counts once for each site, whatever the number of addresses and revisions there. The time of a copy is
    when it was first found, and its period is in ``zone``. Rejected matches and the addresses of the articles
    themselves do not count. Verdict and removal are those of the case of the copy, if it has one. Otherwise removals
    are known from the watch, from stored pages with the status 404, 410 or 451, and from revisions without the text.

    Args:
        library: its address, or an open library.
        of: the collection.
        by: "site", "author" of the articles, "work" (a row for each work and site), "day", "month" or "year".
        period: divide the rows by "day", "month" or "year".
        zone: time zone of periods, of the limits without a zone, and of all times in the result.
        sites: settings of the watch, whose sites name addresses: a file, or the same as data; None for the sites that
            are stored with the library.
        since: only copies found at or after this time.
        until: only copies found before this time.
        top: maximum number of rows; None for all.
        now: clock.

    Raises:
        NotFoundError: the collection has no articles, or a value is unknown.
        UsageError: the time zone is unknown, or ``top`` is below 1.

    Cost: some tenths of a millisecond per copy.
    """
    local = zone_of(zone)
    _demand_choice("by", by, _GROUPS)
    _demand_choice("period", period, (None, *_PERIODS))
    if top is not None:
        demand_from("top", top, 1)
    limits = _local_time(since, "since", local), _local_time(until, "until", local)
    with lent(library) as opened:
        is_named = sites is not None or opened.watch_settings.read().get("site")
        settings = watch_for(opened, sites) if is_named else None
        _demand_collection(opened, of)
        registered = _registered(opened, of)
        made_at = now()
        records = copy_records(opened, of, every_finding(opened), settings.sites if settings else (), local, made_at)
    chosen = [record for record in records if _is_within(record.found_at, *limits)]
    rows = _rows(chosen, by, None if by in _PERIODS else period, registered)
    return CopyStatistics(
        of=of,
        by=by,
        period=None if by in _PERIODS else period,
        zone=zone,
        since=limits[0],
        until=limits[1],
        made_at=made_at.astimezone(local),
        total=_figures("", "", "", chosen, registered[""]),
        rows=tuple(rows if top is None else rows[-top:] if by in _PERIODS else rows[:top]),
        copies=tuple(chosen),
    )


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name in the IANA database.

    Raises:
        UsageError: the name is unknown.
    """
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            say("unknown time zone {name!r:.60}", name=name), hint=say("use a name such as Asia/Shanghai or UTC")
        ) from None


def _demand_choice(name: str, value: str | None, choices: Sequence[str | None]) -> None:
    if value not in choices:
        raise NotFoundError(
            say("{name} is {value!r:.60}", name=name, value=value),
            hint=say("choose one of: {names}", names=", ".join(choice for choice in choices if choice)),
        )


def _demand_collection(library: Library, collection: str) -> None:
    counts = library.collections()
    if not counts.get(collection):
        raise NotFoundError(
            say("the library has no articles in the collection {name!r:.60}", name=collection),
            hint=say("choose one of: {names}", names=", ".join(counts))
            if counts
            else say("add articles to a collection: `whorl library collect`"),
        )


def _local_time(time: datetime | str | None, name: str, zone: tzinfo) -> datetime | None:
    """Return a limit; without a zone it is in the zone of the statistics."""
    parsed = time_of(time, name)
    if parsed is None:
        return None
    if time.tzinfo is not None if isinstance(time, datetime) else _has_zone(str(time)):
        return parsed.astimezone(zone)
    return parsed.replace(tzinfo=zone)


def _has_zone(text: str) -> bool:
    """Return True if a time states its zone: then it means the same whatever it is read as."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return text.strip().isdigit() and len(text.strip()) > len("20200131080000")


def _is_within(time: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or time >= since) and (until is None or time < until)


def _registered(library: Library, collection: str) -> Counter[str]:
    """Count the articles of a collection: all as ``""``, by author as ``a:`` and by work as ``w:``."""
    counts: Counter[str] = Counter()
    for article in library.reviews.articles(collection):
        counts.update({"": 1, f"a:{article.author or ''}": 1, f"w:{work_of(article)}": 1})
    return counts


def _rows(
    records: Iterable[CopyRecord], by: str, period: str | None, registered: Mapping[str, int]
) -> list[CopyFigures]:
    groups: dict[tuple[str, str, str], list[CopyRecord]] = {}
    name = _namer(by)
    for record in records:
        site = record.site if by == "work" else ""
        when = "" if period is None else record.found_at.strftime(_PERIODS[period])
        if by != "work" or record.work:
            groups.setdefault((name(record), site, when), []).append(record)
    prefix = {"author": "a:", "work": "w:"}.get(by)
    rows = [
        _figures(*key, copies, registered["" if prefix is None else f"{prefix}{key[0]}"])
        for key, copies in groups.items()
    ]
    if by in _PERIODS:
        return sorted(rows, key=lambda row: row.name)
    return sorted(rows, key=lambda row: (row.period, -row.unpermitted, -row.copies, row.name, row.site))


def _namer(by: str) -> Callable[[CopyRecord], str]:
    if by in _PERIODS:
        return lambda record: record.found_at.strftime(_PERIODS[by])
    return lambda record: str(getattr(record, by))


def _figures(name: str, site: str, period: str, copies: Sequence[CopyRecord], registered: int) -> CopyFigures:
    verdicts = Counter(copy.verdict for copy in copies)
    pursued = [copy for copy in copies if copy.verdict in ("copy", "undetermined")]
    days = [days for copy in pursued if (days := copy.days_to_removal) is not None]
    return CopyFigures(
        name=name,
        site=site,
        period=period,
        articles=len({copy.article for copy in copies}),
        registered=registered,
        copies=len(copies),
        addresses=len({address for copy in copies for address in copy.addresses}),
        characters=sum(copy.characters for copy in copies),
        relations=dict(sorted(Counter(copy.relation for copy in copies).items())),
        unpermitted=verdicts["copy"],
        permitted=verdicts["reprint"],
        syndicated=verdicts["syndication"],
        undetermined=verdicts["undetermined"],
        confirmed=sum(copy.is_confirmed for copy in copies),
        removed=len(days),
        median_days=round(median(days), 1) if days else None,
    )


__all__ = ["CopyGroup", "CopyPeriod", "copy_statistics", "zone_of"]
