"""Alert queue: alerts are stored first, sent in batches, retried, and finally given up.

An alert is in the outbox of the library before it is sent, and is removed only when its receiver has accepted it, so it
arrives at least once. A match is reported once to each channel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say, speaking, spoken
from whorl.library.reviews.outbox import Alert
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.sending import Outcome, send
from whorl.monitor.alerts.settings import AlertSettings, load_alerts
from whorl.monitor.alerts.stored import alerts_for
from whorl.tasks.library.arguments import Place, lent
from whorl.tasks.review.run import WaitingMatch, review_queue
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.types.cases import Case

WAITS = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200, 21_600, 43_200))
"""Delays after failed attempts; after one further failure the alert is dead."""
_MOST_DUE = 5000
_CHANNEL, _COPY = "channel", "copy"
_ALERTED = ("copy", "undetermined")


@frozen
class AlertsTold(Plain):
    """Result of an alert run.

    >>> import whorl
    >>> from pathlib import Path
    >>> written = Path("alerts.toml").write_text("[channels]")
    >>> with whorl.open("newsroom") as library:
    ...     result = whorl.watch.alert(library, "alerts.toml")
    >>> result.queued, result.dead
    (0, 0)

    Attributes:
        queued: number of new alerts.
        sent: number of accepted alerts.
        waiting: number of alerts to retry later.
        dead: total number of alerts that were given up.
        problems: error by channel.
        given_up: number of alerts that were given up in this call.
    """

    queued: int
    sent: int
    waiting: int
    dead: int
    problems: dict[str, str]
    given_up: int = 0


def alert(
    library: Library | Place, settings: AlertSettings | Place | None = None, *, retry: bool = False
) -> AlertsTold:
    """Send alerts for all matches that the rules select and that were not reported before.

    Posts at known sites and accounts of the author of an article are never reported.

    >>> import whorl
    >>> from pathlib import Path
    >>> written = Path("alerts.toml").write_text("[channels]")
    >>> with whorl.open("newsroom") as library:
    ...     whorl.watch.alert(library, "alerts.toml").sent
    0

    Args:
        library: open library, or its address.
        settings: channels and rules, or their TOML file; None for those of the library.
        retry: first requeue the alerts that were given up.

    Raises:
        InputError: the settings are unreadable, or a secret is missing.
        UsageError: the settings have an unknown key or a value out of range.

    Cost: a pass over all matches, and the timeout of the slowest channel.
    """
    with lent(library) as opened:
        chosen = _settings_for(opened, settings)
        if retry:
            opened.outbox.retry(item.number for item in opened.outbox.of("dead"))
        states = tuple({state for rule in chosen.rules for state in rule.reviews})
        matches = review_queue(opened, states=states).matches if states else ()
        queued = queue_alerts(opened, chosen, (found_copy(match) for match in matches if not match.is_by_author))
        queued += queue_cases(opened, chosen, _unalerted(opened), "protected")
        return replace(send_alerts(opened, chosen), queued=queued)


def _settings_for(library: Library, settings: AlertSettings | Place | None) -> AlertSettings:
    if settings is None:
        chosen = alerts_for(library)
        if chosen is None:
            raise UsageError(
                say("the library has no alert receivers"),
                hint=say("add them in the console, or pass a file: `whorl alerts LIBRARY alerts.toml`"),
            )
        return chosen
    return settings if isinstance(settings, AlertSettings) else load_alerts(settings)


def _unalerted(library: Library) -> Iterator[Case]:
    """Yield open cases with an event that should cause an alert and has not, other than that they were found."""
    mark = None
    while True:
        page = library.cases.page(after=mark, limit=1000)
        yield from (case for case in page.items if case.unalerted and case.cause != "found")
        if (mark := page.mark) is None:
            return


def found_copy(match: WaitingMatch) -> CopyFound:
    """Convert a match into the content of an alert."""
    return CopyFound(
        document=match.id,
        original=match.other,
        share=match.share,
        length=match.length,
        kind=match.kind,
        url=match.url,
        title=match.title,
        original_title=match.other_title,
        original_url=match.other_url,
        collection=match.collection,
        review=match.review.state,
        found_at=match.first_seen_at,
    )


def queue_alerts(library: Library, settings: AlertSettings, copies: Iterable[CopyFound]) -> int:
    """Store an alert of each copy for each selected channel; return the number of new alerts.

    They are on disk when the function returns. Nothing is sent.
    """
    alerts = [alert for copy in copies for alert in _alerts(settings, copy)]
    return len(library.outbox.put(alerts)) if alerts else 0


def queue_cases(library: Library, settings: AlertSettings, cases: Iterable[Case], collection: str) -> int:
    """Store the alerts of the last events of cases for each selected channel; return the number of new alerts.

    The alerts are then recorded in the case. If that was interrupted, their keys prevent a second alert.
    """
    queued = 0
    for case in cases:
        if case.unalerted and case.verdict in _ALERTED:
            alerts = _alerts(settings, _copy_of(library, case, collection))
            if alerts:
                new = library.outbox.put(alerts)
                library.cases.alerted(case.number, case.unalerted, [alert.number for alert in new])
                queued += len(new)
    return queued


def _alerts(settings: AlertSettings, copy: CopyFound) -> list[Alert]:
    return [
        Alert(name, {_CHANNEL: name, _COPY: copy.to_dict()}, key=f"{name}\n{copy.key}")
        for name in settings.channels_for(copy)
    ]


def _copy_of(library: Library, case: Case, collection: str) -> CopyFound:
    page, article = library.get(case.document), library.get(case.article)
    return CopyFound(
        document=case.document,
        original=case.article,
        share=case.share,
        length=case.length,
        kind=case.relation,
        url=case.url,
        title=(page and page.title) or "",
        original_title=(article and article.title) or "",
        original_url=(article and article.url) or "",
        review=case.decision,
        collection=collection,
        found_at=case.since,
        event=case.cause,
        case=case.number,
        number=case.unalerted,
    )


def send_alerts(library: Library, settings: AlertSettings, *, now: datetime | None = None) -> AlertsTold:
    """Send due alerts in batches, all channels in parallel, so that a slow channel does not delay others.

    Failed alerts are retried after ``WAITS``, or when the receiver requests it. Permanent failures and exhausted alerts
    are dead and stay in the outbox until they are requeued.

    Args:
        library: open library.
        settings: channels and rules.
        now: current time; None for the system time.
    """
    at = now or datetime.now(UTC)
    by_channel: dict[str, list[tuple[Alert, CopyFound]]] = defaultdict(list)
    for item in library.outbox.due(at, _MOST_DUE):
        by_channel[str(item.payload.get(_CHANNEL, item.rule))].append((item, CopyFound.of(item.payload.get(_COPY, {}))))
    problems: dict[str, str] = {}
    language = spoken()

    def tell(name: str) -> tuple[int, int]:
        with speaking(language):
            return _tell(library, settings, name, by_channel[name], at, problems)

    with ThreadPoolExecutor(max(1, len(by_channel))) as pool:
        outcomes = list(pool.map(tell, by_channel))
    sent, given_up = (sum(counts) for counts in zip(*outcomes, strict=True)) if outcomes else (0, 0)
    dead = len(library.outbox.of("dead"))
    return AlertsTold(0, sent, len(library.outbox.of("waiting")), dead, problems, given_up)


def _tell(
    library: Library,
    settings: AlertSettings,
    name: str,
    due: Sequence[tuple[Alert, CopyFound]],
    at: datetime,
    problems: dict[str, str],
) -> tuple[int, int]:
    """Send alerts to a channel; return the number of accepted and of given-up alerts."""
    if name not in settings.channels:
        problems[name] = say("channel '{name}' not found", name=name)
        return 0, _fail(library, [item for item, _ in due], Outcome(False, problems[name]), at)
    channel, sent, given_up = settings.channels[name], 0, 0
    rest = _still_meant(library, settings, name, due)
    while rest:
        some, rest = rest[: channel.most], rest[channel.most :]
        outcome = send(channel, [copy for _, copy in some], at)
        if outcome.reason:
            problems[name] = outcome.reason
        if outcome.is_told:
            library.outbox.sent(item.number for item, _ in some)
            sent += len(some)
            continue
        if outcome.may_heal:  # the channel is unavailable, so further batches would fail, too
            some, rest = [*some, *rest], []
        given_up += _fail(library, [item for item, _ in some], outcome, at)
    return sent, given_up


def _still_meant(
    library: Library, settings: AlertSettings, name: str, due: Sequence[tuple[Alert, CopyFound]]
) -> list[tuple[Alert, CopyFound]]:
    """Return the alerts that the rules still select; the others are given up."""
    meant = []
    for queued, copy in due:
        try:
            state = library.reviews.now(copy.document, copy.original).state
        except NotFoundError:
            state = copy.review  # an article was removed: the alert is sent regardless
        if state == copy.review or name in settings.channels_for(replace(copy, review=state)):
            meant.append((queued, replace(copy, review=state)))
        else:
            library.outbox.failed(queued.number, say("the match has since been decided"))
    return meant


def _fail(library: Library, alerts: Iterable[Alert], outcome: Outcome, at: datetime) -> int:
    """Schedule retries; return the number of alerts that are given up."""
    given_up = 0
    for item in alerts:
        again = outcome.may_heal and item.tries < len(WAITS)
        wait = max(outcome.wait, WAITS[item.tries]) if again else None
        library.outbox.failed(item.number, str(outcome.reason), None if wait is None else at + wait)
        given_up += wait is None
    return given_up


__all__ = ["WAITS", "AlertsTold", "alert", "found_copy", "queue_alerts", "queue_cases", "send_alerts"]
