"""Ask people about a corpus of which nothing is known, and read what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.cards import NotebookCard
from whorl.corpus import Columns
from whorl.errors import UsageError
from whorl.evaluation.book import SHEETS, read_book, write_book
from whorl.evaluation.documents import read_column, read_documents
from whorl.evaluation.estimate import estimate
from whorl.evaluation.sample import describe_sample, draw_sample, widened
from whorl.language import say
from whorl.recipe import Recipe, recipe_of
from whorl.tasks.arguments import (
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

if TYPE_CHECKING:
    from whorl.tasks import Progress

REQUIRABLE = ("precision", "recall")
"""The figures that may be asked for."""


@dataclass(frozen=True, slots=True)
class Drawn(NotebookCard):
    """A workbook of pairs for people to label.

    >>> import whorl
    >>> drawn = whorl.sample("examples/newsroom/articles.jsonl", "book.xlsx", size=5)
    >>> drawn.run["strata"]["judged"]["asked"]
    5

    Attributes:
        book: where it is.
        run: the recipes, the seed and the corpus; "strata" has how many pairs each sheet asks about, and of how many.
    """

    book: Path
    run: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {"book": str(self.book), **self.run}


@dataclass(frozen=True, slots=True)
class Scored(NotebookCard):
    """What people say about a sample.

    Attributes:
        figures: precision, recall, F1 and the agreement of the labellers, with 95 % intervals.
        required: what was asked for.
        unmet: which of these are less, or unknown.
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
) -> Drawn:
    """Write a workbook of pairs for people to label: what was judged a copy, and what only a wider limit finds.

    >>> import whorl
    >>> whorl.sample("examples/newsroom/articles.jsonl", "book.xlsx", size=5).run["strata"]["judged"]["asked"]
    5

    Args:
        inputs: files, folders and globs.
        out: a new workbook.
        size: pairs on each sheet.
        method: a method or preset.
        threshold: from which similarity a document is a copy.
        wider_method: what finds more; None takes the same, wider.
        wider_threshold: its threshold; None takes half.
        recipe: the rest.
        text: the columns that make the text.
        title: the column of titles; None takes "title" where there is one.
        url: the column of addresses; None takes "url" where there is one.
        id: the column that names an article.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        seed: chooses the pairs.
        progress: is told what happens.

    Raises:
        UsageError: a value is out of range, there is such a file, or openpyxl is not installed.
        InputError: a file cannot be read as asked, or lacks a column that was named.

    Cost: two runs in memory.
    """
    demand_from("size", size, 1)
    demand_from("seed", seed, 0)
    named = {"text": strings(text), "id": id, "encoding": encoding}
    chosen = recipe_of(recipe, method=method, threshold=threshold, **named)
    wider = _wider(chosen, wider_method, wider_threshold)
    given, options, files = places(inputs), reading(chosen), selected(include, exclude)
    documents = read_documents(given, Columns(chosen.text, chosen.id), options, progress, files)
    titles, urls = (
        read_column(given, column or usual, options, required=column is not None, selection=files)
        for column, usual in ((title, "title"), (url, "url"))
    )
    drawn = draw_sample(documents, chosen, wider, size=size, seed=seed, titles=titles, urls=urls)
    book = Path(out)
    write_book(drawn, book)
    return Drawn(book, describe_sample(drawn))


def _wider(recipe: Recipe, method: str | None, threshold: float | None) -> Recipe:
    if method is None and threshold is None:
        return widened(recipe)
    return recipe.changed(method=method, threshold=threshold, parameters={} if method else None)


def score(book: Place, *, require: Mapping[str, float] | None = None) -> Scored:
    """Read a labelled workbook: precision, recall and the agreement of the labellers, with 95 % intervals.

    Recall is relative to what the wider limit found.

    Args:
        book: a workbook that ``sample`` wrote, and people filled in.
        require: the least "precision" and "recall" that will do.

    Raises:
        UsageError: what is required is no such figure, or no share; or openpyxl is not installed.
        InputError: the workbook cannot be read, or its labels are not complete or contradict each other.
    """
    required = dict(require or {})
    for name, least in required.items():
        if name not in REQUIRABLE:
            raise UsageError(
                say("{name!r} cannot be required", name=name),
                cure=say("choose from: {known}", known=", ".join(REQUIRABLE)),
            )
        demand_part(name, least)
    found = estimate(read_book(Path(book)))
    unmet = tuple(name for name, least in required.items() if found[name] is None or found[name]["value"] < least)
    return Scored(found, required, unmet)


__all__ = ["REQUIRABLE", "SHEETS", "Drawn", "Scored", "sample", "score"]
