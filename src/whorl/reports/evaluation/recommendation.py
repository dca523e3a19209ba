"""Output of ``whorl recommend``: the recipe with its reasons and caveats, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from whorl._internal.visible_text import visible
from whorl.i18n import Message, as_message, say, say_many, translated
from whorl.reports.evaluation.tables import compact, costs, new_table, recalls, share, summary
from whorl.reports.html import in_each, render

_EQUALS = 6
_KINDS_OF = 5


def recommendation(result: Mapping[str, Any], methods: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yield the output of the command line.

    Args:
        result: result of ``whorl.evaluation.recommend.recommend``.
        methods: the alternatives worth showing.
    """
    yield Text(visible(translated(headline(result))), style="bold")
    for remark in remarks(result):
        yield Text(visible(translated(remark)), style="dim")
    if result["refused"]:
        return
    if judged(result):
        yield _on_the_corpus(judged(result))
    yield summary(methods)
    yield costs(methods)
    yield recalls(say("Recall of each kind"), "kinds", list(result["kinds"]), methods[:_KINDS_OF])


def render_recommendation(result: Mapping[str, Any], methods: Sequence[Mapping[str, Any]]) -> str:
    """Render a recommendation as one self-contained HTML page without external resources or scripts."""
    return render(
        "recommendation.html.j2",
        command="whorl recommend",
        version=result["whorl"],
        told=result,
        headline=headline(result),
        methods=methods,
        judged=[_with_warnings(trial) for trial in judged(result)],
        remarks=list(remarks(result)),
    )


def _with_warnings(trial: Mapping[str, Any]) -> dict[str, Any]:
    return {**trial, "warnings": [in_each(as_message(warning["message"])) for warning in trial["real"]["warnings"]]}


def judged(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the recipes that were run on the corpus."""
    return [trial for trial in result["tried"] if trial["real"] is not None]


def headline(result: Mapping[str, Any]) -> Message:
    """Return the recommendation as one sentence."""
    best = result["recommended"]
    if result["refused"]:
        return say("The sample is not suitable for a recommendation")
    if not best:
        return say("No recipe is proposed")
    if not result["enough"]:
        return say("Best on a sample that is too small: {name}", name=best["name"])
    return say("Recommended: {name}", name=best["name"])


def remarks(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the basis and the limitations of the figures."""
    yield from _sampled(result)
    if result["refused"]:
        yield as_message(result["refused"]["message"])
        yield say("Label a sample instead: `whorl eval sample` draws pairs for people to judge")
        return
    documents = say_many("{count:,} document", "{count:,} documents", result["originals"])
    yield say_many(
        "{documents}, {count:,} planted copy",
        "{documents}, {count:,} planted copies",
        result["copies"],
        documents=documents,
    )
    hits, of = result["left_out"]["hits"], result["left_out"]["of"]
    yield say(
        "Left out of the sample as related to others: {hits:,} / {of:,}: {share}",
        hits=hits,
        of=of,
        share=share(result["left_out"]),
    )
    if not result["enough"]:
        yield say(
            "The sample is too small for a recommendation: only {copies:,} copies could be planted",
            copies=result["copies"],
        )
    required = f"{result['required_precision']:g}"
    if not result["precise"]:
        yield say("No recipe reaches the precision {required} on planted copies", required=required)
    elif result["recommended"] is None:
        yield say("On the corpus itself, no recipe reaches the precision {required}", required=required)
    if result["equals"]:
        yield say("Not separable by this sample: {names}", names="; ".join(result["equals"][:_EQUALS]))


def _sampled(result: Mapping[str, Any]) -> Iterator[Message]:
    """Yield what was sampled, and which limits shortened the evaluation."""
    sample = result["sample"]
    limits = sample["limits"]
    yield say(
        "Sampled: {documents:,} of {of:,} documents, {code_points:,} characters",
        documents=sample["documents"],
        of=result["documents"],
        code_points=sample["code_points"],
    )
    if sample["cut"]:
        yield say_many(
            "{count:,} text was longer than {limit:,} characters and was read up to there",
            "{count:,} texts were longer than {limit:,} characters and were read up to there",
            sample["cut"],
            limit=limits["text"],
        )
    if sample["unswept"]:
        yield say("Not tried at all thresholds, for lack of time: {names}", names=", ".join(sample["unswept"]))
    if sample["unjudged"]:
        yield say_many(
            "{count:,} recipe was not run on the corpus itself, to end in time",
            "{count:,} recipes were not run on the corpus itself, to end in time",
            sample["unjudged"],
        )


def _on_the_corpus(tried: Sequence[Mapping[str, Any]]) -> Table:
    headings = (
        *(say("recipe"), say("removed"), say("pairs that are right"), say("compared")),
        *(say("other facts"), say("5-gram similarity")),
    )
    table = new_table(say("On the corpus itself"), *headings)
    for trial in tried:
        real = trial["real"]
        shares = compact(real["removed"]), compact(real["stands"])
        jaccard = "–" if real["jaccard"] is None else f"{real['jaccard']:.2f}"
        counts = f"{real['stands']['of']:,}", f"{real['facts_differ']:,}"
        table.add_row(Text(visible(trial["name"])), *shares, *counts, jaccard)
    return table


__all__ = ["headline", "judged", "recommendation", "remarks", "render_recommendation"]
