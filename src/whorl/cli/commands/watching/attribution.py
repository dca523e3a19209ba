"""``whorl trace`` and ``whorl attribute``: find the original of a cluster, and fit the weights to reviewed clusters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.commands.libraries.library import Cluster, shown_line, table
from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Json, Place, RecipeFile
from whorl.cli.ui.zones import shows_times
from whorl.i18n import listed, say, say_many, translated
from whorl.types.times import shown_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whorl.tasks.library.attribution import Attributed
    from whorl.types.attribution import Trace

TRACE_EPILOG = Epilog(
    examples("whorl trace newsroom 1", "whorl trace newsroom 1 --recipe ours.toml --confidence 0.9 --json")
)
FIT_EPILOG = Epilog(
    examples("whorl attribute fit newsroom --out ours.toml", "whorl trace newsroom 1 --recipe ours.toml")
)

Confidence = Annotated[
    float | None,
    typer.Option(
        min=0.5,
        max=0.999,
        metavar="P",
        help="Minimum probability to call an article the original. (default: 0.8)",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE.toml", help="Write the weights for `whorl trace --recipe`."),
]
Strength = Annotated[
    float,
    typer.Option(min=0.001, metavar="N", help="Number of clusters that weigh as much as the default weights."),
]

_REASONS = 6


@shows_times
def trace(
    library: Place, cluster: Cluster, confidence: Confidence = None, recipe: RecipeFile = None, json: Json = False
) -> None:
    """Estimate which article of a cluster is the original, with the probability and the reasons.

    Below the confidence the result is undetermined.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.attribution import trace as follow

    result = follow(library, cluster, recipe=recipe, confidence=confidence)
    if json:
        print_json(result.to_dict())
        return
    print_view(
        shown_line(translated(result.attribution.conclusion)),
        table(
            (say("probability"), say("role"), say("id"), say("claimed"), say("first seen"), say("title")), _rows(result)
        ),
        *(shown_line(line) for line in _reasons(result)),
    )


def _rows(trace: Trace) -> Iterator[tuple[Any, ...]]:
    documents = {step.document.id: step.document for step in trace.documents}
    for member in trace.attribution.members:
        document = documents[member.id]
        claimed, seen_at = document.publication, document.first_seen_at
        times = (claimed.format() if claimed else "", shown_time(seen_at) if seen_at else "")
        yield f"{member.probability:.2f}", _role(member), member.id, *times, document.title or ""


def _role(member: Attributed) -> str:
    from whorl.reports.comparison.wording import ROLES

    role = ROLES[member.role]
    if len(member.origins) < 2:
        return role
    parts = [say("{share:.0%} of {id}", share=origin.share, id=origin.id) for origin in member.origins]
    return say("{role}: {parts}", role=role, parts=listed(parts))


def _reasons(trace: Trace) -> Iterator[str]:
    """Return the strongest reasons of each member, with their log-odds."""
    if trace.attribution.elsewhere >= 0.05:
        yield ""
        yield translated(say("none of these: {probability:.2f}", probability=trace.attribution.elsewhere))
        yield from _weighed(trace.attribution.reasons)
    for member in trace.attribution.members:
        if member.reasons:
            yield ""
            yield member.id
            yield from _weighed(member.reasons)


def _weighed(reasons: Any) -> Iterator[str]:
    for reason in reasons[:_REASONS]:
        yield f"  {reason.weight:+.1f}  {translated(reason.message)}"


def fit(
    library: Place, out: Out = None, strength: Strength = 1.0, recipe: RecipeFile = None, json: Json = False
) -> None:
    """Learn the weights of the evidence from reviewed clusters.

    A decision identifies the original if a match with an article of the collection `own` or `protected` was confirmed
    or authorised, or if a single article of a cluster has an attestation.
    """
    from whorl.cli.ui.output import print_json, print_view, takes_output
    from whorl.tasks.dedup.outputs import WEIGHTS, demand_free, write_whole
    from whorl.tasks.library.attribution import fit_attribution

    is_taken = takes_output(out, json=json)
    demand_free(out, WEIGHTS, [])
    fitted = fit_attribution(library, recipe=recipe, strength=strength)
    if out is not None:
        write_whole(out, fitted.toml())
    if json:
        print_json(fitted.to_dict())
    elif not is_taken:
        title = say_many(
            "{count:,} cluster; the original is found in {before:.0%} of them before, {after:.0%} after",
            "{count:,} clusters; the original is found in {before:.0%} of them before, {after:.0%} after",
            fitted.clusters,
            before=fitted.right_before,
            after=fitted.right_after,
        )
        weights = sorted(fitted.weights.origin.items(), key=lambda item: -abs(item[1]))
        rows = ((name, f"{weight:+.2f}") for name, weight in weights)
        print_view(shown_line(translated(title)), table((say("evidence"), say("log-odds")), rows))


__all__ = ["FIT_EPILOG", "TRACE_EPILOG", "fit", "trace"]
