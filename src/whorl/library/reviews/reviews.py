"""Decisions of reviewers about matches, including those taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from time import time_ns
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.cases.rejudging import record_decision
from whorl.library.clusters.reconciliation import AffectedClusters, settle
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_collection, demand_entry, demand_text
from whorl.library.ingest.documents import document_from
from whorl.library.reviews.copies import ArticleCopy, every_copy
from whorl.library.reviews.queue import ReviewMatch, StoredMatch, matched, review_matches
from whorl.stores import records
from whorl.types.cards import CardList
from whorl.types.comparison import Plain
from whorl.types.library import Document, Review, moment

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer

STATES = ("pending", "confirmed", "rejected", "authorised")
_BLOCK = 1000


@frozen
class Decision(Plain):
    """A decision about a match, whether it is still in effect or not.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     done = library.review("a", "b", "confirmed", by="editor")
    ...     library.reviews.undo("a", "b", by="chief").state
    ...     [(one.state, one.by, one.undone_by) for one in library.reviews.of("a", "b")]
    'pending'
    [('confirmed', 'editor', 'chief')]

    Attributes:
        id: id of the document that was added first.
        other: id of the other document.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: reviewer.
        at: time of the decision.
        note: reason.
        undone_by: person who took it back; None if it stands.
        undone_at: when it was taken back.
        number: sequence number.
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
    """All decisions about matches, oldest first. The last one of a match that was not taken back is in effect.

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
        """Return the decisions about the match of two documents, oldest first.

        Raises:
            NotFoundError: a document does not exist.
        """
        with self._core.store.reading() as reader:
            pair = _pair(reader, id, other)
            return CardList(_from(reader, reader.decisions([pair]).get(pair, [])))

    def now(self, id: str, other: str) -> Review:
        """Return the decision in effect about the match of two documents.

        Raises:
            NotFoundError: a document does not exist.
        """
        with self._core.store.reading() as reader:
            low, high = _pair(reader, id, other)
            review = reader.verdicts([low]).get(low, {}).get(high)
        return _review_of(review)

    def now_each(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Review]:
        """Return the decisions in effect about the matches of documents that exist, with few round trips."""
        requested = list(dict.fromkeys(pairs))
        with self._core.store.reading() as reader:
            entries = reader.entries({id for pair in requested for id in pair})
            numbers = {pair: sorted(entries[id].number for id in pair) for pair in requested}
            verdicts = reader.verdicts({low for low, _ in numbers.values()})
        kept = {pair: verdicts.get(low, {}).get(high) for pair, (low, high) in numbers.items()}
        return {pair: _review_of(record) for pair, record in kept.items()}

    def matched(self, collection: str | None = None) -> tuple[list[StoredMatch], int]:
        """Return all stored matches, each once, and how many are not listed.

        Args:
            collection: collection that at least one of the two documents belongs to; None for all.
        """
        demand_collection(collection)
        with self._core.store.reading() as reader:
            return matched(self._core, reader, collection)

    def copies(self, collection: str) -> list[ArticleCopy]:
        """Return every document outside a collection that shares text with one of its articles, without a limit.

        Args:
            collection: collection of the articles, such as "protected".
        """
        demand_collection(collection)
        return every_copy(self._core, collection)

    def articles(self, collection: str) -> Iterator[Document]:
        """Yield the documents of a collection with their metadata, without their texts."""
        demand_collection(collection)
        with self._core.store.reading() as reader:
            for entry in reader.all_entries(collection):
                yield document_from(entry, "", ())

    def states(self) -> dict[tuple[int, int], str]:
        """Return the states in effect, by the lower and the higher number of the documents."""
        with self._core.store.reading() as reader:
            return {(all_verdict.low, all_verdict.high): all_verdict.state for all_verdict in reader.all_verdicts()}

    def voters(self) -> dict[tuple[int, int], set[str]]:
        """Return the reviewers of each match, ignoring decisions taken back, by the numbers of the documents."""
        last, reviewers = 0, dict[tuple[int, int], set[str]]()
        with self._core.store.reading() as reader:
            while block := reader.decisions_after(last, _BLOCK):
                last = block[-1].number
                for decision in block:
                    if decision.undone_at is None:
                        reviewers.setdefault((decision.low, decision.high), set()).add(decision.by)
        return reviewers

    def review_matches(self, matches: Sequence[StoredMatch]) -> list[ReviewMatch | None]:
        """Return the current display data of matches, in their order; None if a document was removed."""
        with self._core.store.reading() as reader:
            return review_matches(reader, matches)

    def documents(self, numbers: Iterable[int]) -> dict[int, Document]:
        """Return documents of matches by number, without their texts; removed documents are omitted."""
        with self._core.store.reading() as reader:
            return {number: document_from(entry, "", ()) for number, entry in reader.numbered(numbers).items()}

    def decide(self, id: str, other: str, state: str, *, by: str = "", note: str = "", reviewers: int = 1) -> Review:
        """See ``Library.review``."""
        demand_positive("reviewers", reviewers)
        if state not in STATES:
            raise UsageError(
                say("a decision cannot be {state!r}", state=state),
                hint=say("choose one of: {known}", known=", ".join(STATES)),
            )
        demand_text("by", by)
        demand_text("note", note)
        if reviewers > 1 and not by:
            raise UsageError(
                say("no reviewer is named, and several reviewers must agree"), hint=say("name the reviewer: `by=name`")
            )
        with self._core.turn, self._core.store.writing() as writer:
            pair = _pair(writer, id, other)
            decision = records.DecisionRecord(writer.next_decision(), *pair, state, by, time_ns() // 1000, note)
            writer.put_decisions([decision])
            return self._count(writer, pair, reviewers)

    def undo(self, id: str, other: str, *, by: str = "", reviewers: int = 1, number: int | None = None) -> Review:
        """Take back a decision about a match; return the decision now in effect and update clusters.

        Args:
            id: id of one document.
            other: id of the other.
            by: person who takes it back.
            reviewers: number of people who must agree for a decision to take effect.
            number: sequence number of the decision; None for the last one.

        Raises:
            NotFoundError: a document does not exist.
            UsageError: there is no decision, or it was already taken back.
        """
        demand_text("by", by)
        with self._core.turn, self._core.store.writing() as writer:
            pair = _pair(writer, id, other)
            active_decisions = [
                decision
                for decision in writer.decisions([pair]).get(pair, ())
                if decision.undone_at is None and number in (None, decision.number)
            ]
            if not active_decisions:
                raise UsageError(
                    say("no decision about {id!r} and {other!r}", id=id, other=other),
                    hint=say("list them with `whorl review`"),
                )
            writer.put_decisions([active_decisions[-1]._replace(undone_by=by, undone_at=time_ns() // 1000)])
            return self._count(writer, pair, reviewers)

    def recount(self, reviewers: int) -> int:
        """Apply a number of required reviewers to all decisions; return how many matches change their state.

        Call it after changing the number: ``decide`` and ``undo`` apply it only to their own match.

        >>> import whorl
        >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
        >>> with whorl.open("newsroom") as library:
        ...     reports = library.add({"id": name, "text": text} for name in "ab")
        ...     done = library.review("a", "b", "confirmed", by="editor")
        ...     library.reviews.recount(2), library.reviews.now("a", "b").state
        (1, 'pending')

        Args:
            reviewers: number of people who must agree.

        Raises:
            UsageError: the number is below 1.

        Cost: one transaction, some tenths of a millisecond per decision.
        """
        demand_positive("reviewers", reviewers)
        last = changed = 0
        with self._core.turn, self._core.store.writing() as writer:
            while block := writer.decisions_after(last, _BLOCK):
                last = block[-1].number
                for pair in sorted({(decision.low, decision.high) for decision in block}):
                    before = writer.verdicts([pair[0]]).get(pair[0], {}).get(pair[1])
                    if before != _verdict(writer, pair, reviewers):
                        self._count(writer, pair, reviewers)
                        changed += 1
        return changed

    def _count(self, writer: Writer, pair: tuple[int, int], reviewers: int) -> Review:
        """Put the outcome of the decisions about a match into effect, and update clusters."""
        now = _verdict(writer, pair, reviewers)
        if now is None:
            writer.remove_verdicts([pair])
        else:
            writer.put_verdicts([now])
        last = max(writer.decisions([pair]).get(pair, ()), key=_when, default=None)
        if last is not None:
            by = last.by if last.undone_by is None else last.undone_by
            record_decision(writer, pair, now, _when(last), by, last.note)
        contents = frozenset(entry.content for entry in writer.numbered(pair).values())
        if len(contents) > 1:
            settle(self._core, writer, AffectedClusters(contents, frozenset()))
        return Review() if now is None else Review(now.state, now.by, moment(now.at), now.note)


def _verdict(reader: Reader, pair: tuple[int, int], reviewers: int) -> records.ReviewRecord | None:
    """Return the outcome of the decisions about a match that were not taken back, or None."""
    active_decisions = [decision for decision in reader.decisions([pair]).get(pair, ()) if decision.undone_at is None]
    now = _agreed(active_decisions, reviewers)
    return None if now is None else records.ReviewRecord(*pair, now.state, now.by, now.at, now.note)


def _agreed(active_decisions: Sequence[records.DecisionRecord], reviewers: int) -> records.DecisionRecord | None:
    """Return the last decision that enough people agree on, counting the latest of each person, or None."""
    if reviewers == 1:
        return active_decisions[-1] if active_decisions else None
    latest = {decision.by: decision for decision in active_decisions if decision.by}
    votes = Counter(decision.state for decision in latest.values())
    agreed = [decision for decision in latest.values() if votes[decision.state] >= reviewers]
    return max(agreed, key=lambda decision: decision.number, default=None)


def _when(decision: records.DecisionRecord) -> int:
    """Return when a decision was taken, or taken back."""
    return decision.at if decision.undone_at is None else decision.undone_at


def _review_of(record: records.ReviewRecord | None) -> Review:
    """Return the decision in effect of a row."""
    return Review() if record is None else Review(record.state, record.by, moment(record.at), record.note)


def _pair(reader: Reader, id_: str, other: str) -> tuple[int, int]:
    """Return the lower and the higher number of two documents.

    Raises:
        NotFoundError: a document does not exist.
        UsageError: both are the same document.
    """
    first, another = demand_entry(reader, id_).number, demand_entry(reader, other).number
    if first == another:
        raise UsageError(say("{id!r} cannot match itself", id=id_), hint=say("name two documents"))
    return min(first, another), max(first, another)


def _from(reader: Reader, rows: Sequence[records.DecisionRecord]) -> list[Decision]:
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
