"""``whorl add`` and ``whorl check``: articles into a library, or only beside it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.options import (
    READING,
    RUNNING,
    Encoding,
    Exclude,
    Include,
    Json,
    RecipeFile,
    Text,
    chosen_recipe,
    column_names,
    selected,
)

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.corpus import Selection
    from whorl.engines.progress import Progress
    from whorl.library import Library
    from whorl.library.model import Document, Match, Report
    from whorl.recipe import Recipe

ADD_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl add newsroom today.jsonl[/cyan]
  [cyan]whorl add recent today.jsonl --window 30d --date published[/cyan]
  [cyan]zcat dump.jsonl.gz | whorl add newsroom - --json[/cyan]
"""
CHECK_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl check newsroom draft.txt[/cyan]
  [cyan]whorl check newsroom today.jsonl --json[/cyan]
  [cyan]whorl check newsroom - < draft.txt[/cyan]

[bold]退出码 · Exit codes[/bold]
    1  查到，仅在 --fail-on 时 · found, only with --fail-on
"""
PLACE = typer.Argument(metavar="LIB", show_default=False, help="The folder of the library. · 文章库")

Place = Annotated[str, PLACE]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE", show_default=False, help="Files, folders and quoted globs; `-` is JSONL on stdin. · 输入"
    ),
]
Texts = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE", show_default=False, help="Files, folders and quoted globs; `-` is a text on stdin. · 输入"
    ),
]


def _column(name: str, chinese: str) -> Any:
    text = f"Column of {name}. · {chinese}"
    return typer.Option(metavar="COLUMN", rich_help_panel=READING, show_default=False, help=text)


Id = Annotated[str | None, _column("ids (default: id)", "编号列")]
Title = Annotated[str | None, _column("titles (default: title, 标题)", "标题列")]
Url = Annotated[str | None, _column("addresses (default: url, link, 网址)", "网址列")]
SourceColumn = Annotated[str | None, _column("publishers (default: source, site, 来源)", "来源列")]
Author = Annotated[str | None, _column("authors (default: author, byline, 作者)", "作者列")]
Date = Annotated[str | None, _column("dates of publication (default: published_at, date, 发布时间)", "发布日期列")]
Window = Annotated[
    str | None,
    typer.Option(metavar="SPAN", help="Of a new library: never match across this span, such as 30d. · 时间窗"),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Show no progress. · 不显示进度")]


def add(
    library: Place,
    files: Files,
    text: Text = None,
    id: Id = None,
    title: Title = None,
    url: Url = None,
    source: SourceColumn = None,
    author: Author = None,
    date: Date = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    recipe: RecipeFile = None,
    window: Window = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add articles to a library, which is made if there is none.

    What is reported is on the disk. Adding an article again changes nothing; with --json there is a line for each.
    入库：报告的都已落盘，重复入库不变；--json 每篇一行。
    """
    from whorl.cli.output import print_json_line, print_view
    from whorl.cli.progress import show_progress
    from whorl.library import open as open_library

    reading = chosen_recipe(recipe, text=column_names(text), id=id, encoding=encoding)
    columns = {"title": title, "url": url, "source": source, "author": author, "published_at": date}
    counts = dict.fromkeys(("new", "known", "revised", "matched"), 0)
    rules: dict[str, Any] = {} if window is None else {"window": window}
    with closing(open_library(library, None if recipe is None else reading, **rules)) as opened:
        given = _Given(tuple(files), reading, selected(include, exclude))
        with show_progress(quiet=quiet) as progress, closing(_read(given, columns, progress)) as rows:
            progress.stage("add", None, "documents")
            for report in opened.add_each(rows):
                progress.advance(1)
                counts[report.state] += 1
                counts["matched"] += bool(report.matches)
                if json:
                    print_json_line(report.to_dict())
        if not json:
            print_view(_counts(counts))


