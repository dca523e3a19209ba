"""``whorl recommend``: which recipe suits a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.epilogs import Epilog, Section, examples
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
from whorl.language import say

RECOMMEND_EPILOG = Epilog(
    examples("whorl recommend articles.jsonl", "whorl recommend corpus/ --text title,body --out ours.toml"),
    Section(
        say("How it is found"),
        [
            say(
                "Documents are sampled, copies of them made by every trick, and every method is tried on both; "
                "the best are run on the corpus itself, and what they remove there is compared with what is kept."
            )
        ],
    ),
    Section(say("Exit codes"), [("1", say("no recipe qualifies, and none is written"))]),
)

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE.toml", help="Write the recipe for `whorl dedup --recipe`."),
]
Methods = Annotated[
    list[str] | None,
    typer.Option("--method", metavar="NAME", rich_help_panel=JUDGEMENT, help="What to try; repeatable. (default: all)"),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A kind of copy that matters, such as typo5; repeatable. (default: all)",
    ),
]
Precision = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Least share of right removals, planted and real.",
    ),
]
Size = Annotated[int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Documents to sample.")]
Copies = Annotated[int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Copies of each kind.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Of the sample.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="REPORT", help="Write a page with all figures.")]


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
    """Propose a recipe for a corpus, by copies planted in a sample and by what it removes of the corpus itself."""
    from whorl.cli.output import print_json, print_view, print_warnings, takes_output
    from whorl.cli.progress import show_progress
    from whorl.reports.recommendation import recommendation
    from whorl.tasks.evaluation import recommend as find
    from whorl.tasks.written import PAGE, RECIPE, demand_free, write_whole

    is_taken = takes_output(out, html, json=json)
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
        write_whole(html, found.report())
    if json:
        print_json(found.to_dict())
    elif not is_taken:
        print_view(*recommendation(found.figures, found.best))
    if found.recipe is None:
        raise typer.Exit(1)


__all__ = ["RECOMMEND_EPILOG", "recommend"]
