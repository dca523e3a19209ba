"""What ``whorl recommend`` shows: the recipe, what speaks for and against it, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from whorl.reports.evaluation_tables import compact, new_table, recalls, share, summary
from whorl.reports.html import both, render
from whorl.visible import visible

_EQUALS = 6
_KINDS_OF = 5


def recommendation(told: Mapping[str, Any], methods: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yield what the command line shows.

    Args:
        told: what ``whorl.evaluation.recommend.recommend`` returned.
        methods: those of its recipes that are worth a look.
    """
    best = told["recommended"]
    name = f"推荐 · recommended: {visible(best['name'])}" if best else "没有可推荐的配方 · no recipe is proposed"
    yield Text(name, style="bold")
    for zh, en in remarks(told):
        yield Text(visible(f"{zh} · {en}"), style="dim")
    if judged(told):
        yield _on_the_corpus(judged(told))
    yield summary(methods)
    yield recalls("各类副本的召回 · recall of each kind", "kinds", list(told["kinds"]), methods[:_KINDS_OF])


def render_recommendation(told: Mapping[str, Any], methods: Sequence[Mapping[str, Any]]) -> str:
    """Render the same as one self-contained HTML page that asks for nothing from outside and runs no script."""
    return render(
        "recommendation.html.j2",
        command="whorl recommend",
        version=told["whorl"],
        told=told,
        methods=methods,
        judged=[_with_warnings(own) for own in judged(told)],
        remarks=[both(zh, en) for zh, en in remarks(told)],
    )


def _with_warnings(own: Mapping[str, Any]) -> dict[str, Any]:
    return {**own, "warnings": [both(warning["zh"], warning["en"]) for warning in own["real"]["warnings"]]}


def judged(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the recipes that were run on the corpus itself."""
    return [own for own in told["tried"] if own["real"] is not None]


def remarks(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what the figures rest on and what they cannot tell, in Chinese and English."""
    planted = f"{told['originals']:,} 篇，造入 {told['copies']:,} 篇副本", f"{told['originals']:,} documents"
    yield planted[0], f"{planted[1]}, {told['copies']:,} planted copies"
    left_out = f"{told['left_out']['hits']:,} / {told['left_out']['of']:,}: {share(told['left_out'])}"
    yield f"抽样中与他篇相似而未用者 {left_out}", f"left out of the sample as alike: {left_out}"
    if not told["enough"]:
        yield "样本太小，不足为凭", f"the sample is too small to tell: only {told['copies']:,} copies could be planted"
    required = f"{told['required_precision']:g}"
    if not told["precise"]:
        yield f"没有一种达到准确率 {required}", f"no recipe reaches the precision {required} on planted copies"
    elif told["recommended"] is None:
        yield (
            f"在语料本身上，没有一种所删站得住的达到 {required}",
            f"on the corpus itself, of no recipe do {required} of the removals stand",
        )
    if told["equals"]:
        names = "; ".join(told["equals"][:_EQUALS])
        yield f"区间重叠，难分高下：{names}", f"not to be told apart by this sample: {names}"


def _on_the_corpus(tried: Sequence[Mapping[str, Any]]) -> Table:
    headings = ("配方\nrecipe", "删去\nremoved", "站得住\nreal removals that stand", "比对\ncompared", "要求\ndemanded")
    table = new_table("在语料本身上 · on the corpus itself", *headings)
    for own in tried:
        real = own["real"]
        shares = compact(real["removed"]), compact(real["stands"])
        table.add_row(Text(visible(own["name"])), *shares, f"{real['stands']['of']:,}", f"≥ {real['demanded']:g}")
    return table


__all__ = ["judged", "recommendation", "remarks", "render_recommendation"]
