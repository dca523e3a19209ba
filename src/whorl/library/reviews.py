"""What people decided about matches, and what they took back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import time_ns
from typing import TYPE_CHECKING

from whorl.cards import CardList
from whorl.errors import UsageError
from whorl.language import say
from whorl.library.arguments import demand_entry, demand_text
from whorl.library.core import Core
from whorl.library.model import Review, moment
from whorl.model import Plain
from whorl.stores import records

if TYPE_CHECKING:
    from whorl.stores import Reader

STATES = ("pending", "confirmed", "rejected", "authorised")
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Decision(Plain):
    """What somebody decided about a match, whether it still counts or not.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     library.review("a", "b", "confirmed", by="editor")
    ...     library.reviews.undo("a", "b", by="chief").state
    ...     [(one.state, one.by, one.undone_by) for one in library.reviews.of("a", "b")]
    'pending'
    [('confirmed', 'editor', 'chief')]

    Attributes:
        id: of the document that was added first.
        other: of the other one.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: who.
        at: when.
        note: why.
        undone_by: who took it back; None where it stands.
        undone_at: when.
        number: in the order of deciding.
    """

    id: str
    other: str
    state: str
    by: str
    at: datetime
    note: str
    undone_by: str | None
    undone_at: datetime | None
    number: int


class Reviews:
    """All decisions about matches, oldest first. What counts is the last one of a match that was not taken back.

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[Decision]:
        last = 0
        with self._core.store.reading() as reader:
            while block := reader.decisions_after(last, _BLOCK):
                yield from _from(reader, block)
                last = block[-1].number

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["decisions"]

    def of(self, id: str, other: str) -> list[Decision]:
        """Return what was decided about the match of two documents, oldest first.

        Raises:
            NotFoundError: there is no such document.
        """
        with self._core.store.reading() as reader:
            pair = _pair(reader, id, other)
            return CardList(_from(reader, reader.decisions([pair]).get(pair, [])))

    def decide(self, id: str, other: str, state: str, *, by: str = "", note: str = "") -> None:
        """See ``Library.review``."""
        if state not in STATES:
            raise UsageError(
                say("a review is not {state!r}", state=state),
                cure=say("choose one of: {known}", known=", ".join(STATES)),
            )
        demand_text("by", by)
        demand_text("note", note)
        with self._core.turn, self._core.store.writing() as writer:
            low, high = _pair(writer, id, other)
            now = time_ns() // 1000
            writer.put_decisions([records.Decision(writer.next_decision(), low, high, state, by, now, note)])
            writer.put_verdicts([records.Verdict(low, high, state, by, now, note)])

    def undo(self, id: str, other: str, *, by: str = "") -> Review:
        """Take back the last decision about a match that stands; return what counts now.

        Raises:
            NotFoundError: there is no such document.
            UsageError: nothing is decided.
        """
        demand_text("by", by)
        with self._core.turn, self._core.store.writing() as writer:
            pair = _pair(writer, id, other)
            standing = [one for one in writer.decisions([pair]).get(pair, ()) if one.undone_at is None]
            if not standing:
                raise UsageError(
                    say("nothing is decided about {id!r} and {other!r}", id=id, other=other),
                    cure=say("see `whorl review`"),
                )
            writer.put_decisions([standing[-1]._replace(undone_by=by, undone_at=time_ns() // 1000)])
            if len(standing) == 1:
                writer.remove_verdicts([pair])
                return Review()
            now = standing[-2]
            writer.put_verdicts([records.Verdict(*pair, now.state, now.by, now.at, now.note)])
        return Review(now.state, now.by, moment(now.at), now.note)


def _pair(reader: Reader, id_: str, other: str) -> tuple[int, int]:
    """The lower and the higher number of two documents."""
    one, another = demand_entry(reader, id_).number, demand_entry(reader, other).number
    return min(one, another), max(one, another)


def _from(reader: Reader, rows: Sequence[records.Decision]) -> list[Decision]:
    entries = reader.numbered({number for row in rows for number in (row.low, row.high)})
    return [
        Decision(
            entries[row.low].id,
            entries[row.high].id,
            row.state,
            row.by,
            moment(row.at),
            row.note,
            row.undone_by,
            None if row.undone_at is None else moment(row.undone_at),
            row.number,
        )
        for row in rows
    ]


__all__ = ["STATES", "Decision", "Reviews"]
