"""Which recipe suits a corpus: by copies planted among its own documents, and by what it removes of the corpus itself.

The corpus is sampled first, and the sample is refused where one family of related texts dominates it: copies planted
among the filled-in copies of one form, or among the members of one cluster, say nothing of any other text.

The time is bounded. The sample has at most ``size`` documents and ``SAMPLED`` code points, a text at most ``LONGEST``,
and what the runs fingerprint and compare is counted: once ``WORK`` is spent, no further recipe is tried. Counting work
instead of seconds gives the same result on every machine. Some texts cost far more than the count says (a run that
learns the boilerplate of laws: ten times), so after ``SECONDS`` of CPU time nothing further is begun, either. What was
not tried is in the result.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

import whorl
from whorl.engines.progress import Progress, Silent
from whorl.errors import InputError
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import CONFIDENCE, Share
from whorl.evaluation.planted import LONGEST, SAMPLED, Families, Planted, plant_copies
from whorl.evaluation.purposes import ANY_PURPOSE, Purpose
from whorl.evaluation.scoring import Score, score
from whorl.evaluation.standing import Judge, Standing
from whorl.evaluation.sweep import THRESHOLDS, variants
from whorl.evaluation.trial import Trial, describe, try_recipe
from whorl.language import say
from whorl.matching.relation import REMOVED
from whorl.recipe import Recipe

ENOUGH_COPIES = 200
"""Planted copies below which no recipe can be recommended with confidence."""
WORK = 500_000_000
"""Code points that all runs together may fingerprint or compare: at 20 to 110 ns each, the usual bound."""
SECONDS = 45.0
"""CPU time after which no further run is begun; one run takes up to 10 seconds."""
DOMINANT_TEMPLATES = 1 / 3
"""Share of a sample that is filled-in forms, from which on it is refused."""
DOMINANT_CLUSTER = 1 / 4
"""Share of a sample that is in one cluster, from which on it is refused."""

_SHOWN = 10
_FEW = 10
_SWEPT = 0.5
_ATTEMPTS = 2
"""Variants of one method that may fail on the corpus itself, before others get their turn."""


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
        purpose: which relations are right, and whether links count.
        work: code points that all runs together may fingerprint or compare.
    """

    recipes: Mapping[str, Recipe]
    precision: float = 0.97
    size: int = 3000
    per_kind: int = 40
    seed: int = 0
    kinds: tuple[str, ...] = ()
    purpose: Purpose = ANY_PURPOSE
    work: int = WORK


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """A recipe that was tried, under a name that tells its threshold or distance; with its standing once judged."""

    name: str
    recipe: Recipe
    score: Score
    trial: Trial
    standing: Standing | None = None

    @property
    def method(self) -> str:
        """The name without the threshold or distance."""
        return self.name.split(",")[0]

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


@dataclass(slots=True)
class _Course:
    """What was tried within the bounds, and what was not.

    Attributes:
        limit: code points that all runs together may fingerprint or compare.
        work: what they have.
        started: the CPU time at which the first began.
        tried: the recipes that were tried on planted copies.
        unswept: methods that were not tried at all other thresholds or distances.
        unjudged: how many recipes were not run on the corpus itself, though they might qualify.
    """

    limit: int
    work: int = 0
    started: float = field(default_factory=process_time)
    tried: list[_Tried] = field(default_factory=list)
    unswept: list[str] = field(default_factory=list)
    unjudged: int = 0

    def try_recipe(self, documents: Documents, recipe: Recipe) -> Trial:
        """Run a recipe, and count its work."""
        trial = try_recipe(documents, recipe)
        self.work += trial.work
        return trial

    def allows(self, work: int, share: float = 1.0) -> bool:
        """Return whether so much more work stays within a share of the limit, and of the CPU time."""
        elapsed = process_time() - self.started
        return self.work + work <= share * self.limit and elapsed <= share * SECONDS


def recommend(
    documents: Documents, wish: Wish, progress: Progress | None = None
) -> tuple[Recipe | None, dict[str, Any]]:
    """Return the recipe that suits a corpus best, or None if none does, and the figures behind it.

    A recipe qualifies if the precision wished for is reached by the share of right removals among planted copies and by
    the share of its removals of the corpus itself that stand. Of those that qualify, those whose interval of recall
    meets that of the highest recall cannot be told apart by this sample; the most precise of them is recommended, and
    the others are listed as equals. A sample that one family of texts dominates is refused: ``refused`` says why.

    Raises:
        UsageError: there is no such kind of copy.
        InputError: the corpus is too small to plant a single copy in.

    Cost: at most ``WORK`` code points fingerprinted or compared and ``SECONDS`` of CPU time, but for the last run.
    """
    report = progress or Silent()
    kinds = wish.kinds or wish.purpose.kinds
    planted = plant_copies(documents, size=wish.size, per_kind=wish.per_kind, seed=wish.seed, kinds=kinds)
    course = _Course(wish.work)
    refused = _refused(planted.families)
    if refused is not None:
        return None, _told(documents, planted, wish, course, refused=refused)
    if not planted.truth.copies:
        raise InputError(
            say("the corpus is too small to plant copies in"), cure=say("give more documents, or fewer kinds of copies")
        )
    report.stage("evaluate", len(wish.recipes), "methods")
    _try_all(wish, planted, course, report)
    course.tried.sort(key=lambda own: own.merit(wish.precision), reverse=True)
    report.stage("judge", None, "recipes")
    judged = _judge(planted, wish, course, report)
    equals = _equals(judged, wish.precision)
    by_name = {own.name: own for own in [*course.tried, *judged]}
    course.tried = list({own.name: by_name[own.name] for own in [*equals[:1], *course.tried]}.values())
    return (equals[0].recipe if equals else None), _told(documents, planted, wish, course, equals)


