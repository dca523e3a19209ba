"""Sample of an unlabeled corpus for people to label.

There are two strata: removals, which measure precision, and pairs that only a wider recipe finds, which measure recall.
Copies that the wider recipe misses remain unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from whorl._internal.frozen import frozen
from whorl.evaluation.documents import Documents
from whorl.evaluation.scoring import is_at_most_one_kept
from whorl.evaluation.trial import Trial, describe, try_recipe
from whorl.matching.verify import TEXT_MEASURES
from whorl.recipe import Recipe
from whorl.release import __version__

JUDGED, WIDER = "judged", "wider"
"""The strata: removals, and pairs that only the wider recipe finds."""

_WIDEST_DISTANCE = 11
_WIDEST = {"method": "news", "threshold": 0.3}


@frozen
class LabelSide:
    """An article as shown to labelers.

    Attributes:
        id: identifier.
        title: title, or empty.
        text: full text.
        url: address; empty if unknown.
    """

    id: str
    title: str
    text: str
    url: str


@frozen
class LabelQuestion:
    """A pair to label.

    Attributes:
        removed: the article that was or would be removed.
        kept: the article that is kept in its place.
        figure: similarity by the measure of the recipe that found the pair.
    """

    removed: LabelSide
    kept: LabelSide
    figure: float


@frozen
class Sample:
    """The questions for labelers, with the sizes of their strata.

    Attributes:
        questions: questions by stratum, in random order.
        sizes: number of pairs in each stratum.
        run: recipes, seed and corpus, ready for JSON.
    """

    questions: Mapping[str, tuple[LabelQuestion, ...]]
    sizes: Mapping[str, int]
    run: Mapping[str, Any]


def widened(recipe: Recipe) -> Recipe:
    """Return a recipe that finds more: half the threshold; codes at distance 11; otherwise ``news`` at 0.3.

    Raises:
        UsageError: the recipe has a value out of range.
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
        recipe: the recipe to evaluate.
        wider: a recipe that finds more.
        size: number of pairs of each stratum.
        seed: random seed.
        titles: titles by location.
        urls: addresses by location.
    """
    narrow, more = try_recipe(documents, recipe), try_recipe(documents, wider)
    strata = {JUDGED: (narrow, sorted(narrow.removals)), WIDER: (more, _only_wider(narrow, more))}
    rng = Random(seed)
    sides = _Sides(documents, titles, urls)
    questions = {
        name: tuple(sides.question(removal, trial) for removal in rng.sample(removed, min(size, len(removed))))
        for name, (trial, removed) in strata.items()
    }
    run = {
        "whorl": __version__,
        "seed": seed,
        "documents": len(documents),
        "rejected": documents.rejected,
        "recipe": describe(recipe),
        "wider": describe(wider),
    }
    return Sample(questions, {name: len(removed) for name, (_, removed) in strata.items()}, run)


def _only_wider(narrow: Trial, more: Trial) -> list[str]:
    """Return the removals of the wider run whose articles the other run both keeps."""
    return sorted(
        removed for removed, kept in more.removals.items() if not is_at_most_one_kept(removed, kept, narrow.removals)
    )


class _Sides:
    def __init__(self, documents: Documents, titles: Mapping[Any, str], urls: Mapping[Any, str]) -> None:
        self._documents = documents
        self._positions = {id: position for position, id in enumerate(documents.ids)}
        self._titles, self._urls = titles, urls

    def question(self, removed: str, trial: Trial) -> LabelQuestion:
        return LabelQuestion(self._side(removed), self._side(trial.removals[removed]), trial.similarity[removed])

    def _side(self, id: str) -> LabelSide:
        position = self._positions[id]
        place = self._documents.places[position]
        text = self._documents.texts[position]
        return LabelSide(id, self._titles.get(place, ""), text, self._urls.get(place, ""))


def describe_sample(sample: Sample) -> dict[str, Any]:
    """Return the number of questions and the settings of the sample, ready for JSON."""
    counts: Mapping[str, Sequence[LabelQuestion]] = sample.questions
    strata = {name: {"pairs": sample.sizes[name], "asked": len(counts[name])} for name in (JUDGED, WIDER)}
    return {**sample.run, "strata": strata}


__all__ = ["JUDGED", "WIDER", "LabelQuestion", "LabelSide", "Sample", "describe_sample", "draw_sample", "widened"]
