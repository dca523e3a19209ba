"""``whorl dedup``: a corpus without its copies."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from whorl.cli.advice import advice
from whorl.cli.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.options import (
    JUDGEMENT,
    READING,
    RUNNING,
    Encoding,
    Exclude,
    Id,
    Include,
    Json,
    Method,
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
from whorl.language import say

DEDUP_EPILOG = Epilog(
    advice(),
    examples(
        "whorl dedup news.jsonl -o clean",
        "whorl dedup 'corpus/**/*.parquet' -o clean --text title,body --id url",
        "whorl dedup gbk-folder/ -o clean --encoding gb18030",
        "whorl dedup news.csv -o clean --keep earliest --date published",
        "whorl dedup news.jsonl -o clean --method simhash --verify cosine",
        "zcat dump.jsonl.gz | whorl dedup - -o clean --json > run.json",
    ),
    Section(
        say("OUT holds"),
        [
            ("kept/", say("the input without its copies, in the same files")),
            ("duplicates.parquet", say("what was removed, the proof of each, its changes")),
            ("clusters.parquet", say("what was kept, with its copies")),
            ("clusters.csv", say("every cluster, the largest first, for table programs")),
            ("rejected/", say("rows that could not be read, and why")),
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
    paragraph(say("A run that was stopped continues when the same command is run again.")),
)


Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        show_default=False,
        help="Files, folders and quoted globs: JSONL (.gz, .zst), Parquet, CSV, TSV, XLSX, WARC, HTML, DOCX, RTF, "
        "PDF, EPUB, Markdown, text ...; here, or at s3://, gs://, hdfs://, https://; `-` is JSONL on stdin.",
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        show_default=False,
        help="A new folder for the result, here or at s3://, gs://, hdfs://.",
    ),
]
Date = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=READING,
        help="Column of dates, for --keep earliest or latest, and to tell what each rule costs.",
    ),
]
OnError = Annotated[
    Literal["skip", "stop"],
    typer.Option(
        metavar="skip|stop",
        rich_help_panel=READING,
        help="Set unreadable rows and files aside in OUT/rejected, or stop at the first.",
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        rich_help_panel=JUDGEMENT,
        help="Which copy stays: earliest, latest, longest, best (complete, clean, then long), first, or the name of a "
        "column of numbers or dates, highest first. (default: longest)",
    ),
]
Changes = Annotated[
    bool,
    typer.Option(
        "--changes",
        rich_help_panel=JUDGEMENT,
        help="Compare each removed text once more with the kept one, to say what kind of copy it is and what was "
        "changed. (default: only where what is copied decides)",
    ),
]
Engine = Annotated[
    Literal["local", "spark"],
    typer.Option(
        metavar="local|spark",
        rich_help_panel=RUNNING,
        help="Where it runs: on this machine, or on a cluster of Spark that sees INPUT and OUT.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        rich_help_panel=RUNNING,
        help="Master of the cluster. (default: that of spark-submit, or this machine)",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REFERENCE",
        rich_help_panel=JUDGEMENT,
        help="Also remove what is already in this corpus, library or earlier OUT, which stays untouched; repeatable. "
        "A library brings its recipe.",
    ),
]


def dedup(
    context: typer.Context,
    inputs: Inputs,
    out: Out,
    text: Text = None,
    id: Id = None,
    date: Date = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    on_error: OnError = "skip",
    method: Method = None,
    threshold: Threshold = None,
    keep: Keep = None,
    verify: Verify = None,
    verify_threshold: VerifyThreshold = None,
    verify_over: VerifyOver = None,
    changes: Changes = False,
    against: Against = None,
    recipe: RecipeFile = None,
    workers: Workers = None,
    engine: Engine = "local",
    master: Master = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Remove the copies from a corpus, each with its proof.

    A text is removed only if it was compared with the very text kept in its place and reached the threshold.
    """
    from whorl.cli.output import print_hint, print_json, print_view, print_warnings
    from whorl.cli.progress import show_progress
    from whorl.reports.terminal import summary
    from whorl.tasks.dedup import dedup_files

    with show_progress(quiet=quiet) as progress:
        cleaned = dedup_files(
            inputs,
            out,
            text=column_names(text),
            id=id,
            date=date,
            encoding=encoding,
            include=include,
            exclude=exclude,
            on_error=on_error,
            method=method,
            threshold=threshold,
            keep=keep,
            verify=verification(verify, verify_threshold, verify_over),
            changes=changes or None,
            against=against or (),
            recipe=recipe,
            workers=workers,
            engine=engine,
            master=master,
            command=context.obj or "",
            progress=progress,
        )
    print_warnings(cleaned.warnings)
    if json:
        print_json(cleaned.to_dict())
    elif not quiet:
        print_view(summary(cleaned.run))
        print_hint(cleaned.hint)


__all__ = ["DEDUP_EPILOG", "dedup"]
