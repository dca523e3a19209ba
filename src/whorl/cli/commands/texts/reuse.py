"""``whorl reuse``: find all passages that documents of a corpus share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples, paragraph
from whorl.cli.ui.localization import Lang
from whorl.cli.ui.options import (
    JUDGEMENT,
    Encoding,
    Files,
    Id,
    Json,
    Meaning,
    ModelFolder,
    Ocr,
    Quiet,
    Text,
    column_names,
)
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from rich.console import RenderableType

    from whorl.types.reuse import Reuse

REUSE_EPILOG = Epilog(
    examples(
        ("whorl reuse books/ -o reused", say("all passages that the texts of a folder share")),
        ("whorl reuse papers.jsonl -o reused --group newspaper", say("only between different newspapers")),
        ("whorl reuse essays/ -o reused --against classics/", say("which essays quote which classics")),
        ("whorl reuse classics/ -o reused --layer text", say("the classics without the notes between their words")),
        ("whorl reuse scans/ -o reused --least 8 --noisy", say("short quotations, in texts with recognition errors")),
    ),
    paragraph(
        say(
            "Open index.html in the output folder first. passages.parquet and passages.csv have all passages with "
            "their offsets; graph.gexf is for Gephi, graph.graphml for other programs."
        )
    ),
)

Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="A new folder for tables, graphs and a page.")
]
Against = Annotated[
    list[str] | None,
    typer.Option(metavar="FILES", help="A second corpus: search only passages between both; repeatable."),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Compare only documents with different values of this column, such as author; `folder` is the folder "
        "of a file.",
    ),
]
MinLength = Annotated[
    int,
    typer.Option(
        min=8,
        metavar="N",
        rich_help_panel=JUDGEMENT,
        help="Minimum length of a passage: Han characters, or a third of the letters of other scripts.",
    ),
]
Hot = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        rich_help_panel=JUDGEMENT,
        help="Align a passage in more documents than this with its earliest witnesses only. (default: by corpus size)",
    ),
]
Noisy = Annotated[
    bool | None,
    typer.Option(
        "--noisy/--no-noisy",
        rich_help_panel=JUDGEMENT,
        help="Find texts with recognition errors, too. (default: up to ten million characters)",
    ),
]
Reworded = Annotated[
    bool,
    typer.Option(
        "--reworded",
        rich_help_panel=JUDGEMENT,
        help="Also find documents that retell others sentence by sentence, by their names, numbers and rare words.",
    ),
]
Layer = Annotated[
    Literal["all", "text", "commentary"],
    typer.Option(
        metavar="all|text|commentary",
        rich_help_panel=JUDGEMENT,
        help="Search the text of annotated editions without its commentary, or only the commentary.",
    ),
]
Notes = Annotated[
    str | None,
    typer.Option(
        metavar="BRACKETS",
        rich_help_panel=JUDGEMENT,
        help="Pairs of brackets that hold commentary, such as 【】（）. (default: those an edition uses regularly)",
    ),
]
Title = Annotated[str, typer.Option(metavar="TEXT", help="Title of the page.")]


def reuse(
    context: typer.Context,
    corpus: Files,
    out: Out = None,
    against: Against = None,
    group: Group = None,
    least: MinLength = 13,
    hot: Hot = None,
    noisy: Noisy = None,
    reworded: Reworded = False,
    layer: Layer = "all",
    notes: Notes = None,
    meaning: Meaning = False,
    meaning_model: ModelFolder = None,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    title: Title = "",
    lang: Lang = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find all passages that documents of a corpus share, verbatim or edited.

    Writes tables of passages, pairs and clusters, graphs for Gephi and networkx, and a page.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.reuse.run import reuse_files

    with show_progress(quiet=quiet) as progress:
        result = reuse_files(
            corpus,
            out,
            against=against or (),
            group=group,
            least=least,
            hot=hot,
            noisy=noisy,
            reworded=reworded,
            layer=layer,
            notes=notes,
            meaning=meaning_model or meaning,
            text=column_names(text),
            id=id,
            encoding=encoding,
            ocr=ocr or None,
            title=title,
            language=lang,
            command=context.obj or "",
            progress=progress,
        )
    if json:
        print_json(result.to_dict())
    elif not quiet:
        print_view(_summary(result, out))


_ROWS = 10


def _summary(result: Reuse, out: Path | None) -> RenderableType:
    """Return the largest clusters as a table, with the counts."""
    from rich.console import Group as Lines

    from whorl._internal.visible_text import visible
    from whorl.reports.reuse.page import headline, titles_of
    from whorl.reports.tables import Spoken

    table = Spoken(box=None)
    for heading in (say("Documents"), say("First in"), say("Text")):
        table.add_column(heading)
    titles = titles_of(result)
    for row in result.clusters.slice(0, _ROWS).to_pylist():
        first = titles.get(row["first_id"], row["first_id"])
        table.add_row(f"{row['documents']:,}", visible(first), visible(" ".join(row["text"][:60].split())))
    lines = [headline(result.run)]
    if result.run["rejected"]:
        lines.append(say("{count:,} rows or files cannot be read", count=len(result.run["rejected"])))
    if result.run["counts"]["annotated"] is not None:
        lines.append(
            say_many(
                "commentary recognized in {count:,} document: {characters:,} characters",
                "commentary recognized in {count:,} documents: {characters:,} characters",
                result.run["counts"]["annotated"],
                characters=result.run["counts"]["commentary"],
            )
        )
    if out is not None:
        lines.append(say("see {path}", path=out / "index.html"))
    return Lines(table, *(str(translated(line)) for line in lines))


__all__ = ["REUSE_EPILOG", "reuse"]
