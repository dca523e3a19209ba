"""``whorl dedup``: remove the duplicates from a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.advice import advice
from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.options import (
    JUDGEMENT,
    READING,
    Encoding,
    Exclude,
    Id,
    Include,
    Json,
    Method,
    Ocr,
    Quiet,
    RecipeFile,
    Text,
    Threshold,
    Verify,
    VerifyOver,
    VerifyThreshold,
    Workers,
    column_names,
    verification,
)
from whorl.cli.ui.shards import Engine, Master, ShardOption, Stage, Work, piece_of, print_shard
from whorl.cli.ui.strip.options import (
    REPETITION,
    ActionOption,
    Approved,
    By,
    DropBelow,
    KindName,
    Mask,
    MinLength,
    Per,
    Repeats,
    RepetitionMode,
)
from whorl.cli.ui.typed_options import first_typed
from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from whorl.tasks.dedup.run import DedupRun

InsideToo = Annotated[
    KindName | None,
    typer.Option(
        metavar="UNIT",
        rich_help_panel=REPETITION,
        help="Then also remove repeated lines, sentences, paragraphs or passages; see `whorl strip`.",
    ),
]

DEDUP_EPILOG = Epilog(
    advice(),
    Section(
        say("Rules of --keep"),
        [
            ("auto", say("earliest if at least half of the articles have a date, else longest")),
            ("earliest, latest", say("by the date")),
            ("longest", say("the longest text")),
            ("best", say("complete, clean, then long")),
            ("first", say("in the order of the input")),
            ("COLUMN", say("highest number or date in this column")),
        ],
    ),
    Section(
        say("Relations of --remove"),
        [
            ("exact, near_duplicate, excerpt", say("removed by default")),
            ("compilation, version, partial", say("kept and linked by default")),
            ("template, quotation, reworded", say("kept and linked by default")),
        ],
    ),
    examples(
        "whorl dedup news.jsonl -o clean",
        "whorl dedup 'corpus/**/*.parquet' -o clean --text title,body --id url",
        "whorl dedup gbk-folder/ -o clean --encoding gb18030",
        "whorl dedup news.csv -o clean --keep earliest --date published",
        "whorl dedup news.jsonl -o clean --method simhash --verify cosine",
        "whorl dedup pages/ -o clean --inside lines --per url",
        "whorl dedup pages/ -o cut --approved list.csv --per url",
        "zcat dump.jsonl.gz | whorl dedup - -o clean --json > run.json",
    ),
    Section(
        say("OUT holds"),
        [
            ("kept/", say("the input without duplicates, in the same files")),
            ("duplicates.parquet", say("removed documents, with evidence and changes")),
            ("related.parquet", say("related documents that were kept: relation, shares, passages")),
            ("clusters.parquet", say("each document with its cluster and role: kept, duplicate, reference")),
            ("clusters.csv", say("all clusters, the largest first, for spreadsheets")),
            ("rejected/", say("unreadable rows, with reasons")),
            ("report.html", say("figures and evidence, for people")),
            ("run.json", say("the same figures, for programs")),
        ],
    ),
    Section(
        say("A recipe file"),
        [
            'method = "minhash"',
            "threshold = 0.7",
            'text = ["title", "body"]',
            ("[parameters]", say("# whorl methods minhash lists them")),
            "shingle = 4",
            "target_recall = 0.995",
        ],
    ),
    paragraph(say("To resume an interrupted run, run the same command again.")),
)


Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        show_default=False,
        help="Files, folders and quoted globs: JSONL (.gz, .zst), Parquet, CSV, TSV, XLSX, WARC, "
        "HTML, DOCX, RTF, PDF, EPUB, Markdown, text ...; local, or at s3://, gs://, hdfs://, "
        "https://; `-` is JSONL on stdin.",
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        show_default=False,
        help="A new folder for the result, local or at s3://, gs://, hdfs://.",
    ),
]
Output = Annotated[
    Literal["rows", "ids"],
    typer.Option(
        metavar="rows|ids",
        help="Write the kept rows to OUT/kept, or only tables: clusters.parquet names the kept documents.",
    ),
]
Date = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=READING,
        help="Column of dates, for --keep earliest or latest. (default: usual date columns, and the dates of pages)",
    ),
]
OnError = Annotated[
    Literal["auto", "skip", "stop"],
    typer.Option(
        metavar="auto|skip|stop",
        rich_help_panel=READING,
        help="Skip unreadable rows and files, or stop at the first; auto fails if an input has no readable row.",
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        rich_help_panel=JUDGEMENT,
        help="Which duplicate to keep: earliest, latest, longest, best, first, auto or a column. (default: auto)",
    ),
]
Changes = Annotated[
    bool,
    typer.Option(
        "--changes",
        rich_help_panel=JUDGEMENT,
        help="Report how each removed text differs from the kept one. (default: for methods that measure copied text)",
    ),
]
Remove = Annotated[
    str | None,
    typer.Option(
        metavar="RELATION,...",
        rich_help_panel=JUDGEMENT,
        help="Relations whose documents are removed; all others are linked. (default: exact,near_duplicate,excerpt)",
    ),
]
MostLinks = Annotated[
    int | None,
    typer.Option(
        "--links",
        min=0,
        metavar="N",
        rich_help_panel=JUDGEMENT,
        help="Maximum number of links from a kept document to related ones, the strongest first. (default: 8)",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REFERENCE",
        rich_help_panel=JUDGEMENT,
        help="Also remove documents that this corpus, library or earlier OUT has; repeatable.",
    ),
]
_WITHIN_DOCUMENTS = ("least", "repeats", "per", "action", "mask", "drop_below", "by", "repetition")
"""Parameters of the search within documents."""


def dedup(
    context: typer.Context,
    inputs: Inputs,
    out: Out,
    output: Output = "rows",
    text: Text = None,
    id: Id = None,
    date: Date = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    include: Include = None,
    exclude: Exclude = None,
    on_error: OnError = "auto",
    method: Method = None,
    threshold: Threshold = None,
    keep: Keep = None,
    verify: Verify = None,
    verify_threshold: VerifyThreshold = None,
    verify_over: VerifyOver = None,
    changes: Changes = False,
    remove: Remove = None,
    links: MostLinks = None,
    inside: InsideToo = None,
    least: MinLength = None,
    repeats: Repeats = 2,
    per: Per = None,
    action: ActionOption = "cut",
    mask: Mask = "[…]",
    drop_below: DropBelow = 1,
    by: By = None,
    repetition: RepetitionMode = None,
    approved: Approved = None,
    against: Against = None,
    recipe: RecipeFile = None,
    workers: Workers = None,
    engine: Engine = "local",
    master: Master = None,
    stage: Stage = None,
    shard: ShardOption = None,
    work: Work = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Remove the duplicates from a corpus, with evidence for each removal.

    A text is removed only if it was compared with the kept text, reached the threshold, and is an exact duplicate, a
    near-duplicate or an excerpt of it; other related texts are kept and linked.
    """
    from whorl.tasks.library.arguments import demand_inputs

    demand_inputs(inputs)
    from whorl._internal.heap_policy import keep_freed_blocks
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.dedup.job import DedupOptions

    options = DedupOptions(
        text=column_names(text),
        id=id,
        date=date,
        encoding=encoding,
        ocr=ocr or None,
        include=include,
        exclude=exclude,
        on_error=on_error,
        method=method,
        threshold=threshold,
        keep=None if keep == "none" else keep,
        verify=verification(verify, verify_threshold, verify_over),
        changes=changes or None,
        remove=column_names(None if remove is None else [remove]),
        links=links,
        against=against or (),
        recipe=recipe,
        output=output,
        workers=workers,
        command=context.obj or "",
    )
    piece = piece_of(stage, shard, work, engine)
    keep_freed_blocks()
    has_unit = inside is not None or approved is not None
    if has_unit or keep == "none":
        _demand_inside(has_unit=has_unit, is_whole=piece is None and engine == "local")
        from whorl.cli.ui.strip.output import print_strip
        from whorl.tasks.strip import Strip, dedup_and_strip

        settings = Strip.of(
            inside,
            approved,
            least=least,
            repeats=repeats,
            per=per,
            keep=None if approved is not None else keep,
            action=action,
            mask=mask,
            drop_below=drop_below,
            by=by,
            repetition=repetition,
        )
        with show_progress(quiet=quiet) as progress:
            done = dedup_and_strip(inputs, out, options, settings, progress=progress)
        print_strip(done, quiet=quiet, json=json)
        if on_error == "auto":
            done.demand_read()
        return
    if typed := first_typed(context, _WITHIN_DOCUMENTS):
        raise UsageError(
            say("{option} needs --inside or --approved", option=typed),
            hint=say("it is about repeated text within documents; add a unit, such as `--inside lines`"),
        )
    with show_progress(quiet=quiet) as progress:
        if piece is None:
            from whorl.tasks.dedup.run import dedup_files

            cleaned: DedupRun | None = dedup_files(
                inputs, out, engine=engine, master=master, progress=progress, **options
            )
        else:
            from whorl.tasks.dedup.shards import dedup_shard

            name, number, folder = piece
            part = dedup_shard(inputs, out, stage=name, shard=number, work=folder, progress=progress, **options)
            cleaned = part.cleaned
    if cleaned is not None:
        _print_result(cleaned, quiet=quiet, json=json)
        if on_error == "auto":
            cleaned.demand_read()
    else:
        print_shard(part, quiet=quiet, json=json)


def _demand_inside(*, has_unit: bool, is_whole: bool) -> None:
    """Refuse a search within documents without a unit, or in a part of a run."""
    if not has_unit:
        raise UsageError(
            say("a duplicate is kept in any case"), hint=say("`--keep none` is for repeated text: add --inside")
        )
    if not is_whole:
        raise UsageError(
            say("--inside and --approved need a run on one machine"),
            hint=say("run `whorl strip` on the folder `kept` of the result"),
        )


def _print_result(cleaned: DedupRun, *, quiet: bool, json: bool) -> None:
    from whorl.cli.ui.output import is_styled, print_hint, print_json, print_text, print_view, print_warnings

    if json:
        print_json(cleaned.to_dict())
    elif not quiet and is_styled():
        from whorl.reports.terminal import summary

        print_view(summary(cleaned.run))
    elif not quiet:
        from whorl.reports.run_summary import plain_summary

        print_text(plain_summary(cleaned.run))
    print_warnings(cleaned.warnings)
    if not (json or quiet):
        print_hint(cleaned.hint)


__all__ = ["DEDUP_EPILOG", "dedup"]
