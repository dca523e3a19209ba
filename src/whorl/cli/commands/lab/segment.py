"""``whorl segment``: segment texts into words."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import Encoding, Exclude, Hmm, Include, Text, UserDictionary, column_names
from whorl.i18n import say, translated

SEGMENT_EPILOG = Epilog(
    examples(
        "echo 研究生命的起源 | whorl segment",
        "whorl segment news.jsonl --text title,body --pos",
        "whorl segment news.jsonl --mode bidirectional --json",
        "whorl segment news.jsonl --chunks --stem english",
    ),
    Section(
        say("Modes"),
        [
            ("precise", say("the most probable segmentation")),
            ("full", say("all dictionary words")),
            ("search", say("precise, plus the words within long words")),
            ("fmm, bmm", say("the longest match from the left, from the right")),
            ("bidirectional", say("the better of both: fewer words, then fewer single characters")),
            ("minimum", say("the fewest words")),
        ],
    ),
)

Mode = Literal["precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum"]


def segment(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]",
            show_default=False,
            help="Files, folders and quoted globs; without inputs, or with `-`, every line of stdin is a text.",
        ),
    ] = None,
    mode: Annotated[
        Mode, typer.Option(metavar="MODE", help="Segmentation mode of Chinese text; see below.")
    ] = "precise",
    hmm: Hmm = True,
    user_dict: UserDictionary = None,
    pos: Annotated[bool, typer.Option("--pos", help="Add parts of speech: word/tag.")] = False,
    fold: Annotated[
        bool, typer.Option("--fold", help="Fold the text first: simplified, half width, lower case, no punctuation.")
    ] = False,
    stem: Annotated[
        str | None,
        typer.Option(metavar="LANGUAGE", help="Stem the words of a language, such as english; folds the text first."),
    ] = None,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Output runs of content words between function words and punctuation.")
    ] = False,
    text: Text = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON per text: words with offsets in code points.")
    ] = False,
) -> None:
    """Segment texts into words, one line per text."""
    from whorl.tasks.words import Segmented, segment_files

    def write(batch: Segmented) -> None:
        data = batch.json_lines() if json else batch.lines()
        sys.stdout.flush()
        sys.stdout.buffer.write(data)

    counts = segment_files(
        inputs or ["-"],
        on_batch=write,
        mode=mode,
        hmm=hmm,
        user_dictionary=user_dict,
        fold=fold,
        tags=pos,
        stem=stem,
        chunks=chunks,
        text=column_names(text),
        encoding=encoding,
        include=include,
        exclude=exclude,
    )
    for reason, number in counts.rejected.items():
        typer.echo(translated(say("rejected: {count:,} {reason}", count=number, reason=reason)), err=True)


__all__ = ["SEGMENT_EPILOG", "segment"]
