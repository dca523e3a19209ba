"""Alerts to be sent, and their delivery state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_text, is_number
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.times import time_of
from whorl.stores import monitoring_records
from whorl.types.cards import CardList
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment

if TYPE_CHECKING:
    from whorl.stores import Writer

WAITING, SENT, DEAD = STATES = ("waiting", "sent", "dead")
MOST_CHARACTERS = 1024 * 1024
"""Maximum size of a payload as JSON."""

_LONGEST_ERROR = 2000
_BLOCK = 1000


@frozen
class Alert(Plain):
    """A message to be sent.

    >>> import whorl
    >>> from whorl.results import Alert
    >>> with whorl.open("newsroom") as library:
    ...     first = library.outbox.put([Alert("copies", {"id": "a"}, key="copies a")])
    ...     again = library.outbox.put([Alert("copies", {"id": "a"}, key="copies a")])
    ...     [(alert.number, alert.state) for alert in library.outbox.due()], len(again)
    ([(1, 'waiting')], 0)

    Attributes:
        rule: alert rule that created it.
        payload: its content, as JSON values.
        key: deduplication key: a second alert with the same key is ignored; empty disables this.
        number: sequence number; this and the following fields are assigned by the library.
        made_at: time of creation.
        state: "waiting", "sent" or "dead".
        tries: number of failed attempts.
        next_try: earliest time of the next attempt; None for immediately.
        error: error of the last attempt; empty without one.
    """

    rule: str
    payload: Mapping[str, Any]
    key: str = ""
    number: int = 0
    made_at: datetime | None = None
    state: str = WAITING
    tries: int = 0
    next_try: datetime | None = None
    error: str = ""


class Outbox:
    """The alerts of a library, oldest first.

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[Alert]:
        return self._all(None)

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["alerts"]

    def of(self, state: str) -> list[Alert]:
        """Return the alerts in a state.

        Raises:
            NotFoundError: the state is unknown.
        """
        _demand_state(state)
        return CardList(self._all(state))

    def after(self, number: int, limit: int = _BLOCK, *, state: str | None = None) -> list[Alert]:
        """Return the next alerts after a number in ascending order, up to a limit.

        Args:
            number: number of an alert; 0 to start with the first one.
            limit: maximum number.
            state: only alerts in this state; None for all.

        Raises:
            NotFoundError: the state is unknown.
        """
        demand_positive("limit", limit)
        if state is not None:
            _demand_state(state)
        if not is_number(number):
            return []
        with self._core.store.reading() as reader:
            return CardList(map(_from, reader.alerts_after(number, limit, state)))

    def due(self, now: datetime | str | None = None, limit: int = 100) -> list[Alert]:
        """Return the first waiting alerts that are due.

        Args:
            now: the time; None is that of the machine.
            limit: maximum number.
        """
        demand_positive("limit", limit)
        time = time_of(now, "now") or datetime.now(UTC)
        with self._core.store.reading() as reader:
            return CardList(map(_from, reader.due(microseconds(time), limit)))

    def put(self, alerts: Iterable[Alert | Mapping[str, Any]]) -> list[Alert]:
        """Store new alerts, which have a rule, payload and key; return the stored alerts, without duplicate keys.

        Raises:
            InputError: one is invalid; then none is stored.
        """
        parsed = [_parse(alert) for alert in several(alerts)]
        now = microseconds(datetime.now(UTC))
        with self._core.turn, self._core.store.writing() as writer:
            existing_keys = set(writer.alerts_about({key for _, _, key in parsed if key}))
            number, rows = writer.next_alert(), list[monitoring_records.AlertRecord]()
            for rule, payload, key in parsed:
                if key not in existing_keys:
                    rows.append(
                        monitoring_records.AlertRecord(
                            number + len(rows), key, rule, payload, now, WAITING, 0, None, ""
                        )
                    )
                    existing_keys |= {key} - {""}
            writer.put_alerts(rows)
        return CardList(map(_from, rows))

    def sent(self, numbers: Iterable[int]) -> None:
        """Mark alerts as sent.

        Raises:
            NotFoundError: one does not exist.
        """
        with self._core.turn, self._core.store.writing() as writer:
            kept = _demand(writer, numbers)
            writer.put_alerts([alert._replace(state=SENT, next_try=None, error="") for alert in kept])

    def failed(self, number: int, error: str, next_try: datetime | str | None = None) -> Alert:
        """Record a failed attempt; return the updated alert.

        Args:
            number: number of the alert.
            error: reason of the failure.
            next_try: time of the next attempt; None for never, which makes the alert dead.

        Raises:
            NotFoundError: the alert does not exist.
        """
        demand_text("error", error)
        time = time_of(next_try, "next_try")
        with self._core.turn, self._core.store.writing() as writer:
            (kept,) = _demand(writer, [number])
            row = kept._replace(
                state=DEAD if time is None else WAITING,
                tries=kept.tries + 1,
                next_try=None if time is None else microseconds(time),
                error=error[:_LONGEST_ERROR],
            )
            writer.put_alerts([row])
        return _from(row)

    def retry(self, numbers: Iterable[int]) -> None:
        """Queue alerts for immediate delivery, with attempts counted from zero.

        Raises:
            NotFoundError: one does not exist.
        """
        with self._core.turn, self._core.store.writing() as writer:
            kept = _demand(writer, numbers)
            writer.put_alerts([alert._replace(state=WAITING, tries=0, next_try=None) for alert in kept])

    def _all(self, state: str | None) -> Iterator[Alert]:
        last = 0
        with self._core.store.reading() as reader:
            while block := reader.alerts_after(last, _BLOCK, state):
                yield from map(_from, block)
                last = block[-1].number


def _demand_state(state: object) -> None:
    if state not in STATES:
        raise NotFoundError(
            say("unknown state {state!r}", state=state),
            hint=say("choose one of: {known}", known=", ".join(STATES)),
        )


def _parse(alert: Any) -> tuple[str, str, str]:
    """Return rule, payload and key of an alert."""
    fields = FieldReader(Alert, alert)
    payload = fields.get("payload")
    if not isinstance(payload, Mapping):
        raise fields.unfit("payload", hint=say("use a dict"))
    try:
        packed = json.dumps(dict(payload), allow_nan=False, ensure_ascii=False)
        packed.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            say("payload of Alert: {error}", error=error), hint=say("use values that JSON can represent")
        ) from error
    if len(packed) > MOST_CHARACTERS:
        raise InputError(
            say(
                "a payload has {count:,} characters; the maximum is {most:,}",
                count=len(packed),
                most=MOST_CHARACTERS,
            ),
            hint=say("shorten it, and use ids"),
        )
    return fields.named("rule"), packed, fields.text("key")


def _demand(writer: Writer, numbers: Iterable[int]) -> list[monitoring_records.AlertRecord]:
    requested = list(dict.fromkeys(several(numbers)))
    rows = writer.alerts(filter(is_number, requested))
    for number in requested:
        if number not in rows:
            raise NotFoundError(say("alert {number!r} not found", number=number), hint=say("list the outbox"))
    return list(rows.values())


def _from(kept: monitoring_records.AlertRecord) -> Alert:
    return Alert(
        kept.rule,
        json.loads(kept.payload),
        kept.key,
        kept.number,
        moment(kept.made_at),
        kept.state,
        kept.tries,
        None if kept.next_try is None else moment(kept.next_try),
        kept.error,
    )


__all__ = ["DEAD", "SENT", "STATES", "WAITING", "Alert", "Outbox"]
