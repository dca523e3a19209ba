"""HTML cards for notebooks: of a run, of an evaluation and of a recommendation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whorl.i18n import as_message, say, translated
from whorl.reports.evaluation.recommendation import headline, remarks
from whorl.reports.evaluation.tables import merit, share
from whorl.reports.figures import Counts, part, sentence
from whorl.types.cards import ROWS, card

if TYPE_CHECKING:
    import pyarrow as pa

_RECIPE = ("method", "threshold", "measure", "keep")
_REMOVED = ("id", "duplicate_of", "similarity", "relation")
_METHODS = (say("method"), say("recall"), say("precision"), "F1", say("articles/s"))


def run_card(run: Mapping[str, Any], duplicates: pa.Table) -> str:
    """Return the card of a dedup run: a summary and its first removals.

    Args:
        run: content of `run.json`.
        duplicates: a row for each removed document.
    """
    counts, recipe = Counts.of(run), part(run, "recipe")
    facts = [(say("kept"), counts.kept), (say("removed"), counts.removed), (say("clusters"), counts.clusters)]
    facts += [(say("rejected"), counts.rejected)] if counts.rejected else []
    values = {**recipe, "keep": part(run, "keeping").get("rule") or recipe.get("keep")}
    chosen = [(name, values[name]) for name in _RECIPE if values.get(name) is not None]
    first = duplicates.slice(0, ROWS).select(_REMOVED).to_pylist()
    return card(
        translated(sentence(run)),
        [*((translated(name), value) for name, value in facts), *chosen],
        columns=_REMOVED,
        rows=[[row[name] for name in _REMOVED] for row in first],
        count=len(duplicates),
        notes=[
            *_warnings(run.get("warnings") or ()),
            translated(say("All evidence: report(), duplicates")),
        ],
    )


def evaluation_card(evaluation: Mapping[str, Any]) -> str:
    """Return the card of an evaluation with its methods, the best first.

    Args:
        evaluation: result of ``whorl.evaluation.evaluate.evaluate``.
    """
    truth = evaluation["truth"]
    counted = (say("copies"), truth["copies"]), (say("pairs"), truth["pairs"]), (say("complete"), truth["complete"])
    facts = [(say("documents"), evaluation["documents"]), *counted]
    methods = sorted(evaluation["methods"], key=merit, reverse=True)
    return card(translated(say("Evaluation")), facts, columns=_METHODS, rows=_methods(methods), count=len(methods))


def recommendation_card(recommendation: Mapping[str, Any], methods: Sequence[Mapping[str, Any]]) -> str:
    """Return the card of a recommendation: the recipe, its reasons, and the alternatives.

    Args:
        recommendation: result of ``whorl.evaluation.recommend.recommend``.
        methods: the alternatives worth showing.
    """
    best = recommendation["recommended"]
    warnings = best["real"]["warnings"] if best else ()
    notes = [*_warnings(warnings), *map(translated, remarks(recommendation))]
    return card(
        translated(headline(recommendation)), columns=_METHODS, rows=_methods(methods), count=len(methods), notes=notes
    )


def _methods(methods: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Any]]:
    for method in methods:
        figures = (share(method[name]) for name in ("recall", "precision", "f1"))
        yield method["name"], *figures, round(method["cost"]["documents_per_second"])


def _warnings(warnings: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"⚠ {translated(as_message(warning['message']))}" for warning in warnings]


__all__ = ["evaluation_card", "recommendation_card", "run_card"]
