"""A sample for people to label, of a corpus about which nothing is known.

Two strata are drawn: removals, which tell how many are right, and pairs that only a wider recipe finds, which tell how
many copies the recipe misses. Copies that not even the wider recipe finds stay unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import whorl
from whorl.evaluation.documents import Documents
from whorl.evaluation.scoring import is_at_most_one_kept
from whorl.evaluation.trial import Trial, describe, try_recipe
from whorl.matching.verify import TEXT_MEASURES
from whorl.recipe import Recipe

JUDGED, WIDER = "judged", "wider"
"""The strata: what was removed, and what only the wider recipe finds."""

_WIDEST_DISTANCE = 11
_WIDEST = {"method": "news", "threshold": 0.3}


@dataclass(frozen=True, slots=True)
class Side:
    """An article as people see it.

    Attributes:
        id: its id.
        title: its title; empty where it has none.
        text: all of it.
        url: where it stood; empty where nobody knows.
    """

    id: str
    title: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to be labelled.

    Attributes:
        removed: the article that was removed, or would be.
        kept: the one that was kept for it.
        figure: how alike they are, as the measure of the recipe that found them counts.
    """

    removed: Side
    kept: Side
    figure: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What people are asked, and what their answers will stand for.

    Attributes:
        questions: by stratum, in random order.
        sizes: how many pairs each stratum has.
        run: the recipes, the seed and the corpus, ready for JSON.
    """

    questions: Mapping[str, tuple[Question, ...]]
    sizes: Mapping[str, int]
    run: Mapping[str, Any]


def widened(recipe: Recipe) -> Recipe:
    """Return a recipe that finds more: half the threshold; codes at a distance of 11; else ``news`` at 0.3.

    Raises:
        UsageError: the recipe is out of range.
    """
    measure = "" if recipe.fields is not None else recipe.family().verdict(recipe.threshold).measure
    if measure == "hamming":
        wide = {**recipe.parameters, "distance": _WIDEST_DISTANCE, "limits": ()}
        return recipe.changed(parameters=wide)
    if measure in TEXT_MEASURES:
        return recipe.changed(threshold=recipe.threshold / 2)
    return Recipe(text=recipe.text, id=recipe.id, encoding=recipe.encoding).changed(**_WIDEST)


def draw_sample(
    documents: Documents,
    recipe: Recipe,
    wider: Recipe,
    *,
    size: int,
    seed: int,
    titles: Mapping[Any, str],
    urls: Mapping[Any, str],
) -> Sample:
    """Run both recipes and draw up to ``size`` pairs of each stratum, without replacement.

    Args:
        documents: the corpus.
        recipe: the one that is judged.
        wider: one that finds more.
        size: how many pairs of each stratum to ask about.
        seed: chooses them.
        titles: by place.
        urls: by place.
    """
    found, more = try_recipe(documents, recipe), try_recipe(documents, wider)
    strata = {JUDGED: (found, sorted(found.removals)), WIDER: (more, _only_wider(found, more))}
    rng = Random(seed)
    sides = _Sides(documents, titles, urls)
    questions = {
        name: tuple(sides.question(own, trial) for own in rng.sample(removed, min(size, len(removed))))
        for name, (trial, removed) in strata.items()
    }
    run = {
        "whorl": whorl.__version__,
        "seed": seed,
        "documents": len(documents),
        "rejected": documents.rejected,
        "recipe": describe(recipe),
        "wider": describe(wider),
    }
    return Sample(questions, {name: len(removed) for name, (_, removed) in strata.items()}, run)


def _only_wider(found: Trial, more: Trial) -> list[str]:
    """The removals of the wider run of which the other run keeps both articles."""
    return sorted(own for own, kept in more.removals.items() if not is_at_most_one_kept(own, kept, found.removals))


class _Sides:
    def __init__(self, documents: Documents, titles: Mapping[Any, str], urls: Mapping[Any, str]) -> None:
        self._documents = documents
        self._positions = {own: position for position, own in enumerate(documents.ids)}
        self._titles, self._urls = titles, urls

    def question(self, removed: str, trial: Trial) -> Question:
        return Question(self._side(removed), self._side(trial.removals[removed]), trial.similarity[removed])

    def _side(self, own: str) -> Side:
        position = self._positions[own]
        place = self._documents.places[position]
        text = self._documents.texts[position]
        return Side(own, self._titles.get(place, ""), text, self._urls.get(place, ""))


def asked(sample: Sample) -> dict[str, Any]:
    """Return how much is asked, ready for JSON."""
    counts: Mapping[str, Sequence[Question]] = sample.questions
    strata = {name: {"pairs": sample.sizes[name], "asked": len(counts[name])} for name in (JUDGED, WIDER)}
    return {**sample.run, "strata": strata}


__all__ = ["JUDGED", "WIDER", "Question", "Sample", "Side", "asked", "draw_sample", "widened"]
