"""``whorl explain``: explain why two texts are, or are not, duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples, paragraph
from whorl.cli.ui.options import (
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
from whorl.i18n import Message, say

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.compare.explain import Explanation, ExplanationSet, Figure, Verification

EXPLAIN_EPILOG = Epilog(
    examples(
        "whorl explain a.txt b.txt",
        "whorl explain news.jsonl:7 news.jsonl:12 --text title,body --threshold 0.5",
        "whorl explain - published.txt --fail-on copy < draft.txt",
    ),
    paragraph(say("Rows are numbered as in duplicates.parquet: lines in JSONL, records elsewhere.")),
    paragraph(say("`whorl compare a.txt b.txt` shows the passages that were copied.")),
)

_FIELDS = {"title": say("title"), "text": say("body")}
_COUNTED = {"exact": say("folded texts"), "keys": say("keys"), "hamming": say("bits of the codes")}
_UNITS = {"shingles": say("tokens"), "code_points": say("code points")}


def explain(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            show_default=False,
            help="A file with one article (HTML, DOCX, RTF, PDF, text ...), FILE:ROW (a row of JSONL, "
            "Parquet, CSV, XLSX or WARC), or `-` for stdin.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", show_default=False, help="The other text, in the same notation.")],
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
        typer.Option(metavar="copy|different", help="Exit with 1 if the two have this relation."),
    ] = None,
    json: Json = False,
) -> None:
    """Explain why two texts are, or are not, duplicates.

    Shows their common keys, the similarity estimated from their sketches, the exact one, and the judgment.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.compare.explain import explain_files

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


def _table(explained: ExplanationSet) -> Table:
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import facts, message_text

    table = facts()
    table.add_row(say("first"), Styled(visible(explained.a)))
    table.add_row(say("second"), Styled(visible(explained.b)))
    is_apart = explained.combine is not None
    for part in explained.parts:
        if is_apart:
            table.add_row(say("field"), _FIELDS.get(part.part, part.part))
        table.add_row(say("method"), part.method)
        for row in _rows(part.explanation):
            table.add_row(*row)
        if is_apart:
            table.add_row(say("reason"), part.explanation.reason)
    verdict = (
        message_text(say("a copy"), "bold red") if explained.copies else message_text(say("not a copy"), "bold green")
    )
    table.add_row(say("verdict"), verdict)
    if not is_apart:
        table.add_row(say("reason"), explained.parts[0].explanation.reason)
    return table


def _rows(explanation: Explanation) -> Iterator[tuple[Message, str]]:
    from whorl.tasks.compare.explain import LISTED

    yield (
        say("keys"),
        say(
            "{shared:,} shared of {a:,} and {b:,}; {needed:,} required for a comparison",
            shared=explanation.keys_shared,
            a=explanation.keys_a,
            b=explanation.keys_b,
            needed=explanation.keys_needed,
        ),
    )
    yield (
        say("cut"),
        say("none; in a corpus, a key is cut if {count:,} kept documents share it", count=LISTED),
    )
    yield say("estimate"), f"{explanation.estimate:.4f}"
    yield say("exact similarity"), _exact_figure(explanation)
    yield say("threshold"), _inclusive(explanation.verdict.threshold)
    if explanation.verification is not None and explanation.verified is not None:
        yield say("verified"), _verified_figure(explanation.verified, explanation.verification)
        yield say("threshold"), _inclusive(explanation.verification.threshold or 0.0)


def _inclusive(threshold: float) -> Message:
    return say("{threshold:g}, inclusive", threshold=threshold)


def _exact_figure(explanation: Explanation) -> Message:
    verdict = explanation.verdict
    what = _COUNTED.get(verdict.measure) or say(
        "{measure} of distinct shingles of {width} {units}",
        measure=verdict.measure,
        width=verdict.shingle,
        units=_unit(verdict.over),
    )
    return say("{figure}, {what}", figure=_fraction(explanation.figure), what=what)


def _unit(over: str) -> Message:
    return _UNITS.get(over) or say("words ({mode})", mode=over)


def _verified_figure(figure: Figure, demanded: Verification) -> Message:
    features = say("runs of {width} {units}", width=demanded.width, units=_unit(demanded.over))
    if demanded.measure in ("cosine", "euclidean"):
        return say(
            "{similarity:.4f}, {measure} of the counts of {features}; {shared:,} of {united:,} distinct ones in both",
            similarity=figure.similarity,
            measure=demanded.measure,
            features=features,
            shared=figure.shared,
            united=figure.united,
        )
    if demanded.measure == "copied":
        what = say("copied share")
    else:
        what = say("{measure} of {features}", measure=demanded.measure, features=features)
    return say("{figure}, {what}", figure=_fraction(figure), what=what)


def _fraction(figure: Figure) -> str:
    return f"{figure.shared:,} / {figure.united:,} = {figure.similarity:.4f}"


__all__ = ["EXPLAIN_EPILOG", "explain"]
