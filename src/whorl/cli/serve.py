"""``whorl serve``: serve libraries over HTTP, with a web console."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.epilogs import Epilog, Section, examples
from whorl.language import say

SERVE_EPILOG = Epilog(
    examples(
        ("whorl serve newsroom", say("for this machine alone, at http://127.0.0.1:8000")),
        ("whorl key add newsroom desk --scopes read,write", say("a key for a program")),
        ("whorl user add newsroom mei --role reviewer", say("somebody who signs in")),
        ("whorl serve newsroom --host 0.0.0.0", say("for others")),
        ("whorl serve ours=newsroom archive", say("several libraries")),
    ),
    Section(
        say("Who may ask"),
        [
            say(
                "Whoever is at this machine, until there is a key or a user; then only those. Without either, other "
                "machines are not listened to."
            )
        ],
    ),
)

Libraries = Annotated[
    list[str],
    typer.Argument(metavar="LIB", show_default=False, help="Folders or addresses of libraries, or NAME=FOLDER."),
]
Host = Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen at.")]
Port = Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 is any that is free.")]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="A name by which browsers may call it; repeatable. (default: any)"),
]
Workers = Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Processes that answer.")]
State = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where keys, users, jobs and the audit log are. (default: service, in the folder of the first library)",
    ),
]
Rate = Annotated[
    float, typer.Option(min=0, metavar="N", help="Requests a second that each caller may make; 0 is without bound.")
]
MaxBody = Annotated[int, typer.Option(min=1, metavar="BYTES", help="Of the body of a request, at most.")]
Secure = Annotated[bool, typer.Option("--secure", help="Browsers come over HTTPS, which a proxy before it ends.")]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help="Of a proxy before it, or its network, whose word is taken for from where a request comes; repeatable.",
    ),
]
Reviewers = Annotated[
    int,
    typer.Option(min=1, max=100, metavar="N", help="People who must agree for a decision of the console to count."),
]


def serve(
    libraries: Libraries,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    name: Names = None,
    workers: Workers = 1,
    state: State = None,
    rate: Rate = 0.0,
    max_body: MaxBody = 64 * 2**20,
    secure: Secure = False,
    proxy: Proxies = None,
    reviewers: Reviewers = 1,
) -> None:
    """Serve libraries over HTTP: an API for programs and a web console.

    On shutdown it answers requests in progress; unfinished jobs continue at the next start.
    """
    from whorl.release import missing_package

    try:
        from whorl.service.serving import serve as listen
        from whorl.service.settings import Settings, named, state_folder
    except ModuleNotFoundError as error:
        raise missing_package(say("the service needs {package}", package=error.name), "serve") from error
    addresses = named(libraries)
    listen(
        Settings(
            libraries=addresses,
            state=str(state or state_folder(next(iter(addresses.values())))),
            host=host,
            port=port,
            workers=workers,
            hosts=tuple(name or ()),
            most_bytes=max_body,
            rate=rate,
            is_secure=secure,
            proxies=tuple(proxy or ()),
            reviewers=reviewers,
        )
    )


__all__ = ["SERVE_EPILOG", "serve"]
