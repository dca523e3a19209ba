"""``whorl case``: copies of protected articles, from the first sighting to the settlement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.localization import Lang
from whorl.cli.ui.options import Json, Place
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from datetime import tzinfo

    from whorl.tasks.library.cases import CaseFile
    from whorl.types.cases import Case

CASE_EPILOG = Epilog(
    examples(
        ("whorl case list newsroom", say("cases that are not settled, the latest first")),
        ("whorl case show newsroom 1", say("a case with all its events")),
        ("whorl case notice newsroom 1 -o letter.docx --deadline 7d", say("write a letter, and record it")),
        ("whorl case evidence newsroom 1 -o pack.zip", say("evidence with all events")),
        ("whorl case close newsroom 1 --note paid", say("settled")),
    )
)

Number = Annotated[int, typer.Argument(metavar="CASE", show_default=False, help="Number of the case.")]
State = Annotated[
    list[str] | None,
    typer.Option(
        metavar="STATE",
        help="Only cases in this state: open, undetermined, noticed, removed, permitted, rejected or closed; "
        "repeatable. (default: the first four)",
    ),
]
All = Annotated[bool, typer.Option("--all", help="Cases in any state.")]
Article = Annotated[str | None, typer.Option(metavar="ID", help="Only cases of this protected article.")]
Site = Annotated[str | None, typer.Option(metavar="NAME", help="Only cases on this site, by its name in the watch.")]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of cases.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Person who does this.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Reason or remark.")]
Zone = Annotated[
    str | None, typer.Option(metavar="ZONE", help="Time zone, such as Asia/Shanghai. (default: that of the system)")
]


def list_cases(
    library: Place,
    state: State = None,
    every: All = False,
    article: Article = None,
    site: Site = None,
    top: Top = 50,
    zone: Zone = None,
    json: Json = False,
) -> None:
    """List cases, the latest first."""
    from whorl.cli.commands.libraries.library import table
    from whorl.cli.ui.output import print_json_line, print_view
    from whorl.reports.cases import zone_of
    from whorl.tasks.library.cases import list_cases as cases
    from whorl.types.cases import OPEN_STATES

    states = None if every else state or OPEN_STATES
    rows = cases(library, states=states, article=article, site=site, top=top)
    if json:
        for case in rows:
            print_json_line(case.to_dict())
        return
    headings = (say("No."), say("state"), say("article"), say("share"), say("since"), say("address"))
    chosen = zone_of(zone)
    print_view(table(headings, (_cells(case, chosen) for case in rows)))


def _cells(case: Case, zone: tzinfo | None) -> tuple[Any, ...]:
    from whorl.reports.cases import STATES, shown_time
    from whorl.types.comparison import percent

    return (
        case.number,
        translated(STATES[case.state]),
        case.article,
        percent(case.share),
        shown_time(case.since, zone),
        case.url,
    )


def show_case(library: Place, number: Number, zone: Zone = None, json: Json = False) -> None:
    """Show a case with all its events."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.cases import zone_of
    from whorl.tasks.library.cases import case_file

    file = case_file(library, number)
    if json:
        print_json(file.to_dict())
    else:
        print_view(*_lines(file, zone_of(zone)))


def _lines(file: CaseFile, zone: tzinfo | None) -> Iterator[str]:
    from whorl._internal.visible_text import visible
    from whorl.reports.cases import EVENTS, STATES, details_of, shown_time

    case = file.case
    yield visible(translated(say("case {number}: {state}", number=case.number, state=STATES[case.state])))
    yield visible(translated(say("original: {title} ({id})", title=file.article_title, id=case.article)))
    yield visible(translated(say("copy: {title}", title=file.copy_title or case.document)))
    yield visible(translated(say("at {url} ({site})", url=case.url, site=file.site_name)))
    for event in file.events:
        parts = [translated(part) for part in details_of(event, zone)]
        text = " · ".join([translated(EVENTS.get(event.kind, event.kind)), *parts])
        yield visible(f"  {shown_time(event.at, zone)}  {text}  [{event.number}]")


def open_case(
    library: Place,
    copy: Annotated[str, typer.Argument(metavar="ID", show_default=False, help="Id of the copy.")],
    article: Annotated[str, typer.Argument(metavar="OTHER", show_default=False, help="Id of the protected article.")],
    by: By = "",
    note: Note = "",
    json: Json = False,
) -> None:
    """Open a case for a match."""
    from whorl.tasks.library.cases import open_case as opened

    _print(opened(library, copy, article, by=by, note=note), json=json)


def send_notice(
    library: Place,
    number: Number,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the letter: .docx or .html. (default: only record it)"),
    ] = None,
    to: Annotated[str, typer.Option(metavar="NAME", help="Recipient. (default: name of the site)")] = "",
    sender: Annotated[str, typer.Option("--from", metavar="NAME", help="Sender, such as the publisher.")] = "",
    deadline: Annotated[
        str | None, typer.Option(metavar="TIME", help="Deadline: a period such as 7d, or a time.")
    ] = None,
    by: By = "",
    note: Note = "",
    zone: Zone = None,
    lang: Lang = None,
    json: Json = False,
) -> None:
    """Record that a notice is sent, and write its letter."""
    from whorl.tasks.library.notices import send_notice as send

    case = send(
        library, number, out, to=to, sender=sender, deadline=deadline, by=by, note=note, zone=zone, language=lang
    )
    _print(case, json=json)


def pack_case(
    library: Place,
    number: Number,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="PACK", show_default=False, help="A new .zip file, or an older pack."),
    ],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Person who makes the pack.")] = "",
    zone: Zone = None,
    lang: Lang = None,
    json: Json = False,
) -> None:
    """Write the evidence of a case to one file."""
    from whorl.cli.commands.watching.evidence import pack
    from whorl.tasks.library.cases import case_file

    case = case_file(library, number).case
    pack(library, case.document, case.article, out, zone=zone, by=by, lang=lang, json=json)


def close_case(library: Place, number: Number, by: By = "", note: Note = "", json: Json = False) -> None:
    """Close a case that is settled."""
    _record(library, number, "closed", by, note, json=json)


def reopen_case(library: Place, number: Number, by: By = "", note: Note = "", json: Json = False) -> None:
    """Reopen a closed case."""
    _record(library, number, "reopened", by, note, json=json)


def note_case(
    library: Place,
    number: Number,
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False, help="The note.")],
    by: By = "",
    json: Json = False,
) -> None:
    """Add a note to a case."""
    _record(library, number, "note", by, text, json=json)


def rebuild_cases(library: Place, json: Json = False) -> None:
    """Compute the states of all cases again from their events in the ledger."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.cases import rebuild_cases as rebuild

    count = rebuild(library)
    message = say_many("{count:,} case computed", "{count:,} cases computed", count)
    print_json({"cases": count}) if json else print_view(translated(message))


def _record(library: str, number: int, kind: str, by: str, note: str, *, json: bool) -> None:
    from whorl.tasks.library.cases import record_event

    _print(record_event(library, number, kind, by=by, note=note), json=json)


def _print(case: Case, *, json: bool) -> None:
    from whorl._internal.visible_text import visible
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.cases import STATES

    if json:
        print_json(case.to_dict())
        return
    message = say("case {number}: {state}", number=case.number, state=STATES[case.state])
    print_view(visible(f"{translated(message)}  {case.url}"))


__all__ = [
    "CASE_EPILOG",
    "close_case",
    "list_cases",
    "note_case",
    "open_case",
    "pack_case",
    "rebuild_cases",
    "reopen_case",
    "send_notice",
    "show_case",
]
