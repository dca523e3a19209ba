"""Two texts side by side in rows: shared passages face each other, with unshared text between them.

All front ends show pairs this way, on pages and in the terminal. Long texts are never shown whole: omitted text is
counted in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from whorl.text import edit_runs
from whorl.types.comparison import Passage, Span

TONES = 6
"""Number of distinguishable colors of passages or sources, after which colors repeat."""

TRANSLATED = TONES + 1
"""The color of translated passages, whatever their source."""

MEANING = TONES + 2
"""The color of passages with the same content by the vectors of sentences."""

_COLORS = {"translated": TRANSLATED, "meaning": MEANING}

_BETWEEN = 400
_MIN_PIECE = 80
_CONTEXT = 40
_SMALLEST_GAP = 12
_LONGEST = 20_000
_REACH = 8


class Piece(NamedTuple):
    """A piece of text, or, if ``skipped`` is not 0, that many omitted code points.

    Attributes:
        text: the text.
        change: kind of `whorl.text.EditRun` within a passage; "" outside of passages.
        skipped: number of omitted code points.
    """

    text: str
    change: str = ""
    skipped: int = 0


class Row(NamedTuple):
    """A passage in both texts, or the text before it in either.

    Attributes:
        source: text of the source in this row.
        text: examined text in this row.
        passage: the passage; None between passages.
        number: number of the passage, from 1; 0 between passages.
        tone: color, 1 to ``MEANING``; 0 between passages.
    """

    source: tuple[Piece, ...]
    text: tuple[Piece, ...]
    passage: Passage | None = None
    number: int = 0
    tone: int = 0


class View(NamedTuple):
    """The rows that show a text beside its sources.

    Attributes:
        rows: rows in the order of the text.
        unshown: number of passages omitted for lack of room.
    """

    rows: tuple[Row, ...]
    unshown: int

    @property
    def is_whole(self) -> bool:
        """True if the whole text is shown."""
        return not self.unshown and not any(piece.skipped for row in self.rows for piece in (*row.source, *row.text))


def view(
    sources: Sequence[str],
    text: str,
    passages: Sequence[Passage],
    limit: int,
    ranks: Mapping[int, int] | None = None,
) -> View:
    """Lay out a text beside the matching passages of its sources.

    Args:
        sources: source texts, by number.
        text: the examined text.
        passages: passages of the text, in order.
        limit: approximate number of code points of the text to show.
        ranks: rank (from 1) of each source number, shown to readers and used for colors; None is the order of
            ``sources``.

    Returns:
        A row for each passage, in the order of the text, until ``limit`` is reached, and rows for unshared text of
        the examined text and, with a single source, of that source.

    Cost: some microseconds for each code point shown.
    """
    room = limit if len(text) <= limit else max(_MIN_PIECE, limit // (2 * len(passages) + 1))
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
    """Return the color of a passage, 1 to ``TONES``: by source, or by passage if there is a single source.

    Passages without a word in common have one of their own: ``TRANSLATED`` or ``MEANING``.
    """
    if passage.kind in _COLORS:
        return _COLORS[passage.kind]
    index = number if sources == 1 else ranks[passage.source] if ranks else passage.source + 1
    return (index - 1) % TONES + 1


def _gaps(length: int, spans: Sequence[Span]) -> dict[int, Span]:
    """Return the ranges outside of all spans, by their ends."""
    gaps: dict[int, Span] = {}
    reached = 0
    for start, end in [*sorted(spans), (length, length)]:
        if start > reached:
            gaps[start] = (reached, start)
        reached = max(reached, end)
    return gaps


def _between(sources: Sequence[str], text: str, examined: Span | None, other: Span | None, room: int) -> Iterator[Row]:
    sides = [(sources[0], examined) if sources else ("", None), (text, other)]
    source_text, examined_text = (side[slice(*span)].strip() if span else "" for side, span in sides)
    if source_text or examined_text:
        own_pieces, other_pieces = ([Piece(part)] if part else [] for part in (source_text, examined_text))
        room = min(room, _BETWEEN)
        yield Row(tuple(clipped(own_pieces, room)), tuple(clipped(other_pieces, room)))


def _passage(source: str, text: str, passage: Passage, number: int, tone: int, room: int) -> Row:
    source_text, examined_text = source[passage.a_start : passage.a_end], text[passage.b_start : passage.b_end]
    if passage.kind in _COLORS:
        of_source, of_text = (tuple(clipped([Piece(side, "same")], room)) for side in (source_text, examined_text))
        return Row(of_source, of_text, passage, number, tone)
    reach = min(_LONGEST, _REACH * room)
    edits = (
        edit_runs(source_text, examined_text)
        if source_text == examined_text
        else edit_runs(source_text[:reach], examined_text[:reach])
    )
    while len(edits) > 1 and max(len(source_text), len(examined_text)) > reach and edits[-1].kind != "same":
        edits.pop()
    source_pieces = _pieces(
        source_text, [Piece(source_text[edit.a_start : edit.a_end], edit.kind) for edit in edits], room
    )
    text_pieces = _pieces(
        examined_text, [Piece(examined_text[edit.b_start : edit.b_end], edit.kind) for edit in edits], room
    )
    return Row(source_pieces, text_pieces, passage, number, tone)


def _pieces(whole: str, pieces: list[Piece], room: int) -> tuple[Piece, ...]:
    """Return the nonempty pieces, with the text after the last one counted as omitted."""
    pieces = [piece for piece in pieces if piece.text]
    rest = len(whole) - sum(len(piece.text) for piece in pieces)
    return tuple(clipped([*pieces, *([Piece("", skipped=rest)] if rest else [])], room))


def clipped(pieces: Sequence[Piece], room: int) -> Iterator[Piece]:
    """Omit the middle of long runs and everything beyond ``room`` code points, unless all of it fits."""
    if sum(len(piece.text) for piece in pieces) <= room:
        yield from pieces
        return
    long = sum(len(piece.text) > 2 * _CONTEXT for piece in pieces)
    share = max(2 * _CONTEXT, room // max(1, long))
    skipped = 0
    for piece in chain.from_iterable(_shortened(long_piece, share) for long_piece in pieces):
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
    """Yield the beginning and end of a run that is too long, in a ratio of two to one."""
    if len(piece.text) <= room + _SMALLEST_GAP:
        yield piece
        return
    tail = room // 3
    yield Piece(piece.text[: room - tail], piece.change)
    yield Piece("", skipped=len(piece.text) - room)
    yield Piece(piece.text[-tail:], piece.change)


__all__ = ["MEANING", "TONES", "TRANSLATED", "Piece", "Row", "View", "clipped", "tone", "view"]
