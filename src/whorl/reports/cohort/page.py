"""The page of a class: table, matrix, strongest pairs side by side, boilerplate and method; and the same on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from whorl._internal.frozen import frozen
from whorl.i18n import Language, Message, say, say_many
from whorl.reports.cohort.tables import COPIED, EXCLUDED, KINDS
from whorl.reports.comparison.passages import View, view
from whorl.reports.comparison.shares import share
from whorl.reports.comparison.summary import versions
from whorl.reports.comparison.wording import RELATIONS
from whorl.reports.naming import without_folders
from whorl.types.cohort import Cohort, CohortPair, Examination
from whorl.types.comparison import Passage

MATRIX = 40
"""Maximum number of rows and columns of the matrix: the manuscripts with the largest shares."""
_ROWS, _PAIRS, _FORMS = 1000, 200, 50
_VIEW_CHARACTERS = 3000
_STEPS = (0.0, 0.05, 0.15, 0.3, 0.5)
"""Lower limits of the shades of the matrix, exclusive."""


@frozen
class ShownPair:
    """A pair with its texts.

    Attributes:
        pair: the pair.
        text: text of the manuscript.
        source: the other text.
        passages: passages of the manuscript that the other text contains.
    """

    pair: CohortPair
    text: str
    source: str
    passages: tuple[Passage, ...]

    @property
    def view(self) -> View:
        """Both texts side by side."""
        return view([self.source], self.text, self.passages, _VIEW_CHARACTERS)


@frozen
class ManuscriptSheet:
    """One manuscript on paper.

    Attributes:
        examination: its result.
        sources: title, name, copied share, passages, and share of the same content, of each source.
        excerpts: title of the source, passage, its text, and the number of texts that contain it.
    """

    examination: Examination
    sources: tuple[tuple[str, str, float, int, float], ...]
    excerpts: tuple[tuple[str, Passage, str, int], ...]


@frozen
class MatrixCell:
    """A cell of the matrix.

    Attributes:
        value: share of the manuscript of the row that was copied from that of the column; None on the diagonal.
        shade: its shade, from 0 to 5.
        label: the share as text.
    """

    value: float | None
    shade: int
    label: Message | str


def render_cohort(
    cohort: Cohort,
    beside: Sequence[ShownPair],
    title: str,
    *,
    language: Language | None = None,
    command: str = "",
    examiner: str = "",
    model: str = "",
    sheets: Sequence[ManuscriptSheet] = (),
    paper: bool = False,
    at: datetime | None = None,
) -> str:
    """Render the page of a class as one self-contained bilingual HTML page.

    Args:
        cohort: the result.
        beside: the pairs to show side by side.
        title: title of the class.
        language: initial language of the page; None is the current language.
        command: the command line, shown without the folders of absolute paths.
        examiner: name of the examiner.
        model: name of the model of the meaning channel; empty without one.
        sheets: a sheet for each manuscript.
        paper: leave out links to other files.
        at: time of the run; None is now.
    """
    from whorl.reports.html import render

    names = [item.manuscript for item in cohort.examinations if item.sources][:MATRIX]
    return render(
        "cohort.html.j2",
        language,
        cohort=cohort,
        title=title or say("Class"),
        headline=_headline(cohort),
        columns=list(COPIED.items()),
        rows=cohort.examinations[:_ROWS],
        more_rows=max(0, len(cohort.examinations) - _ROWS),
        pairs=cohort.pairs[:_PAIRS],
        more_pairs=max(0, len(cohort.pairs) - _PAIRS),
        forms=cohort.forms[:_FORMS],
        more_forms=max(0, len(cohort.forms) - _FORMS),
        numbers={manuscript.name: number for number, manuscript in enumerate(names, start=1)},
        matrix=list(_matrix(cohort, [manuscript.name for manuscript in names])),
        matrix_titles=[manuscript.title for manuscript in names],
        matrix_rest=sum(bool(item.sources) for item in cohort.examinations) - len(names),
        beside=beside,
        kinds=KINDS,
        excluded=EXCLUDED,
        relations=RELATIONS,
        compared=[(KINDS[kind], count) for kind, count in cohort.compared],
        figures=_figures(cohort),
        examiner=examiner,
        model=model,
        sheets=sheets,
        paper=paper,
        steps=[share(step) for step in _STEPS],
        command="whorl cohort",
        run=without_folders(command),
        made=f"{(at or datetime.now(UTC)):%Y-%m-%d %H:%M:%S %Z}".strip(),
        versions=versions(),
        version=versions()["whorl"],
    )


def _headline(cohort: Cohort) -> Message:
    copied = sum(item.ratios.copied > 0 for item in cohort.examinations)
    return say_many(
        "Of {all:,} manuscripts, {count:,} has text in common with another text",
        "Of {all:,} manuscripts, {count:,} have text in common with another text",
        copied,
        all=len(cohort.examinations),
    )


def _figures(cohort: Cohort) -> list[tuple[Message, str]]:
    shares = sorted(item.ratios.copied for item in cohort.examinations)
    median = shares[len(shares) // 2] if shares else 0.0
    by_meaning = sum(pair.same_content > 0 for pair in cohort.pairs)
    return [
        (say("manuscripts"), f"{len(cohort.examinations):,}"),
        (say("pairs with common passages"), f"{len(cohort.pairs) - by_meaning:,}"),
        *([(say("pairs with the same content in other words"), f"{by_meaning:,}")] if by_meaning else []),
        (say("largest copied share"), share(shares[-1] if shares else 0.0)),
        (say("median copied share"), share(median)),
        (say("unreadable"), f"{len(cohort.unreadable):,}"),
    ]


def _matrix(cohort: Cohort, names: Sequence[str]) -> Iterator[list[MatrixCell]]:
    values: dict[tuple[str, str], float] = {}
    for pair in cohort.pairs:
        if pair.source_kind == "manuscript":
            values[pair.text, pair.source] = pair.copied
            if pair.copied_back is not None:
                values[pair.source, pair.text] = pair.copied_back
    for text in names:
        yield [_cell(None if text == source else values.get((text, source), 0.0)) for source in names]


def _cell(value: float | None) -> MatrixCell:
    shade = sum(value > step for step in _STEPS) if value else 0
    label: Any = "" if not value else f"{100 * value:.0f}" if value >= 0.005 else "<1"
    return MatrixCell(value, shade, label)


__all__ = ["MATRIX", "ManuscriptSheet", "MatrixCell", "ShownPair", "render_cohort"]
