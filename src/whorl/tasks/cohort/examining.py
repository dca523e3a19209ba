"""Compare manuscripts with their possible sources, and record passages, ratios and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whorl._internal.frozen import frozen
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import Comparing
from whorl.matching.crosswise import CrosswiseText, examine_texts
from whorl.reports.comparison.summary import Article
from whorl.tasks.cohort.reporting import write_report
from whorl.tasks.cohort.state import PAIR_COLUMNS, PASSAGE_COLUMNS, CohortState, Record
from whorl.text.sections import sections
from whorl.types.comparison import Composition, Passage, Ratios, Span

if TYPE_CHECKING:
    from whorl.matching.meaning import Encoder
    from whorl.matching.meaning.crosswise import MeaningChannel
    from whorl.tasks import Progress
    from whorl.tasks.cohort.reporting import PageSettings

_OTHER_WORDS = ("translated", "meaning")
"""Kinds of passages without a word in common."""
_EXCERPT = 80
"""Length of the displayed beginning of a passage."""


@frozen
class Texts:
    """All texts of a cohort with what is excluded of them.

    Attributes:
        column: the texts as an Arrow array.
        parts: kind and range of each excluded part of each text.
        excluded: the ranges of these except lists of references.
    """

    column: pa.LargeStringArray
    parts: Sequence[Sequence[tuple[str, int, int]]]
    excluded: list[list[Span]]

    @classmethod
    def of(cls, column: pa.LargeStringArray, records: Sequence[Record]) -> Texts:
        """Combine texts with the parts that are excluded of both texts of a pair.

        Lists of references are excluded from the examined text only, by the comparison.
        """
        parts = [record.parts for record in records]
        excluded = [[(start, end) for kind, start, end in ranges if kind != "references"] for ranges in parts]
        return cls(column, parts, excluded)

    def text(self, number: int) -> str:
        """Return a text."""
        text: str = self.column[number].as_py()
        return text

    def slice(self, number: int, start: int, end: int) -> str:
        """Return a range of a text."""
        return self.text(number)[start:end]


def examine(
    out: Path,
    state: CohortState,
    records: Sequence[Record],
    texts: Texts,
    jobs: Sequence[tuple[int, Sequence[int]]],
    notices: Notices,
    pages: PageSettings,
    min_length: int,
    exclude: Sequence[str],
    by_heading: bool,
    reworded: bool,
    encoder: Encoder | None,
    progress: Progress,
) -> None:
    """Compare manuscripts with their possible sources, and replace their results in the state.

    Args:
        out: the output folder, for the reports.
        state: receives the results.
        records: all texts by number.
        texts: the same texts.
        jobs: numbers of manuscripts, each with those of its possible sources.
        notices: learned boilerplate.
        pages: which reports to write.
        min_length: minimum length of a passage.
        exclude: further exclusions.
        by_heading: whether to record the shares of each chapter.
        reworded: whether to compare the content of texts with hardly a passage in common.
        encoder: model for a comparison of these by meaning; None compares none.
        progress: receives the progress.
    """
    comparing = Comparing(exclude=("references", *exclude), boilerplate=("",), least=min_length)
    rows, passages = _Columns(PAIR_COLUMNS), _Columns(PASSAGE_COLUMNS)
    authorised = [_by_same_author(records, text, sources) for text, sources in jobs]
    examined_texts = examine_texts(
        texts.column,
        jobs,
        comparing,
        excluded=texts.excluded,
        notices=notices,
        authorised=authorised,
        content=reworded,
        meaning=_meaning_channel(encoder, texts, [text for text, *_ in state.forms]),
    )
    for (number, _), same_author, examined in zip(jobs, authorised, examined_texts, strict=True):
        record = records[number]
        text = texts.text(number) if examined.sources else ""
        spread = _spread(examined, record.manuscript.characters)
        _add_pairs(rows, passages, examined, records, text, spread)
        result = _result(examined, records, texts.parts[number])
        if by_heading:
            result["sections"] = _shares_of_sections(
                examined.composition, text or texts.text(number), texts.parts[number]
            )
        if pages.reports:
            articles = [
                _article(records[source], texts.text(source), source in same_author) for source in examined.sources
            ]
            examined_article = _article(record, text or texts.text(number), False)
            result["report"] = write_report(out, state, record, examined.composition, examined_article, articles, pages)
        state.results[record.key] = result
        progress.advance(1)
    done = {records[number].key for number, _ in jobs}
    state.pairs = _replaced(state, state.pairs, done, rows.table())
    state.passages = _replaced(state, state.passages, done, passages.table())
    state.results = {key: result for key, result in state.results.items() if key in state.records}


def _meaning_channel(encoder: Encoder | None, texts: Texts, forms: Sequence[str]) -> MeaningChannel | None:
    if encoder is None:
        return None
    from whorl.matching.meaning.crosswise import MeaningChannel

    learned = Comparing(boilerplate=forms)

    @cache
    def ignored(number: int) -> list[Span]:
        return [*((start, end) for _, start, end in texts.parts[number]), *learned.notices_in(texts.text(number))]

    return MeaningChannel(encoder, texts.text, ignored)


def _replaced(state: CohortState, table: pa.Table, done: set[str], new: pa.Table) -> pa.Table:
    """Replace the rows of some manuscripts, and drop those of texts that are gone."""
    stays = pa.array([key for key in state.records if key not in done], pa.string())
    existing = pa.array(list(state.records), pa.string())
    mask = pc.and_(pc.is_in(table["text"], stays), pc.is_in(table["source"], existing))
    order = [(name, "ascending") for name in ("text", "source", "b_start", "a_start") if name in table.column_names]
    return pa.concat_tables([table.filter(mask), new]).sort_by(order).combine_chunks()


def _by_same_author(records: Sequence[Record], text: int, sources: Sequence[int]) -> list[int]:
    author = records[text].manuscript.author
    return [source for source in sources if records[source].manuscript.author == author] if author else []


def _article(record: Record, text: str, is_own: bool) -> Article:
    manuscript = record.manuscript
    label = manuscript.name if manuscript.title in manuscript.name else f"{manuscript.title} ({manuscript.name})"
    return Article(manuscript.name, text, is_own, label, manuscript.name, record.hidden, "")


def _spread(examined: CrosswiseText, length: int) -> list[list[int]]:
    """Return, for each passage of each source, how many texts contain it on average, the examined one included.

    Only its source is known to say the same in other words, besides the texts that copied these.
    """
    steps = np.zeros(length + 1, np.int64)
    for comparison in examined.alone:
        for passage in comparison.passages:
            if passage.kind not in _OTHER_WORDS:
                steps[passage.b_start] += 1
                steps[passage.b_end] -= 1
    sums = np.concatenate([[0], np.cumsum(np.cumsum(steps))])

    def of(passage: Passage) -> int:
        covered = sums[passage.b_end] - sums[passage.b_start]
        return 1 + (passage.kind in _OTHER_WORDS) + round(float(covered) / max(1, passage.b_end - passage.b_start))

    return [[of(passage) for passage in comparison.passages] for comparison in examined.alone]


class _Columns:
    """Rows of a table, column by column."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._columns: list[list[Any]] = [[] for _ in schema]

    def add(self, *row: Any) -> None:
        """Append a row."""
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def table(self) -> pa.Table:
        """Return all rows."""
        arrays = [pa.array(column, field.type) for column, field in zip(self._columns, self._schema, strict=True)]
        return pa.table(arrays, schema=self._schema)


