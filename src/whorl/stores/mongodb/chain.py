"""The chain of turns and commits, the basis of all transactions; `whorl.stores.mongodb` explains why.

A link is ``{_id, held, by, beat, state}``: the holder of a turn that begins, or the state that a commit publishes. The
number of the link that begins a turn is the number of the turn.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pymongo.errors import AutoReconnect, DuplicateKeyError, PyMongoError

from whorl._internal.frozen import frozen
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import say
from whorl.stores.mongodb.layout import CHAIN, VERSION

if TYPE_CHECKING:
    from pymongo.database import Database

SILENCE = 5.0
"""Seconds without a heartbeat after which the holder of the turn is passed over."""

GRACE = 3600.0
"""Seconds for which replaced rows are kept, and for which rows of a dead turn may still arrive."""

_BEAT = 1.0
_PATIENCE = 60.0
_PAUSES = (0.002, 0.005, 0.01, 0.02, 0.05)
_LINKS_OF_A_TURN = 2
_PRUNED_EVERY = 8
_KEPT = 2
_MOMENTS = 8
_STEP = GRACE / 6


@dataclass(slots=True)
class ChainState:
    """Committed state of a library.

    Attributes:
        tables: version of the collections.
        version: the last turn whose rows are visible.
        dead: earlier turns whose rows are invisible, each with the time at which that was detected.
        bounds: highest number ever used in a field, by "kind.field".
        alive: number of visible rows of each kind.
        rows: number of stored rows, including replaced and removed ones.
        moments: turns of the last hours with their commit times, thinned out.
        purged: the last turn for which replaced rows may be missing.
    """

    tables: int = VERSION
    version: int = 0
    dead: list[list[float]] = field(default_factory=list)
    bounds: dict[str, int] = field(default_factory=dict)
    alive: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    moments: list[list[float]] = field(default_factory=list)
    purged: int = 0

    @property
    def passed_over(self) -> list[int]:
        """The numbers of the dead turns."""
        return [int(turn) for turn, _ in self.dead]

    def committed(self, turn: int) -> None:
        """Make the rows of a turn visible."""
        now = time()
        self.version = turn
        if not self.moments or now - self.moments[-1][1] >= _STEP:
            self.moments = [*self.moments[1 - _MOMENTS :], [turn, now]]

    def replaced_long_ago(self) -> int:
        """Return the last turn that every current reader sees."""
        return max((int(turn) for turn, at in self.moments if time() - at >= GRACE), default=0)


@frozen
class Link:
    """A link of the chain."""

    number: int
    is_taken: bool
    by: str
    beat: int
    state: ChainState

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Link:
        """Return the link stored in a row."""
        return cls(int(row["_id"]), row["held"], row["by"], int(row["beat"]), ChainState(**json.loads(row["state"])))


class Chain:
    """The chain of a library in a database."""

    def __init__(self, database: Database[Any], label: str) -> None:
        self._links = database[CHAIN]
        self._label = label

    def last(self) -> Link | None:
        """Return the last link; None if there is no library."""
        row = next(iter(self._links.find(sort=[("_id", -1)], limit=1)), None)
        if row is None:
            return None
        try:
            link = Link.of(row)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(row.get("state"), str) and _tables(row["state"]) > VERSION:
                raise _newer(_tables(row["state"])) from error
            raise InputError(
                say("{path} is damaged: {error}", path=self._label, error=type(error).__name__),
                hint=say("name the database of a library, or an empty one; otherwise restore a backup"),
            ) from error
        if link.state.tables > VERSION:
            raise _newer(link.state.tables)
        return link

    def demand(self) -> Link:
        """Return the last link.

        Raises:
            InputError: the library was deleted.
        """
        link = self.last()
        if link is None:
            hint = say("open it again at its new location: whorl.open(...)")
            raise InputError(say("{label}: the library no longer exists", label=self._label), hint=hint)
        return link

    def begin(self, state: ChainState | None = None) -> None:
        """Insert the first link, unless another worker has."""
        self._insert(1, is_taken=False, by="", state=state or ChainState())

    def take(self) -> Turn:
        """Wait for the turn.

        Raises:
            ResourceError: another worker holds it for too long.
        """
        by, last_beat = f"{_machine()}:{os.getpid()}:{uuid4().hex}", _Heartbeat()
        deadline, tries = monotonic() + _PATIENCE, 0
        while True:
            link = self.demand()
            state = link.state
            if not link.is_taken or last_beat.is_silent(link):
                if link.is_taken:
                    state.dead.append([link.number, time()])
                if self._insert(link.number + 1, is_taken=True, by=by, state=state):
                    return Turn(self, link.number + 1, by, state)
                continue
            if monotonic() > deadline:
                hint = say("another process is writing to the library; try again later")
                raise ResourceError(say("{label} is locked by another process", label=self._label), hint=hint)
            sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1

    def beat(self, number: int) -> None:
        """Send a heartbeat of the holder of a turn."""
        self._links.update_one({"_id": number}, {"$inc": {"beat": 1}})

    def end(self, turn: int, by: str, state: ChainState) -> bool:
        """End a turn with a state; return True if this worker still held it, so that the state is published."""
        if not self._insert(turn + 1, is_taken=False, by=by, state=state):
            return False
        if turn % _PRUNED_EVERY < _LINKS_OF_A_TURN:
            with suppress(PyMongoError):  # later turns remove the old links
                self._links.delete_many({"_id": {"$lt": turn - _KEPT}})
        return True

    def is_dead(self, turn: int) -> bool:
        """Return True if another worker has passed over a turn."""
        return turn in self.demand().state.passed_over

    def _insert(self, number: int, *, is_taken: bool, by: str, state: ChainState) -> bool:
        """Insert the next link unless another worker has; if the outcome was lost, read it back."""
        row = {"_id": number, "held": is_taken, "by": by, "beat": 0, "state": json.dumps(asdict(state))}
        deadline = monotonic() + SILENCE
        while True:
            try:
                self._links.insert_one(row)
            except DuplicateKeyError:
                there = self._links.find_one({"_id": number})
                return there is not None and (there["by"], there["held"]) == (by, is_taken)
            except AutoReconnect:
                if monotonic() > deadline:
                    raise
                sleep(_PAUSES[-1])
                continue
            return True


class Turn:
    """The turn of this worker, kept alive until it ends."""

    def __init__(self, chain: Chain, number: int, by: str, state: ChainState) -> None:
        self.number = number
        self.state = state
        self._chain = chain
        self._by = by
        self._over = Event()
        self._last_beat = monotonic()
        Thread(target=self._beat, name="whorl-turn", daemon=True).start()

    def demand(self) -> None:
        """Raise a ResourceError if another worker may have passed this one over."""
        if monotonic() - self._last_beat > SILENCE:
            raise self._lost()

    def commit(self) -> None:
        """Make all rows of this turn visible.

        Raises:
            ResourceError: another worker has passed this one over, and the turn is discarded.
        """
        self._over.set()
        self.state.committed(self.number)
        if not self._chain.end(self.number, self._by, self.state):
            raise self._lost()
        # If links were pruned in the meantime, a delayed worker could insert a link with a number already used.
        if monotonic() - self._last_beat > SILENCE and self._chain.is_dead(self.number):
            raise self._lost()

    def abandon(self, before: ChainState, wrote: bool) -> None:
        """Discard this turn and release it immediately; if that fails, others wait for the timeout."""
        self._over.set()
        if wrote:
            before.dead.append([self.number, time()])
        with suppress(PyMongoError):
            self._chain.end(self.number, self._by, before)

    def _beat(self) -> None:
        while not self._over.wait(_BEAT):
            sent = monotonic()
            try:
                self._chain.beat(self.number)
            except PyMongoError:
                continue
            self._last_beat = sent

    def _lost(self) -> ResourceError:
        problem = say("this process lost the write lock because it did not respond in time; nothing was written")
        return ResourceError(problem, hint=say("try again"))


class _Heartbeat:
    """Last observed holder of the turn, and the time of its last observed heartbeat."""

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None
        self._since = monotonic()

    def is_silent(self, link: Link) -> bool:
        """Return True if the holder of the turn is dead: its process ended, or its heartbeat timed out."""
        now = (link.number, link.beat)
        if now != self._last:
            self._last, self._since = now, monotonic()
        return monotonic() - self._since > SILENCE or _is_gone(link.by)


def _is_gone(by: str) -> bool:
    """Return True if a holder was a process of this machine and has ended."""
    machine, process, _ = by.split(":")
    if not machine or machine != _machine():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _machine() -> str:
    """Return an identity of the running machine or container; empty if it cannot be determined."""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{started}/{Path('/proc/self/ns/pid').stat().st_ino}".replace(":", "")
    except OSError:
        return ""


def _tables(state: str) -> int:
    try:
        return int(json.loads(state)["tables"])
    except (KeyError, TypeError, ValueError):
        return 0


def _newer(version: int) -> UsageError:
    hint = say("install that version of whorl, or a newer one")
    return UsageError(
        say("this library was created by a newer version of whorl: tables {version}", version=version), hint=hint
    )


__all__ = ["GRACE", "SILENCE", "Chain", "ChainState", "Link", "Turn"]
