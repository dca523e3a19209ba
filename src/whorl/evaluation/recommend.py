"""Recommend a recipe for a corpus, from copies planted in a sample and from its removals on the sample itself.

The sample is rejected if one family of related texts dominates it: copies planted among the instances of one form, or
among the members of one cluster, say little about other texts.

The time is bounded. The sample has at most ``size`` documents and ``SAMPLED`` code points, a text at most ``LONGEST``.
The code points that runs fingerprint and compare are counted, and no further recipe is tried after ``WORK`` of them.
Counting work instead of seconds gives the same result on every machine. Some texts cost far more than the count
suggests (a run that learns the boilerplate of laws: ten times), so that no run starts after ``SECONDS`` of CPU time
either. The result lists the recipes that were not tried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

from whorl._internal.frozen import frozen
from whorl.engines.progress import Progress, Silent
from whorl.errors import InputError
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import CONFIDENCE, Share
from whorl.evaluation.planted import LONGEST, SAMPLED, Families, Planted, plant_copies
from whorl.evaluation.purposes import ANY_PURPOSE, Purpose
from whorl.evaluation.scoring import Score, score
from whorl.evaluation.standing import CorpusJudgment, ReportJudge
from whorl.evaluation.sweep import THRESHOLDS, variants
from whorl.evaluation.trial import Trial, describe, try_recipe
from whorl.i18n import say
from whorl.matching.relation import REMOVED
from whorl.recipe import Recipe
from whorl.release import __version__

ENOUGH_COPIES = 200
"""Minimum number of planted copies for a confident recommendation."""
WORK = 500_000_000
"""Code points that all runs together may fingerprint or compare: at 20 to 110 ns each, the usual bound."""
SECONDS = 45.0
"""CPU time after which no further run starts; one run takes up to 10 seconds."""
DOMINANT_TEMPLATES = 1 / 3
"""Share of form instances from which a sample is rejected."""
DOMINANT_CLUSTER = 1 / 4
"""Share of one cluster from which a sample is rejected."""

_MAX_ALTERNATIVES = 10
_FEW = 10
_SWEPT = 0.5
_ATTEMPTS = 2
"""Variants of one method that may fail on the corpus before other methods are tried."""


@frozen
class Wish:
    """The requirements of a recommendation.

    Attributes:
        recipes: recipes to try, by name; those with a threshold or a distance also at other values.
        precision: minimum precision, among planted copies and on the corpus itself.
        size: number of documents to sample.
        per_kind: number of copies to plant of each kind.
        seed: random seed.
        kinds: relevant kinds of copies; empty for all.
        purpose: relations of correct pairs, and whether links count.
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


@frozen(eq=False)
class _Tried:
    """A tried recipe, named by its threshold or distance, with its judgment on the corpus."""

    name: str
    recipe: Recipe
    score: Score
    trial: Trial
    judgment: CorpusJudgment | None = None

    @property
    def method(self) -> str:
        """The name without the threshold or distance."""
        return self.name.split(",")[0]

    @property
    def precision(self) -> float:
        """Precision among planted copies; 1 without removals."""
        share = self.score.precision
        return 1.0 if share is None or share.value is None else share.value

    @property
    def recall(self) -> float:
        """Recall of planted pairs."""
        return self.score.recall.pairs_found.value or 0.0

    @property
    def worst_precision(self) -> float:
        """The lower of the precision among planted copies and the precision on the corpus itself."""
        return self.precision if self.judgment is None else min(self.precision, self.judgment.precision)

    def merit(self, required: float) -> tuple[bool, float, float]:
        """The sort key: sufficient precision, then recall (or else precision), then the fewest candidates."""
        enough = self.precision >= required
        return enough, self.recall if enough else self.precision, -self.trial.cost.candidates

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        described = {"name": self.name, "recipe": describe(self.recipe), **self.score.as_dict()}
        real = None if self.judgment is None else self.judgment.as_dict()
        return described | {"cost": self.trial.cost.as_dict(), "real": real}


@dataclass(slots=True)
class _Course:
    """Progress of the trials within their bounds.

    Attributes:
        limit: code points that all runs together may fingerprint or compare.
        work: code points used so far.
        started: CPU time at the start.
        tried: recipes tried on planted copies.
        unswept: methods that were not tried at all other thresholds or distances.
        unjudged: number of recipes that might qualify but were not run on the corpus itself.
    """

    limit: int
    work: int = 0
    started: float = field(default_factory=process_time)
    tried: list[_Tried] = field(default_factory=list)
    unswept: list[str] = field(default_factory=list)
    unjudged: int = 0

    def try_recipe(self, documents: Documents, recipe: Recipe) -> Trial:
        """Run a recipe and add its work."""
        trial = try_recipe(documents, recipe)
        self.work += trial.work
        return trial

    def allows(self, work: int, share: float = 1.0) -> bool:
        """Return True if more work fits a share of the work limit and of the CPU time."""
        elapsed = process_time() - self.started
        return self.work + work <= share * self.limit and elapsed <= share * SECONDS


