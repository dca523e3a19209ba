"""``whorl decontaminate``: find the items of benchmarks in a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
    JUDGEMENT,
    READING,
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
from whorl.cli.ui.shards import SHARDS, Engine, Master, ShardOption, Work, piece_of, print_shard
from whorl.i18n import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from whorl.tasks.decontaminate.files import DecontaminationRun

DECONTAMINATE_EPILOG = Epilog(
    examples(
        "whorl decontaminate corpus.jsonl --against mmlu.jsonl",
        "whorl decontaminate corpus/ --against mmlu=test.parquet -o out --action drop",
        "whorl decontaminate corpus/ --against quiz.csv --against-text question=stem",
        "whorl decontaminate new/ --against benchmarks/ --save-index benchmarks.index",
        "whorl decontaminate new/ --against benchmarks.index --action cut -o clean",
    ),
    Section(
        say("OUT holds"),
        [
            ("hits.parquet", say("every hit with its place in document and item, its shares and its reason")),
            ("hits.jsonl", say("the same, a line for each")),
            ("kept/", say("the input, with documents tagged, cut or dropped; not with --action report")),
            ("rejected/", say("unreadable rows, with reasons")),
            ("report.html", say("figures and evidence, for people")),
            ("run.json", say("the same figures, for programs")),
        ],
    ),
)

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS",
        show_default=False,
        help="Files, folders and quoted globs: JSONL (.gz, .zst), Parquet, CSV, text ...; `-` is JSONL on stdin.",
    ),
]
Against = Annotated[
    list[str],
    typer.Option(
        "--against",
        metavar="[NAME=]BENCH",
        show_default=False,
        help="A benchmark: a file, folder or glob of its items, or the folder of a saved index; repeatable.",
    ),
]
AgainstText = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD,...",
        rich_help_panel=READING,
        help="Fields of the items, as FIELD=COLUMN: question, choices, answer, passage. (default: usual columns)",
    ),
]
AgainstId = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=READING, help="Column of item ids. (default: a usual name, else the row)"
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="OUT", help="A new folder for the result; only --action report works without it."
    ),
]
ActionOption = Annotated[
    Literal["report", "tag", "cut", "drop"],
    typer.Option(
        "--action",
        metavar="report|tag|cut|drop",
        help="Report contaminated documents, tag them in a column, cut the sentences of the item, or drop them.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column that tells sources apart, such as meta.source, for the report."),
]
Count = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REASON,...",
        rich_help_panel=JUDGEMENT,
        help="Reasons that count as contamination: verbatim, edited, passage_only, template, quotation. "
        "(default: verbatim,edited)",
    ),
]
Column = Annotated[str, typer.Option(metavar="NAME", help="Name of the column that --action tag adds.")]
OnError = Annotated[
    Literal["auto", "skip", "stop"],
    typer.Option(
        metavar="auto|skip|stop",
        rich_help_panel=READING,
        help="Skip unreadable rows and files, or stop at the first; auto fails if an input has no readable row.",
    ),
]
SaveIndex = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Save the index of the benchmarks, to use with --against later."),
]
Stage = Annotated[
    Literal["sketch", "write"] | None,
    typer.Option(
        metavar="STAGE",
        rich_help_panel=SHARDS,
        help="Run one stage: sketch or write, which starts when all shards of sketch are done.",
    ),
]
Fail = Annotated[bool, typer.Option("--fail", help="Exit with 1 if a document is contaminated.")]


def decontaminate(
    context: typer.Context,
    inputs: Inputs,
    against: Against,
    against_text: AgainstText = None,
    against_id: AgainstId = None,
    out: Out = None,
    action: ActionOption = "report",
    text: Text = None,
    id: Id = None,
    by: By = None,
    count: Count = None,
    column: Column = "contamination",
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    on_error: OnError = "auto",
    save_index: SaveIndex = None,
    fail: Fail = False,
    workers: Workers = None,
    engine: Engine = "local",
    master: Master = None,
    stage: Stage = None,
    shard: ShardOption = None,
    work: Work = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find the items of benchmarks in a corpus, and tag, cut or drop the documents that contain them.

    Each hit says what of the item was found: the question verbatim or edited, or only its passage, a template, or a
    quotation, which do not count as contamination by default.
    """
    from whorl.tasks.library.arguments import demand_inputs

    demand_inputs(inputs)
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.decontaminate.files import DecontaminateFilesOptions, decontaminate_files, shared_output

    options = DecontaminateFilesOptions(
        against_text=column_names(against_text),
        against_id=against_id,
        action=action,
        text=column_names(text),
        id=id,
        by=by,
        count=column_names(count),
        column=column,
        encoding=encoding,
        include=include,
        exclude=exclude,
        on_error=on_error,
        workers=workers,
        command=context.obj or "",
    )
    piece = piece_of(stage, shard, work, engine)
    with show_progress(quiet=quiet) as progress:
        if stage is None or piece is None:
            result: DecontaminationRun | None = decontaminate_files(
                inputs,
                out,
                against=against,
                save_index=save_index,
                engine=engine,
                master=master,
                progress=progress,
                **options,
            )
        else:
            from whorl.tasks.decontaminate.shards import decontaminate_shard

            _, number, folder = piece
            target = shared_output(out, save_index)
            part = decontaminate_shard(
                inputs, target, against=against, stage=stage, shard=number, work=folder, progress=progress, **options
            )
            result = part.cleaned
    if result is None:
        print_shard(part, quiet=quiet, json=json)
    else:
        _print_result(result, quiet=quiet, json=json)
        if fail and result.run["contaminated"]:
            raise typer.Exit(1)


def _print_result(result: DecontaminationRun, *, quiet: bool, json: bool) -> None:
    from whorl.cli.ui.output import print_json, print_view, print_warnings

    if json:
        print_json(result.to_dict())
    elif not quiet:
        print_view(_table(result.run))
    print_warnings(result.warnings)


def _table(run: Mapping[str, Any]) -> Table:
    from whorl._internal.visible_text import visible
    from whorl.i18n import translated
    from whorl.reports.contamination import REASON_NAMES, headline
    from whorl.reports.tables import message_text, new_table

    table = new_table(title_justify="left")
    table.title = message_text(headline(run), "bold")
    table.add_column(say("benchmark"), overflow="fold")
    for name in ("items", "seen", "with answer", "documents"):
        table.add_column(_COLUMNS[name], justify="right")
    table.add_column(say("reasons (items)"), overflow="fold")
    for entry in run["benchmarks"]:
        reasons = ", ".join(f"{translated(REASON_NAMES[name])} {count:,}" for name, count in entry["reasons"].items())
        numbers = (entry["items"], entry["seen"], entry["seen_with_answer"], entry["documents"])
        table.add_row(visible(entry["benchmark"]), *(f"{number:,}" for number in numbers), reasons)
    return table


_COLUMNS = {
    "items": say("items"),
    "seen": say("seen"),
    "with answer": say("with answer"),
    "documents": say("documents"),
}

__all__ = ["DECONTAMINATE_EPILOG", "decontaminate"]
