"""``whorl eval``: measure recall, precision and cost of the methods on labelled duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.localization import DefaultGroup
from whorl.cli.ui.options import (
    JUDGEMENT,
    RUNNING,
    Encoding,
    Exclude,
    Id,
    Include,
    Json,
    Quiet,
    Text,
    Workers,
    column_names,
)
from whorl.i18n import say

EVAL_EPILOG = Epilog(
    examples(
        ("whorl eval articles.jsonl truth.csv", say("all methods")),
        "whorl eval articles.jsonl truth.csv --method news --html evaluation.html",
        ("whorl eval sample articles.jsonl --out book.xlsx", say("a workbook to label")),
        ("whorl eval score labelled.xlsx", say("score the labels")),
    ),
    Section(
        say("TRUTH as JSONL, CSV, TSV (.gz, .zst)"),
        [
            ("a, b [label, kind]", say("pairs; label 1/0, yes/no or 是/否")),
            ("id, cluster", say("clusters")),
            ("copy_id, sources [kind, passages]", say("copies with their sources")),
        ],
    ),
    Section(say("A pair is found if"), [say("both documents are in one cluster, or linked if the links are judged")]),
    paragraph(say("`whorl eval truth --help` lists all options.")),
)
DEFAULT = "truth"


class EvalGroup(DefaultGroup):
    """A group that reads ``whorl eval DOCS TRUTH`` as ``whorl eval truth DOCS TRUTH``."""

    default = DEFAULT


Documents = Annotated[
    list[str],
    typer.Argument(metavar="DOCS", show_default=False, help="Files, folders and quoted globs."),
]
TruthFile = Annotated[
    Path, typer.Argument(metavar="TRUTH", show_default=False, help="Labels: which documents are duplicates.")
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A method or preset; repeatable. (default: all)",
    ),
]
Recipes = Annotated[
    list[Path] | None,
    typer.Option("--recipe", metavar="FILE.toml", rich_help_panel=JUDGEMENT, help="A recipe to try; repeatable."),
]
Ignore = Annotated[
    Path | None,
    typer.Option(metavar="PAIRS", rich_help_panel=JUDGEMENT, help="Pairs that count as neither right nor wrong."),
]
Incomplete = Annotated[
    bool,
    typer.Option(
        "--incomplete",
        rich_help_panel=JUDGEMENT,
        help="TRUTH does not contain every duplicate: precision is not reported.",
    ),
]
Sweep = Annotated[
    bool,
    typer.Option(
        "--sweep/--no-sweep",
        rich_help_panel=JUDGEMENT,
        help="Also try other thresholds and distances, and measure SimHash distances.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="REPORT", help="Write an HTML page with tables and charts."),
]
Plots = Annotated[Path | None, typer.Option("--plots", metavar="FOLDER", help="Write the charts as PNG files.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Seed of the random pairs.")]


def evaluate(
    documents: Documents,
    truth: TruthFile,
    method: Methods = None,
    recipe: Recipes = None,
    ignore: Ignore = None,
    incomplete: Incomplete = False,
    sweep: Sweep = True,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    seed: Seed = 0,
    workers: Workers = None,
    quiet: Quiet = False,
    html: Html = None,
    plots: Plots = None,
    json: Json = False,
) -> None:
    """Evaluate methods on labelled duplicates: recall, precision and F1 with 95% intervals, and the cost.

    `whorl eval DOCS TRUTH` is a short form.
    """
    from whorl.cli.ui.output import print_hint, print_json, print_view, takes_output
    from whorl.cli.ui.progress import show_progress
    from whorl.reports.drawing.plots import write_plots
    from whorl.reports.evaluation.tables import tables
    from whorl.tasks.dedup.outputs import PAGE, demand_free, write_whole
    from whorl.tasks.evaluation.run import evaluate as hold

    is_taken = takes_output(html, json=json)
    demand_free(html, PAGE, [*documents, str(truth), *map(str, recipe or ())])
    with show_progress(quiet=quiet) as progress:
        evaluation = hold(
            documents,
            truth,
            methods=method,
            recipes=recipe or (),
            ignore=ignore,
            complete=not incomplete,
            sweep=sweep,
            text=column_names(text),
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    figures = evaluation.to_dict()
    if html is not None:
        write_whole(html, evaluation.report())
    if plots is not None:
        write_plots(figures, plots)
    if json:
        print_json(figures)
    elif not is_taken:
        print_view(*tables(figures))
        print_hint(None if quiet else evaluation.hint)


__all__ = ["DEFAULT", "EVAL_EPILOG", "EvalGroup", "evaluate"]
