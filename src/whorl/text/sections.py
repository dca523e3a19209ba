"""Chapters of a manuscript, found by their headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from whorl._internal.frozen import frozen

PIECE = 10_000
"""Length of the pieces of a text without headings, in characters; CNKI divides texts in the same way."""
_LONGEST = 60
"""Maximum length of a heading in characters."""
_HAN_NUMBER = "[一二三四五六七八九十百〇零两\\d]+"
_STYLES = (
    re.compile(rf"第\s*{_HAN_NUMBER}\s*[章部篇编卷](?![^\s\u3000:：、.．]{{0,2}}[，。；！？])"),
    re.compile(r"(?:chapter|part)\s+(?:\d+|[ivxlc]+)\b", re.IGNORECASE),
    re.compile(r"#\s+\S"),
    re.compile(r"##\s+\S"),
)
"""Forms of headings, the most reliable first. A text is divided by the first form that occurs at least twice."""
_NUMBERED = (
    re.compile(r"[一二三四五六七八九十]{1,3}、\s*\S"),
    re.compile(r"\d{1,2}(?:[.．、]\s*|[ \t\u3000]+)(?![\d.．])\S"),
    re.compile(r"[IVX]{1,5}\.\s+\S"),
)
"""Forms of headings that items of lists have, too."""
_LONGEST_ITEM = 200
"""Median length up to which numbered lines are items of a list."""
_NAMES = re.compile(
    r"(?:摘\s*要|引\s*言|绪\s*论|前\s*言|导\s*[言论]|结\s*[论语]|结束语|致\s*谢|附\s*录|参考文献"
    r"|abstract|introduction|background|related work|methods?|methodology|results|discussion|conclusions?"
    r"|acknowledge?ments?|appendix|references|bibliography)\s*[:：]?",
    re.IGNORECASE,
)
"""Headings without a number."""
_SENTENCE_ENDS = tuple("。；！？，,;!?…")


@frozen
class Section:
    """A chapter of a text.

    Attributes:
        title: its heading, or an empty string before the first heading and without headings.
        start: its begin in code points, at the heading.
        end: its end in code points.
    """

    title: str
    start: int
    end: int


def sections(text: str, excluded: Sequence[tuple[int, int]] = ()) -> list[Section]:
    r"""Divide a text into its chapters; a text without headings into pieces of `PIECE` characters.

    Headings are short lines: 第一章, Chapter 1, Markdown, 一、, 1 or I., and names such as 引言 and Introduction. Only
    the outermost form that occurs at least twice counts, so sections of chapters do not; nor do items of lists.

    >>> from whorl.text.sections import sections
    >>> text = "题目\\n第一章 渔港\\n渔港在东边。\\n1.1 冰厂\\n第二章 码头\\n码头在西边。"
    >>> [section.title for section in sections(text)]
    ['', '第一章 渔港', '第二章 码头']

    Args:
        text: the text.
        excluded: ranges in which no heading is searched, such as the table of contents.

    Cost: linear in the length of the text.
    """
    lines = [(start, line) for start, line in _short_lines(text) if not any(a <= start < b for a, b in excluded)]
    styles = [*(_matching(style, lines) for style in _STYLES), *_outlines(lines, len(text))]
    numbered = next((matches for matches in styles if len(matches) > 1), [])
    headings = sorted({*numbered, *((start, line) for start, line in lines if _NAMES.fullmatch(line))})
    if len(headings) < 2:
        cuts = [(start, "") for start in range(0, max(1, len(text) - PIECE // 2), PIECE)]
    else:
        cuts = headings if not text[: headings[0][0]].strip() else [(0, ""), *headings]
    ends = [start for start, _ in cuts[1:]] + [len(text)]
    return [Section(title, start, end) for (start, title), end in zip(cuts, ends, strict=True)]


def _short_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if 0 < len(stripped) <= _LONGEST and not stripped.endswith(_SENTENCE_ENDS):
            yield start, stripped
        start += len(line)


def _outlines(lines: Sequence[tuple[int, str]], end: int) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines of each numbered form that is no list."""
    for style in _NUMBERED:
        matches = _matching(style, lines)
        starts = [start for start, _ in matches] + [end]
        if matches and median(after - start for start, after in pairwise(starts)) > _LONGEST_ITEM:
            yield matches


def _matching(style: re.Pattern[str], lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(start, line) for start, line in lines if style.match(line)]


__all__ = ["PIECE", "Section", "sections"]
