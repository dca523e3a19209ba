"""The page of a comparison: a cover, a summary on one sheet, and every passage side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from whorl.errors import UsageError
from whorl.language import Language, say, say_many
from whorl.matching.compare import compare, compare_sources
from whorl.model import Changes, Comparison, Composition, Passage
from whorl.reports.comparison import Article, Collection, Part, left_out_of, parts_of, tricks, versions
from whorl.reports.naming import title_of, without_folders
from whorl.reports.passages import tone, view
from whorl.reports.shares import of_tenths, share, tenths
from whorl.reports.wording import CHANGES, EXCLUSIONS, FLAGS, FRAMES, RATIOS, RELATIONS, headline

CELLS = 300
"""Into how many parts of equal length a text is divided, to show where it has something from others."""
LEAST = (0, 13, 30)
"""For which least lengths of a passage a page says what the copied share would be."""

_SHOWN = 400_000
_FILTERED = 100
_SUMMED_UP = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the text of which something stands in a source.

    Attributes:
        start: where it starts, in percents of the text.
        width: how long it is, in percents.
        covered: which share of it stands in sources.
        tone: the look of the passage that has most of it.
        rank: of the source of that passage.
        number: of that passage.
    """

    start: float
    width: float
    covered: float
    tone: int
    rank: int
    number: int


def render_comparison(
    found: Comparison | Composition,
    sources: Sequence[str | Article] | str | Article,
    text: str | Article,
    *,
    title: str = "",
    author: str = "",
    short: bool = False,
    language: Language | None = None,
    options: Mapping[str, Any] | None = None,
    searched: Sequence[Collection] = (),
    left_out: int = 0,
    rejected: int = 0,
    command: str = "",
    at: datetime | None = None,
    paper: bool = False,
) -> str:
    """Render one self-contained HTML page about a comparison, for readers of Chinese and of English.

    >>> import whorl
    >>> source, text = "渔港的冰厂今年添了两台新机器。", "据悉，渔港的冰厂今年添了两台新机器。"
    >>> page = whorl.render_comparison(whorl.compare(source, text), [source], text)
    >>> page[:15]
    '<!doctype html>'

    Args:
        found: what ``whorl.compare`` or ``whorl.compare_sources`` said.
        sources: what it was compared with: the first text of ``whorl.compare``, or all the sources.
        text: the text that was examined: the second one of ``whorl.compare``.
        title: of the text; else its first line, where that is short, or its name.
        author: of the text.
        short: leave out the passages and what else is not on the sheet that sums it up.
        language: in which the page begins; None is the one that is spoken. Its reader may choose another.
        options: those that ``found`` was made with, so that the page can say what the copied share is where shorter or
            only longer passages count; None is none, and where anything was left out, not saying it.
        searched: the inputs that the sources are from.
        left_out: further sources that were not compared.
        rejected: further sources that could not be read.
        command: what was run, to be shown without the folders of its absolute paths.
        at: when; None is now.
        paper: leave out what only a screen needs.

    Returns:
        HTML that asks for nothing from outside, runs no script and can be encoded in UTF-8, whatever the texts hold. It
        shows about 400,000 characters of the text and counts the rest. Its number is that of what was compared and
        found: the same texts, compared in the same way, have the same.

    Raises:
        UsageError: there are more or fewer sources than ``found`` is of, or ``options`` are none of a comparison.

    Cost: that of comparing three times, and some microseconds a character that is shown.
    """
    own = text if isinstance(text, Article) else Article("b", text)
    articles = _articles(found, [sources] if isinstance(sources, str | Article) else sources)
    parts = parts_of(found, articles)
    ranks = {part.number: part.rank for part in parts}
    texts = [article.text for article in articles]
    shown, few = tenths([part.share for part in parts], found.ratios.copied)
    from whorl.reports.html import render

    return render(
        "comparison.html.j2",
        language,
        found=found,
        pair=found if isinstance(found, Comparison) else None,
        title=title or title_of(own.text, own.label),
        author=author,
        number=report_number(found, articles, own),
        short=short,
        headline=headline(found, len(parts), len(articles)),
        told={"zh": found.changes.told("zh"), "en": found.changes.told("en")} if isinstance(found, Comparison) else {},
        kind=RELATIONS[found.relation] if len(articles) == 1 or found.relation == "compilation" else "",
        text=own,
        parts=parts,
        shares=[of_tenths(tenth) if tenth else share(part.share) for part, tenth in zip(parts, shown, strict=True)],
        summed_up=_SUMMED_UP,
        rest=_rest(parts, shown, few),
        filtered=parts[:_FILTERED] if len(parts) > 1 and not paper else [],
        labels={part.number: (part.rank, part.source.label) for part in parts} if len(articles) > 1 else {},
        authorised=sum(article.authorised for article in articles),
        compared=len(articles),
        searched=searched,
        left_out=left_out,
        rejected=rejected,
        ratios=[(name, share(getattr(found.ratios, field))) for field, name in RATIOS.items()],
        changes=list(_changed([part.comparison.changes for part in parts])),
        frames=[(FRAMES[name], getattr(found.changes, name)) for name in FRAMES]
        if isinstance(found, Comparison)
        else [],
        flags=[(FLAGS[kind], article.label, count) for kind, article, count in tricks(parts, own)],
        exclusions=[(EXCLUSIONS[one.reason], one) for one in left_out_of(parts)],
        effects=list(_effects(found, articles, own.text, options)),
        cells=list(cells(found.passages, len(own.text), len(articles), ranks)),
        view=None if short else view(texts, own.text, found.passages, _SHOWN, ranks),
        command="whorl compare",
        run=without_folders(command),
        made=f"{(at or datetime.now(UTC)):%Y-%m-%d %H:%M:%S %Z}".strip(),
        versions=versions(),
        version=versions()["whorl"],
    )


