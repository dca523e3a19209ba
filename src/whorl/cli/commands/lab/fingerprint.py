"""``whorl fingerprint``: write fingerprints for other databases and search engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.commands.corpora.dedup import Inputs, OnError
from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
    Encoding,
    Exclude,
    Id,
    Include,
    Json,
    Method,
    Quiet,
    RecipeFile,
    Text,
    Threshold,
    Workers,
    column_names,
)
from whorl.i18n import as_message, say, translated

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.fingerprint import FingerprintFile

FINGERPRINT_EPILOG = Epilog(
    examples(
        "whorl fingerprint news.jsonl -o keys.parquet",
        ("whorl fingerprint news/ -o keys.parquet --keys int64", say("for SQL databases")),
        ("whorl fingerprint news/ -o keys.jsonl --keys hex", say("for search engines")),
        ("whorl fingerprint news/ -o keys.parquet --signature", say("for vector databases")),
        ("whorl fingerprint news/ -o codes.jsonl --iscc 256", say("for rights databases")),
    ),
    Section(
        say("Columns"),
        [
            ("id, file, row", say("the document; the id is null if it has none")),
            ("digest", say("128-bit hash of the normalized text, equal for exact duplicates")),
            ("length", say("normalized length in code points; 0 for a text without features")),
            ("keys", say("documents that share `min_shared` keys are candidates for a comparison")),
            ("signature", say("with --signature: the values of minhash as uint32, or the code of simhash")),
            ("iscc", say("with --iscc: the International Standard Content Code of the text, ISO 24138")),
        ],
    ),
)

Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="OUT", show_default=False, help="A new file: .parquet, .jsonl, .jsonl.gz or .jsonl.zst."
    ),
]
Keys = Annotated[
    Literal["uint64", "int64", "hex"],
    typer.Option(
        metavar="TYPE",
        help="Type of the keys: uint64; int64, the signed integer with the same bits; or hex, 16 digits.",
    ),
]
Signature = Annotated[bool, typer.Option("--signature", help="Add the signature of each document.")]

Iscc = Annotated[
    int | None,
    typer.Option(
        "--iscc",
        metavar="BITS",
        show_default=False,
        help="Add the ISCC (ISO 24138) of each document, with 64, 96, 128, 160, 192, 224 or 256 bits.",
    ),
]


def fingerprint(
    inputs: Inputs,
    out: Out,
    method: Method = None,
    threshold: Threshold = None,
    recipe: RecipeFile = None,
    keys: Keys = "uint64",
    signature: Signature = False,
    iscc: Iscc = None,
    text: Text = None,
    id: Id = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    on_error: OnError = "auto",
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write the fingerprints of documents, for other databases and search engines.

    Documents that share keys are candidates; `whorl compare` decides whether they are copies.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.fingerprint import fingerprint_files

    with show_progress(quiet=quiet) as progress:
        written = fingerprint_files(
            inputs,
            out,
            method=method,
            threshold=threshold,
            recipe=recipe,
            keys=keys,
            signature=signature,
            iscc=iscc,
            text=column_names(text),
            id=id,
            encoding=encoding,
            include=include,
            exclude=exclude,
            on_error=on_error,
            workers=workers,
            progress=progress,
        )
    if json:
        print_json(written.to_dict())
    elif not quiet:
        print_view(_summary(written))


def _summary(written: FingerprintFile) -> Table:
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import facts

    table = facts()
    table.add_row(say("file"), Styled(visible(str(written.out))))
    table.add_row(say("method"), Styled(str(written.method["method"])))
    table.add_row(say("articles"), f"{written.documents:,}")
    table.add_row(say("keys"), f"{written.keys:,}")
    table.add_row(say("shared keys of a candidate"), str(written.method["min_shared"]))
    if written.without_keys:
        table.add_row(say("articles without keys"), f"{written.without_keys:,}")
    for reason, count in written.rejected.items():
        table.add_row(say("rejected"), Styled(f"{count:,} {visible(translated(as_message(reason)))}"))
    return table


__all__ = ["FINGERPRINT_EPILOG", "fingerprint"]
