"""Sweep of a recipe over thresholds or distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from whorl._internal.frozen import frozen
from whorl.evaluation.documents import Documents
from whorl.evaluation.scoring import Score, Truth, score
from whorl.evaluation.trial import Cost, try_recipe
from whorl.matching.verify import TEXT_MEASURES
from whorl.recipe import Recipe

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DISTANCES = tuple(range(12))


@frozen
class Point:
    """A recipe with one changed value.

    Attributes:
        parameter: "threshold" or "distance".
        value: the changed value.
        score: resulting scores.
        cost: resulting cost.
    """

    parameter: str
    value: float
    score: Score
    cost: Cost

    def as_dict(self) -> dict[str, Any]:
        """Return the overall figures, ready for JSON."""
        scored = self.score.as_dict()
        chosen = {name: scored[name] for name in ("recall", "precision", "f1", "removed", "wrong")}
        return {self.parameter: self.value, **chosen, "cost": self.cost.as_dict()}


def variants(recipe: Recipe, thresholds: Sequence[float] = THRESHOLDS) -> Iterator[tuple[str, float, Recipe]]:
    """Yield variants of a recipe with another threshold or distance: name, value, and recipe.

    A distance applies to all lengths. `exact`, and recipes that judge title and text separately, have nothing to
    sweep.
    """
    if recipe.fields is not None:
        return
    measure = recipe.family().verdict(recipe.threshold).measure
    if measure == "hamming":
        for distance in DISTANCES:
            yield (
                "distance",
                distance,
                recipe.changed(parameters={**recipe.parameters, "distance": distance, "limits": ()}),
            )
    elif recipe.measure in TEXT_MEASURES:
        for threshold in thresholds:
            yield "threshold", threshold, recipe.changed(threshold=threshold)


def sweep(documents: Documents, truth: Truth, recipe: Recipe, thresholds: Sequence[float]) -> Iterator[Point]:
    """Yield the points of a sweep. Each point is a full run."""
    for parameter, value, variant in variants(recipe, thresholds):
        trial = try_recipe(documents, variant)
        yield Point(parameter, value, score(truth, trial.removals), trial.cost)


__all__ = ["DISTANCES", "THRESHOLDS", "Point", "sweep", "variants"]
