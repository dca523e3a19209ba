"""``whorl serve``: serve libraries over HTTP, with a web console."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.i18n import say

SERVE_EPILOG = Epilog(
    examples(
        ("whorl serve newsroom", say("for this machine only, at http://127.0.0.1:8000")),
        ("whorl key add newsroom desk --scopes read,write", say("a key for a program")),
        ("whorl user add newsroom mei --role reviewer", say("a user who signs in")),
        ("whorl serve newsroom --host 0.0.0.0", say("for other machines")),
        ("whorl serve ours=newsroom archive", say("several libraries")),
        (
            "whorl serve newsroom --create --first-key-file key",
            say("new library, with the key of an administrator"),
        ),
        ("whorl serve wire --state mysql://host/db --files jobs", say("one of several replicas")),
    ),
    Section(
        say("Access"),
        [say("Without keys and users, only this machine has access. With keys or users, authentication is required.")],
    ),
)

Libraries = Annotated[
    list[str] | None,
    typer.Argument(metavar="[LIB]", show_default=False, help="Folders or addresses of libraries, or NAME=FOLDER."),
]
Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Port; 0 chooses a free one.")]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="Accepted host name; repeatable. (default: any)"),
]
Workers = Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Number of worker processes.")]
State = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER|ADDRESS",
        help="Folder or database of keys, users, jobs and the audit log. (default: service, in the folder of the first "
        "library)",
    ),
]
Files = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder of uploads and files of jobs, shared by all replicas. (default: the folder of --state)",
    ),
]
Rate = Annotated[
    float,
    typer.Option(min=0, metavar="N", show_default="0", help="Requests per second and caller; 0 is unlimited."),
]
MaxBody = Annotated[
    int, typer.Option(min=1, metavar="BYTES", show_default="64 MiB", help="Maximum size of a request body.")
]
Secure = Annotated[
    bool, typer.Option("--secure", help="Clients connect over HTTPS through a proxy that terminates TLS.")
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help="Address or network of a reverse proxy whose X-Forwarded-For header is trusted; repeatable.",
    ),
]
Reviewers = Annotated[
    int,
    typer.Option(
        min=1, max=100, metavar="N", help="Number of reviewers who must agree for a decision in the console to count."
    ),
]

KeepDays = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Remove pages and audit entries after N days, except those of open cases; 0 keeps them.",
    ),
]


Tenants = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER|ADDRESS",
        help="Folder, or database on PostgreSQL or MySQL, of libraries that administrators create and delete over "
        "HTTP.",
    ),
]
Create = Annotated[bool, typer.Option("--create", help="Create libraries that do not exist.")]
FirstKey = Annotated[
    Path | None,
    typer.Option(
        "--first-key-file",
        metavar="FILE",
        help="First administrator's key, from 32 characters; ignored once a key or user existed. "
        "(default: WHORL_FIRST_KEY)",
    ),
]
ReadersZone = Annotated[
    str | None,
    typer.Option(
        "--zone",
        metavar="ZONE",
        help="Zone in which the console shows times to users who chose none, such as Asia/Shanghai. (default: UTC)",
    ),
]

Meaning = Annotated[
    bool,
    typer.Option(
        "--meaning",
        help="Allow checks and cohorts by meaning, which take a processor for seconds; needs the extra meaning.",
    ),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option("--meaning-model", metavar="FOLDER", help="The same, with the model in a folder."),
]


def serve(
    libraries: Libraries = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    name: Names = None,
    workers: Workers = 1,
    state: State = None,
    files: Files = None,
    rate: Rate = 0.0,
    max_body: MaxBody = 64 * 2**20,
    secure: Secure = False,
    proxy: Proxies = None,
    reviewers: Reviewers = 1,
    zone: ReadersZone = None,
    keep_days: KeepDays = 0,
    create: Create = False,
    tenants: Tenants = None,
    first_key_file: FirstKey = None,
    meaning: Meaning = False,
    meaning_model: ModelFolder = None,
) -> None:
    """Serve libraries over HTTP: an API for programs and a web console.

    On shutdown it answers requests in progress; unfinished jobs continue at the next start.
    """
    from whorl.errors import UsageError
    from whorl.release import missing_package

    try:
        from whorl.service.beginning import first_secret
        from whorl.service.serving import serve as listen
        from whorl.service.settings import Settings, named, state_folder
    except ModuleNotFoundError as error:
        raise missing_package(say("the service needs {package}", package=error.name), "serve") from error
    from whorl.types.times import demand_zone

    addresses = named(libraries or ())
    if not addresses and tenants is None:
        raise UsageError(
            say("no library is named"), hint=say("name a library, or a place for those of tenants: `--tenants`")
        )
    first_key = first_secret(first_key_file)
    listen(
        Settings(
            libraries=addresses,
            state=state or str(state_folder(next(iter(addresses.values())), create=create) if addresses else tenants),
            files=str(files or ""),
            host=host,
            port=port,
            workers=workers,
            hosts=tuple(name or ()),
            most_bytes=max_body,
            rate=rate,
            is_secure=secure,
            proxies=tuple(proxy or ()),
            reviewers=reviewers,
            zone=demand_zone(zone) if zone else "",
            keep_days=keep_days,
            tenants=tenants or "",
            meaning=str(meaning_model) if meaning_model else meaning,
        ),
        create=create,
        first_key=first_key,
    )


__all__ = ["SERVE_EPILOG", "serve"]
