"""``whorl library access-log``: attest first publication by the logs of the owner's web server."""

from __future__ import annotations

from typing import Annotated

import typer

from whorl.cli.ui.options import Json, Place
from whorl.i18n import say, say_many, translated

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Access logs, also .gz; `-` is standard input.", show_default=False),
]
Host = Annotated[
    str, typer.Option(metavar="HOST", help="Host of the addresses, for lines that do not name it.", show_default=False)
]
Crawlers = Annotated[
    list[str] | None,
    typer.Option("--crawler", metavar="NAME", help="Also use lines with this in the user agent; repeatable."),
]
By = Annotated[str, typer.Option(metavar="NAME", help="Person who imports them.")]


def access_log(
    library: Place, files: Files, host: Host, crawler: Crawlers = None, by: By = "", json: Json = False
) -> None:
    """Attest when the articles were first served to a crawler.

    Reads the combined format of Apache and nginx. Only lines of crawlers that are known by name count. Lines that
    cannot be parsed are counted.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.access_logs import import_access_logs

    result = import_access_logs(library, files, host=host, crawlers=crawler or (), by=by)
    if json:
        print_json(result.to_dict())
        return
    lines = [
        say_many("{count:,} article attested", "{count:,} articles attested", result.articles),
        say(
            "of {lines:,} lines {served:,} show an article being served to a crawler, {failed:,} a failed request, "
            "{unknown:,} an unknown address; {others:,} are of others",
            lines=result.lines,
            served=result.served,
            failed=result.failed,
            unknown=result.unknown,
            others=result.others,
        ),
    ]
    if result.rejected:
        first = result.rejects[0]
        lines.append(
            say_many(
                "{count:,} line cannot be parsed: {file}:{line}",
                "{count:,} lines cannot be parsed, the first is {file}:{line}",
                result.rejected,
                file=first.file,
                line=first.line,
            )
        )
    print_view(*map(translated, lines))


__all__ = ["access_log"]