def check(
    library: Place,
    files: Texts,
    text: Text = None,
    id: Id = None,
    date: Date = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    fail_on: Annotated[
        Literal["copy", "match"] | None,
        typer.Option(help="Exit with 1 if there is a copy (of one cluster), or any match. · 如查到则退出码为 1"),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what a library has of some articles; nothing is kept.

    With --json there is a line for each article.
    查库不入库：库中已有哪些相同、相近、摘取的文章；--json 每篇一行。
    """
    from whorl.cli.output import print_json_line, print_view
    from whorl.cli.progress import show_progress
    from whorl.library import open as open_library

    reading = chosen_recipe(None, text=column_names(text), id=id, encoding=encoding)
    found = False
    with closing(open_library(library, create=False)) as opened, show_progress(quiet=quiet) as progress:
        progress.stage("check", None, "documents")
        given = _Given(tuple(files), reading, selected(include, exclude))
        for name, report in _checked(opened, given, date, progress):
            progress.advance(1)
            found |= any(match.joins or fail_on == "match" for match in report.matches)
            if json:
                print_json_line(report.to_dict() | {"id": name})
            else:
                print_view(report_table(name, report))
    if fail_on is not None and found:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Given:
    """What to read, and how."""

    files: tuple[str, ...]
    reading: Recipe
    selection: Selection


def _checked(opened: Library, given: _Given, date: str | None, progress: Progress) -> Iterator[tuple[str, Report]]:
    if given.files == ("-",):
        from whorl.cli.article import read_article

        yield "-", opened.check(read_article("-", given.reading))
        return
    with closing(_read(given, {"published_at": date}, progress)) as documents:
        for document in documents:
            published = document.published_at if opened.rules.clock == "published" else None
            times = [time for time in (published, document.first_seen_at) if time is not None]
            yield document.id, opened.check(document.text, at=min(times, default=None))


def _read(given: _Given, columns: Mapping[str, str | None], progress: Progress) -> Generator[Document, None, None]:
    """The documents of files; what cannot be read or understood is noted."""
    from collections import Counter
    from tempfile import TemporaryDirectory

    from whorl.library.columns import Misread
    from whorl.library.files import read_documents

    misread: Counter[Misread] = Counter()
    with TemporaryDirectory(prefix="whorl-") as folder:
        yield from read_documents(
            given.files, given.reading, Path(folder), named=columns, misread=misread, selection=given.selection
        )
        for line in _rejected(Path(folder)):
            progress.note(line)
    for (column, field), count in sorted(misread.items()):
        progress.note(f"not understood as {field}, kept in metadata: {count:,} of column {column!r}")


def _rejected(folder: Path) -> Iterator[str]:
    from json import loads

    with (folder / "rejected.jsonl").open(encoding="utf-8") as entries:
        for entry in map(loads, entries):
            row = "" if entry["row"] is None else f", row {entry['row']}"
            yield f"not read: {entry['file']}{row}: {entry['reason']}"


def _counts(counts: dict[str, int]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    names = {
        "new": "新增 · new",
        "known": "已有 · known",
        "revised": "改稿 · revised",
        "matched": "有匹配 · with matches",
    }
    for name, title in names.items():
        table.add_row(title, f"{counts[name]:,}")
    return table


_STATES = {"new": "新增 · new", "known": "已有 · known", "revised": "改稿 · revised", "matched": "有匹配 · matched"}
_HEADINGS = ("编号 · id", "相似 · alike", "本篇 · this", "彼篇 · other", "类型 · kind", "标题 · title")


def report_table(name: str, report: Report) -> Table:
    """What a report says, for people."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text as Styled

    from whorl.model import percent
    from whorl.reports.visible import visible

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    cluster = "" if report.cluster_id is None else f"  簇 · cluster {report.cluster_id}"
    table.title = Styled(f"{visible(name)}  {len(report.matches):,} 匹配 · matches{cluster}", style="bold")
    for heading in (
        "编号 · id",
        "相似 · similar",
        "本篇在彼 · of this",
        "彼篇在此 · of other",
        "类型 · kind",
        "标题 · title",
    ):
        table.add_column(heading, overflow="fold", min_width=16 if heading == _HEADINGS[0] else None)
    for match in report.matches:
        figures = (match.similarity, match.this_in_other, match.other_in_this)
        style = "bold red" if match.joins else ""
        shown = map(percent, figures)
        table.add_row(Styled(visible(match.id), style=style), *shown, match.kind, Styled(visible(match.title or "")))
    below = [f"{visible(match.id)}: {' · '.join(told)}" for match in report.matches if (told := _changes(match))]
    if report.cut or report.unlisted:
        below.append(f"{report.cut:,} keys cut, {report.unlisted:,} not listed · 截去的指纹与未列的文章")
    table.caption = Styled("\n".join(below), style="dim") if below else None
    return table


def _changes(match: Match) -> list[str]:
    """What distinguishes a text from its match, in Chinese and English; nothing where nothing does."""
    changes = match.changes
    return [] if changes is None else list(filter(None, [changes.told("zh"), changes.told("en")]))


__all__ = ["ADD_EPILOG", "CHECK_EPILOG", "PLACE", "Place", "Quiet", "add", "check", "report_table"]
