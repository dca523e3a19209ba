"""``whorl explain``: why two texts are, or are not, copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.epilogs import Epilog, examples, paragraph
from whorl.cli.options import (
    Encoding,
    Json,
    Method,
    RecipeFile,
    Text,
    Threshold,
    Verify,
    VerifyOver,
    VerifyThreshold,
    column_names,
    verification,
)
from whorl.language import say

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.explain import Explained, Explanation, Figure, Verification

EXPLAIN_EPILOG = Epilog(
    examples(
        "whorl explain a.txt b.txt",
        "whorl explain news.jsonl:7 news.jsonl:12 --text title,body --threshold 0.5",
        "whorl explain - published.txt --fail-on copy < draft.txt",
    ),
    paragraph(say("Rows are numbered as in duplicates.parquet: lines in JSONL, records elsewhere.")),
    paragraph(say("`whorl compare a.txt b.txt` shows the passages that were copied.")),
)


def explain(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            show_default=False,
            help="A text, HTML, DOCX or PDF file, FILE:ROW (a row of JSONL, Parquet, CSV or XLSX), or `-` for a text "
            "on stdin.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", show_default=False, help="The other, named likewise.")],
    text: Text = None,
    encoding: Encoding = None,
    method: Method = None,
    threshold: Threshold = None,
    verify: Verify = None,
    verify_threshold: VerifyThreshold = None,
    verify_over: VerifyOver = None,
    recipe: RecipeFile = None,
    fail_on: Annotated[
        Literal["copy", "different"] | None,
        typer.Option(metavar="copy|different", help="Exit with 1 if the two are that."),
    ] = None,
    json: Json = False,
) -> None:
    """Say why two texts are or are not copies.

    Shows the keys they share, the similarity estimated from their sketches, the exact one, and the verdict.
    """
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.explain import explain_files

    explained = explain_files(
        a,
        b,
        text=column_names(text),
        encoding=encoding,
        method=method,
        threshold=threshold,
        verify=verification(verify, verify_threshold, verify_over),
        recipe=recipe,
    )
    if json:
        print_json(explained.to_dict())
    else:
        print_view(_table(explained))
    if fail_on == ("copy" if explained.copies else "different"):
        raise typer.Exit(1)


def _table(explained: Explained) -> Table:
    from rich.text import Text as Styled

    from whorl.cli.output import facts
    from whorl.visible import visible

    table = facts()
    table.add_row("甲 · first", Styled(visible(explained.a)))
    table.add_row("乙 · second", Styled(visible(explained.b)))
    is_apart = explained.combine is not None
    for part in explained.parts:
        if is_apart:
            table.add_row("字段 · field", part.part)
        table.add_row("方法 · method", part.method)
        for row in _rows(part.found):
            table.add_row(*row)
        if is_apart:
            table.add_row("理由 · reason", part.found.reason)
    verdict = ("重复 · copies", "bold red") if explained.copies else ("不重复 · not copies", "bold green")
    table.add_row("结论 · verdict", Styled(*verdict))
    if not is_apart:
        table.add_row("理由 · reason", explained.parts[0].found.reason)
    return table


def _rows(found: Explanation) -> Iterator[tuple[str, str]]:
    from whorl.tasks.explain import LISTED

    keys = f"{found.keys_shared} shared of {found.keys_a} and {found.keys_b}; {found.keys_needed} needed to be compared"
    yield "指纹 · keys", keys
    yield "截去 · cut", f"none; only a key that {LISTED} kept documents share is cut, in a corpus"
    yield "估计 · estimate", f"{found.estimate:.4f}"
    yield "确值 · exact", _exact_figure(found)
    yield "阈值 · threshold", f"{found.verdict.threshold:g}, inclusive"
    if found.verification is not None and found.verified is not None:
        yield "复核 · verify", _verified_figure(found.verified, found.verification)
        yield "阈值 · threshold", f"{found.verification.threshold:g}, inclusive"


def _exact_figure(found: Explanation) -> str:
    figure, verdict = found.figure, found.verdict
    whats = {"exact": "folded texts", "keys": "keys", "hamming": "bits of the codes"}
    shingles = f"{verdict.measure} of distinct shingles of {verdict.shingle} {_unit(verdict.over)}"
    return f"{_fraction(figure)}, {whats.get(verdict.measure, shingles)}"


def _unit(over: str) -> str:
    return {"shingles": "tokens", "code_points": "code points"}.get(over, f"words ({over})")


def _verified_figure(figure: Figure, demanded: Verification) -> str:
    features = f"runs of {demanded.width} {_unit(demanded.over)}"
    if demanded.measure in ("cosine", "euclidean"):
        counted = f"{figure.shared:,} of {figure.united:,} distinct ones in both"
        return f"{figure.similarity:.4f}, {demanded.measure} of the counts of {features}; {counted}"
    return f"{_fraction(figure)}, {demanded.measure} of {features}"


def _fraction(figure: Figure) -> str:
    return f"{figure.shared:,} / {figure.united:,} = {figure.similarity:.4f}"


__all__ = ["EXPLAIN_EPILOG", "explain"]
