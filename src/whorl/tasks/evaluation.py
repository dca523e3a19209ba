"""Methods held against what is known, and a recipe for a corpus of which nothing is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from whorl.tasks.arguments import Place, Places, Texts, demand_from, demand_part, places, selected, strings

if TYPE_CHECKING:
    from whorl.tasks import Progress


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What methods found of the copies that are known.

    >>> import whorl
    >>> news = "examples/newsroom"
    >>> found = whorl.evaluate(f"{news}/articles.jsonl", f"{news}/truth.jsonl", methods="exact", sweep=False)
    >>> found.documents, found.methods[0]["name"]
    (91, 'exact')

    Attributes:
        whorl: the version.
        confidence: of all intervals.
        seed: chose the random pairs.
        documents: how many were read.
        rejected: rows that could not be read.
        truth: how much is known.
        methods: for each its recipe, recall, precision, F1 and cost, and its sweep.
        distances: how far apart SimHash codes are.
        passages: how well passages are found, where the truth knows them.
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
        """What another threshold would gain, in one sentence in English; None where none gains much."""
        return hint_of_evaluation(self.methods)

    def report(self) -> str:
        """Return it as one self-contained HTML page, with tables and charts."""
        from whorl.reports.evaluation import render_evaluation

        return render_evaluation(self.to_dict())

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import evaluation_card

        return evaluation_card(self.to_dict())


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Which recipe suits a corpus.

    >>> import whorl
    >>> found = whorl.recommend("examples/newsroom/articles.jsonl", methods="minhash", copies=1)
    >>> found.recipe is None or found.recipe.method
    'minhash'

    Attributes:
        recipe: the one recommended; None if none qualifies, or if the sample was refused.
        figures: what speaks for it and for the others.
    """

    recipe: Recipe | None
    figures: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        """What the recommended recipe is called: its method, with its threshold or distance."""
        return None if self.recipe is None else str(self.figures["recommended"]["name"])

    @property
    def refused(self) -> str | None:
        """Why the sample cannot tell methods apart, in one sentence in English; None where it can."""
        refused = self.figures["refused"]
        return None if refused is None else str(refused["message"])

    @property
    def warnings(self) -> list[Mapping[str, Any]]:
        """What its removals of the corpus itself warn of, each with a ``message`` in English."""
        return [] if self.recipe is None else list(self.figures["recommended"]["real"]["warnings"])

    @property
    def best(self) -> list[Mapping[str, Any]]:
        """The recipes worth a look: the recommended one, and the best of each other method."""
        return alternatives(self.figures)

    def toml(self) -> str:
        """Return the recommended recipe as a file that every command and function takes; empty if there is none."""
        return "" if self.recipe is None else as_toml(self.recipe, f"whorl recommend: {self.name}")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        return dict(self.figures)

    def report(self) -> str:
        """Return the figures as one self-contained HTML page."""
        from whorl.reports.recommendation import render_recommendation

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
    """Hold methods against known copies: recall, precision and F1 with 95 % intervals, and the cost.

    >>> import whorl
    >>> newsroom = "examples/newsroom"
    >>> found = whorl.evaluate(f"{newsroom}/articles.jsonl", f"{newsroom}/truth.jsonl", methods="exact", sweep=False)
    >>> [method["name"] for method in found.methods]
    ['exact']

    Args:
        inputs: files, folders and globs.
        truth: a file of pairs, clusters, or copies and their sources.
        methods: methods and presets to try; None tries all, unless there are recipes.
        recipes: TOML files to try besides.
        ignore: a file of pairs that are neither right nor wrong.
        complete: whether the truth names every copy; else precision is not claimed.
        sweep: also try other thresholds and distances, and measure SimHash distances.
        text: the columns that make the text.
        id: the column that names an article.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        seed: chooses the random pairs.
        workers: threads of this call, and processes that parse files; None takes all cores.
        progress: is told what happens.

    Raises:
        UsageError: there is no such method, or a value is out of range.
        InputError: a file cannot be read as asked, or two articles have the same id.

    Cost: a run for each recipe and each point of its sweep, in memory.
    """
    demand_from("seed", seed, 0)
    columns, files = Columns(strings(text) or ("text",), id), selected(include, exclude)
    plan = _plan(strings(methods) or None, places(recipes), sweep, seed)
    with bounded(workers):
        read = read_documents(places(inputs), columns, ReadOptions(encoding), progress, files)
        demand_different_ids(read)
        aside = None if ignore is None else Path(ignore)
        known = load_truth(Path(truth), frozenset(read.ids), ignore=aside, complete=complete)
        return Evaluation(**try_plan(read, known, plan, progress))


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
    """Propose a recipe for a corpus, by copies planted in a sample of it and by what it removes of the corpus itself.

    >>> import whorl
    >>> found = whorl.recommend("examples/newsroom/articles.jsonl", methods="minhash", copies=1)
    >>> recipe = found.recipe  # or None, where none qualifies; found.toml() is its file

    Args:
        inputs: files, folders and globs.
        methods: methods and presets to try; None tries those of the purpose, or all.
        kinds: of copies that matter, such as "typo5"; None takes those of the purpose, or all.
        purpose: what the corpus is for: "corpus" (text to train on: whole texts that are repeated), "news" (reprints,
            excerpts and mixtures, removed or linked), "theses" (copied parts, which are linked and not removed) or
            "archive" (only exact duplicates and near-duplicates are removed).
        precision: minimum share of right removals, planted and real; None is 0.97, and 0.99 for an archive.
        text: the columns that make the text.
        id: the column that names an article.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        size: how many documents to sample at most.
        copies: of each kind, how many to plant.
        seed: chooses them.
        progress: is told what happens.

    Raises:
        UsageError: there is no such method, kind or purpose, or a value is out of range.
        InputError: a file cannot be read as asked, or the corpus is too small.

    Cost: bounded, beside reading the files. At most a million code points are sampled, 10,000 of a text, and no run is
    begun after 500 million code points fingerprinted or compared, or 45 CPU seconds.
    """
    aim = purpose_of(purpose)
    required = aim.precision if precision is None else precision
    demand_part("precision", required)
    for name, value, least in (("size", size, 1), ("copies", copies, 1), ("seed", seed, 0)):
        demand_from(name, value, least)
    base = Recipe(text=strings(text) or ("text",), id=id, encoding=encoding)
    recipes = recipes_of(strings(methods) or aim.methods or None, base)
    wish = Wish(recipes, required, size, copies, seed, strings(kinds) or (), aim)
    columns, files = Columns(base.text, id), selected(include, exclude)
    documents = read_documents(places(inputs), columns, ReadOptions(encoding), progress, files)
    return Recommendation(*find_recipe(documents, wish, progress))


__all__ = ["Evaluation", "Recommendation", "evaluate", "recommend"]
