"""``whorl cohort``: compare all manuscripts of a class with each other, with earlier ones and with sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples, paragraph
from whorl.cli.ui.localization import Lang
from whorl.cli.ui.options import JUDGEMENT, Encoding, Json, Meaning, ModelFolder, Ocr, Quiet, Text, column_names
from whorl.cli.ui.report_options import HANDING_IN
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from rich.console import RenderableType

    from whorl.types.cohort import Cohort

COHORT_EPILOG = Epilog(
    examples(
        ("whorl cohort class/ -o checked", say("a class")),
        ("whorl cohort class/ -o checked --earlier theses --sources web/", say("with earlier years and sources")),
        ("whorl cohort class/ -o checked --boilerplate template.docx --pdf", say("without the template, as one PDF")),
    ),
    paragraph(
        say(
            "Run the same command again after new submissions: only new and changed files are read and compared. "
            "Open index.html in the output folder first."
        )
    ),
)

Folder = Annotated[
    str,
    typer.Argument(metavar="FOLDER", show_default=False, help="The manuscripts: DOCX, PDF, ODT, RTF, HTML, text ..."),
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FOLDER", help="Output folder; that of an earlier run is updated.")
]
Earlier = Annotated[str | None, typer.Option(metavar="LIB", help="A library with the manuscripts of earlier years.")]
Sources = Annotated[
    list[str] | None,
    typer.Option(metavar="FILES", help="Possible sources: files, folders and quoted globs; repeatable."),
]
Boilerplate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Exclude the contents of these files, such as the template of the institution; repeatable.",
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
FormShare = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Text that a larger share of the manuscripts contains, and more than 20 of them, is boilerplate; "
        "1 learns none.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT", rich_help_panel=JUDGEMENT, help="Exclude quotations, too. References are always excluded."
    ),
]
By = Annotated[
    Literal["heading"] | None,
    typer.Option(metavar="heading", rich_help_panel=JUDGEMENT, help="Also compute the share of each chapter."),
]
Reworded = Annotated[
    bool,
    typer.Option(
        "--reworded",
        rich_help_panel=JUDGEMENT,
        help="Also find manuscripts that retell a source sentence by sentence; they do not count as copied.",
    ),
]
Reports = Annotated[
    bool, typer.Option("--reports/--no-reports", rich_help_panel=HANDING_IN, help="Write a report for each manuscript.")
]
Pdf = Annotated[
    bool, typer.Option("--pdf", rich_help_panel=HANDING_IN, help="Write cohort.pdf with a sheet for each manuscript.")
]
Title = Annotated[
    str, typer.Option(metavar="TEXT", rich_help_panel=HANDING_IN, help="Title of the class. (default: the folder)")
]
Examiner = Annotated[str, typer.Option(metavar="NAME", rich_help_panel=HANDING_IN, help="Name of the examiner.")]


def cohort(
    context: typer.Context,
    folder: Folder,
    out: Out,
    earlier: Earlier = None,
    sources: Sources = None,
    boilerplate: Boilerplate = None,
    least: MinLength = 13,
    form_share: FormShare = 0.2,
    exclude: Exclude = None,
    by: By = None,
    reworded: Reworded = False,
    meaning: Meaning = False,
    meaning_model: ModelFolder = None,
    text: Text = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    reports: Reports = True,
    pdf: Pdf = False,
    title: Title = "",
    examiner: Examiner = "",
    lang: Lang = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare all manuscripts of a class with each other, with earlier years and with sources.

    Writes a class table (XLSX, CSV, JSON), a page with matrix and pairs, and a report for each manuscript.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.cohort.run import cohort as run

    with show_progress(quiet=quiet) as progress:
        result = run(
            folder,
            out,
            earlier=earlier,
            sources=sources or (),
            boilerplate=boilerplate or (),
            least=least,
            form_share=form_share,
            exclude=column_names(exclude) or (),
            by=by,
            reworded=reworded,
            meaning=meaning_model or meaning,
            reports=reports,
            pdf=pdf,
            title=title,
            examiner=examiner,
            language=lang,
            text=column_names(text),
            encoding=encoding,
            ocr=ocr or None,
            command=context.obj or "",
            progress=progress,
        )
    if json:
        print_json(result.to_dict())
    elif not quiet:
        print_view(_summary(result))


_ROWS = 10


def _summary(cohort: Cohort) -> RenderableType:
    """Return the largest shares as a table, with the place of the page."""
    from rich.console import Group

    from whorl._internal.visible_text import visible
    from whorl.reports.comparison.shares import share
    from whorl.reports.tables import Spoken

    table = Spoken(box=None)
    for heading in (say("Manuscript"), say("Share"), say("Largest source"), say("Sources")):
        table.add_column(heading)
    for row in cohort.examinations[:_ROWS]:
        table.add_row(
            visible(row.manuscript.title), share(row.ratios.copied), visible(row.top_title), f"{row.sources:,}"
        )
    lines = [
        say_many(
            "{count:,} manuscript examined in this run", "{count:,} manuscripts examined in this run", cohort.examined
        )
    ]
    if cohort.unreadable:
        lines.append(
            say_many("{count:,} file cannot be read", "{count:,} files cannot be read", len(cohort.unreadable))
        )
    lines.append(say("see {path}", path=Path(cohort.out) / "index.html"))
    return Group(table, *(str(translated(line)) for line in lines))


__all__ = ["COHORT_EPILOG", "cohort"]
