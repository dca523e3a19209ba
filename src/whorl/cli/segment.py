"""``whorl segment``: texts as words."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from whorl.cli.options import Encoding, Exclude, Hmm, Include, Text, UserDictionary, column_names

SEGMENT_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]echo 研究生命的起源 | whorl segment[/cyan]
  [cyan]whorl segment news.jsonl --text title,body --pos[/cyan]
  [cyan]whorl segment news.jsonl --mode bidirectional --json[/cyan]
  [cyan]whorl segment news.jsonl --chunks --stem english[/cyan]

[bold]切分法 · Modes[/bold]
  precise        精确 · the most probable cut
  full           全模式 · every word of the dictionary
  search         搜索 · precise, and the words within long words
  fmm, bmm       正向、逆向最大匹配 · the longest match from the left, from the right
  bidirectional  双向 · the one of both with fewer words, then fewer single characters
  minimum        最少切分 · the fewest words
"""

Mode = Literal["precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum"]


def segment(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]",
            show_default=False,
            help="Files, folders and quoted globs; without any, or with `-`, every line of stdin is a text. · 输入",
        ),
    ] = None,
    mode: Annotated[Mode, typer.Option(metavar="MODE", help="How Han text is cut; see below. · 切分法")] = "precise",
    hmm: Hmm = True,
    user_dict: UserDictionary = None,
    pos: Annotated[bool, typer.Option("--pos", help="Add parts of speech: word/tag. · 词性")] = False,
    fold: Annotated[
        bool, typer.Option("--fold", help="Fold first: simplified, half width, lower case, no marks. · 先归一")
    ] = False,
    stem: Annotated[
        str | None,
        typer.Option(metavar="LANGUAGE", help="Take the endings off its words, such as english; folds first. · 词干"),
    ] = None,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Runs of content words between function words and marks. · 词块")
    ] = False,
    text: Text = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    json: Annotated[
        bool, typer.Option("--json", help="A line of JSON a text: words with offsets in code points. · 机读")
    ] = False,
) -> None:
    """Cut texts into words, a line for each text.

    把文章切成词，每篇一行。
    """
    from whorl.tasks.words import Segmented, segment_files

    def write(batch: Segmented) -> None:
        data = batch.json_lines() if json else batch.lines()
        sys.stdout.flush()
        sys.stdout.buffer.write(data)

    found = segment_files(
        inputs or ["-"],
        each=write,
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
    for reason, number in found.rejected.items():
        typer.echo(f"rejected: {number} {reason}", err=True)


__all__ = ["SEGMENT_EPILOG", "segment"]
