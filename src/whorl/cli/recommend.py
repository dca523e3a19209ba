"""``whorl recommend``: which recipe suits a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.options import (
    JUDGEMENT,
    RUNNING,
    Encoding,
    Exclude,
    Files,
    Id,
    Include,
    Json,
    Quiet,
    Text,
    column_names,
)

RECOMMEND_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl recommend articles.jsonl[/cyan]
  [cyan]whorl recommend corpus/ --text title,body --out ours.toml[/cyan]

[bold]怎样得出 · How it is found[/bold]
  从语料抽样，按各种手法造出副本混入其中，逐一试用各方法；
  好的再用于语料本身，比对它实际删去的。
  Documents are sampled, copies of them made by every trick, and
  every method is tried on both; the best are run on the corpus
  itself, and what they remove there is compared with what is kept.

[bold]退出码 · Exit code[/bold]
  1 没有可推荐的 · no recipe qualifies, and none is written.
"""

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE.toml", help="Write the recipe for `whorl dedup --recipe`. · 写出配方"),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", metavar="NAME", rich_help_panel=JUDGEMENT, help="What to try; repeatable. (default: all) · 方法"
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A kind of copy that matters, such as typo5; repeatable. (default: all) · 手法",
    ),
]
Precision = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Least share of right removals, planted and real. · 准确率下限",
    ),
]
Size = Annotated[int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Documents to sample. · 抽样篇数")]
Copies = Annotated[
    int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Copies of each kind. · 每种副本数")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Of the sample. · 随机种子")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="REPORT", help="Write a page with all figures. · 网页报告")
]


def recommend(
    inputs: Files,
    out: Out = None,
    method: Methods = None,
    kind: Kinds = None,
    precision: Precision = 0.97,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    size: Size = 3000,
    copies: Copies = 40,
    seed: Seed = 0,
    quiet: Quiet = False,
    html: Html = None,
    json: Json = False,
) -> None:
    """Propose a recipe for a corpus, by copies planted in a sample of it and by what it removes of the corpus itself.

    按你的语料推荐配方：抽样、造副本、试遍各方法，再看实际删去的是否站得住。
    """
    from whorl.cli.output import print_json, print_view, print_warnings
    from whorl.cli.progress import show_progress
    from whorl.reports.recommendation import recommendation, render_recommendation
    from whorl.tasks.evaluation import recommend as find
    from whorl.tasks.written import PAGE, RECIPE, demand_free, write_whole

    demand_free(out, RECIPE, inputs)
    demand_free(html, PAGE, inputs)
    with show_progress(quiet=quiet) as progress:
        found = find(
            inputs,
            methods=method,
            kinds=kind,
            precision=precision,
            text=column_names(text),
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            size=size,
            copies=copies,
            seed=seed,
            progress=progress,
        )
    print_warnings(found.warnings)
    if found.recipe is not None and out is not None:
        write_whole(out, found.toml())
    if html is not None:
        write_whole(html, render_recommendation(found.figures, found.best))
    if json:
        print_json(found.to_dict())
    else:
        print_view(*recommendation(found.figures, found.best))
    if found.recipe is None:
        raise typer.Exit(1)


__all__ = ["RECOMMEND_EPILOG", "recommend"]
