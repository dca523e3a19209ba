"""Evaluate methods on labelled duplicates, and recommend a recipe for an unlabelled corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, ReadOptions
from whorl.engines.workers import bounded
from whorl.evaluation.documents import demand_different_ids, read_documents
from whorl.evaluation.evaluate import Plan, recipes_of
from whorl.evaluation.evaluate import evaluate as try_plan
from whorl.evaluation.purposes import purpose_of
from whorl.evaluation.recommend import Wish, alternatives, as_toml
from whorl.evaluation.recommend import recommend as find_recipe
from whorl.evaluation.sweep import THRESHOLDS
from whorl.evaluation.truth import load_truth
from whorl.recipe import Recipe, load_recipe
from whorl.reports.hints import hint_of_evaluation
from whorl.tasks.library.arguments import Place, Places, Texts, demand_from, demand_part, places, selected, strings

if TYPE_CHECKING:
    from whorl.tasks import Progress


@frozen
class Evaluation:
    """Evaluation of methods on labelled duplicates.

    >>> import whorl
    >>> news = "examples/newsroom"
    >>> found = whorl.lab.evaluate(f"{news}/articles.jsonl", f"{news}/truth.jsonl", methods="exact", sweep=False)
    >>> found.documents, found.methods[0]["name"]
    (91, 'exact')

    Attributes:
        whorl: version of whorl.
        confidence: confidence level of all intervals.
        seed: seed of the random pairs.
        documents: number of documents read.
        rejected: number of unreadable rows.
        truth: size of the labelled data.
        methods: for each its recipe, recall, precision, F1 and cost, and its sweep.
        distances: distances between SimHash codes.
        passages: quality of the passages, if the labels contain passages.
    """

    whorl: str
    confidence: float
    seed: int
    documents: int
    rejected: int
    truth: Mapping[str, Any]
    methods: Sequence[Mapping[str, Any]]
    distances: Sequence[Mapping[str, Any]]
    passages: Any

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"hint": self.hint}

    @property
    def hint(self) -> str | None:
        """Hint about a better threshold, one sentence in English, or None if no threshold is much better."""
        return hint_of_evaluation(self.methods)

    def report(self) -> str:
        """Return it as one self-contained HTML page, with tables and charts."""
        from whorl.reports.evaluation.page import render_evaluation

        return render_evaluation(self.to_dict())

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import evaluation_card

        return evaluation_card(self.to_dict())


@frozen
class Recommendation:
    """Recommended recipe for a corpus.

    >>> import whorl
    >>> found = whorl.lab.recommend("examples/newsroom/articles.jsonl", methods="minhash", copies=1)
    >>> found.recipe is None or found.recipe.method
    'minhash'

    Attributes:
        recipe: the recommended recipe; None if none qualifies or if the sample was refused.
        figures: figures for the recommended recipe and the others.
    """

    recipe: Recipe | None
    figures: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        """Label of the recommended recipe: its method with its threshold or distance."""
        return None if self.recipe is None else str(self.figures["recommended"]["name"])

    @property
    def refused(self) -> str | None:
        """Reason why the sample cannot compare methods, one sentence in English, or None."""
        refused = self.figures["refused"]
        return None if refused is None else str(refused["message"])

    @property
    def warnings(self) -> list[Mapping[str, Any]]:
        """Warnings from the removals in the corpus itself, each with a ``message`` in English."""
        return [] if self.recipe is None else list(self.figures["recommended"]["real"]["warnings"])

    @property
    def best(self) -> list[Mapping[str, Any]]:
        """The best recipes: the recommended one and the best of each other method."""
        return alternatives(self.figures)

    def toml(self) -> str:
        """Return the recommended recipe as a TOML file for commands and functions; empty if there is none."""
        return "" if self.recipe is None else as_toml(self.recipe, f"whorl recommend: {self.name}")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        return dict(self.figures)

    def report(self) -> str:
        """Return the figures as one self-contained HTML page."""
        from whorl.reports.evaluation.recommendation import render_recommendation

        return render_recommendation(self.figures, self.best)

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import recommendation_card

        return recommendation_card(self.figures, self.best)


def evaluate(
    inputs: Places,
    truth: Place,
    *,
    methods: Texts | None = None,
    recipes: Places = (),
    ignore: Place | None = None,
    complete: bool = True,
    sweep: bool = True,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate methods on labelled duplicates: recall, precision and F1 with 95% intervals, and the cost.

    >>> import whorl
    >>> news = "examples/newsroom"
    >>> found = whorl.lab.evaluate(f"{news}/articles.jsonl", f"{news}/truth.jsonl", methods="exact", sweep=False)
    >>> [method["name"] for method in found.methods]
    ['exact']

    Args:
        inputs: files, folders and globs.
        truth: a file of pairs, clusters, or copies with their sources.
        methods: methods and presets to try; None tries all, unless there are recipes.
        recipes: further recipes to try, as TOML files.
        ignore: a file of pairs that count as neither right nor wrong.
        complete: True if the labels include every duplicate; otherwise precision is not reported.
        sweep: also try other thresholds and distances, and measure SimHash distances.
        text: the columns that make up the text.
        id: the column of article ids.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        seed: seed for the random pairs.
        workers: threads of this call, and processes that parse files; None uses all cores.
        progress: receives the progress.

    Raises:
        UsageError: a method is unknown, or a value is out of range.
        InputError: a file cannot be read as requested, or two articles have the same id.

    Cost: a run for each recipe and each point of its sweep, in memory.
    """
    demand_from("seed", seed, 0)
    columns, files = Columns(strings(text) or ("text",), id), selected(include, exclude)
    plan = _plan(strings(methods) or None, places(recipes), sweep, seed)
    with bounded(workers):
        read = read_documents(places(inputs), columns, ReadOptions(encoding), progress, files)
        demand_different_ids(read)
        aside = None if ignore is None else Path(ignore)
        labels = load_truth(Path(truth), frozenset(read.ids), ignore=aside, complete=complete)
        return Evaluation(**try_plan(read, labels, plan, progress))


