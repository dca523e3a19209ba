"""The chain of turns and commits, on which everything else rests; `whorl.stores.mongodb` says why.

A link is ``{_id, held, by, beat, state}``: whose turn begins with it or which state is committed by it. The number of
the link with which a turn begins is the number of the turn.
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

from whorl.errors import InputError, ResourceError, UsageError
from whorl.language import say
from whorl.stores.mongodb.layout import CHAIN, VERSION

if TYPE_CHECKING:
    from pymongo.database import Database

SILENCE = 5.0
"""For how many seconds a worker that holds the turn may say nothing before it is passed over."""

GRACE = 3600.0
"""For how many seconds what was replaced stays, and what a dead turn may still write is looked for."""

_BEAT = 1.0
_PATIENCE = 60.0
_PAUSES = (0.002, 0.005, 0.01, 0.02, 0.05)
_LINKS_OF_A_TURN = 2
_PRUNED_EVERY = 8
_KEPT = 2
_MOMENTS = 8
_STEP = GRACE / 6


@dataclass(slots=True)
class State:
    """How far a library has come.

    Attributes:
        tables: the version of the collections.
        version: the last turn whose rows count.
        dead: the turns up to now whose rows do not, each with the time when that was found.
        bounds: the largest number that ever was in a field, by "kind.field".
        alive: how many rows of each kind count.
        rows: how many are kept, with those that were replaced or are gone.
        moments: turns and when they were committed, a few of the last hours.
        purged: the last turn as of which replaced rows may be missing.
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
        """Let the rows of a turn count."""
        now = time()
        self.version = turn
        if not self.moments or now - self.moments[-1][1] >= _STEP:
            self.moments = [*self.moments[1 - _MOMENTS :], [turn, now]]

    def replaced_long_ago(self) -> int:
        """The last turn that every reader sees by now."""
        return max((int(turn) for turn, at in self.moments if time() - at >= GRACE), default=0)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the chain."""

    number: int
    held: bool
    by: str
    beat: int
    state: State

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Link:
        """The link that a row keeps."""
        return cls(int(row["_id"]), row["held"], row["by"], int(row["beat"]), State(**json.loads(row["state"])))


class Chain:
    """The chain of a library in a database."""

    def __init__(self, database: Database[Any], label: str) -> None:
        self._links = database[CHAIN]
        self._label = label

    def last(self) -> Link | None:
        """The last link; None where there is no library."""
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
                cure=say("name the database of a library, or an empty one; else restore a backup"),
            ) from error
        if link.state.tables > VERSION:
            raise _newer(link.state.tables)
        return link

    def demand(self) -> Link:
        """The last link.

        Raises:
            InputError: there is no library any more.
        """
        link = self.last()
        if link is None:
            cure = say("open it again where it is now: whorl.open(...)")
            raise InputError(say("{label}: the library is gone", label=self._label), cure=cure)
        return link

    def begin(self, state: State | None = None) -> None:
        """Make the first link, unless another worker has."""
        self._insert(1, held=False, by="", state=state or State())

    def take(self) -> Turn:
        """Wait for the turn.

        Raises:
            ResourceError: another worker has it for too long.
        """
        by, heard = f"{_machine()}:{os.getpid()}:{uuid4().hex}", _Heard()
        deadline, tries = monotonic() + _PATIENCE, 0
        while True:
            link = self.demand()
            state = link.state
            if not link.held or heard.is_silent(link):
                if link.held:
                    state.dead.append([link.number, time()])
                if self._insert(link.number + 1, held=True, by=by, state=state):
                    return Turn(self, link.number + 1, by, state)
                continue
            if monotonic() > deadline:
                cure = say("another process writes to the library; try again when it is done")
                raise ResourceError(say("{label} is being written to", label=self._label), cure=cure)
            sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1

    def beat(self, number: int) -> None:
        """Say that the worker whose turn this is lives."""
        self._links.update_one({"_id": number}, {"$inc": {"beat": 1}})

    def end(self, turn: int, by: str, state: State) -> bool:
        """End a turn with a state; whether it was still this worker's, so that the state counts."""
        if not self._insert(turn + 1, held=False, by=by, state=state):
            return False
        if turn % _PRUNED_EVERY < _LINKS_OF_A_TURN:
            with suppress(PyMongoError):  # the next ones do it
                self._links.delete_many({"_id": {"$lt": turn - _KEPT}})
        return True

    def is_dead(self, turn: int) -> bool:
        """Whether another worker has passed over a turn."""
        return turn in self.demand().state.passed_over

    def _insert(self, number: int, *, held: bool, by: str, state: State) -> bool:
        """Make the next link, if nobody else has; one that may have been made unheard is asked for."""
        row = {"_id": number, "held": held, "by": by, "beat": 0, "state": json.dumps(asdict(state))}
        deadline = monotonic() + SILENCE
        while True:
            try:
                self._links.insert_one(row)
            except DuplicateKeyError:
                there = self._links.find_one({"_id": number})
                return there is not None and (there["by"], there["held"]) == (by, held)
            except AutoReconnect:
                if monotonic() > deadline:
                    raise
                sleep(_PAUSES[-1])
                continue
            return True


class Turn:
    """The turn of this worker, kept alive until it ends."""

    def __init__(self, chain: Chain, number: int, by: str, state: State) -> None:
        self.number = number
        self.state = state
        self._chain = chain
        self._by = by
        self._over = Event()
        self._heard = monotonic()
        Thread(target=self._beat, name="whorl-turn", daemon=True).start()

    def demand(self) -> None:
        """Raise a ResourceError unless nobody can have passed this worker over."""
        if monotonic() - self._heard > SILENCE:
            raise self._lost()

    def commit(self) -> None:
        """Let all rows of this turn count.

        Raises:
            ResourceError: another worker has passed this one over, and nothing of this turn counts.
        """
        self._over.set()
        self.state.committed(self.number)
        if not self._chain.end(self.number, self._by, self.state):
            raise self._lost()
        # Who comes so late that the chain was cut behind others could have made a link that is long passed.
        if monotonic() - self._heard > SILENCE and self._chain.is_dead(self.number):
            raise self._lost()

    def abandon(self, before: State, wrote: bool) -> None:
        """Let nothing of this turn count, and let others have theirs at once; where that fails they wait a little."""
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
            self._heard = sent

    def _lost(self) -> ResourceError:
        problem = say("this process was silent for so long that another one has taken its turn; nothing was written")
        return ResourceError(problem, cure=say("do it again"))


class _Heard:
    """Who held the turn when it was last looked at, and since when nothing was heard of them."""

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None
        self._since = monotonic()

    def is_silent(self, link: Link) -> bool:
        """Whether the holder of the turn is dead: its process is gone, or has said nothing for too long."""
        now = (link.number, link.beat)
        if now != self._last:
            self._last, self._since = now, monotonic()
        return monotonic() - self._since > SILENCE or _is_gone(link.by)


def _is_gone(by: str) -> bool:
    """Whether somebody was a process of this very machine, and is no more."""
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
    """What tells apart machines, and containers on them, as long as they run; empty where that cannot be told."""
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
    cure = say("install that version of whorl, or a newer one")
    return UsageError(say("a newer version of whorl made this library: tables {version}", version=version), cure=cure)


__all__ = ["GRACE", "SILENCE", "Chain", "Link", "State", "Turn"]
