"""Evaluation of all methods against the truth of a corpus: recall, precision and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from whorl._internal.frozen import frozen
from whorl.engines.progress import Progress, Silent
from whorl.evaluation.distances import measure_distances
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import CONFIDENCE
from whorl.evaluation.passages import describe_passages, score_passages
from whorl.evaluation.scoring import Truth, score
from whorl.evaluation.sweep import THRESHOLDS, sweep
from whorl.evaluation.trial import describe, try_recipe
from whorl.fingerprints import families
from whorl.i18n import say
from whorl.recipe import PRESETS, Recipe
from whorl.release import __version__

_CHEAP = 100


@frozen
class Plan:
    """The measurements to make.

    Attributes:
        recipes: recipes by their names in the result.
        thresholds: further thresholds to try; empty for no sweep of thresholds or distances.
        costly: also sweep recipes with more than 100 candidates per document; each point is a full run.
        distances: measure the distances of SimHash codes.
        seed: seed of the random pairs.
    """

    recipes: Mapping[str, Recipe]
    thresholds: tuple[float, ...] = THRESHOLDS
    costly: bool = True
    distances: bool = True
    seed: int = 0


def recipes_of(methods: Iterable[str] | None, base: Recipe) -> dict[str, Recipe]:
    """Return the recipes of methods and presets by name; None selects all.

    Args:
        methods: names of methods and presets.
        base: recipe with the columns of the corpus.

    Raises:
        UsageError: a method does not exist.
    """
    named = {name: base.changed(method=name) for name in methods or (*families(), *PRESETS)}
    for recipe in named.values():
        recipe.family()
    return named


def evaluate(documents: Documents, truth: Truth, plan: Plan, progress: Progress | None = None) -> dict[str, Any]:
    """Run every recipe of a plan on documents, and return all figures, ready for JSON.

    Raises:
        UsageError: a recipe has a parameter out of range.

    Cost: an in-memory run for each recipe and each point of its sweep; if the truth has passages, also a comparison
    of each copy with each of its sources.
    """
    report = progress or Silent()
    report.stage("evaluate", len(plan.recipes), "methods")
    methods = []
    for name, recipe in plan.recipes.items():
        methods.append({"name": name} | _method(documents, truth, recipe, plan))
        if not methods[-1]["swept"]:
            report.note(say("{name} compares too much to be swept beside all others; name it to sweep it", name=name))
        report.advance(1)
    distances = []
    if plan.distances:
        report.stage("distances", None, "histograms")
        for measured in measure_distances(documents, truth, plan.seed):
            distances.append(measured.as_dict())
            report.advance(1)
    texts = dict(zip(documents.ids, documents.texts, strict=True))
    return {
        "whorl": __version__,
        "confidence": CONFIDENCE,
        "seed": plan.seed,
        "documents": len(documents),
        "rejected": documents.rejected,
        "truth": describe_truth(truth),
        "methods": methods,
        "distances": distances,
        "passages": describe_passages(score_passages(texts, truth.copies)),
    }


def _method(documents: Documents, truth: Truth, recipe: Recipe, plan: Plan) -> dict[str, Any]:
    trial = try_recipe(documents, recipe)
    swept = plan.costly or trial.cost.candidates <= _CHEAP or not plan.thresholds
    points = sweep(documents, truth, recipe, plan.thresholds) if swept and plan.thresholds else ()
    return {
        "recipe": describe(recipe),
        **score(truth, trial.removals, trial.lengths).as_dict(),
        "cost": trial.cost.as_dict(),
        "swept": swept,
        "sweep": [point.as_dict() for point in points],
    }


def describe_truth(truth: Truth) -> dict[str, Any]:
    """Return the size of the truth, ready for JSON."""
    return {
        "copies": len(truth.copies),
        "pairs": sum(len(copy.sources) for copy in truth.copies),
        "kinds": len({copy.kind for copy in truth.copies}),
        "aside": len(truth.aside),
        "not_copies": len(truth.others),
        "complete": truth.complete,
    }


__all__ = ["Plan", "describe_truth", "evaluate", "recipes_of"]
