"""Rich tables of an evaluation, for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from whorl._internal.visible_text import visible
from whorl.i18n import say
from whorl.reports.tables import Spoken, message_text

_BEST = 5
_INTERVAL = len(".862–1.000")


def tables(evaluation: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield the tables of an evaluation: all methods, then kinds, lengths and thresholds of the best ones.

    Args:
        evaluation: result of ``whorl.evaluation.evaluate.evaluate``.
    """
    truth, methods = evaluation["truth"], evaluation["methods"]
    counted = say(
        "{documents:,} documents, {copies:,} copies, {pairs:,} pairs",
        documents=evaluation["documents"],
        copies=truth["copies"],
        pairs=truth["pairs"],
    )
    yield message_text(counted, "bold")
    if not truth["complete"]:
        yield message_text(say("the truth is incomplete, so precision is not reported"), "yellow")
    ranked = sorted(methods, key=merit, reverse=True)
    yield summary(ranked)
    yield costs(ranked)
    best = ranked[:_BEST]
    for title, part in ((say("recall of each kind"), "kinds"), (say("recall by length"), "bands")):
        names = list(dict.fromkeys(name for method in best for name in method[part]))
        if names and names != [""]:
            yield recalls(title, part, names, best)
    swept = [method for method in best if method["sweep"]]
    if swept:
        yield _sweeps(swept)
    if evaluation["passages"]:
        yield _passages(evaluation["passages"])
    if evaluation["distances"]:
        yield _distances(evaluation["distances"])


def merit(method: Mapping[str, Any]) -> tuple[float, float]:
    """Return the sort key of a method: F1 (or recall if the truth is incomplete), then the fewest candidates."""
    value = method["f1"] or method["recall"]
    return value["value"] or 0.0, -method["cost"]["candidates"]


def share(figure: Mapping[str, Any] | None) -> str:
    """Format a share with its interval as ``0.943 [0.936, 0.949]``; None is a dash."""
    if figure is None or figure["value"] is None:
        return "–"
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def compact(figure: Mapping[str, Any] | None, digits: int = 3) -> Text:
    """Format a share above its interval."""
    if figure is None or figure["value"] is None:
        return Text("–")
    low, high = (f"{bound:.{digits}f}".removeprefix("0") for bound in (figure["low"], figure["high"]))
    return Text(f"{figure['value']:.{digits}f}").append(f"\n{low}–{high}", style="dim")


def new_table(title: str, *headings: str) -> Spoken:
    """Return an empty table whose first column is left-aligned text and whose other columns are numbers."""
    table = Spoken(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left")
    table.title = message_text(title, "bold")
    table.add_column(headings[0], style="cyan", overflow="fold")
    for heading in headings[1:]:
        table.add_column(message_text(heading), justify="right", overflow="fold")
    return table


def summary(methods: Sequence[Mapping[str, Any]]) -> Spoken:
    """Return a table of methods with their recall and precision."""
    headings = (say("method"), say("recall"), say("at most one kept"), say("precision"), "F1", say("wrong"))
    table = new_table("", *headings)
    table.title = None
    for column in table.columns[1:5]:
        column.min_width = _INTERVAL
    for method in methods:
        recall = method["recall"]
        shares = [compact(figure) for figure in (recall, recall["at_most_one_kept"], method["precision"], method["f1"])]
        table.add_row(Text(visible(method["name"])), *shares, f"{method['wrong']:,}")
    return table


def costs(methods: Sequence[Mapping[str, Any]]) -> Spoken:
    """Return a table of methods with their speed, candidates and stored bytes."""
    headings = (say("documents a second"), say("candidates a document"), say("bytes a document"))
    table = new_table(say("cost"), say("method"), *headings)
    for method in methods:
        spent = method["cost"]
        cells = (f"{spent['documents_per_second']:,.0f}", f"{spent['candidates']:,.1f}", f"{spent['state_bytes']:,.0f}")
        table.add_row(Text(visible(method["name"])), *cells)
    return table


def recalls(title: str, part: str, names: Sequence[str], methods: Sequence[Mapping[str, Any]]) -> Spoken:
    """Return a table of the recall of methods by the ``names`` of a ``part``, such as kinds or bands.

    Copies of several sources have a second row: the share matched with at least one source.
    """
    table = new_table(title, "", say("pairs"), *(visible(method["name"]) for method in methods))
    for name in names:
        figures = [method[part].get(name) for method in methods]
        pairs, copies = next((figure["of"], figure["copies"]["of"]) for figure in figures if figure is not None)
        table.add_row(Text(visible(name) or "–"), f"{pairs:,}", *map(compact, figures))
        if copies != pairs:
            beside_any = (None if figure is None else figure["copies"] for figure in figures)
            table.add_row(
                Padding(message_text(say("any source")), (0, 0, 0, 2)), f"{copies:,}", *map(compact, beside_any)
            )
    return table


def _sweeps(methods: Sequence[Mapping[str, Any]]) -> Spoken:
    table = new_table(say("other thresholds and distances"), "", "", say("recall"), say("precision"), "F1")
    for method in methods:
        for point in method["sweep"]:
            (parameter, value), *_ = point.items()
            shares = [share(point[name]) for name in ("recall", "precision", "f1")]
            table.add_row(Text(visible(method["name"])), f"{parameter} {value:g}", *shares)
    return table


def _passages(section: Mapping[str, Any]) -> Spoken:
    headings = (say("pairs"), say("precision"), say("recall"), say("granularity"), "plagdet")
    title = say("passages that `whorl compare` finds: plagdet {figure:.3f}", figure=section["overall"])
    table = new_table(title, "", *headings)
    for kind, kind_figures in section["kinds"].items():
        figures = (kind_figures[name] for name in ("precision", "recall", "granularity", "plagdet"))
        table.add_row(
            Text(visible(kind) or "–"), f"{kind_figures['pairs']:,}", *(f"{figure:.3f}" for figure in figures)
        )
    return table


def _distances(histograms: Sequence[Mapping[str, Any]]) -> Spoken:
    limits = list(histograms[0]["within"])
    copies_within = [say("copies ≤ {limit}", limit=limit) for limit in limits]
    strangers_within = [say("strangers ≤ {limit}", limit=limit) for limit in limits]
    headings = (say("features"), say("length"), *copies_within, *strangers_within)
    table = new_table(say("SimHash distances"), *headings)
    for histogram in histograms:
        copies, strangers = ([histogram["within"][limit][who] for limit in limits] for who in ("copies", "strangers"))
        table.add_row(
            histogram["features"], histogram["band"], *map(compact, copies), *(compact(share, 5) for share in strangers)
        )
    return table


def within(histogram: Sequence[int], distance: int) -> float:
    """Return the share of pairs within a distance; 0 for an empty histogram."""
    return sum(histogram[: distance + 1]) / max(1, sum(histogram))


__all__ = ["compact", "costs", "merit", "new_table", "recalls", "share", "summary", "tables", "within"]
