"""``whorl recommend``: which recipe suits a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.options import JUDGEMENT, READING, RUNNING, Encoding, Json, Text, column_names

if TYPE_CHECKING:
    from rich.console import RenderableType

RECOMMEND_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl recommend articles.jsonl[/cyan]
  [cyan]whorl recommend corpus/ --text title,body --recipe ours.toml[/cyan]

[bold]怎样得出 · How it is found[/bold]
  从语料抽样，按各种手法造出副本混入其中，逐一试用各方法。
  Documents are sampled, copies of them made by every trick,
  and every method is tried on both.
"""

Inputs = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs. · 输入"),
]
RecipeOut = Annotated[
    Path | None,
    typer.Option("--recipe", metavar="FILE.toml", help="Write the recipe for `whorl dedup --recipe`. · 写出配方"),
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
        min=0, max=1, metavar="SHARE", rich_help_panel=JUDGEMENT, help="Least share of right removals. · 准确率下限"
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=READING, help="Column that names an article. (default: id) · 编号列"
    ),
]
Size = Annotated[int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Documents to sample. · 抽样篇数")]
Copies = Annotated[
    int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Copies of each kind. · 每种副本数")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Of the sample. · 随机种子")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Show no progress. · 不显示进度")]


def recommend(
    inputs: Inputs,
    recipe: RecipeOut = None,
    method: Methods = None,
    kind: Kinds = None,
    precision: Precision = 0.97,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    size: Size = 3000,
    copies: Copies = 40,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Propose a recipe for a corpus, by copies planted among a sample of it.

    按你的语料推荐配方：抽样、造副本、试遍各方法，列出依据。
    """
    from whorl.cli.output import print_json, print_view
    from whorl.cli.progress import show_progress
    from whorl.corpus import Columns, ReadOptions
    from whorl.evaluation.documents import read_documents
    from whorl.evaluation.evaluate import recipes_of
    from whorl.evaluation.recommend import Wish, as_toml
    from whorl.evaluation.recommend import recommend as run
    from whorl.recipe import Recipe

    base = Recipe(text=column_names(text) or ("text",), id=id, encoding=encoding)
    wish = Wish(recipes_of(method, base), precision, size, copies, seed, tuple(kind or ()))
    with show_progress(quiet=quiet) as progress:
        documents = read_documents(inputs, Columns(base.text, id), ReadOptions(encoding), progress)
        best, told = run(documents, wish, progress)
    if recipe is not None:
        recipe.write_text(as_toml(best, f"whorl recommend: {told['recommended']['name']}"), encoding="utf-8")
    if json:
        print_json(told)
    else:
        print_view(*_views(told))


def _views(told: Mapping[str, Any]) -> Iterator[RenderableType]:
    from rich.text import Text as Styled

    from whorl.evaluation.recommend import shown
    from whorl.reports.evaluation_tables import recalls, summary

    best = told["recommended"]
    yield Styled(f"推荐 · recommended: {best['name']}", style="bold")
    planted = f"{told['originals']:,} 篇 · documents, {told['copies']:,} 篇副本 · planted copies"
    yield Styled(f"{planted}; {told['left_out']:,} 篇相似者未用 · left out as alike", style="dim")
    for warning in _warnings(told):
        yield Styled(warning, style="yellow")
    methods = shown(told)
    yield summary(methods)
    yield recalls("各类副本的召回 · recall of each kind", "kinds", list(told["kinds"]), methods[:5])


def _warnings(told: Mapping[str, Any]) -> Iterator[str]:
    from whorl.evaluation.recommend import ENOUGH_COPIES

    if not told["enough"]:
        yield (
            f"样本太小，不足为凭：副本少于 {ENOUGH_COPIES} 篇 · "
            f"the sample is too small to tell: fewer than {ENOUGH_COPIES} copies could be planted"
        )
    if not told["precise"]:
        required = told["required_precision"]
        yield f"没有一种达到准确率 {required:g} · no recipe reaches the precision {required:g}"
    if told["equals"]:
        yield f"区间重叠，难分高下 · not to be told apart by this sample: {'; '.join(told['equals'][:6])}"


__all__ = ["RECOMMEND_EPILOG", "recommend"]