def recommend(
    documents: Documents, wish: Wish, progress: Progress | None = None
) -> tuple[Recipe | None, dict[str, Any]]:
    """Return the best recipe for a corpus, or None if none qualifies, and the figures behind the choice.

    A recipe qualifies if it reaches the required precision both among planted copies and on the corpus itself. The
    candidates are the qualifying recipes whose interval of recall overlaps that of the highest recall: this sample
    cannot separate them. The most precise candidate is recommended, and the others are listed as equals. A sample
    dominated by one family of texts is rejected; ``refused`` gives the reason.

    Raises:
        UsageError: a kind of copy does not exist.
        InputError: the corpus is too small to plant a single copy.

    Cost: at most ``WORK`` code points fingerprinted or compared and ``SECONDS`` of CPU time, plus the last run.
    """
    report = progress or Silent()
    kinds = wish.kinds or wish.purpose.kinds
    planted = plant_copies(documents, size=wish.size, per_kind=wish.per_kind, seed=wish.seed, kinds=kinds)
    course = _Course(wish.work)
    refused = _refused(planted.families)
    if refused is not None:
        return None, _report(documents, planted, wish, course, refused=refused)
    if not planted.truth.copies:
        raise InputError(
            say("the corpus is too small to plant copies in"), hint=say("give more documents, or fewer kinds of copies")
        )
    report.stage("evaluate", len(wish.recipes), "methods")
    _try_all(wish, planted, course, report)
    course.tried.sort(key=lambda trial: trial.merit(wish.precision), reverse=True)
    report.stage("judge", None, "recipes")
    judged = _judge(planted, wish, course, report)
    equals = _equals(judged, wish.precision)
    by_name = {trial.name: trial for trial in [*course.tried, *judged]}
    course.tried = list({trial.name: by_name[trial.name] for trial in [*equals[:1], *course.tried]}.values())
    return (equals[0].recipe if equals else None), _report(documents, planted, wish, course, equals)


def _refused(families: Families) -> dict[str, Any] | None:
    """Return the reason why a sample cannot separate methods, ready for JSON, or None."""
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
    """Return the recipe with the removals of the purpose, unless it specifies its own relations."""
    return replace(recipe, remove=purpose.remove) if recipe.remove == REMOVED else recipe


def _judge(planted: Planted, wish: Wish, course: _Course, report: Progress) -> list[_Tried]:
    """Judge the precise recipes in descending order of recall, until no equal of the best one can follow."""
    share = Share(len(planted.truth.copies), len(planted.documents))
    judge = ReportJudge(planted.sample.documents, share, wish.seed, wish.purpose.right)
    judged: list[_Tried] = []
    failed: Counter[str] = Counter()
    lowest = 0.0
    for trial in course.tried:
        low, high = trial.score.recall.pairs_found.interval
        if trial.precision < wish.precision or high < lowest:
            break
        if failed[trial.method] == _ATTEMPTS or (judged and not course.allows(trial.trial.work)):
            course.unjudged += 1
            continue
        judgment = judge.judge(course.try_recipe(judge.corpus, trial.recipe), counts_links=wish.purpose.counts_links)
        judged.append(replace(trial, judgment=judgment))
        report.advance(1)
        if judgment.precision >= wish.precision:
            lowest = max(lowest, low)
        else:
            failed[trial.method] += 1
    return judged


def _equals(judged: Sequence[_Tried], required: float) -> list[_Tried]:
    """Return the qualifying recipes that are not separable from the highest recall, the most precise first."""
    qualified = [trial for trial in judged if trial.worst_precision >= required]
    if not qualified:
        return []
    low, _ = qualified[0].score.recall.pairs_found.interval
    equals = [trial for trial in qualified if trial.score.recall.pairs_found.interval[1] >= low]
    return sorted(
        equals, key=lambda trial: (trial.worst_precision, trial.precision, trial.merit(required)), reverse=True
    )


def _try_all(wish: Wish, planted: Planted, course: _Course, report: Progress) -> None:
    """Try every recipe unchanged, then at other thresholds or distances, the cheapest first, within the limit."""
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


def _report(
    documents: Documents,
    planted: Planted,
    wish: Wish,
    course: _Course,
    equals: Sequence[_Tried] = (),
    refused: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    sample, tried = planted.sample, course.tried
    return {
        "whorl": __version__,
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
        "precise": any(trial.precision >= wish.precision for trial in tried),
        "required_precision": wish.precision,
        "recommended": equals[0].as_dict() if equals else None,
        "equals": [trial.name for trial in equals[1:]],
        "tried": [trial.as_dict() for trial in tried],
    }


def alternatives(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the recipes worth showing: the recommended one, and the best of each other method."""
    best: dict[str, Mapping[str, Any]] = {}
    for trial in result["tried"]:
        best.setdefault(trial["name"].split(",")[0], trial)
    return list(best.values())[:_MAX_ALTERNATIVES]


def as_toml(recipe: Recipe, comment: str) -> str:
    """Format a recipe as a file that ``load_recipe`` reads."""
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
    """Format a TOML value; strings, numbers and booleans are written as in JSON."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


__all__ = ["ENOUGH_COPIES", "Wish", "alternatives", "as_toml", "recommend"]
