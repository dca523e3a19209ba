"""``whorl eval``: what every method finds of the copies that are known, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from whorl.cli.options import (
    JUDGEMENT,
    RUNNING,
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

EVAL_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl eval articles.jsonl truth.csv[/cyan]                 全部方法 · all methods
  [cyan]whorl eval articles.jsonl truth.csv --method news --html evaluation.html[/cyan]
  [cyan]whorl eval sample articles.jsonl --out book.xlsx[/cyan]    抽样标注 · to label
  [cyan]whorl eval score labelled.xlsx[/cyan]                      读回标注 · labelled

[bold]真值 · TRUTH[/bold]  JSONL, CSV, TSV (.gz, .zst)
  a, b [dim]\\[label, kind][/dim]              成对 · pairs; label 1/0, yes/no, 是/否
  id, cluster                      分组 · clusters
  copy_id, sources [dim]\\[kind, passages][/dim]  副本与来源 · copies, their sources

[bold]何为找到 · What found means[/bold]
  一对之中至多留下一篇 · at most one document of the pair is kept.

[cyan]whorl eval truth --help[/cyan] 列出全部选项 · lists all options.
"""
DEFAULT = "truth"


class EvalGroup(TyperGroup):
    """A group that takes ``whorl eval DOCS TRUTH`` for ``whorl eval truth DOCS TRUTH``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


Documents = Annotated[
    list[str],
    typer.Argument(metavar="DOCS", show_default=False, help="Files, folders and quoted globs. · 文章"),
]
TruthFile = Annotated[Path, typer.Argument(metavar="TRUTH", show_default=False, help="Which are copies. · 真值")]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A method or preset; repeatable. (default: all) · 方法",
    ),
]
Recipes = Annotated[
    list[Path] | None,
    typer.Option(
        "--recipe", metavar="FILE.toml", rich_help_panel=JUDGEMENT, help="A recipe to try; repeatable. · 配方文件"
    ),
]
Ignore = Annotated[
    Path | None,
    typer.Option(metavar="PAIRS", rich_help_panel=JUDGEMENT, help="Pairs that are neither right nor wrong. · 不计的对"),
]
Incomplete = Annotated[
    bool,
    typer.Option(
        "--incomplete",
        rich_help_panel=JUDGEMENT,
        help="TRUTH does not name every copy: precision is not claimed. · 真值不全",
    ),
]
Sweep = Annotated[
    bool,
    typer.Option(
        "--sweep/--no-sweep",
        rich_help_panel=JUDGEMENT,
        help="Also try other thresholds and distances, and measure SimHash distances. · 扫描阈值",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="REPORT", help="Write a page with tables and charts. · 网页报告"),
]
Plots = Annotated[Path | None, typer.Option("--plots", metavar="FOLDER", help="Write the charts as PNG files. · 图")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Of random pairs. · 随机种子")]


def evaluate(
    documents: Documents,
    truth: TruthFile,
    method: Methods = None,
    recipe: Recipes = None,
    ignore: Ignore = None,
    incomplete: Incomplete = False,
    sweep: Sweep = True,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    seed: Seed = 0,
    workers: Workers = None,
    quiet: Quiet = False,
    html: Html = None,
    plots: Plots = None,
    json: Json = False,
) -> None:
    """Hold every method against known copies: recall, precision and F1 with 95 % intervals, and the cost.

    `whorl eval DOCS TRUTH` is short for it. 以已知的重复检验每种方法：召回、精确、F1 及 95 % 区间，与代价。
    """
    from whorl.cli.output import print_json, print_view
    from whorl.cli.progress import show_progress
    from whorl.reports.evaluation import render_evaluation
    from whorl.reports.evaluation_tables import tables
    from whorl.reports.plots import write_plots
    from whorl.tasks.evaluation import evaluate as hold
    from whorl.tasks.written import PAGE, demand_free, write_whole

    demand_free(html, PAGE, [*documents, str(truth), *map(str, recipe or ())])
    with show_progress(quiet=quiet) as progress:
        evaluation = hold(
            documents,
            truth,
            methods=method,
            recipes=recipe or (),
            ignore=ignore,
            complete=not incomplete,
            sweep=sweep,
            text=column_names(text),
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    found = evaluation.to_dict()
    if html is not None:
        write_whole(html, render_evaluation(found))
    if plots is not None:
        write_plots(found, plots)
    if json:
        print_json(found)
    else:
        print_view(*tables(found))


__all__ = ["DEFAULT", "EVAL_EPILOG", "EvalGroup", "evaluate"]
