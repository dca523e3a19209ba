"""What a library has to tell is told: kept first, then sent in batches, tried again, and at last given up.

An alert is in the outbox of the library before anything is sent, and leaves it only when its receiver has taken it: it
arrives at least once. One match is told once to each channel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from whorl.errors import NotFoundError
from whorl.language import say, speaking, spoken
from whorl.library.outbox import Alert
from whorl.model import Plain
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.sending import Outcome, send
from whorl.monitor.alerts.settings import AlertSettings, load_alerts
from whorl.tasks.arguments import Place, lent
from whorl.tasks.review import WaitingMatch, review_queue

if TYPE_CHECKING:
    from whorl.library import Library

WAITS = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200, 21_600, 43_200))
"""After each try in vain; after one more the alert is dead."""
_MOST_DUE = 5000
_CHANNEL, _COPY = "channel", "copy"


@dataclass(frozen=True, slots=True)
class AlertsTold(Plain):
    """What became of alerts.

    >>> import whorl
    >>> from pathlib import Path
    >>> written = Path("alerts.toml").write_text("[channels]")
    >>> with whorl.open("newsroom") as library:
    ...     told = whorl.alert(library, "alerts.toml")
    >>> told.queued, told.dead
    (0, 0)

    Attributes:
        queued: how many are new.
        sent: how many were taken by their receivers.
        waiting: how many are tried again later.
        dead: how many are given up, of all.
        problems: of each channel with one, why.
        given_up: how many were given up in this call, since they could not be sent.
    """

    queued: int
    sent: int
    waiting: int
    dead: int
    problems: dict[str, str]
    given_up: int = 0


def alert(library: Library | Place, settings: AlertSettings | Place, *, retry: bool = False) -> AlertsTold:
    """Tell whom the rules say of all matches that they take, and that were not told before.

    >>> import whorl
    >>> from pathlib import Path
    >>> written = Path("alerts.toml").write_text("[channels]")
    >>> with whorl.open("newsroom") as library:
    ...     whorl.alert(library, "alerts.toml").sent
    0

    Args:
        library: its address, or an open library.
        settings: channels and rules, or the TOML file that has them.
        retry: try those again first that were given up.

    Raises:
        InputError: the settings cannot be read, or a secret is not there.
        UsageError: they have an unknown key or a value out of range.

    Cost: a pass over all matches, and the seconds of the slowest channel.
    """
    chosen = settings if isinstance(settings, AlertSettings) else load_alerts(settings)
    with lent(library) as opened:
        if retry:
            opened.outbox.retry(one.number for one in opened.outbox.of("dead"))
        states = tuple({state for rule in chosen.rules for state in rule.reviews})
        found = review_queue(opened, states=states).matches if states else ()
        queued = queue_alerts(opened, chosen, map(found_copy, found))
        return replace(send_alerts(opened, chosen), queued=queued)


def found_copy(match: WaitingMatch) -> CopyFound:
    """Return what is told of a match."""
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
    """Keep an alert of each copy for each channel that a rule names; return how many are new.

    They are on the disk when this returns; nothing is sent.
    """
    alerts = [
        Alert(name, {_CHANNEL: name, _COPY: copy.to_dict()}, key=f"{name}\n{copy.key}")
        for copy in copies
        for name in settings.told(copy)
    ]
    return len(library.outbox.put(alerts)) if alerts else 0


def send_alerts(library: Library, settings: AlertSettings, *, now: datetime | None = None) -> AlertsTold:
    """Send the alerts that are due, in batches, all channels at once; a channel that hangs holds up no other.

    What cannot be sent is tried again after ``WAITS``, or when the receiver asks for it; what never can be, and what
    was tried as often as that, is dead, and stays in the outbox until it is tried again.

    Args:
        library: open.
        settings: channels and rules.
        now: the time; None is that of the machine.
    """
    at = now or datetime.now(UTC)
    by_channel: dict[str, list[tuple[Alert, CopyFound]]] = defaultdict(list)
    for one in library.outbox.due(at, _MOST_DUE):
        by_channel[str(one.payload.get(_CHANNEL, one.rule))].append((one, CopyFound.of(one.payload.get(_COPY, {}))))
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
    """Tell one channel; return how many alerts it has taken, and how many were given up."""
    if name not in settings.channels:
        problems[name] = say("there is no channel '{name}'", name=name)
        return 0, _fail(library, [one for one, _ in due], Outcome(False, problems[name]), at)
    channel, sent, given_up = settings.channels[name], 0, 0
    rest = _still_meant(library, settings, name, due)
    while rest:
        some, rest = rest[: channel.most], rest[channel.most :]
        outcome = send(channel, [copy for _, copy in some], at)
        if outcome.reason:
            problems[name] = outcome.reason
        if outcome.is_told:
            library.outbox.sent(one.number for one, _ in some)
            sent += len(some)
            continue
        if outcome.may_heal:  # it is the channel that is not well: the rest would fare no better
            some, rest = [*some, *rest], []
        given_up += _fail(library, [one for one, _ in some], outcome, at)
    return sent, given_up


def _still_meant(
    library: Library, settings: AlertSettings, name: str, due: Sequence[tuple[Alert, CopyFound]]
) -> list[tuple[Alert, CopyFound]]:
    """Those alerts whose match was not decided otherwise since; the others are given up."""
    meant = []
    for one, copy in due:
        try:
            state = library.reviews.now(copy.document, copy.original).state
        except NotFoundError:
            state = copy.review  # an article was removed: who is to be told is told all the same
        if state == copy.review or name in settings.told(replace(copy, review=state)):
            meant.append((one, replace(copy, review=state)))
        else:
            library.outbox.failed(one.number, say("people have decided about the match since"))
    return meant


def _fail(library: Library, alerts: Iterable[Alert], outcome: Outcome, at: datetime) -> int:
    """Let alerts wait for the next try; return how many are given up instead."""
    given_up = 0
    for one in alerts:
        again = outcome.may_heal and one.tries < len(WAITS)
        wait = max(outcome.wait, WAITS[one.tries]) if again else None
        library.outbox.failed(one.number, str(outcome.reason), None if wait is None else at + wait)
        given_up += wait is None
    return given_up


__all__ = ["WAITS", "AlertsTold", "alert", "found_copy", "queue_alerts", "send_alerts"]
