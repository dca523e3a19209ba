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
    Files,
    Id,
    Include,
    Json,
    Method,
    Quiet,
    RecipeFile,
    Text,
    Threshold,
    column_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from whorl.tasks.sample import Drawn

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
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Chooses the pairs. · 随机种子")]
Book = Annotated[Path, typer.Argument(metavar="BOOK.xlsx", show_default=False, help="A labelled workbook. · 标好的表")]
Require = Annotated[
    str | None,
    typer.Option(
        metavar="FIGURES",
        help="End with exit code 1 if precision or recall is less. · 验收线",
    ),
]


def sample(
    inputs: Files,
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
    from whorl.tasks.sample import sample as draw

    with show_progress(quiet=quiet) as progress:
        drawn = draw(
            inputs,
            out,
            size=size,
            method=method,
            threshold=threshold,
            wider_method=wider_method,
            wider_threshold=wider_threshold,
            recipe=recipe,
            text=column_names(text),
            title=title,
            url=url,
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            seed=seed,
            progress=progress,
        )
    if json:
        print_json(drawn.to_dict())
    else:
        print_view(_drawn(drawn))


def _drawn(drawn: Drawn) -> Table:
    from rich.text import Text as Styled

    from whorl.cli.output import facts
    from whorl.tasks.sample import SHEETS
    from whorl.visible import visible

    table = facts()
    table.add_row("表 · workbook", Styled(visible(str(drawn.book))))
    table.add_row("文章 · articles", f"{drawn.run['documents']:,}")
    for name, stratum in drawn.run["strata"].items():
        table.add_row(SHEETS[name], f"{stratum['asked']:,} / {stratum['pairs']:,} 对 · pairs")
    return table


def score(book: Book, require: Require = None, json: Json = False) -> None:
    """Read a labelled workbook: precision, recall and the agreement of the labellers, with 95 % intervals.

    Recall is relative to what the wider limit found. 读回标注：准确率、召回率、两方一致程度。
    """
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.sample import score as read

    scored = read(book, require=dict(_required(require or "")))
    if json:
        print_json(scored.to_dict())
    else:
        print_view(_figures(scored.figures))
    for name in scored.unmet:
        figure = scored.figures[name]
        value = "unknown" if figure is None else f"{figure['value']:.4f}"
        typer.echo(f"{name} is {value}, and {scored.required[name]:g} is required", err=True)
    if scored.unmet:
        raise typer.Exit(1)


def _required(given: str) -> Iterator[tuple[str, float]]:
    from whorl.errors import UsageError
    from whorl.language import say
    from whorl.tasks.sample import REQUIRABLE

    for part in filter(None, (part.strip() for part in given.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            least = float(value)
        except ValueError:
            least = -1.0
        if name not in REQUIRABLE or not 0 <= least <= 1:
            cure = say("write it as precision=0.97,recall=0.75")
            raise UsageError(say("--require {given!r} is not a figure and a share", given=part), cure=cure)
        yield name, least


def _figures(found: Mapping[str, Any]) -> Table:
    from whorl.cli.output import facts
    from whorl.reports.evaluation_tables import share
    from whorl.tasks.sample import SHEETS

    table = facts()
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
