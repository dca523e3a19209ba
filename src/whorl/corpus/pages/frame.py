"""Find the lines that frame an article: from the title to its first sentence, and after its last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl._internal.frozen import frozen
from whorl.corpus.pages.body import is_prose
from whorl.corpus.pages.parsing import PageLine

_LOOK_BACK = 8
_NEAR = 6
_AFTER = 5
_TRIED = 4
_LEAST_ALIKE = 16


@frozen
class ArticleFrame:
    """Lines around an article.

    Attributes:
        before: the lines between its title and its first sentence; without a title, the last lines before the sentence.
        after: the first lines after the article.
    """

    before: tuple[PageLine, ...] = ()
    after: tuple[PageLine, ...] = ()


def frame_of(lines: Sequence[PageLine], text: str, title: str | None) -> ArticleFrame:
    """Find the lines around an article.

    Args:
        lines: all visible lines.
        text: the article.
        title: its title.
    """
    paragraphs = [line for line in text.split("\n") if line != title]
    places = {line.text: place for place, line in reversed(list(enumerate(lines))) if line.text != title}
    prose = [paragraph for paragraph in paragraphs if is_prose(paragraph)] or paragraphs
    start = next((place for paragraph in prose[:_TRIED] if (place := _place(paragraph, places)) is not None), None)
    if start is None:
        return ArticleFrame()
    headed = [place for place in range(start) if title and lines[place].text.startswith(title[:_LEAST_ALIKE])]
    before = lines[headed[-1] + 1 if headed else max(0, start - _LOOK_BACK) : start]
    if len(before) > 2 * _NEAR:
        before = [*before[:_NEAR], *before[-_NEAR:]]
    end = max(
        (place for paragraph in paragraphs[-_TRIED:] if (place := _place(paragraph, places)) is not None), default=start
    )
    return ArticleFrame(tuple(before), tuple(lines[end + 1 : end + 1 + _AFTER]))


def _place(paragraph: str, places: Mapping[str, int]) -> int | None:
    """Return the first line index of a paragraph of the article, which may have lost its ends."""
    if paragraph in places:
        return places[paragraph]
    begins, ends = paragraph[:_LEAST_ALIKE], paragraph[-_LEAST_ALIKE:]
    return min((place for line, place in places.items() if begins in line and ends in line), default=None)


__all__ = ["ArticleFrame", "frame_of"]
