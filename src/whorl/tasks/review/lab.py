"""Try thresholds on reviewed matches of a library, and on uploaded labelled duplicates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.corpus import Columns
from whorl.evaluation.documents import demand_different_ids, read_documents
from whorl.evaluation.evaluate import Plan, recipes_of
from whorl.evaluation.evaluate import evaluate as try_plan
from whorl.evaluation.intervals import Share
from whorl.evaluation.truth import load_truth
from whorl.recipe import Recipe
from whorl.tasks.evaluation.run import Evaluation
from whorl.tasks.library.arguments import Place, Places, Texts, places, strings
from whorl.tasks.review.run import review_queue
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks import Progress

STEP = 0.05
"""Step between the thresholds tried on labelled duplicates."""

_RIGHT, _DECIDED = ("confirmed", "authorised"), ("confirmed", "authorised", "rejected")


@frozen
class DecidedPoint(Plain):
    """Effect of a threshold on the reviewed matches.

    Attributes:
        threshold: minimum of the larger of the two copied shares.
        recall: share of the right matches that reach it, with value, interval and counts.
        precision: share of right matches among those that reach it.
    """

    threshold: float
    recall: Mapping[str, Any]
    precision: Mapping[str, Any]


@frozen
class DecidedCurve(Plain):
    """Effect of all thresholds on the reviewed matches.

    Attributes:
        right: number of confirmed or authorised matches.
        wrong: number of rejected matches.
        points: for each hundredth from 0 to 1.
    """

    right: int
    wrong: int
    points: tuple[DecidedPoint, ...]


def decided_curve(library: Library | Place) -> DecidedCurve:
    """Return the effect of all thresholds on the reviewed matches.

    >>> import whorl
    >>> from whorl.tasks.review.lab import decided_curve
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     added = library.add([{"id": "a", "text": text}, {"id": "b", "text": text}])
    ...     review = library.review("a", "b", "confirmed")
    ...     curve = decided_curve(library)
    >>> curve.right, curve.points[80].recall["value"]
    (1, 1.0)

    Only matches that the library has found are judged; missed ones are unknown.

    Args:
        library: its address, or an open library.

    Cost: that of ``review_queue``.
    """
    matches = review_queue(library, states=_DECIDED).matches
    scored = [(max(match.share, match.share_of_copy), match.review.state in _RIGHT) for match in matches]
    right = sum(is_right for _, is_right in scored)
    points = []
    for hundredths in range(101):
        reached = [is_right for share, is_right in scored if share >= hundredths / 100 - 1e-9]
        recall, precision = Share(sum(reached), right), Share(sum(reached), len(reached))
        points.append(DecidedPoint(hundredths / 100, recall.as_dict(), precision.as_dict()))
    return DecidedCurve(right, len(scored) - right, tuple(points))


def trial(
    inputs: Places,
    truth: Place,
    *,
    methods: Texts | None = None,
    complete: bool = True,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate methods on labelled duplicates like ``whorl.lab.evaluate``, with thresholds in steps of 0.05.

    Args:
        inputs: files, folders and globs.
        truth: a file of pairs, clusters, or copies with their sources.
        methods: methods and presets to try; None tries all.
        complete: True if the labels include every duplicate; otherwise precision is not reported.
        progress: receives the progress.

    Raises:
        UsageError: a method is unknown.
        InputError: a file cannot be read as requested, or two articles have the same id.

    Cost: twenty runs for each method, in memory.
    """
    documents = read_documents(places(inputs), Columns(("text",), None), progress=progress)
    demand_different_ids(documents)
    labels = load_truth(Path(truth), frozenset(documents.ids), complete=complete)
    thresholds = tuple(round(STEP * number, 2) for number in range(1, round(1 / STEP)))
    plan = Plan(recipes_of(strings(methods) or None, Recipe()), thresholds, costly=True, distances=False)
    return Evaluation(**try_plan(documents, labels, plan, progress))


__all__ = ["STEP", "DecidedCurve", "DecidedPoint", "decided_curve", "trial"]
