"""``whorl key`` and ``whorl user``: access to a service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Json
from whorl.cli.ui.zones import shows_times
from whorl.i18n import say, translated
from whorl.types.times import shown_time

if TYPE_CHECKING:
    from whorl.service.state import State

KEY_EPILOG = Epilog(
    examples(
        "whorl key add newsroom desk --scopes read,write --expires 90d",
        "whorl key list newsroom",
        "whorl key revoke newsroom 1",
    )
)
USER_EPILOG = Epilog(
    examples(
        "whorl user add newsroom mei --role reviewer",
        "whorl user list newsroom",
        "whorl user remove newsroom mei",
    )
)

Place = Annotated[
    str,
    typer.Argument(
        metavar="PLACE",
        show_default=False,
        help="The folder of the served library, or the folder or database of --state.",
    ),
]
KeyName = Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="Purpose of the key.")]
KeyNumber = Annotated[int, typer.Argument(metavar="NUMBER", show_default=False, help="Number of the key.")]
UserName = Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="User name.")]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scopes", metavar="SCOPE,...", help="Scopes: read, review, write, metrics, admin. (default: read)"),
]
Expires = Annotated[
    str,
    typer.Option(
        "--expires",
        metavar="PERIOD|DATE",
        show_default=False,
        help="Validity, such as 90d, 12h or 8w, or an end date. (default: unlimited)",
    ),
]
Libraries = Annotated[
    list[str] | None,
    typer.Option("--libraries", metavar="NAME,...", help="Names of served libraries. (default: all)"),
]
Role = Annotated[
    Literal["reader", "reviewer", "editor", "admin"],
    typer.Option(metavar="ROLE", help="reader, reviewer, editor or admin; each role includes the previous ones."),
]


def add_key(
    place: Place,
    name: KeyName,
    scopes: Scopes = None,
    libraries: Libraries = None,
    expires: Expires = "",
    json: Json = False,
) -> None:
    """Create a key for a program. Its secret is shown only once."""
    from whorl.cli.ui.options import column_names
    from whorl.cli.ui.output import print_json, print_view
    from whorl.service.state.keys import expiry_of

    expires_at = expiry_of(expires)
    with _state(place) as state:
        secret, key = state.keys.make(
            name, column_names(scopes) or ("read",), column_names(libraries) or (), expires_at=expires_at
        )
    if json:
        print_json({"secret": secret, **key.to_dict()})
    else:
        print_view(secret)


@shows_times
def list_keys(place: Place, json: Json = False) -> None:
    """List the keys, the newest first."""
    from whorl.cli.commands.libraries.library import table
    from whorl.cli.ui.output import print_json_line, print_view

    with _state(place) as state:
        keys = state.keys.all()
    if json:
        for key in keys:
            print_json_line(key.to_dict())
        return
    headings = (
        say("No."), say("name"), say("begins"), say("scopes"), say("libraries"), say("used"), say("expires"),
        say("revoked"),
    )  # fmt: skip
    rows = (
        (
            key.number,
            key.name,
            key.hint,
            ", ".join(key.scopes),
            ", ".join(key.libraries) or translated(say("all")),
            _minute(key.used_at),
            _minute(key.expires_at),
            _minute(key.revoked_at),
        )
        for key in keys
    )
    print_view(table(headings, rows))


def revoke_key(place: Place, number: KeyNumber, json: Json = False) -> None:
    """Revoke a key immediately."""
    from whorl.cli.ui.output import print_json, print_view

    with _state(place) as state:
        key = state.keys.revoke(number)
    print_json(key.to_dict()) if json else print_view(translated(say("{name} is no longer valid", name=key.name)))


def add_user(
    place: Place, name: UserName, role: Role = "reader", libraries: Libraries = None, json: Json = False
) -> None:
    """Add a user, or change one, who is then signed out.

    The password is read from the terminal, or from the first line of standard input.
    """
    from whorl.cli.ui.options import column_names
    from whorl.cli.ui.output import print_json, print_view

    password = _password()
    with _state(place) as state:
        user = state.users.make(name, password, role, column_names(libraries) or ())
    print_json(user.to_dict()) if json else print_view(translated(say("{name} may sign in", name=user.name)))


def list_users(place: Place, json: Json = False) -> None:
    """List the users by name."""
    from whorl.cli.commands.libraries.library import table
    from whorl.cli.ui.output import print_json_line, print_view

    with _state(place) as state:
        users = state.users.all()
    if json:
        for user in users:
            print_json_line(user.to_dict())
        return
    rows = (
        (user.name, user.role, ", ".join(user.libraries) or translated(say("all")), _minute(user.made_at))
        for user in users
    )
    print_view(table((say("name"), say("role"), say("libraries"), say("since")), rows))


def remove_user(place: Place, name: UserName, json: Json = False) -> None:
    """Remove a user, who is signed out immediately."""
    from whorl.cli.ui.output import print_json, print_view

    with _state(place) as state:
        state.users.remove(name)
    print_json({"removed": name}) if json else print_view(translated(say("{name} may no longer sign in", name=name)))


@contextmanager
def _state(place: str) -> Iterator[State]:
    from whorl.service.settings import state_place
    from whorl.service.state import open_state

    state = open_state(state_place(place))
    try:
        yield state
    finally:
        state.close()


def _password() -> str:
    """Read a password: typed twice on a terminal, else the first line of standard input."""
    import sys

    if sys.stdin.isatty():
        password: str = typer.prompt(translated(say("Password")), hide_input=True, confirmation_prompt=True, err=True)
        return password
    return sys.stdin.readline().rstrip("\r\n")


def _minute(time: datetime | None) -> str:
    return "" if time is None else shown_time(time)


__all__ = ["KEY_EPILOG", "USER_EPILOG", "add_key", "add_user", "list_keys", "list_users", "remove_user", "revoke_key"]