def _add_pairs(
    rows: _Columns,
    passages: _Columns,
    examined: CrosswiseText,
    records: Sequence[Record],
    text: str,
    spread: Sequence[Sequence[int]],
) -> None:
    key = records[examined.text].key
    for source, comparison, documents in zip(examined.sources, examined.alone, spread, strict=True):
        other = records[source].key
        longest = max(range(len(documents)), key=lambda place: _size(comparison.passages[place]))
        passage = comparison.passages[longest]
        excerpt = " ".join(text[passage.b_start : passage.b_end].split())
        rows.add(
            key,
            other,
            comparison.ratios.copied,
            comparison.ratios.same_content,
            comparison.relation,
            len(comparison.passages),
            sum(passage.matched for passage in comparison.passages),
            excerpt if len(excerpt) <= _EXCERPT else excerpt[: _EXCERPT - 1] + "…",
            documents[longest],
        )
        for passage, count in zip(comparison.passages, documents, strict=True):
            passages.add(
                key,
                other,
                passage.a_start,
                passage.a_end,
                passage.b_start,
                passage.b_end,
                passage.similarity,
                passage.kind,
                passage.moved,
                passage.matched,
                passage.replaced,
                passage.homophones,
                passage.inserted,
                passage.deleted,
                passage.script,
                passage.noise,
                count,
            )


def _size(passage: Passage) -> tuple[int, int]:
    """Return the number of equal characters of a passage and its length, by which passages are ordered."""
    return passage.matched, passage.b_end - passage.b_start


def _shares_of_sections(
    composition: Composition, text: str, parts: Sequence[tuple[str, int, int]]
) -> list[tuple[str, int, float]]:
    """Return title, counted characters and copied share of each chapter.

    The copied characters from a source are those of its share, spread over its passages by their equal characters.
    """
    counted = np.ones(len(text))
    for _, start, end in parts:
        counted[start:end] = 0
    copied = np.zeros(len(text))
    for comparison in composition.comparisons:
        matched = sum(passage.matched for passage in comparison.passages)
        for passage in comparison.passages:
            free = counted[passage.b_start : passage.b_end]
            characters = comparison.ratios.copied * counted.sum() * passage.matched / max(1, matched)
            copied[passage.b_start : passage.b_end] += free * characters / max(1.0, free.sum())
    shares = []
    for section in sections(text, [(start, end) for kind, start, end in parts if kind in ("cover", "contents")]):
        length = counted[section.start : section.end].sum()
        share = copied[section.start : section.end].sum() / length if length else 0.0
        shares.append((section.title, int(length), min(1.0, float(share))))
    return shares


def _result(
    examined: CrosswiseText, records: Sequence[Record], parts: Sequence[tuple[str, int, int]]
) -> dict[str, Any]:
    ratios: Ratios = examined.composition.ratios
    shares = [(comparison.ratios.copied, comparison.ratios.same_content) for comparison in examined.alone]
    top = max(range(len(shares)), key=lambda place: shares[place], default=None)
    relation = examined.composition.relation
    if relation == "unrelated" and any(comparison.relation == "reworded" for comparison in examined.alone):
        relation = "reworded"
    excluded = Counter[str]()
    for kind, start, end in parts:
        excluded[kind] += end - start
    return {
        "ratios": {name: getattr(ratios, name) for name in Ratios.__dataclass_fields__},
        "quoted": max(0.0, ratios.copied - ratios.unquoted - ratios.quoted_uncited),
        "top_source": None if top is None else records[examined.sources[top]].key,
        "sources": len(examined.sources),
        "passages": len(examined.composition.passages),
        "relation": relation,
        "excluded": sorted((reason, count) for reason, count in excluded.items() if count),
        "report": "",
    }


__all__ = ["Texts", "examine"]