def _articles(found: Comparison | Composition, sources: Sequence[str | Article]) -> list[Article]:
    """The sources with what they are called: those without a name as Python knows them."""
    wanted = len(found.shares) if isinstance(found, Composition) else 1
    if len(sources) != wanted:
        raise UsageError(
            say_many(
                "one source is given, not {wanted:,}",
                "{count:,} sources are given, not {wanted:,}",
                len(sources),
                wanted=wanted,
            ),
            cure=say("give the sources that were compared, then the text"),
        )
    return [
        one if isinstance(one, Article) else Article(f"sources[{number}]" if wanted > 1 else "a", one)
        for number, one in enumerate(sources)
    ]


def report_number(found: Comparison | Composition, sources: Sequence[Article], text: Article) -> str:
    """Return the number of a report: twelve hexadecimal digits of what was compared and found.

    The order of the sources does not matter, nor where they were.
    """
    known = sorted(f"{source.digest} {source.authorised}" for source in sources)
    passages = sorted(
        f"{one.b_start} {one.b_end} {one.a_start} {one.a_end} {sources[one.source].digest}" for one in found.passages
    )
    digest = sha256("\n".join([text.digest, *known, "", *passages]).encode()).hexdigest()
    return "-".join(digest[start : start + 4] for start in (0, 4, 8))


def cells(passages: Sequence[Passage], length: int, sources: int, ranks: Mapping[int, int]) -> Iterator[Cell]:
    """Yield the parts of a text that have something from a source; neighbours that look alike are one.

    Args:
        passages: what the text has from sources, in its order.
        length: of the text, in code points.
        sources: how many there are.
        ranks: of those that gave something, by their numbers.
    """
    covered = [0.0] * CELLS
    most: list[tuple[float, int]] = [(0.0, 0)] * CELLS
    for number, passage in enumerate(passages):
        start, end = (CELLS * place / length for place in (passage.b_start, passage.b_end))
        for place in range(int(start), min(CELLS, int(end) + 1)):
            part = min(end, place + 1) - max(start, place)
            covered[place] += part
            most[place] = max(most[place], (part, number), key=lambda one: one[0])
    last: Cell | None = None
    for place in range(CELLS):
        if round(covered[place], 2) <= 0:
            continue
        passage = passages[most[place][1]]
        number = most[place][1] + 1
        rank = ranks.get(passage.source, 1)
        now = Cell(
            round(100 * place / CELLS, 3),
            round(100 / CELLS, 3),
            min(1.0, round(covered[place], 2)),
            tone(passage, number, sources, ranks),
            rank,
            number,
        )
        joined = _joined(last, now)
        if last is not None and joined is None:
            yield last
        last = joined or now
    if last is not None:
        yield last


def _joined(last: Cell | None, now: Cell) -> Cell | None:
    """Two cells as one, where they touch and look alike."""
    if last is None or (last.covered, last.tone, last.rank) != (now.covered, now.tone, now.rank):
        return None
    if now.start - last.start - last.width > 0.5 * now.width:
        return None
    width = round(now.start + now.width - last.start, 3)
    return Cell(last.start, width, last.covered, last.tone, last.rank, last.number)


def _rest(parts: Sequence[Part], shown: Sequence[int], few: int) -> tuple[int, Any]:
    """How many sources the summary does not list, and their share together."""
    return max(0, len(parts) - _SUMMED_UP), of_tenths(sum(shown[_SUMMED_UP:]) + few)


def _changed(changes: Sequence[Changes]) -> Iterator[tuple[Any, int]]:
    own = {"inserted", "deleted"} if len(changes) > 1 else set()
    for field, name in CHANGES.items():
        count = sum(getattr(change, field) for change in changes)
        if count and field not in own:
            yield name, count


def _effects(
    found: Comparison | Composition, sources: Sequence[Article], text: str, options: Mapping[str, Any] | None
) -> Iterator[tuple[int, Any, int, bool]]:
    """Yield a least length of passages, the copied share and the passages with it, and whether it is the one used."""
    given = dict(options or {})
    if options is None and any(
        one.exclusions for one in (found.comparisons if isinstance(found, Composition) else [found])
    ):
        return
    used = given.pop("least", None) or 0
    leave = [number for number, source in enumerate(sources) if source.authorised]
    for least in sorted({*LEAST, used}):
        other: Comparison | Composition = found
        if least != used and isinstance(found, Comparison):
            other = compare(sources[0].text, text, authorised=bool(leave), least=least, **given)
        elif least != used:
            other = compare_sources([one.text for one in sources], text, authorised=leave, least=least, **given)
        yield least, share(other.ratios.copied), len(other.passages), least == used


__all__ = ["CELLS", "LEAST", "Cell", "cells", "render_comparison", "report_number"]
