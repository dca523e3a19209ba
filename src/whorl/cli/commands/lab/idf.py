"""``whorl idf``: count word frequencies in a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
    READING,
    Encoding,
    Exclude,
    Files,
    Hmm,
    Include,
    Json,
    Text,
    UserDictionary,
    column_names,
)
from whorl.i18n import as_message, say, translated

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.words import IdfSummary

IDF_EPILOG = Epilog(
    examples("whorl idf corpus/ -o idf.parquet", "whorl idf today.jsonl -o idf.parquet --update"),
    Section(say("In a recipe"), ['method = "info"', "[parameters]", 'idf = "idf.parquet"']),
)

_LISTED = 10


def idf(
    inputs: Files,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="TABLE", show_default=False, help="Path of the table.")],
    text: Text = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    user_dict: UserDictionary = None,
    hmm: Hmm = True,
    stop_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Words of more than this share of the articles become stop words.",
        ),
    ] = 0.5,
    update: Annotated[
        bool, typer.Option("--update", rich_help_panel=READING, help="Add to an existing table.")
    ] = False,
    json: Json = False,
) -> None:
    """Count the number of articles with each word.

    Methods that weigh words read the table; words of very many articles become stop words.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.words import train_idf

    trained = train_idf(
        inputs,
        out,
        text=column_names(text),
        encoding=encoding,
        include=include,
        exclude=exclude,
        user_dictionary=user_dict,
        hmm=hmm,
        stop_share=stop_share,
        update=update,
    )
    if json:
        print_json(trained.to_dict())
    else:
        print_view(_summary(trained.table, trained.summary))


def _summary(out: Path, trained: IdfSummary) -> Table:
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import facts

    table = facts()
    table.add_row(say("table"), Styled(visible(str(out))))
    table.add_row(say("articles"), f"{trained.documents:,}")
    table.add_row(say("words"), f"{trained.words:,}")
    table.add_row(say("stop words"), f"{trained.stop_words:,}")
    common = "  ".join(f"{visible(word)} {share:.0%}" for word, share in trained.most_common[:_LISTED])
    table.add_row(say("most common"), Styled(common))
    for reason, number in trained.rejected.items():
        table.add_row(say("rejected"), Styled(f"{number:,} {visible(translated(as_message(reason)))}"))
    return table


__all__ = ["IDF_EPILOG", "idf"]
