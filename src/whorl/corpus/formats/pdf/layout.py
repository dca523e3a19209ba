"""The lines of a PDF page in reading order.

pdfium returns characters in the order of the content stream and rebuilds lines from positions. That is right for most
pages, and takes a fiftieth of the time of querying the position of each character. Three kinds of pages come out wrong,
and only those are rebuilt from positions:

* columns that were drawn line by line across the page, which come out as one wide column;
* words set with wide letter spacing, which come out as `w o r d s`;
* ligatures in right-to-left lines, whose letters come out in reverse.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from ctypes import byref, c_double
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from whorl._internal.frozen import frozen

_MAX_RECTS = 20_000
_MIN_ROWS = 3
_SHARED_GUTTER = 0.8
_MIN_COLUMN = 0.2
_SAME_LINE = 0.5
_MIN_SPACED = 5
_SPACED = 0.8
_WORD_GAP = 1.4
_LIGATURE_PT = 0.01
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_HYPHENS = frozenset("-\u2010\u2011")
_HYPHEN = "\ufffe"
"""pdfium's character for a hyphen at the end of a line, in place of the line break."""


def page_lines(text_page: Any) -> list[str]:
    """Return the lines of a page, including blanks at their ends.

    Args:
        text_page: a text page of pypdfium2.

    Cost: linear in the page, except for sorting the gaps between its columns.
    """
    raw: str = text_page.get_text_range(errors="replace")
    lines = raw.splitlines()
    gutters = _gutters(text_page)
    spaced = sum(map(_is_spaced, lines))
    min_spaced = _MIN_SPACED if spaced < _MIN_ROWS else 2
    if not gutters and not spaced and not _RTL.search(raw):
        return lines
    boxes = [_in_order(line) for line in _boxes(text_page)]
    if gutters:
        boxes = list(_columns(boxes, gutters))
    return [_closed_up(line) if spaced and _is_spaced(_text(line), min_spaced) else _text(line) for line in boxes]


@frozen
class _CharacterBox:
    """A character and its position."""

    sign: str
    x0: float
    x1: float
    bottom: float
    top: float


def _boxes(text_page: Any) -> list[list[_CharacterBox]]:
    """Return the characters of a page with their positions, a list for each line of pdfium."""
    from pypdfium2 import raw

    lines: list[list[_CharacterBox]] = [[]]
    x0, x1, bottom, top = (c_double() for _ in range(4))
    sides = [byref(side) for side in (x0, x1, bottom, top)]
    for place in range(raw.FPDFText_CountChars(text_page)):
        code = raw.FPDFText_GetUnicode(text_page, place)
        sign = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if sign == "\n":
            lines.append([])
        elif sign != "\r" and code:
            raw.FPDFText_GetCharBox(text_page, place, *sides)
            is_break = raw.FPDFText_IsHyphen(text_page, place) == 1
            lines[-1].append(_CharacterBox(_HYPHEN if is_break else sign, x0.value, x1.value, bottom.value, top.value))
            if is_break:
                lines.append([])
    return [line for line in lines if line]


def _text(line: Sequence[_CharacterBox]) -> str:
    return "".join(box.sign for box in line)


def _in_order(line: list[_CharacterBox]) -> list[_CharacterBox]:
    """Return a line with the letters of right-to-left ligatures in order: they share one position."""
    if not any(_RTL.match(box.sign) for box in line):
        return line
    ordered: list[_CharacterBox] = []
    for _, group in groupby(line, key=lambda box: (round(box.x0 / _LIGATURE_PT), round(box.x1 / _LIGATURE_PT))):
        letters = list(group)
        ordered += reversed(letters) if all(_RTL.match(box.sign) for box in letters) else letters
    return ordered


def _gutters(text_page: Any) -> list[float]:
    """Return the gutters between columns drawn line by line across the page; empty if they were drawn one by one.

    A gutter is a gap at the same position in many lines, between two wide segments of text. The narrow cells of a table
    are not columns.
    """
    from pypdfium2 import raw

    count = raw.FPDFText_CountRects(text_page, 0, -1)
    if not 2 * _MIN_ROWS <= count <= _MAX_RECTS:
        return []
    sides = [c_double() for _ in range(4)]
    places = [byref(side) for side in sides]
    rects = [
        _SegmentRect(*(side.value for side in sides))
        for place in range(count)
        if raw.FPDFText_GetRect(text_page, place, *places)
    ]
    gaps = list(_wide_gaps(_segments(rects)))
    gutters: list[float] = []
    for group in _grouped(gaps):
        x0, x1 = median(gap.x0 for gap in group), median(gap.x1 for gap in group)
        shared = sum(gap.x0 <= (x0 + x1) / 2 <= gap.x1 for gap in group)
        if shared >= max(_MIN_ROWS, _SHARED_GUTTER * len(group)):
            gutters.append((x0 + x1) / 2)
    return gutters


