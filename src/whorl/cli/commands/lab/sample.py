"""``whorl eval sample`` and ``whorl eval score``: sample pairs for people to label, and score the labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
    JUDGEMENT,
    READING,
    RUNNING,
    Encoding,
    Exclude,
    Files,
    Id,
    Include,
    Json,
    Method,
    Quiet,
    RecipeFile,
    Text,
    Threshold,
    column_names,
)
from whorl.i18n import say, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from whorl.tasks.evaluation.sample import SampleResult

SAMPLE_EPILOG = Epilog(
    examples(
        "whorl eval sample articles.jsonl --out book.xlsx",
        "whorl eval sample articles.jsonl --out short.xlsx --method short --size 100",
        "whorl eval score labelled.xlsx",
    ),
    Section(
        say("How to label"),
        [
            say("On both sheets, fill in the columns development and product with 1/0, yes/no, y/n or 是/否."),
            say("If both are filled in, product decides; one of them is enough."),
        ],
    ),
)
SCORE_EPILOG = Epilog(
    examples("whorl eval score labelled.xlsx", "whorl eval score labelled.xlsx --require precision=0.5,recall=0.5"),
    Section("FIGURES", ["precision=0.97,recall=0.75"]),
    Section(say("Exit codes"), [("1", say("below the figures of --require"))]),
)

Out = Annotated[Path, typer.Option("--out", "-o", metavar="BOOK.xlsx", show_default=False, help="A new workbook.")]
Size = Annotated[int, typer.Option(min=1, metavar="N", help="Number of pairs per sheet.")]
WiderMethod = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="The wider method. (default: the same method, with a wider limit)",
    ),
]
WiderThreshold = Annotated[
    float | None,
    typer.Option(metavar="SHARE", rich_help_panel=JUDGEMENT, help="Its threshold. (default: half)"),
]
Title = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column of titles. (default: title)"),
]
Url = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column of addresses. (default: url)"),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Seed of the sample.")]
Book = Annotated[Path, typer.Argument(metavar="BOOK.xlsx", show_default=False, help="A labelled workbook.")]
Require = Annotated[
    str | None,
    typer.Option(
        metavar="FIGURES",
        help="Exit with 1 if precision or recall is lower.",
    ),
]

_STRATA = {"judged": say("judged duplicates"), "wider": say("only with the wider limit")}
_SCORED = {"precision": say("precision"), "recall": say("recall")}


def sample(
    inputs: Files,
    out: Out,
    size: Size = 200,
    method: Method = None,
    threshold: Threshold = None,
    wider_method: WiderMethod = None,
    wider_threshold: WiderThreshold = None,
    recipe: RecipeFile = None,
    text: Text = None,
    title: Title = None,
    url: Url = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a workbook of pairs to label: judged duplicates, and pairs that only a wider limit finds."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.evaluation.sample import sample as draw

    with show_progress(quiet=quiet) as progress:
        result = draw(
            inputs,
            out,
            size=size,
            method=method,
            threshold=threshold,
            wider_method=wider_method,
            wider_threshold=wider_threshold,
            recipe=recipe,
            text=column_names(text),
            title=title,
            url=url,
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            seed=seed,
            progress=progress,
        )
    if json:
        print_json(result.to_dict())
    else:
        print_view(_table(result))


def _table(result: SampleResult) -> Table:
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import facts

    table = facts()
    table.add_row(say("workbook"), Styled(visible(str(result.book))))
    table.add_row(say("articles"), f"{result.run['documents']:,}")
    for name, stratum in result.run["strata"].items():
        size, pairs = stratum["asked"], stratum["pairs"]
        table.add_row(_STRATA[name], say("{asked:,} of {pairs:,} pairs", asked=size, pairs=pairs))
    return table


def score(book: Book, require: Require = None, json: Json = False) -> None:
    """Score a labelled workbook: precision, recall and the agreement of the labelers, with 95% intervals.

    Recall is relative to the pairs found by the wider limit.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.evaluation.sample import score as read

    scored = read(book, require=dict(_required(require or "")))
    if json:
        print_json(scored.to_dict())
    else:
        print_view(_figures(scored.figures))
    for name in scored.unmet:
        figure = scored.figures[name]
        value = say("unknown") if figure is None else f"{figure['value']:.4f}"
        minimum = scored.required[name]
        unmet = say("{name} is {value}, expected at least {wanted:g}", name=_SCORED[name], value=value, wanted=minimum)
        typer.echo(translated(unmet), err=True)
    if scored.unmet:
        raise typer.Exit(1)


def _required(requirements: str) -> Iterator[tuple[str, float]]:
    from whorl.errors import UsageError
    from whorl.tasks.evaluation.sample import REQUIRABLE

    for part in filter(None, (part.strip() for part in requirements.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            minimum = float(value)
        except ValueError:
            minimum = -1.0
        if name not in REQUIRABLE or not 0 <= minimum <= 1:
            hint = say("write it as precision=0.97,recall=0.75")
            raise UsageError(say("--require expects FIGURE=SHARE, got {given!r}", given=part), hint=hint)
        yield name, minimum


def _figures(figures: Mapping[str, Any]) -> Table:
    from whorl.reports.evaluation.tables import share
    from whorl.reports.tables import facts

    table = facts()
    table.add_row(_SCORED["precision"], share(figures["precision"]))
    table.add_row(_SCORED["recall"], share(figures["recall"]))
    table.add_row("F1", "–" if figures["f1"] is None else f"{figures['f1']:.3f}")
    for name, stratum in figures["strata"].items():
        counts = {part: stratum[part] for part in ("copies", "labelled", "pairs")}
        table.add_row(_STRATA[name], say("{copies:,} copies among {labelled:,} labelled of {pairs:,} pairs", **counts))
    agreement = figures["agreement"]
    if agreement is not None:
        kappa = "–" if agreement["kappa"] is None else f"{agreement['kappa']:.3f}"
        table.add_row(say("agreement"), f"{agreement['equal']:,} / {agreement['pairs']:,}, κ {kappa}")
    return table


__all__ = ["SAMPLE_EPILOG", "SCORE_EPILOG", "sample", "score"]
