"""``whorl compare``: what one text has from another, or from many, with every passage side by side."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.options import JUDGEMENT, RUNNING, Encoding, Json, RecipeFile, Text, chosen_recipe, column_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whorl.engines.sources import Candidates
    from whorl.model import Comparison, Composition
    from whorl.recipe import Recipe
    from whorl.reports.comparison import Article

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
Html = Annotated[Path | None, typer.Option("--html", metavar="REPORT", help="Write a page with everything. · 网页报告")]
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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Show no progress. · 不显示进度")]


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
    html: Html = None,
    lang: Lang = None,
    most: Most = 1000,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what one text has from another, or from many: how much, which passages, and what was changed.

    `whorl compare A B` shows what B has from A, `whorl compare A --against SOURCES` where A comes from.
    比对：抄了多少、哪些段落、改了什么；左右并排。
    """
    from whorl.cli.output import print_json
    from whorl.cli.written import PAGE, demand_free, write_whole
    from whorl.reports.comparison import as_data, render_comparison

    groups = ([a], [b] if b else [], against, authorised, boilerplate, learn)
    demand_free(html, PAGE, chain.from_iterable(group or () for group in groups))
    reading = chosen_recipe(recipe, text=column_names(text), encoding=encoding)
    given = {"exclude": column_names(exclude), "least": least, "language": lang, "reprint": reprint}
    options = dict(reading.compare) | {name: value for name, value in given.items() if value is not None}
    options["boilerplate"] = [*options.get("boilerplate", ()), *_boilerplate(boilerplate, learn, reading)]
    places = _sources_of(a, b, against, authorised)
    found: Comparison | Composition
    left_out, rejected = 0, 0
    if places is None:
        found, examined, sources = _pair(a, str(b), reading, options)
    else:
        examined, candidates = _candidates(a, places, reading, most, quiet=quiet)
        found, sources = _against(examined, candidates, options)
        left_out, rejected = candidates.left_out, candidates.rejected
    if html is not None:
        command = context.obj or ""
        page = render_comparison(found, examined, sources, command=command, left_out=left_out, rejected=rejected)
        write_whole(html, page)
    if json:
        print_json(as_data(found, examined, sources, left_out=left_out, rejected=rejected))
    else:
        _print(found, examined, sources)
    if fail_on is not None and found.ratios.foreign >= fail_on:
        raise typer.Exit(1)


def _sources_of(
    a: str, b: str | None, against: list[str] | None, authorised: list[str] | None
) -> tuple[list[str], list[str]] | None:
    """Return the sources, and those that may be copied; None where the two texts are named."""
    from whorl.errors import UsageError

    if b is None and not against and not authorised:
        raise UsageError("there is nothing to compare with", cure="name a second text, or sources by --against")
    if b is not None and (against or authorised):
        raise UsageError("a second text and sources are both given", cure=f"give {b} as --against too")
    if [a, b, *(against or ()), *(authorised or ())].count("-") > 1:
        raise UsageError("stdin can be only one of the texts", cure="put the others in files")
    return None if b is not None else (against or [], authorised or [])


def _boilerplate(given: list[str] | None, learn: list[str] | None, recipe: Recipe) -> list[str]:
    """The texts given, and the sentences that many of others have."""
    from whorl.corpus import Columns, ReadOptions
    from whorl.engines.sources import read_texts
    from whorl.matching.boilerplate import learn_boilerplate

    columns, options = Columns(recipe.text), ReadOptions(recipe.encoding, recipe.max_row_bytes)
    texts = read_texts(given, columns, options) if given else []
    return texts + (learn_boilerplate(read_texts(learn, columns, options)) if learn else [])


def _pair(a: str, b: str, recipe: Recipe, options: dict[str, Any]) -> tuple[Comparison, Article, Sequence[Article]]:
    from whorl.cli.article import read_article
    from whorl.matching.compare import compare as judge
    from whorl.reports.comparison import Article

    source, examined = (Article(place, read_article(place, recipe)) for place in (a, b))
    return judge(source.text, examined.text, **options), examined, [source]


def _candidates(
    place: str, places: tuple[list[str], list[str]], recipe: Recipe, most: int, *, quiet: bool
) -> tuple[Article, Candidates]:
    from whorl.cli.article import place_of, read_article
    from whorl.cli.progress import show_progress
    from whorl.corpus import Columns, ReadOptions
    from whorl.engines.sources import Search, find_candidates
    from whorl.reports.comparison import Article
    from whorl.reports.figures import plural

    examined = Article(place, read_article(place, recipe))
    columns, options = Columns(recipe.text), ReadOptions(recipe.encoding, recipe.max_row_bytes)
    search = Search(*places, columns, options, most, place_of(place))
    with show_progress(quiet=quiet) as progress:
        found = find_candidates(examined.text, search, progress)
        if found.rejected:
            progress.note(f"{plural(found.rejected, 'row')} cannot be read")
        if found.itself:
            progress.note(f"{place} is among its sources and is left out of them")
    return examined, found


def _against(
    examined: Article, candidates: Candidates, options: dict[str, Any]
) -> tuple[Composition, Sequence[Article]]:
    from whorl.matching.compare import compare_sources
    from whorl.reports.comparison import Article

    sources = [Article(one.name, one.text, one.authorised) for one in candidates.chosen]
    authorised = [number for number, source in enumerate(sources) if source.authorised]
    texts = [source.text for source in sources]
    return compare_sources(examined.text, texts, authorised=authorised, **options), sources


def _print(found: Comparison | Composition, examined: Article, sources: Sequence[Article]) -> None:
    from whorl.cli.output import columns, print_view
    from whorl.reports.terminal import comparison

    width, plain = columns()
    print_view(comparison(found, examined, sources, width, plain=plain))


__all__ = ["COMPARE_EPILOG", "compare"]
