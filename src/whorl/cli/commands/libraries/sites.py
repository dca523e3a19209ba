"""``whorl library sites`` and related commands: permissions, accounts, attestations, snapshots and ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from whorl.cli.ui.options import Json, Place
from whorl.cli.ui.zones import shows_times
from whorl.i18n import say, say_many, translated
from whorl.types.times import shown_time

if TYPE_CHECKING:
    from whorl.tasks.library.monitoring import Kind
    from whorl.types.comparison import Plain

Import = Annotated[
    str | None,
    typer.Option("--import", metavar="FILE", help="Import this JSON Lines file; `-` is standard input."),
]
Export = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Export all as JSON Lines: .jsonl, .jsonl.gz, .jsonl.zst."),
]
_Row = TypeVar("_Row", bound="Plain")


@shows_times
def sites(library: Place, take: Import = None, export: Export = None, json: Json = False) -> None:
    """List the known sites: name, trust, age, update cycle, and whether they may reprint."""
    from whorl.tasks.library.monitoring import sites as known

    headings = (say("domain"), say("name"), say("trust"), say("since"), say("updates"), say("may reprint"))
    _run(
        library,
        "sites",
        (take, export, json),
        headings,
        known,
        lambda site: (
            site.domain,
            site.name,
            "" if site.trust is None else f"{site.trust:.2f}",
            _day(site.since),
            "" if site.update_cycle is None else str(site.update_cycle),
            "✓" if site.authorised else "",
        ),
    )


@shows_times
def permissions(library: Place, take: Import = None, export: Export = None, json: Json = False) -> None:
    """List permissions to reprint: by domain, path, author and time."""
    from whorl.tasks.library.monitoring import permissions as known

    headings = (say("domain"), say("path"), say("author"), say("since"), say("until"), say("note"))
    _run(
        library,
        "permissions",
        (take, export, json),
        headings,
        known,
        lambda permission: (
            permission.domain,
            permission.path,
            permission.author,
            _day(permission.since),
            _day(permission.until),
            permission.note,
        ),
    )


def accounts(library: Place, take: Import = None, export: Export = None, json: Json = False) -> None:
    """List the sites and accounts that are known to belong to authors.

    Only a page at one of them counts as a post of the author; a name on a page does not.
    """
    from whorl.tasks.library.monitoring import accounts as accounts_of

    headings = (say("author"), say("domain"), say("path"), say("account"), say("by"), say("note"))
    _run(
        library,
        "accounts",
        (take, export, json),
        headings,
        accounts_of,
        lambda account: (account.author, account.domain, account.path, account.name, account.by, account.note),
    )


@shows_times
def attestations(library: Place, take: Import = None, export: Export = None, json: Json = False) -> None:
    """List attestations of publication times, such as server logs."""
    from whorl.tasks.library.monitoring import attestations as known

    headings = (say("article"), say("kind"), say("proves"), say("by"), say("note"))
    _run(
        library,
        "attestations",
        (take, export, json),
        headings,
        known,
        lambda attestation: (
            attestation.document,
            attestation.kind,
            attestation.time.format(),
            attestation.by,
            attestation.note,
        ),
    )


@shows_times
def snapshots(library: Place, take: Import = None, export: Export = None, json: Json = False) -> None:
    """List the fetched pages, each with its address and time.

    Bodies are included only by --export and --import.
    """
    from whorl.tasks.library.monitoring import snapshots as known

    headings = (
        say("No."),
        say("fetched"),
        say("status"),
        say("bytes"),
        say("address"),
        say("article"),
    )
    _run(
        library,
        "snapshots",
        (take, export, json),
        headings,
        known,
        lambda page: (
            page.number,
            _minute(page.fetched_at),
            page.status,
            f"{page.bytes:,}",
            page.url,
            page.document or "",
        ),
    )


def prune(
    library: Place,
    keep_days: Annotated[
        int, typer.Option("--keep-days", min=1, metavar="N", help="Age in days of the pages to keep.")
    ],
    json: Json = False,
) -> None:
    """Remove fetched pages that are older than a number of days, except those of open cases.

    The ledger keeps its entries.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.monitoring import prune_pages

    count = prune_pages(library, keep_days)
    message = say_many("{count:,} page removed", "{count:,} pages removed", count)
    print_json({"removed": count}) if json else print_view(translated(message))


@shows_times
def ledger(library: Place, json: Json = False) -> None:
    """List the entries of the ledger, each chained to the previous one.

    With a copy of a chain value you can later detect changes to any earlier entry.
    """
    from whorl.tasks.library.monitoring import ledger as known

    headings = (say("No."), say("written"), say("kind"), say("digest"), say("chain"))
    _show(
        known(library),
        headings,
        lambda entry: (entry.number, _minute(entry.at), entry.kind, entry.digest[:16], entry.chain[:16]),
        json=json,
    )


def _run(
    library: str,
    kind: Kind,
    request: tuple[str | None, Path | None, bool],
    headings: tuple[str, ...],
    rows: Callable[[str], Iterator[_Row]],
    cells: Callable[[_Row], tuple[Any, ...]],
) -> None:
    """Import rows, export them, or list them."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.errors import UsageError
    from whorl.tasks.library.monitoring import export_rows, import_rows

    take, to, json = request
    if take is not None and to is not None:
        raise UsageError(say("--import and --export exclude each other"), hint=say("remove one of them"))
    if take is not None:
        kept = import_rows(library, kind, take)
        summary = say_many("{count:,} stored", "{count:,} stored", kept.kept)
        skipped = say_many("{count:,} already known", "{count:,} already known", kept.known)
        print_json(kept.to_dict()) if json else print_view(
            *map(translated, [summary, skipped] if kept.known else [summary])
        )
    elif to is not None:
        written = export_rows(library, kind, to)
        summary = say_many("{count:,} row written", "{count:,} rows written", written.rows)
        print_json(written.to_dict()) if json else print_view(translated(summary))
    else:
        _show(rows(library), headings, cells, json=json)


def _show(
    rows: Iterable[_Row], headings: tuple[str, ...], cells: Callable[[_Row], tuple[Any, ...]], *, json: bool
) -> None:
    """Print rows: as JSON Lines, or as a table."""
    from whorl.cli.commands.libraries.library import table
    from whorl.cli.ui.output import print_json_line, print_view

    if json:
        for row in rows:
            print_json_line(row.to_dict())
    else:
        print_view(table(headings, map(cells, rows)))


def _day(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d}"


def _minute(time: datetime) -> str:
    return shown_time(time)


__all__ = ["accounts", "attestations", "ledger", "permissions", "prune", "sites", "snapshots"]