def _refused(families: Families) -> dict[str, Any] | None:
    """Why a sample cannot tell methods apart, ready for JSON; None where it can."""
    of, templates, largest = families.documents, families.templates, families.largest
    if templates >= max(_FEW, DOMINANT_TEMPLATES * of):
        message = say(
            "{count:,} of {of:,} sampled documents are forms filled in with other facts: planted copies cannot tell "
            "methods apart here",
            count=templates,
            of=of,
        )
        return {"kind": "templates", "count": templates, "of": of, "message": str(message)}
    if largest >= max(_FEW, DOMINANT_CLUSTER * of):
        message = say(
            "{count:,} of {of:,} sampled documents are in one cluster of related texts: planted copies cannot tell "
            "methods apart here",
            count=largest,
            of=of,
        )
        return {"kind": "giant", "count": largest, "of": of, "message": str(message)}
    return None


def _purposeful(recipe: Recipe, purpose: Purpose) -> Recipe:
    """The recipe, removing what the purpose allows, unless it names relations of its own."""
    return replace(recipe, remove=purpose.remove) if recipe.remove == REMOVED else recipe


def _judge(planted: Planted, wish: Wish, course: _Course, report: Progress) -> list[_Tried]:
    """The precise recipes with their standing, those of the highest recall first, until no equal of one can follow."""
    share = Share(len(planted.truth.copies), len(planted.documents))
    judge = Judge(planted.sample.documents, share, wish.seed, wish.purpose.right)
    judged: list[_Tried] = []
    failed: Counter[str] = Counter()
    least = 0.0
    for own in course.tried:
        low, high = own.score.recall.found.interval
        if own.precision < wish.precision or high < least:
            break
        if failed[own.method] == _ATTEMPTS or (judged and not course.allows(own.trial.work)):
            course.unjudged += 1
            continue
        standing = judge.judge(course.try_recipe(judge.corpus, own.recipe), counts_links=wish.purpose.counts_links)
        judged.append(replace(own, standing=standing))
        report.advance(1)
        if standing.precision >= wish.precision:
            least = max(least, low)
        else:
            failed[own.method] += 1
    return judged


def _equals(judged: Sequence[_Tried], required: float) -> list[_Tried]:
    """The recipes that qualify and cannot be told from the one that finds most, the most precise first."""
    standing = [own for own in judged if own.worst_precision >= required]
    if not standing:
        return []
    low, _ = standing[0].score.recall.found.interval
    equals = [own for own in standing if own.score.recall.found.interval[1] >= low]
    return sorted(equals, key=lambda own: (own.worst_precision, own.precision, own.merit(required)), reverse=True)


def _try_all(wish: Wish, planted: Planted, course: _Course, report: Progress) -> None:
    """Try every recipe as it is, then at other thresholds or distances, the cheapest first, within the limit."""
    recipes = {name: _purposeful(recipe, wish.purpose) for name, recipe in wish.recipes.items()}
    work: dict[str, int] = {}
    for name, recipe in recipes.items():
        course.tried.append(_try(name, recipe, planted, wish, course))
        work[name] = course.tried[-1].trial.work
        report.advance(1)
    for name in sorted(work, key=lambda name: work[name]):
        for how, value, other in variants(recipes[name], THRESHOLDS):
            if other == recipes[name]:
                continue
            if not course.allows(work[name], _SWEPT):
                course.unswept.append(name)
                break
            course.tried.append(_try(f"{name}, {how} {value:g}", other, planted, wish, course))


def _try(name: str, recipe: Recipe, planted: Planted, wish: Wish, course: _Course) -> _Tried:
    trial = course.try_recipe(planted.documents, recipe)
    linked = trial.linked(wish.purpose.right) if wish.purpose.counts_links else ()
    return _Tried(name, recipe, score(planted.truth, trial.removals, trial.lengths, linked), trial)


def _told(
    documents: Documents,
    planted: Planted,
    wish: Wish,
    course: _Course,
    equals: Sequence[_Tried] = (),
    refused: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    sample, tried = planted.sample, course.tried
    return {
        "whorl": whorl.__version__,
        "confidence": CONFIDENCE,
        "seed": wish.seed,
        "documents": len(documents),
        "rejected": documents.rejected,
        "refused": refused,
        "sample": {
            "documents": len(sample.documents),
            "code_points": sample.code_points,
            "cut": sample.cut,
            "limits": {"documents": wish.size, "code_points": SAMPLED, "text": LONGEST, "work": wish.work},
            "work": course.work,
            "unswept": course.unswept,
            "unjudged": course.unjudged,
        },
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
    if recipe.remove != REMOVED:
        chosen["remove"] = recipe.remove
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
