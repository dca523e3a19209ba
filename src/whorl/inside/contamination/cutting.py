"""Cut hits out of texts, at sentence borders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from whorl import _core

Span = tuple[int, int]


def cut_spans(text: str, hits: Iterable[Span]) -> list[Span]:
    """Return the stretches to cut: the sentences that hits touch, joined where they adjoin.

    A stretch reaches to the next sentence, so that no line is left empty and no space doubled.
    """
    sentences = _core.sentences(text)
    starts = [start for start, _ in sentences]
    spans: list[Span] = []
    for start, end in sorted(hits):
        first = max(0, bisect_right(starts, start) - 1)
        last = max(first, bisect_right(starts, end - 1) - 1)
        begins = min(start, sentences[first][0]) if sentences else start
        ends = max(end, sentences[last][1]) if sentences else end
        if spans and begins <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], ends)
        else:
            spans.append((begins, ends))
    return spans


def without(text: str, spans: Sequence[Span]) -> str:
    """Return a text without some stretches, with the white space around them mended."""
    rest = ""
    reached = 0
    for start, end in spans:
        rest = _joined(rest, text[reached:start]) if reached else text[:start]
        reached = end
    return _joined(rest, text[reached:]) if spans else text


def column_texts(texts: Mapping[str, str | None], columns: Sequence[str], hits: Iterable[Span]) -> dict[str, str]:
    """Return the new texts of the columns of a row that hits touch.

    Args:
        texts: the texts by column; None is empty.
        columns: the columns that make up the text of the document, joined by a newline.
        hits: stretches of that text.
    """
    spans = list(hits)
    changed: dict[str, str] = {}
    first = 0
    for column in columns:
        text = texts.get(column) or ""
        here = [
            (max(0, start - first), min(len(text), end - first))
            for start, end in spans
            if start - first < len(text) and end > first
        ]
        if here:
            changed[column] = without(text, cut_spans(text, here))
        first += len(text) + 1
    return changed


def _joined(before: str, after: str) -> str:
    """Join the text before and after a cut."""
    if not before.strip():
        return before + after.lstrip(" \t") if before.endswith("\n") else after.lstrip()
    if before.endswith("\n"):
        return before + after.lstrip(" \t\r\n") if after.strip() else before.rstrip(" \t\r\n")
    if after[:1] in (" ", "\t") and before[-1:] in (" ", "\t"):
        return before + after.lstrip(" \t")
    return before.rstrip(" \t") + after if after[:1] in ("\n", "\r", "") else before + after


__all__ = ["Span", "column_texts", "cut_spans", "without"]
