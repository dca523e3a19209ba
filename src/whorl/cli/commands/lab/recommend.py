"""``whorl recommend``: recommend a recipe for a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
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
from whorl.i18n import say

RECOMMEND_EPILOG = Epilog(
    examples(
        "whorl recommend articles.jsonl --for news",
        "whorl recommend corpus/ --text title,body --out ours.toml",
    ),
    Section(
        say("How it works"),
        [
            say(
                "Documents are sampled, copies of every kind are planted, and every method is tried on "
                "both. The best methods then deduplicate the sample itself, and their removals are "
                "compared with the kept documents by relation, facts and 5-grams, whatever the method "
                "measures."
            ),
            say(
                "At most a million characters are sampled, 10,000 per text, and the total work is "
                "limited to about a minute of CPU time."
            ),
        ],
    ),
    Section(
        say("Purposes, --for"),
        [
            ("corpus", say("training text: repeated whole texts")),
            ("news", say("reprints, excerpts and composites, removed or linked")),
            ("theses", say("copied parts, which are linked and not removed")),
            ("archive", say("only exact duplicates and near-duplicates are removed")),
        ],
    ),
    Section(
        say("Exit codes"),
        [
            (
                "1",
                say(
                    "no recipe qualifies, or the sample is refused because it consists mostly of forms or "
                    "one cluster; no recipe is written"
                ),
            )
        ],
    ),
)

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE.toml", help="Write the recipe for `whorl dedup --recipe`."),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", metavar="NAME", rich_help_panel=JUDGEMENT, help="A method to try; repeatable. (default: all)"
    ),
]
For = Annotated[
    Literal["corpus", "news", "theses", "archive"] | None,
    typer.Option(
        "--for",
        metavar="corpus|news|theses|archive",
        rich_help_panel=JUDGEMENT,
        help="Purpose of the corpus: determines methods, kinds of copies, precision, and what may be removed. "
        "(default: no restrictions)",
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A kind of copy to plant, such as typo5; repeatable. (default: all)",
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Minimum share of right removals, planted and real. (default: 0.97; 0.99 for an archive)",
    ),
]
Size = Annotated[
    int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Maximum number of sampled documents.")
]
Copies = Annotated[
    int, typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Number of planted copies of each kind.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", rich_help_panel=RUNNING, help="Seed of the sample.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="REPORT", help="Write an HTML page with all figures.")]


def recommend(
    inputs: Files,
    out: Out = None,
    method: Methods = None,
    purpose: For = None,
    kind: Kinds = None,
    precision: Precision = None,
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
    """Recommend a recipe for a corpus, using copies planted in a sample and real removals."""
    from whorl.cli.ui.output import print_json, print_view, print_warnings, takes_output
    from whorl.cli.ui.progress import show_progress
    from whorl.reports.evaluation.recommendation import recommendation
    from whorl.tasks.dedup.outputs import PAGE, RECIPE, demand_free, write_whole
    from whorl.tasks.evaluation.run import recommend as find

    is_taken = takes_output(out, html, json=json)
    demand_free(out, RECIPE, inputs)
    demand_free(html, PAGE, inputs)
    with show_progress(quiet=quiet) as progress:
        advice = find(
            inputs,
            methods=method,
            kinds=kind,
            purpose=purpose,
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
    print_warnings(advice.warnings)
    if advice.recipe is not None and out is not None:
        write_whole(out, advice.toml())
    if html is not None:
        write_whole(html, advice.report())
    if json:
        print_json(advice.to_dict())
    elif not is_taken:
        print_view(*recommendation(advice.figures, advice.best))
    if advice.refused is not None and (json or is_taken):
        print_warnings([{"message": advice.refused}])
    if advice.recipe is None:
        raise typer.Exit(1)


__all__ = ["RECOMMEND_EPILOG", "recommend"]
