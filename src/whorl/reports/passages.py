"""Two texts side by side, in rows: each passage that both have on one height, and between them what only one has.

This is the one way in which whorl shows a pair, on pages and in the terminal. Long texts are never shown whole: what is
left out is counted where it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from whorl.model import Passage, Span
from whorl.text import edit_runs

TONES = 6
"""How many passages, or sources, the eye can tell apart; then the first look comes again."""

_BETWEEN = 400
_LEAST = 80
_CONTEXT = 40
_SMALLEST_GAP = 12
_LONGEST = 20_000
_REACH = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a text, or, where ``skipped`` is not 0, so many code points left out.

    Attributes:
        text: the run.
        change: "" where it is in no passage; else what became of it: a kind of `whorl.text.EditRun`.
        skipped: code points left out here.
    """

    text: str
    change: str = ""
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A passage as both texts have it, or what stands before it in either.

    Attributes:
        source: what the source has here.
        text: what the text has here.
        passage: which passage it is; None between passages.
        number: of the passage, from 1; 0 between passages.
        tone: its look, 1 to ``TONES``; 0 between passages.
    """

    source: tuple[Piece, ...]
    text: tuple[Piece, ...]
    passage: Passage | None = None
    number: int = 0
    tone: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a text beside its sources.

    Attributes:
        rows: in the order of the text.
        unshown: passages that are not shown, for there are too many.
    """

    rows: tuple[Row, ...]
    unshown: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.unshown and not any(piece.skipped for row in self.rows for piece in (*row.source, *row.text))


def view(
    sources: Sequence[str],
    text: str,
    passages: Sequence[Passage],
    limit: int,
    ranks: Mapping[int, int] | None = None,
) -> View:
    """Set a text beside what it has from its sources.

    Args:
        sources: the texts that passages come from, by their numbers.
        text: the text that was examined.
        passages: what it has from them, in its order.
        limit: about how many code points of it are shown.
        ranks: by the numbers of several sources, from 1 which they are for readers, and by which they get their looks;
            None is the order in which they are given.

    Returns:
        A row for each passage, in the order of the text, until ``limit`` is reached, and rows for what only
        the text or, where there is one source, only that has.

    Cost: some microseconds for each code point that is shown.
    """
    room = limit if len(text) <= limit else max(_LEAST, limit // (2 * len(passages) + 1))
    before_text = _gaps(len(text), [(passage.b_start, passage.b_end) for passage in passages])
    before_source: dict[int, Span] = {}
    if len(sources) == 1:
        before_source = _gaps(len(sources[0]), [(passage.a_start, passage.a_end) for passage in passages])
    rows: list[Row] = []
    for number, passage in enumerate(passages, start=1):
        if limit <= 0:
            return View(tuple(rows), len(passages) - number + 1)
        before = before_source.pop(passage.a_start, None), before_text.get(passage.b_start)
        rows += _between(sources, text, *before, room)
        look = tone(passage, number, len(sources), ranks)
        rows.append(_passage(sources[passage.source], text, passage, number, look, room))
        limit -= sum(len(piece.text) for row in rows[-2:] for piece in row.text)
    ends = before_source.get(len(sources[0])) if before_source else None, before_text.get(len(text))
    rows += _between(sources, text, *ends, room)
    return View(tuple(rows), 0)


def tone(passage: Passage, number: int, sources: int, ranks: Mapping[int, int] | None = None) -> int:
    """Return the look of a passage, 1 to ``TONES``: that of its source, or, where there is one source, its own."""
    own = number if sources == 1 else ranks[passage.source] if ranks else passage.source + 1
    return (own - 1) % TONES + 1


def _gaps(length: int, spans: Sequence[Span]) -> dict[int, Span]:
    """What lies outside of all spans, by where it ends."""
    gaps: dict[int, Span] = {}
    reached = 0
    for start, end in [*sorted(spans), (length, length)]:
        if start > reached:
            gaps[start] = (reached, start)
        reached = max(reached, end)
    return gaps


def _between(sources: Sequence[str], text: str, own: Span | None, other: Span | None, room: int) -> Iterator[Row]:
    sides = [(sources[0], own) if sources else ("", None), (text, other)]
    left, right = (side[slice(*span)].strip() if span else "" for side, span in sides)
    if left or right:
        own_pieces, other_pieces = ([Piece(part)] if part else [] for part in (left, right))
        room = min(room, _BETWEEN)
        yield Row(tuple(clipped(own_pieces, room)), tuple(clipped(other_pieces, room)))


def _passage(source: str, text: str, passage: Passage, number: int, tone: int, room: int) -> Row:
    left, right = source[passage.a_start : passage.a_end], text[passage.b_start : passage.b_end]
    reach = min(_LONGEST, _REACH * room)
    found = edit_runs(left, right) if left == right else edit_runs(left[:reach], right[:reach])
    while len(found) > 1 and max(len(left), len(right)) > reach and found[-1].kind != "same":
        found.pop()
    source_pieces = _pieces(left, [Piece(left[one.a_start : one.a_end], one.kind) for one in found], room)
    text_pieces = _pieces(right, [Piece(right[one.b_start : one.b_end], one.kind) for one in found], room)
    return Row(source_pieces, text_pieces, passage, number, tone)


def _pieces(whole: str, pieces: list[Piece], room: int) -> tuple[Piece, ...]:
    """The pieces of a stretch that are not empty, what lies behind the last of them left out."""
    pieces = [piece for piece in pieces if piece.text]
    rest = len(whole) - sum(len(piece.text) for piece in pieces)
    return tuple(clipped([*pieces, *([Piece("", skipped=rest)] if rest else [])], room))


def clipped(pieces: Sequence[Piece], room: int) -> Iterator[Piece]:
    """Leave out the inner part of long runs, and what is beyond ``room`` code points; nothing where all of it fits."""
    if sum(len(piece.text) for piece in pieces) <= room:
        yield from pieces
        return
    long = sum(len(piece.text) > 2 * _CONTEXT for piece in pieces)
    share = max(2 * _CONTEXT, room // max(1, long))
    skipped = 0
    for piece in chain.from_iterable(_shortened(one, share) for one in pieces):
        fits = piece.text[: max(0, room)]
        room -= len(fits)
        if fits and skipped:
            yield Piece("", skipped=skipped)
            skipped = 0
        if fits:
            yield Piece(fits, piece.change)
        skipped += piece.skipped + len(piece.text) - len(fits)
    if skipped:
        yield Piece("", skipped=skipped)


def _shortened(piece: Piece, room: int) -> Iterator[Piece]:
    """The beginning and the end of a run that is too long, two to one."""
    if len(piece.text) <= room + _SMALLEST_GAP:
        yield piece
        return
    tail = room // 3
    yield Piece(piece.text[: room - tail], piece.change)
    yield Piece("", skipped=len(piece.text) - room)
    yield Piece(piece.text[-tail:], piece.change)


__all__ = ["TONES", "Piece", "Row", "View", "clipped", "tone", "view"]
