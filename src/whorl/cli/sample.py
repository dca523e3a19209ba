"""``whorl eval sample`` and ``whorl eval score``: ask people about a corpus of which nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.options import (
    JUDGEMENT,
    READING,
    RUNNING,
    Encoding,
    Exclude,
    Include,
    Json,
    Method,
    RecipeFile,
    Text,
    Threshold,
    chosen_recipe,
    column_names,
    selected,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from whorl.recipe import Recipe

SAMPLE_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl eval sample articles.jsonl --out book.xlsx[/cyan]
  [cyan]whorl eval sample articles.jsonl --out short.xlsx --method short --size 100[/cyan]

[bold]怎样标 · How to label[/bold]
  两张表各有“研发”“产品”两列，填 1/0、是/否、yes/no、y/n。
  研发先标，产品后标，以产品为准；只有一方标也可以。
  On both sheets fill the columns development and product;
  product decides where both did. One of them is enough.
  [dim]whorl eval score book.xlsx[/dim]
"""
SCORE_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl eval score labelled.xlsx[/cyan]
  [cyan]whorl eval score labelled.xlsx --require precision=0.5,recall=0.5[/cyan]

[bold]验收线 · FIGURES[/bold]
  precision=0.97,recall=0.75

[bold]退出码 · Exit codes[/bold]
    1  未达 --require 的要求 · less than --require asks for
"""
_REQUIRABLE = ("precision", "recall")

Inputs = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs. · 输入"),
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="BOOK.xlsx", show_default=False, help="A new workbook. · 输出")
]
Size = Annotated[int, typer.Option(min=1, metavar="N", help="Pairs on each sheet. · 每表对数")]
WiderMethod = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", rich_help_panel=JUDGEMENT, help="What finds more. (default: the same, wider) · 放宽的方法"
    ),
]
WiderThreshold = Annotated[
    float | None,
    typer.Option(metavar="SHARE", rich_help_panel=JUDGEMENT, help="Its threshold. (default: half) · 放宽的阈值"),
]
Title = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column of titles. (default: title) · 标题列"),
]
Url = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column of addresses. (default: url) · 网址列"),
]
Id = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=READING, help="Column that names an article. (default: id) · 编号列"
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Chooses the pairs. · 随机种子")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Show no progress. · 不显示进度")]
Book = Annotated[Path, typer.Argument(metavar="BOOK.xlsx", show_default=False, help="A labelled workbook. · 标好的表")]
Require = Annotated[
    str | None,
    typer.Option(
        metavar="FIGURES",
        help="End with exit code 1 if precision or recall is less. · 验收线",
    ),
]


def sample(
    inputs: Inputs,
    out: Out,
    size: Size = 200,
    method: Method = None,
    threshold: Threshold = None,
    wider_method: WiderMethod = None,
    wider_threshold: WiderThreshold = None,
    recipe: RecipeFile = None,
    text: Text = None,
    title: Title = None,
    url: Url = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a workbook of pairs for people to label: what was judged a copy, and what only a wider limit finds.

    抽样供人工标注：判重的（验准确率），与放宽才见的（验召回率）。
    """
    from whorl.cli.output import print_json, print_view
    from whorl.cli.progress import show_progress
    from whorl.corpus import Columns, ReadOptions
    from whorl.evaluation.book import write_book
    from whorl.evaluation.documents import read_column, read_documents
    from whorl.evaluation.sample import asked, draw_sample

    names = {"text": column_names(text), "id": id, "encoding": encoding}
    chosen = chosen_recipe(recipe, method=method, threshold=threshold, **names)
    wider = _wider(chosen, wider_method, wider_threshold)
    options, files = ReadOptions(chosen.encoding, chosen.max_row_bytes), selected(include, exclude)
    with show_progress(quiet=quiet) as progress:
        documents = read_documents(inputs, Columns(chosen.text, chosen.id), options, progress, files)
        titles, urls = (
            read_column(inputs, given or usual, options, required=given is not None, selection=files)
            for given, usual in ((title, "title"), (url, "url"))
        )
        drawn = draw_sample(documents, chosen, wider, size=size, seed=seed, titles=titles, urls=urls)
    write_book(drawn, out)
    told = {"book": str(out), **asked(drawn)}
    if json:
        print_json(told)
    else:
        print_view(_drawn(told))


def _wider(recipe: Recipe, method: str | None, threshold: float | None) -> Recipe:
    from whorl.evaluation.sample import widened

    if method is None and threshold is None:
        return widened(recipe)
    return recipe.changed(method=method, threshold=threshold, parameters={} if method else None)


def _drawn(told: Mapping[str, Any]) -> Table:
    from rich.table import Table
    from rich.text import Text as Styled

    from whorl.evaluation.book import SHEETS
    from whorl.reports.visible import visible

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("表 · workbook", Styled(visible(told["book"])))
    table.add_row("文章 · articles", f"{told['documents']:,}")
    for name, stratum in told["strata"].items():
        table.add_row(SHEETS[name], f"{stratum['asked']:,} / {stratum['pairs']:,} 对 · pairs")
    return table


def score(book: Book, require: Require = None, json: Json = False) -> None:
    """Read a labelled workbook: precision, recall and the agreement of the labellers, with 95 % intervals.

    Recall is relative to what the wider limit found. 读回标注：准确率、召回率、两方一致程度。
    """
    from whorl.cli.output import print_json, print_view
    from whorl.evaluation.book import read_book
    from whorl.evaluation.estimate import estimate

    required = dict(_required(require or ""))
    found = estimate(read_book(book))
    unmet = [name for name, least in required.items() if found[name] is None or found[name]["value"] < least]
    if json:
        print_json({**found, "required": required, "unmet": unmet})
    else:
        print_view(_figures(found))
    for name in unmet:
        value = "unknown" if found[name] is None else f"{found[name]['value']:.4f}"
        typer.echo(f"{name} is {value}, and {required[name]:g} is required", err=True)
    if unmet:
        raise typer.Exit(1)


def _required(given: str) -> Iterator[tuple[str, float]]:
    from whorl.errors import UsageError

    for part in filter(None, (part.strip() for part in given.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            least = float(value)
        except ValueError:
            least = -1.0
        if name not in _REQUIRABLE or not 0 <= least <= 1:
            cure = "write it as precision=0.97,recall=0.75"
            raise UsageError(f"--require {part!r} is not a figure and a share", cure=cure)
        yield name, least


def _figures(found: Mapping[str, Any]) -> Table:
    from rich.table import Table

    from whorl.evaluation.book import SHEETS
    from whorl.reports.evaluation_tables import share

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("准确率 · precision", share(found["precision"]))
    table.add_row("召回率 · recall", share(found["recall"]))
    table.add_row("F1", "–" if found["f1"] is None else f"{found['f1']:.3f}")
    for name, stratum in found["strata"].items():
        table.add_row(SHEETS[name], f"{stratum['copies']:,} / {stratum['labelled']:,} (of {stratum['pairs']:,})")
    agreement = found["agreement"]
    if agreement is not None:
        kappa = "–" if agreement["kappa"] is None else f"{agreement['kappa']:.3f}"
        table.add_row("一致 · agreement", f"{agreement['equal']:,} / {agreement['pairs']:,}, κ {kappa}")
    return table


__all__ = ["SAMPLE_EPILOG", "SCORE_EPILOG", "sample", "score"]