@frozen
class _SegmentRect:
    """The bounds of a segment of text on one line."""

    x0: float
    top: float
    x1: float
    bottom: float

    def is_beside(self, other: _SegmentRect) -> bool:
        """True if another segment is on the same line."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > _SAME_LINE * min(self.top - self.bottom, other.top - other.bottom)


def _segments(rects: Sequence[_SegmentRect]) -> list[_SegmentRect]:
    """Join segments with those that follow closely."""
    segments: list[_SegmentRect] = []
    for rect in rects:
        last = segments[-1] if segments else None
        if last is not None and last.is_beside(rect) and -1 <= rect.x0 - last.x1 <= last.top - last.bottom:
            segments[-1] = _SegmentRect(last.x0, max(last.top, rect.top), rect.x1, min(last.bottom, rect.bottom))
        else:
            segments.append(rect)
    return segments


def _wide_gaps(segments: Sequence[_SegmentRect]) -> Iterator[_SegmentRect]:
    """Yield the gaps between neighbors on a line that are both as wide as columns."""
    if not segments:
        return
    width = max(rect.x1 for rect in segments) - min(rect.x0 for rect in segments)
    for before, other in pairwise(segments):
        narrow = min(before.x1 - before.x0, other.x1 - other.x0)
        if before.x1 < other.x0 and before.is_beside(other) and narrow >= _MIN_COLUMN * width:
            yield _SegmentRect(before.x1, before.top, other.x0, before.bottom)


def _grouped(gaps: Sequence[_SegmentRect]) -> Iterator[list[_SegmentRect]]:
    """Group overlapping gaps, from left to right."""
    group: list[_SegmentRect] = []
    end = float("-inf")
    for gap in sorted(gaps, key=lambda gap: gap.x1):
        if group and gap.x0 > end:
            yield group
            group = []
        end = gap.x1 if not group else end
        group.append(gap)
    if group:
        yield group


def _columns(lines: Sequence[Sequence[_CharacterBox]], gutters: Sequence[float]) -> Iterator[list[_CharacterBox]]:
    """Split lines at the gutters, column by column; a line that crosses a gutter ends the columns before it."""
    waiting: list[list[list[_CharacterBox]]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        parts = _cut(line, gutters)
        if parts is None:
            for column in waiting:
                yield from column
                column.clear()
            yield list(line)
            continue
        for number, part in parts:
            waiting[number].append(part)
    for column in waiting:
        yield from column


def _cut(line: Sequence[_CharacterBox], gutters: Sequence[float]) -> list[tuple[int, list[_CharacterBox]]] | None:
    """Split a line by column; None if it crosses a gutter."""
    inked = [box for box in line if not box.sign.isspace() and box.sign != _HYPHEN]
    for gutter in gutters:
        if any(box.x0 < gutter < box.x1 for box in inked):
            return None
        before = max((box.x1 for box in inked if box.x0 < gutter), default=None)
        behind = min((box.x0 for box in inked if box.x0 >= gutter), default=None)
        if before is not None and behind is not None and behind - before < _height(inked):
            return None
    parts: dict[int, list[_CharacterBox]] = {}
    number = 0
    for box in line:
        if not box.sign.isspace() and box.sign != _HYPHEN:
            number = bisect_right(gutters, box.x0)
        parts.setdefault(number, []).append(box)
    return sorted(parts.items())


def _height(boxes: Sequence[_CharacterBox]) -> float:
    return 0.6 * max((box.top - box.bottom for box in boxes), default=0.0)


def _is_spaced(line: str, min_letters: int = _MIN_SPACED) -> bool:
    """True if a line consists of single letters with a blank after each, the effect of wide letter spacing."""
    words = line.split()
    letters = sum(len(word) == 1 and word.isalpha() for word in words)
    return letters >= min_letters and letters >= _SPACED * len(words)


def _closed_up(line: Sequence[_CharacterBox]) -> str:
    """Return a letter-spaced line as words: a gap that is clearly wider than most separates two words."""
    signs = [box for box in line if not box.sign.isspace()]
    gaps = [max(0.0, after.x0 - before.x1) for before, after in pairwise(signs)]
    usual = median(gaps) if gaps else 0.0
    widest = usual * _WORD_GAP + 0.5
    joints = [_HYPHENS.isdisjoint((before.sign, after.sign)) for before, after in pairwise(signs)]
    blanks = [" " if gap > widest and joint else "" for gap, joint in zip(gaps, joints, strict=True)]
    return "".join(box.sign + blank for box, blank in zip(signs, [*blanks, ""], strict=True))


__all__ = ["page_lines"]