def _plan(methods: Sequence[str] | None, files: Sequence[str], sweep: bool, seed: int) -> Plan:
    recipes = {file: load_recipe(Path(file)) for file in files}
    if methods or not files:
        recipes |= recipes_of(methods, Recipe())
    named = bool(methods or files)
    return Plan(recipes, THRESHOLDS if sweep else (), named, sweep, seed)


def recommend(
    inputs: Places,
    *,
    methods: Texts | None = None,
    kinds: Texts | None = None,
    purpose: str | None = None,
    precision: float | None = None,
    text: Texts | None = None,
    id: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    size: int = 3000,
    copies: int = 40,
    seed: int = 0,
    progress: Progress | None = None,
) -> Recommendation:
    """Recommend a recipe for a corpus, using copies planted in a sample and real removals.

    >>> import whorl
    >>> found = whorl.lab.recommend("examples/newsroom/articles.jsonl", methods="minhash", copies=1)
    >>> recipe = found.recipe  # or None, where none qualifies; found.toml() is its file

    Args:
        inputs: files, folders and globs.
        methods: methods and presets to try; None tries those of the purpose, or all.
        kinds: kinds of copies to plant, such as "typo5"; None uses those of the purpose, or all.
        purpose: what the corpus is for: "corpus" (training text: repeated whole texts), "news" (reprints, excerpts and
            composites, removed or linked), "theses" (copied parts, which are linked and not removed) or "archive" (only
            exact duplicates and near-duplicates are removed).
        precision: minimum share of right removals, planted and real; None is 0.97, and 0.99 for an archive.
        text: the columns that make up the text.
        id: the column of article ids.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        size: maximum number of sampled documents.
        copies: number of planted copies of each kind.
        seed: seed for sample and copies.
        progress: receives the progress.

    Raises:
        UsageError: a method, kind or purpose is unknown, or a value is out of range.
        InputError: a file cannot be read as requested, or the corpus is too small.

    Cost: bounded, except for reading the files. At most a million code points are sampled, 10,000 per text, and no run
    starts after 500 million code points were fingerprinted or compared, or after 45 CPU seconds.
    """
    aim = purpose_of(purpose)
    required = aim.precision if precision is None else precision
    demand_part("precision", required)
    for name, value, minimum in (("size", size, 1), ("copies", copies, 1), ("seed", seed, 0)):
        demand_from(name, value, minimum)
    base = Recipe(text=strings(text) or ("text",), id=id, encoding=encoding)
    recipes = recipes_of(strings(methods) or aim.methods or None, base)
    wish = Wish(recipes, required, size, copies, seed, strings(kinds) or (), aim)
    columns, files = Columns(base.text, id), selected(include, exclude)
    documents = read_documents(places(inputs), columns, ReadOptions(encoding), progress, files)
    return Recommendation(*find_recipe(documents, wish, progress))


__all__ = ["Evaluation", "Recommendation", "evaluate", "recommend"]
