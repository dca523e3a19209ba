"""Which recipe suits a corpus, told by copies planted among its own documents, and by what it removes of the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import whorl
from whorl.engines.progress import Progress, Silent
from whorl.errors import InputError
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import CONFIDENCE, Share
from whorl.evaluation.planted import Planted, plant_copies
from whorl.evaluation.scoring import Score, score
from whorl.evaluation.standing import Standing, judge_removals, sample_of
from whorl.evaluation.sweep import THRESHOLDS, variants
from whorl.evaluation.trial import Trial, describe, try_recipe
from whorl.language import say
from whorl.recipe import Recipe

ENOUGH_COPIES = 200
"""Planted copies below which no recipe can be recommended with confidence."""

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for.

    Attributes:
        recipes: what to try, by name; those with a threshold or a distance at others, too.
        precision: the least share of right removals, of those among planted copies and of those of the corpus.
        size: how many documents to sample.
        per_kind: how many copies of each kind to plant.
        seed: chooses them.
        kinds: of copies that matter; none for all.
    """

    recipes: Mapping[str, Recipe]
    precision: float = 0.97
    size: int = 3000
    per_kind: int = 40
    seed: int = 0
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """A recipe that was tried, under a name that tells its threshold or distance; with its standing once judged."""

    name: str
    recipe: Recipe
    score: Score
    trial: Trial
    standing: Standing | None = None

    @property
    def precision(self) -> float:
        """The share of right removals; 1 of none."""
        share = self.score.precision
        return 1.0 if share is None or share.value is None else share.value

    @property
    def recall(self) -> float:
        """The share of planted pairs that were found."""
        return self.score.recall.found.value or 0.0

    @property
    def worst_precision(self) -> float:
        """The lesser of the shares of right removals: among planted copies, and of the corpus itself."""
        return self.precision if self.standing is None else min(self.precision, self.standing.precision)

    def merit(self, required: float) -> tuple[bool, float, float]:
        """What recipes are ordered by: enough precision; recall, or else precision; few candidates."""
        enough = self.precision >= required
        return enough, self.recall if enough else self.precision, -self.trial.cost.candidates

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        described = {"name": self.name, "recipe": describe(self.recipe), **self.score.as_dict()}
        real = None if self.standing is None else self.standing.as_dict()
        return described | {"cost": self.trial.cost.as_dict(), "real": real}


def recommend(
    documents: Documents, wish: Wish, progress: Progress | None = None
) -> tuple[Recipe | None, dict[str, Any]]:
    """Return the recipe that suits a corpus best, or None if none does, and the figures behind it.

    A recipe qualifies if the precision wished for is reached by the share of right removals among planted copies and by
    the share of its removals of the corpus itself that stand. Of those that qualify, those whose interval of recall
    meets that of the highest recall cannot be told apart by this sample; the most precise of them is recommended, and
    the others are listed as equals.

    Raises:
        UsageError: there is no such kind of copy.
        InputError: the corpus is too small to plant a single copy in.

    Cost: about 100 runs over the sample; and over the corpus, 5,000 documents at most, one for each recipe of the
    highest recall until it is known which qualify.
    """
    report = progress or Silent()
    planted = plant_copies(documents, size=wish.size, per_kind=wish.per_kind, seed=wish.seed, kinds=wish.kinds)
    if not planted.truth.copies:
        raise InputError(
            say("the corpus is too small to plant copies in"), cure=say("give more documents, or fewer kinds of copies")
        )
    report.stage("evaluate", len(wish.recipes), "methods")
    tried: list[_Tried] = []
    for name, recipe in wish.recipes.items():
        tried += _try(name, recipe, planted)
        report.advance(1)
    tried.sort(key=lambda own: own.merit(wish.precision), reverse=True)
    report.stage("judge", None, "recipes")
    judged = _judge(tried, documents, planted, wish, report)
    equals = _equals(judged, wish.precision)
    by_name = {own.name: own for own in [*tried, *judged]}
    ordered = list({own.name: by_name[own.name] for own in [*equals[:1], *tried]}.values())
    return (equals[0].recipe if equals else None), _told(documents, planted, wish, ordered, equals)


