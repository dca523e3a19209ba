"""``whorl evidence``: export the evidence of a match as one file, and verify such a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.localization import DefaultGroup, Lang
from whorl.cli.ui.options import Json, Place
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whorl.tasks.evidence.checks import CheckedEvidence

EVIDENCE_EPILOG = Epilog(
    examples(
        ("whorl evidence newsroom b7 a1 -o pack.zip", say("of the match of b7, the copy, and a1")),
        ("whorl evidence verify pack.zip --library newsroom", say("verify that it is unaltered")),
    ),
    paragraph(say("`whorl evidence pack --help` lists all options.")),
)
VERIFY_EPILOG = Epilog(
    examples(
        "whorl evidence verify pack.zip",
        "whorl evidence verify pack.zip --library newsroom --trusted authority.pem",
    ),
    Section(say("Exit codes"), [("3", say("the file was altered, or is not an evidence pack"))]),
)
DEFAULT = "pack"


class EvidenceGroup(DefaultGroup):
    """A group that reads ``whorl evidence LIB ID OTHER`` as ``whorl evidence pack LIB ID OTHER``."""

    default = DEFAULT


Copy = Annotated[str, typer.Argument(metavar="ID", show_default=False, help="Id of the copy.")]
Original = Annotated[str, typer.Argument(metavar="OTHER", show_default=False, help="Id of the original.")]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="PACK", show_default=False, help="A new .zip file, or an older pack.")
]
Zone = Annotated[
    str | None,
    typer.Option(metavar="ZONE", help="Local time zone, such as Asia/Shanghai. (default: that of the system)"),
]
NoPdf = Annotated[bool, typer.Option("--no-pdf", help="Omit the PDF report, which takes a second.")]
Revision = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Revision of the copy. (default: the one with most of the original)"),
]
PackFile = Annotated[Path, typer.Argument(metavar="PACK", show_default=False, help="An evidence pack.")]
Library = Annotated[
    str | None,
    typer.Option(metavar="LIB", show_default=False, help="Library whose ledger must contain it: folder or address."),
]
Timestamp = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Response of an authority. (default: PACK with the suffix .tsr, if it exists)"),
]
Trusted = Annotated[
    Path | None, typer.Option(metavar="PEM", show_default=False, help="Certificates of authorities that you trust.")
]


def pack(
    library: Place,
    id: Copy,
    other: Original,
    out: Out,
    zone: Zone = None,
    no_pdf: NoPdf = False,
    revision: Revision = None,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Person who makes the pack.")] = "",
    lang: Lang = None,
    json: Json = False,
) -> None:
    """Write all evidence of a match to one file, and record its digest in the ledger of the library.

    The pack contains both pages as fetched, texts, passages, the report, the log of fetches, decisions, all times, a
    manifest with the SHA-256 of each file, and a time-stamp request for an authority.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.evidence.pack import pack_evidence

    created = pack_evidence(
        library, id, other, out, zone=zone, language=lang, pdf=not no_pdf, revision=revision, operator=by
    )
    if json:
        print_json(created.to_dict())
        return
    summary = [
        say_many("{count:,} file in {path}", "{count:,} files in {path}", created.members, path=created.path),
        say("manifest: {digest}", digest=created.manifest),
        say("ledger: entry {number:,}", number=created.number),
        *(say("not in it: {name}", name=name) for name in created.absent),
    ]
    print_view(*map(translated, summary))


def verify(
    pack: PackFile,
    library: Library = None,
    timestamp: Timestamp = None,
    trusted: Trusted = None,
    json: Json = False,
) -> None:
    """Verify an evidence pack: show what it proves and what it cannot prove.

    Exits with 3 if the pack was altered.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.evidence.checks import verify_evidence

    checked = verify_evidence(pack, library, timestamp=timestamp, trusted=trusted)
    if json:
        print_json(checked.to_dict())
    else:
        print_view(*_lines(checked))
    if not checked.is_sound:
        raise typer.Exit(3)


def _lines(checked: CheckedEvidence) -> Iterator[str]:
    from whorl._internal.visible_text import visible

    yield visible(f"{checked.id} ← {checked.other}  {checked.manifest}")
    parts = ((say("Altered"), checked.faults), (say("Proven"), checked.proven), (say("Not proven"), checked.unproven))
    for title, sentences in parts:
        if sentences:
            yield str(translated(title))
        for sentence in sentences:
            yield f"  {visible(str(translated(sentence)))}"


__all__ = ["DEFAULT", "EVIDENCE_EPILOG", "VERIFY_EPILOG", "EvidenceGroup", "pack", "verify"]
