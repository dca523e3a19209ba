"""``whorl strip``: remove repeated text from within documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.commands.corpora.dedup import Inputs, OnError
from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.options import (
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
from whorl.cli.ui.shards import Engine, Master, ShardOption, Stage, Work, piece_of, print_shard
from whorl.cli.ui.strip.options import (
    ActionOption,
    Approved,
    By,
    DropBelow,
    Inside,
    KeepOccurrence,
    Learn,
    Mask,
    MinLengthOrShort,
    Per,
    RepeatsOrDocuments,
    RepetitionMode,
)
from whorl.cli.ui.typed_options import first_typed
from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from whorl.tasks.strip import StripRun

STRIP_EPILOG = Epilog(
    examples(
        "whorl strip pages/ -o stripped --inside lines --per url",
        "whorl strip corpus.parquet -o stripped --inside passages --least 300",
        "whorl strip news.jsonl -o tagged --inside sentences --action tag",
        "whorl strip manuals.jsonl -o stripped --inside paragraphs --by source",
        "whorl strip news.jsonl -o list.csv --learn --per url",
        "whorl strip news.jsonl -o cut --approved list.csv --per url",
    ),
    Section(
        say("OUT holds"),
        [
            ("kept/", say("the input without repeated text, in the same files")),
            ("cuts.parquet", say("each cut with its place and the place that keeps the text")),
            ("dropped.parquet", say("dropped documents, with reasons")),
            ("repetition.parquet", say("repetition within each document, with --repetition")),
            ("rejected/", say("unreadable rows, with reasons")),
            ("report.html", say("figures and examples, for people")),
            ("run.json", say("the same figures, for programs")),
        ],
    ),
    paragraph(say("To resume an interrupted run, run the same command again.")),
)

Out = Annotated[
    str,
    typer.Option(
        "--out", "-o", metavar="OUT", show_default=False, help="A new folder for the result; with --learn a new file."
    ),
]
Date = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=READING,
        help="Column of dates, for --keep earliest or latest. (default: usual date columns)",
    ),
]
_OF_CUTS = ("keep", "date", "action", "mask", "drop_below", "repetition", "approved")
"""Parameters that say what is cut."""
_BEYOND_ONE_PROCESS = ("engine", "master", "stage", "shard", "work")
"""Parameters of runs in several processes."""


def strip(
    context: typer.Context,
    inputs: Inputs,
    out: Out,
    inside: Inside = None,
    text: Text = None,
    id: Id = None,
    date: Date = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    on_error: OnError = "auto",
    least: MinLengthOrShort = None,
    repeats: RepeatsOrDocuments = None,
    per: Per = None,
    keep: KeepOccurrence = None,
    action: ActionOption = "cut",
    mask: Mask = "[…]",
    drop_below: DropBelow = 1,
    by: By = None,
    repetition: RepetitionMode = None,
    learn: Learn = False,
    approved: Approved = None,
    workers: Workers = None,
    engine: Engine = "local",
    master: Master = None,
    stage: Stage = None,
    shard: ShardOption = None,
    work: Work = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Remove text that is repeated within and across documents, and keep its first occurrence.

    Every removed text is equal to the kept one after normalisation. Cuts end at the borders of lines, sentences,
    paragraphs or words, and never divide a table row or a code block. Where a person has to decide what goes, --learn
    writes a list of candidates, and --approved removes what they marked.
    """
    from whorl.tasks.library.arguments import demand_inputs

    demand_inputs(inputs)
    from whorl.cli.ui.progress import show_progress
    from whorl.cli.ui.strip.output import print_learned, print_strip
    from whorl.tasks.boilerplate import learn_boilerplate
    from whorl.tasks.corpus_input import CorpusInput
    from whorl.tasks.strip import Strip, strip_corpus
    from whorl.tasks.strip_shards import strip_corpus_shard

    corpus = CorpusInput(
        inputs, column_names(text), id, date, encoding, include, exclude, on_error, workers, context.obj or ""
    )
    if learn:
        if typed := first_typed(context, _OF_CUTS):
            raise UsageError(
                say("{option} does not apply to --learn", option=typed), hint=say("leave it out; nothing is removed")
            )
        if typed := first_typed(context, _BEYOND_ONE_PROCESS):
            raise UsageError(
                say("{option} does not apply to --learn", option=typed),
                hint=say("leave it out; a list is learned in one process, from a sample if the corpus is large"),
            )
        candidates = Strip.to_learn(inside, least, 3 if repeats is None else repeats, per, by)
        with show_progress(quiet=quiet) as progress:
            learned = learn_boilerplate(corpus, out, candidates, progress=progress)
        print_learned(learned, quiet=quiet, json=json)
        return
    settings = Strip.of(
        inside,
        approved,
        least=least,
        repeats=2 if repeats is None else repeats,
        per=per,
        keep=keep,
        action=action,
        mask=mask,
        drop_below=drop_below,
        by=by,
        repetition=repetition,
    )
    piece = piece_of(stage, shard, work, engine)
    with show_progress(quiet=quiet) as progress:
        if piece is None:
            done: StripRun | None = strip_corpus(corpus, out, settings, engine, master, progress=progress)
        else:
            name, number, folder = piece
            part = strip_corpus_shard(corpus, out, settings, name, number, folder, progress)
            done = part.cleaned
    if done is not None:
        print_strip(done, quiet=quiet, json=json)
        if on_error == "auto":
            done.demand_read()
    else:
        print_shard(part, quiet=quiet, json=json)


__all__ = ["STRIP_EPILOG", "strip"]