def _judge(
    tried: Sequence[_Tried], documents: Documents, planted: Planted, wish: Wish, report: Progress
) -> list[_Tried]:
    """The precise recipes with their standing, those of the highest recall first, until no equal of one can follow."""
    corpus = sample_of(documents, wish.seed)
    share = Share(len(planted.truth.copies), len(planted.documents))
    judged: list[_Tried] = []
    least = 0.0
    for own in tried:
        low, high = own.score.recall.found.interval
        if own.precision < wish.precision or high < least:
            break
        standing = judge_removals(corpus, own.recipe, planted=share, seed=wish.seed)
        judged.append(replace(own, standing=standing))
        report.advance(1)
        if standing.precision >= wish.precision:
            least = max(least, low)
    return judged


def _equals(judged: Sequence[_Tried], required: float) -> list[_Tried]:
    """The recipes that qualify and cannot be told from the one that finds most, the most precise first."""
    standing = [own for own in judged if own.worst_precision >= required]
    if not standing:
        return []
    low, _ = standing[0].score.recall.found.interval
    equals = [own for own in standing if own.score.recall.found.interval[1] >= low]
    return sorted(equals, key=lambda own: (own.worst_precision, own.precision, own.merit(required)), reverse=True)


def _try(name: str, recipe: Recipe, planted: Planted) -> Iterator[_Tried]:
    """A recipe as it is, and at other thresholds or distances."""
    named = [(name, recipe)]
    for parameter, value, variant in variants(recipe, THRESHOLDS):
        if variant != recipe:
            named.append((f"{name}, {parameter} {value:g}", variant))
    for own, variant in named:
        trial = try_recipe(planted.documents, variant)
        yield _Tried(own, variant, score(planted.truth, trial.removals, trial.lengths), trial)


def _told(
    documents: Documents, planted: Planted, wish: Wish, tried: Sequence[_Tried], equals: Sequence[_Tried]
) -> dict[str, Any]:
    return {
        "whorl": whorl.__version__,
        "confidence": CONFIDENCE,
        "seed": wish.seed,
        "documents": len(documents),
        "rejected": documents.rejected,
        "originals": planted.originals,
        "left_out": Share(planted.left_out, planted.originals + planted.left_out).as_dict(),
        "copies": len(planted.truth.copies),
        "kinds": planted.kinds,
        "enough": len(planted.truth.copies) >= ENOUGH_COPIES,
        "precise": any(own.precision >= wish.precision for own in tried),
        "required_precision": wish.precision,
        "recommended": equals[0].as_dict() if equals else None,
        "equals": [own.name for own in equals[1:]],
        "tried": [own.as_dict() for own in tried],
    }


def shown(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the recipes worth a look: the recommended one, and the best of each other method."""
    best: dict[str, Mapping[str, Any]] = {}
    for own in told["tried"]:
        best.setdefault(own["name"].split(",")[0], own)
    return list(best.values())[:_SHOWN]


def as_toml(recipe: Recipe, comment: str) -> str:
    """Return a recipe as the file that ``load_recipe`` reads."""
    chosen = {name: getattr(recipe, name) for name in ("method", "threshold", "text", "id", "encoding")}
    lines = [f"# {comment}", *_assignments(chosen)]
    if recipe.parameters:
        lines += ["", "[parameters]", *_assignments(recipe.parameters)]
    return "\n".join(lines) + "\n"


def _assignments(values: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_value(value)}" for name, value in values.items() if value is not None]


def _value(value: Any) -> str:
    """A value of TOML; its strings, numbers and truth values are written as those of JSON."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


__all__ = ["ENOUGH_COPIES", "Wish", "as_toml", "recommend", "shown"]
