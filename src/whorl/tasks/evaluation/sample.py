"""Sample pairs of an unlabelled corpus for people to label, and score the labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.corpus import Columns
from whorl.errors import UsageError
from whorl.evaluation.documents import read_column, read_documents
from whorl.evaluation.labelling.estimate import estimate
from whorl.evaluation.labelling.sample import describe_sample, draw_sample, widened
from whorl.evaluation.labelling.workbook import SHEETS, read_book, write_book
from whorl.i18n import say
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.library.arguments import (
    Place,
    Places,
    Texts,
    demand_from,
    demand_part,
    places,
    reading,
    selected,
    strings,
)
from whorl.types.cards import NotebookCard

if TYPE_CHECKING:
    from whorl.tasks import Progress

REQUIRABLE = ("precision", "recall")
"""Figures that can be required."""


@frozen
class SampleResult(NotebookCard):
    """A workbook of pairs to label.

    >>> import whorl
    >>> drawn = whorl.lab.sample("examples/newsroom/articles.jsonl", "book.xlsx", size=5)
    >>> drawn.run["strata"]["judged"]["asked"]
    5

    Attributes:
        book: path of the workbook.
        run: the recipes, the seed and the corpus; "strata" has the number of sampled and of all pairs per sheet.
    """

    book: Path
    run: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {"book": str(self.book), **self.run}


@frozen
class SampleScore(NotebookCard):
    """Scores of a labelled sample.

    Attributes:
        figures: precision, recall, F1 and the agreement of the labelers, with 95% intervals.
        required: the required figures.
        unmet: those of them that are lower or unknown.
    """

    figures: Mapping[str, Any]
    required: Mapping[str, float]
    unmet: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {**self.figures, "required": dict(self.required), "unmet": list(self.unmet)}


def sample(
    inputs: Places,
    out: Place,
    *,
    size: int = 200,
    method: str | None = None,
    threshold: float | None = None,
    wider_method: str | None = None,
    wider_threshold: float | None = None,
    recipe: Recipe | Place | None = None,
    text: Texts | None = None,
    title: str | None = None,
    url: str | None = None,
    id: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SampleResult:
    """Write a workbook of pairs to label: judged duplicates, and pairs that only a wider limit finds.

    >>> import whorl
    >>> whorl.lab.sample("examples/newsroom/articles.jsonl", "book.xlsx", size=5).run["strata"]["judged"]["asked"]
    5

    Args:
        inputs: files, folders and globs.
        out: path of a new workbook.
        size: number of pairs per sheet.
        method: a method or preset.
        threshold: minimum similarity of a duplicate.
        wider_method: the wider method; None uses the same method with a wider limit.
        wider_threshold: its threshold; None uses half.
        recipe: further settings.
        text: the columns that make up the text.
        title: the column of titles; None uses "title" if it exists.
        url: the column of addresses; None uses "url" if it exists.
        id: the column of article ids.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        seed: seed of the sample.
        progress: receives the progress.

    Raises:
        UsageError: a value is out of range, the file exists, or openpyxl is not installed.
        InputError: a file cannot be read as requested, or lacks a named column.

    Cost: two runs in memory.
    """
    demand_from("size", size, 1)
    demand_from("seed", seed, 0)
    named = {"text": strings(text), "id": id, "encoding": encoding}
    chosen = recipe_of(recipe, method=method, threshold=threshold, **named)
    wider = _wider(chosen, wider_method, wider_threshold)
    corpora, options, files = places(inputs), reading(chosen), selected(include, exclude)
    documents = read_documents(corpora, Columns(chosen.text, chosen.id), options, progress, files)
    titles, urls = (
        read_column(corpora, column or usual, options, required=column is not None, selection=files)
        for column, usual in ((title, "title"), (url, "url"))
    )
    selection = draw_sample(documents, chosen, wider, size=size, seed=seed, titles=titles, urls=urls)
    book = Path(out)
    write_book(selection, book)
    return SampleResult(book, describe_sample(selection))


def _wider(recipe: Recipe, method: str | None, threshold: float | None) -> Recipe:
    if method is None and threshold is None:
        return widened(recipe)
    return recipe.changed(method=method, threshold=threshold, parameters={} if method else None)


def score(book: Place, *, require: Mapping[str, float] | None = None) -> SampleScore:
    """Score a labelled workbook: precision, recall and the agreement of the labelers, with 95% intervals.

    Recall is relative to the pairs found by the wider limit.

    Args:
        book: a workbook by ``sample`` with labels filled in.
        require: minimum "precision" and "recall".

    Raises:
        UsageError: a required figure is unknown or not from 0 to 1; or openpyxl is not installed.
        InputError: the workbook cannot be read, or its labels are incomplete or contradictory.
    """
    required = dict(require or {})
    for name, minimum in required.items():
        if name not in REQUIRABLE:
            raise UsageError(
                say("{name!r} cannot be required", name=name),
                hint=say("choose from: {known}", known=", ".join(REQUIRABLE)),
            )
        demand_part(name, minimum)
    figures = estimate(read_book(Path(book)))
    unmet = tuple(
        name for name, minimum in required.items() if figures[name] is None or figures[name]["value"] < minimum
    )
    return SampleScore(figures, required, unmet)


__all__ = ["REQUIRABLE", "SHEETS", "SampleResult", "SampleScore", "sample", "score"]
