"""``whorl segment``: texts as words."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.options import Encoding, Exclude, Hmm, Include, Text, UserDictionary, column_names, selected

if TYPE_CHECKING:
    from whorl import _core
    from whorl.corpus import Selection
    from whorl.text.words import Cutting

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
_LINES_A_BATCH = 1000

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
    from whorl.text.words import Cutting, load_dictionary

    cutting = Cutting(mode, hmm, fold or stem is not None, pos, stem, chunks)
    dictionary = load_dictionary(user_dict)
    columns, files = column_names(text) or ("text",), selected(include, exclude)
    for origins, texts in _batches(inputs or ["-"], columns, encoding, files):
        if json:
            data = _json_lines(dictionary, origins, texts, cutting)
        else:
            data = bytes(memoryview(dictionary.lines(texts, cutting)))
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def _batches(
    inputs: list[str], text: tuple[str, ...], encoding: str | None, files: Selection
) -> Iterator[tuple[list[Any], Any]]:
    """Texts in batches, each text with what names it."""
    if inputs == ["-"]:
        yield from _standard_input()
        return
    import pyarrow as pa

    from whorl.corpus import Columns, ReadOptions, Rejects, discover, read_sources

    with TemporaryDirectory(prefix="whorl-") as folder, Rejects(Path(folder)) as rejects:
        sources = discover(inputs, selection=files)
        for source, batch in read_sources(sources, Columns(text), rejects, ReadOptions(encoding)):
            ids = pa.array(batch.ids).to_pylist()
            rows = batch.rows.tolist()
            yield [(source.name, row, id) for row, id in zip(rows, ids, strict=True)], batch.texts
        for reason, number in rejects.reasons.items():
            typer.echo(f"rejected: {number} {reason}", err=True)


def _standard_input() -> Iterator[tuple[list[Any], list[str]]]:
    from whorl.corpus.compression import standard_input
    from whorl.errors import InputError

    origins: list[Any] = []
    texts: list[str] = []
    for number, line in enumerate(standard_input(), 1):
        try:
            texts.append(line.decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise InputError(f"line {number} of stdin is not UTF-8", cure="convert it, or name a file") from error
        origins.append(("-", number, None))
        if len(texts) == _LINES_A_BATCH:
            yield origins, texts
            origins, texts = [], []
    if texts:
        yield origins, texts


def _json_lines(dictionary: _core.Words, origins: list[Any], texts: Any, cutting: Cutting) -> bytes:
    import pyarrow as pa

    from whorl.text.words import cut

    strings = texts if isinstance(texts, list) else pa.array(texts).to_pylist()
    found = cut(strings, dictionary, cutting)
    names = ("text", "start", "end") + (() if found.tags is None else ("tag",))
    columns = [found.texts, found.starts, found.ends] + ([] if found.tags is None else [found.tags])
    words = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    lines = []
    for (file, row, id), count in zip(origins, found.counts, strict=True):
        named = {"file": file, "row": row} | ({} if id is None else {"id": id})
        lines.append(json_format.dumps(named | {"words": list(islice(words, count))}, ensure_ascii=False) + "\n")
    return "".join(lines).encode("utf-8", "backslashreplace")


__all__ = ["SEGMENT_EPILOG", "segment"]
