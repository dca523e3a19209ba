"""HTML page of a comparison: a cover, a one-sheet summary, and every passage side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import Language, say, say_many
from whorl.matching.compare import compare, compare_sources
from whorl.reports.comparison.page_maps import page_maps
from whorl.reports.comparison.passages import tone, view
from whorl.reports.comparison.shares import of_tenths, share, tenths
from whorl.reports.comparison.summary import (
    Article,
    Collection,
    SourcePart,
    left_out_of,
    pages_of,
    parts_of,
    tricks,
    versions,
)
from whorl.reports.comparison.wording import CHANGES, EXCLUSIONS, FLAGS, FRAMES, RELATIONS, headline, labelled
from whorl.reports.evidence_sheet import EvidenceSheet
from whorl.reports.naming import title_of, without_folders
from whorl.types.comparison import Changes, Comparison, Composition, Passage

CELLS = 300
"""Number of cells of equal length in the strip that shows where a text matches its sources."""
MIN_LENGTHS = (0, 13, 30)
"""Minimum passage lengths for which the page shows the copied share."""

_MAX_CHARACTERS = 400_000
_FILTERED = 100
_SUMMED_UP = 10


@frozen
class Cell:
    """A cell of a text that contains copied text.

    Attributes:
        start: start of the cell, in percent of the text.
        width: length of the cell, in percent of the text.
        covered: share of the cell that is copied.
        tone: color of the passage that covers most of it.
        rank: rank of the source of that passage.
        number: number of that passage.
    """

    start: float
    width: float
    covered: float
    tone: int
    rank: int
    number: int


def render_comparison(
    comparison: Comparison | Composition,
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
    sheet: EvidenceSheet | None = None,
) -> str:
    """Render a comparison as one self-contained bilingual HTML page (Chinese and English).

    >>> import whorl
    >>> source, text = "渔港的冰厂今年添了两台新机器。", "据悉，渔港的冰厂今年添了两台新机器。"
    >>> page = whorl.evidence.render_comparison(whorl.compare(source, text), [source], text)
    >>> page[:15]
    '<!doctype html>'

    Args:
        comparison: result of ``whorl.compare`` or ``whorl.compare_sources``.
        sources: the first text of ``whorl.compare``, or all sources.
        text: the examined text: the second text of ``whorl.compare``.
        title: title of the text; by default its first line, if that is short, or its name.
        author: author of the text.
        short: render only the summary sheet, without passages.
        language: initial language of the page, which the reader can switch; None is the current language.
        options: the options of the comparison. With them, the page also shows the copied share for shorter and for
            longer minimum passage lengths. None means the defaults.
        searched: the inputs that contained the sources.
        left_out: number of further sources that were not compared.
        rejected: number of further sources that could not be read.
        command: the command line, shown without the folders of absolute paths.
        at: time of the comparison; None is now.
        paper: leave out elements that only a screen needs.
        sheet: first sheet of an evidence report.

    Returns:
        HTML that loads no external resource, runs no script and can always be encoded in UTF-8. It shows about
        400,000 characters of the text and counts the rest. The report number depends only on the compared texts and
        the result, so repeated comparisons have the same number.

    Raises:
        UsageError: the number of sources does not match ``comparison``, or ``options`` contains an unknown option.

    Cost: three comparisons, and some microseconds for each character shown.
    """
    examined = text if isinstance(text, Article) else Article("b", text)
    articles = _articles(comparison, [sources] if isinstance(sources, str | Article) else sources)
    parts = parts_of(comparison, articles)
    ranks = {part.number: part.rank for part in parts}
    texts = [article.text for article in articles]
    rounded, few = tenths([part.share for part in parts], comparison.ratios.copied)
    from whorl.reports.html import render

    return render(
        "comparison.html.j2",
        language,
        found=comparison,
        pair=comparison if isinstance(comparison, Comparison) else None,
        title=title or title_of(examined.text, examined.label),
        author=author,
        number=report_number(comparison, articles, examined),
        short=short,
        headline=headline(comparison, len(parts), len(articles)),
        told={"zh": comparison.changes.describe("zh"), "en": comparison.changes.describe("en")}
        if isinstance(comparison, Comparison)
        else {},
        kind=RELATIONS[comparison.relation] if len(articles) == 1 or comparison.relation == "compilation" else "",
        text=examined,
        parts=parts,
        shares=[of_tenths(tenth) if tenth else share(part.share) for part, tenth in zip(parts, rounded, strict=True)],
        summed_up=_SUMMED_UP,
        rest=_rest(parts, rounded, few),
        filtered=parts[:_FILTERED] if len(parts) > 1 and not paper else [],
        labels={part.number: (part.rank, part.source.label) for part in parts} if len(articles) > 1 else {},
        authorised=sum(article.authorised for article in articles),
        compared=len(articles),
        searched=searched,
        left_out=left_out,
        rejected=rejected,
        ratios=[(label, share(value)) for label, value in labelled(comparison.ratios)],
        changes=list(_changed([part.comparison.changes for part in parts])),
        frames=[(FRAMES[name], getattr(comparison.changes, name)) for name in FRAMES]
        if isinstance(comparison, Comparison)
        else [],
        flags=[(FLAGS[kind], article.label, count) for kind, article, count in tricks(parts, examined)],
        exclusions=[(EXCLUSIONS[exclusion.reason], exclusion) for exclusion in left_out_of(parts)],
        effects=list(_effects(comparison, articles, examined.text, options)),
        cells=list(cells(comparison.passages, len(examined.text), len(articles), ranks)),
        pages={
            number: pages_of(passage, examined, articles) for number, passage in enumerate(comparison.passages, start=1)
        },
        maps=page_maps(examined.lines, comparison.passages, len(articles), ranks),
        view=None if short else view(texts, examined.text, comparison.passages, _MAX_CHARACTERS, ranks),
        command="whorl compare",
        sheet=sheet,
        run=without_folders(command),
        made=f"{(at or datetime.now(UTC)):%Y-%m-%d %H:%M:%S %Z}".strip(),
        versions=versions(),
        version=versions()["whorl"],
    )


def _articles(comparison: Comparison | Composition, sources: Sequence[str | Article]) -> list[Article]:
    """Return the sources as articles; unnamed texts are named after their argument."""
    expected = len(comparison.shares) if isinstance(comparison, Composition) else 1
    if len(sources) != expected:
        raise UsageError(
            say_many(
                "one source is given, not {wanted:,}",
                "{count:,} sources are given, not {wanted:,}",
                len(sources),
                wanted=expected,
            ),
            hint=say("pass the compared sources, then the text"),
        )
    return [
        source if isinstance(source, Article) else Article(f"sources[{number}]" if expected > 1 else "a", source)
        for number, source in enumerate(sources)
    ]


def report_number(comparison: Comparison | Composition, sources: Sequence[Article], text: Article) -> str:
    """Return the number of a report: twelve hexadecimal digits derived from the texts and the result.

    It does not depend on the order or location of the sources.
    """
    identities = sorted(f"{source.digest} {source.authorised}" for source in sources)
    passages = sorted(
        f"{passage.b_start} {passage.b_end} {passage.a_start} {passage.a_end} {sources[passage.source].digest}"
        for passage in comparison.passages
    )
    digest = sha256("\n".join([text.digest, *identities, "", *passages]).encode()).hexdigest()
    return "-".join(digest[start : start + 4] for start in (0, 4, 8))


def cells(passages: Sequence[Passage], length: int, sources: int, ranks: Mapping[int, int]) -> Iterator[Cell]:
    """Yield the cells of a text that contain copied text; adjacent cells of equal look are merged.

    Args:
        passages: passages of the text, in order.
        length: length of the text, in code points.
        sources: number of sources.
        ranks: ranks of the contributing sources, by source number.
    """
    covered = [0.0] * CELLS
    largest: list[tuple[float, int]] = [(0.0, 0)] * CELLS
    for number, passage in enumerate(passages):
        start, end = (CELLS * place / length for place in (passage.b_start, passage.b_end))
        for place in range(int(start), min(CELLS, int(end) + 1)):
            part = min(end, place + 1) - max(start, place)
            covered[place] += part
            largest[place] = max(largest[place], (part, number), key=lambda covering: covering[0])
    last: Cell | None = None
    for place in range(CELLS):
        if round(covered[place], 2) <= 0:
            continue
        passage = passages[largest[place][1]]
        number = largest[place][1] + 1
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
    """Merge two adjacent cells of equal look; return None if they differ."""
    if last is None or (last.covered, last.tone, last.rank) != (now.covered, now.tone, now.rank):
        return None
    if now.start - last.start - last.width > 0.5 * now.width:
        return None
    width = round(now.start + now.width - last.start, 3)
    return Cell(last.start, width, last.covered, last.tone, last.rank, last.number)


def _rest(parts: Sequence[SourcePart], rounded: Sequence[int], few: int) -> tuple[int, Any]:
    """Return the number of sources that the summary omits, and their total share."""
    return max(0, len(parts) - _SUMMED_UP), of_tenths(sum(rounded[_SUMMED_UP:]) + few)


def _changed(changes: Sequence[Changes]) -> Iterator[tuple[Any, int]]:
    insertions = {"inserted", "deleted"} if len(changes) > 1 else set()
    for field, name in CHANGES.items():
        count = sum(getattr(change, field) for change in changes)
        if count and field not in insertions:
            yield name, count


def _effects(
    comparison: Comparison | Composition, sources: Sequence[Article], text: str, options: Mapping[str, Any] | None
) -> Iterator[tuple[int, Any, int, bool]]:
    """Yield minimum passage length, copied share, passage count, and True for the length in use."""
    chosen = dict(options or {})
    if options is None and any(
        item.exclusions for item in (comparison.comparisons if isinstance(comparison, Composition) else [comparison])
    ):
        return
    used = chosen.pop("least", None) or 0
    chosen.pop("meaning", None)  # has no part in the copied share
    permitted = [number for number, source in enumerate(sources) if source.authorised]
    for min_length in sorted({*MIN_LENGTHS, used}):
        other: Comparison | Composition = comparison
        if min_length != used and isinstance(comparison, Comparison):
            other = compare(sources[0].text, text, authorised=bool(permitted), least=min_length, **chosen)
        elif min_length != used:
            other = compare_sources(
                [item.text for item in sources], text, authorised=permitted, least=min_length, **chosen
            )
        count = sum(passage.kind != "meaning" for passage in other.passages)
        yield min_length, share(other.ratios.copied), count, min_length == used


__all__ = ["CELLS", "MIN_LENGTHS", "Cell", "cells", "render_comparison", "report_number"]
