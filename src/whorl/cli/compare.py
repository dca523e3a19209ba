"""``whorl compare``: what one text has from another, or from many, with every passage side by side."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.handing_in import Author, Date, Out, Short, Tables, Title
from whorl.cli.options import (
    JUDGEMENT,
    RUNNING,
    Encoding,
    Json,
    Quiet,
    RecipeFile,
    Text,
    column_names,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whorl.tasks.compare import Compared

COMPARE_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl compare a.txt b.txt[/cyan]                         b 抄了 a 什么 · what b has from a
  [cyan]whorl compare a.txt b.txt --html report.html[/cyan]      网页报告 · a page to hand in
  [cyan]whorl compare draft.txt --against corpus/[/cyan]         抄自哪几篇 · from which texts
  [cyan]whorl compare published.txt - --fail-on 0.3 < draft.txt[/cyan]
  [cyan]whorl compare draft.txt --against corpus/ --exclude quotations,references --json[/cyan]

[bold]四个比例 · The four ratios[/bold], of the characters of the examined text
  总复制比 · copied                      落在段落里的 · that lie in passages
  去除引文与参考文献 · without quotations and references
  去除本人或已授权的来源 · without own and authorised sources
  单一来源最大复制比 · largest single source

不用颜色时 · Without colours: \\[replaced] {+inserted+} \\[-deleted-]

[cyan]whorl explain a.txt b.txt[/cyan] 说明去重会不会删去其一。
It says whether `whorl dedup` would remove one of two texts; this command
says what was copied.
"""

A = Annotated[
    str,
    typer.Argument(
        metavar="A",
        show_default=False,
        help="The source: a text, HTML, DOCX or PDF file, FILE:ROW (a row of JSONL, Parquet, CSV or XLSX), or `-` for "
        "stdin. With --against, the text that is examined. · 来源；有 --against 时为所查之文",
    ),
]
B = Annotated[
    str | None,
    typer.Argument(metavar="B", show_default=False, help="The text that is examined, named likewise. · 所查之文"),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="Files, folders and quoted globs whose texts A may have been copied from; repeatable. · 可能的来源",
    ),
]
Authorised = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="The same, of the author's own or with leave; counted apart; repeatable. · 本人或已授权的来源",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT,...",
        rich_help_panel=JUDGEMENT,
        help="Leave out quotations, references, or both; how much, is said. · 排除引文、参考文献",
    ),
]
Boilerplate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Leave out what these texts have, such as notices; repeatable. · 排除套话",
    ),
]
Learn = Annotated[
    list[str] | None,
    typer.Option(
        "--learn-boilerplate",
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Leave out sentences that five or more of these texts have; repeatable. · 从这些文章学套话",
    ),
]
Least = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", rich_help_panel=JUDGEMENT, help="Leave out passages of fewer characters. · 最短段落"
    ),
]
Reprint = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="From which copied share on a text counts as a reprint. (default: 0.7) · 转载的界限",
    ),
]
FailOn = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="Exit with 1 if so much or more is copied, without own and authorised sources. · 达到则退出码为 1",
    ),
]
Lang = Annotated[
    Literal["zh", "en"] | None,
    typer.Option(help="Language of the sentence. (default: that of the text) · 结论的语言"),
]
Most = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=RUNNING,
        help="Compare with at most so many sources, those that share most keys; the rest is counted. · 最多比对篇数",
    ),
]


def compare(
    context: typer.Context,
    a: A,
    b: B = None,
    against: Against = None,
    authorised: Authorised = None,
    exclude: Exclude = None,
    boilerplate: Boilerplate = None,
    learn: Learn = None,
    least: Least = None,
    reprint: Reprint = None,
    recipe: RecipeFile = None,
    text: Text = None,
    encoding: Encoding = None,
    fail_on: FailOn = None,
    out: Out = None,
    table: Tables = None,
    short: Short = False,
    title: Title = "",
    author: Author = "",
    date: Date = None,
    lang: Lang = None,
    most: Most = 1000,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what one text has from another, or from many: how much, which passages, and what was changed.

    `whorl compare A B` shows what B has from A, `whorl compare A --against SOURCES` where A comes from.
    比对：抄了多少、哪些段落、改了什么；左右并排。
    """
    from whorl.cli.output import columns, print_json, print_view
    from whorl.reports.terminal import comparison
    from whorl.tasks.compare import demand_writable

    groups = ([a], [b] if b else [], against, authorised, boilerplate, learn)
    demand_writable(out, table, [*chain.from_iterable(group or () for group in groups)])
    options: dict[str, Any] = {
        "exclude": column_names(exclude),
        "boilerplate": boilerplate or (),
        "learn": learn or (),
        "least": least,
        "reprint": reprint,
        "language": lang,
        "text": column_names(text),
        "encoding": encoding,
        "recipe": recipe,
    }
    if b is None:
        compared = _against(a, against or (), authorised or (), options | {"most": most, "date": date}, quiet=quiet)
    else:
        compared = _pair(a, b, [*(against or ()), *(authorised or ())], options)
    found, examined, sources = compared.found, compared.text, compared.sources
    handed = {"title": title, "author": author, "short": short, "language": lang, "command": context.obj or ""}
    for place in filter(None, (out, table)):
        compared.write(place, **handed)
    if json:
        print_json(compared.to_dict())
    else:
        width, plain = columns()
        print_view(comparison(found, examined, sources, width, plain=plain))
    if fail_on is not None and found.ratios.foreign >= fail_on:
        raise typer.Exit(1)


def _pair(a: str, b: str, others: Sequence[str], options: dict[str, Any]) -> Compared:
    from whorl.errors import UsageError
    from whorl.tasks.compare import compare_files

    if others:
        raise UsageError("a second text and sources are both given", cure=f"give {b} as --against too")
    return compare_files(a, b, **options)


def _against(
    a: str, against: Sequence[str], authorised: Sequence[str], options: dict[str, Any], *, quiet: bool
) -> Compared:
    from whorl.cli.progress import show_progress
    from whorl.tasks.compare import compare_against

    with show_progress(quiet=quiet) as progress:
        return compare_against(against, a, authorised=authorised, progress=progress, **options)


__all__ = ["COMPARE_EPILOG", "compare"]
