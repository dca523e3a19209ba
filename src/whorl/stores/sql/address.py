"""What the address of a library on a server says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from whorl.errors import UsageError
from whorl.language import say
from whorl.stores.passwords import PASSWORD_FILE, password_in

SCHEMA = "schema"
_LONGEST = 63
"""Bytes of a name that PostgreSQL keeps; it drops the rest without a word."""


@dataclass(frozen=True)
class Place:
    """Where a library is on a server; no password is in what is printed of it.

    Attributes:
        label: the address, as it may be shown.
        host: of the server; None where the driver is to find it.
        port: of the server; None for that of its kind.
        user: None where the driver is to find it.
        password: None where there is none, or the driver is to find it.
        database: its name.
        schema: where in the database; empty where a server has no such thing.
        settings: of the connection, by the names that the driver knows.
    """

    label: str
    host: str | None
    port: int | None
    user: str | None
    password: str | None = field(repr=False)
    database: str
    schema: str
    settings: Mapping[str, str]


def place_of(scheme: str, rest: str, settings: frozenset[str], schema: str) -> Place:
    """Return what an address says.

    Args:
        scheme: of the server.
        rest: what follows it: ``user:password@host:port/database?setting=value``.
        settings: what may be set.
        schema: the usual one; empty where there are none.

    Raises:
        UsageError: it is no address of this kind.
        InputError: the file of the password cannot be read.
    """
    try:
        url = make_url(f"{scheme}://{rest}")
    except (ArgumentError, ValueError, UnicodeError):
        raise _no_address(scheme) from None
    if not url.database or "/" in url.database:
        raise _no_address(scheme)
    told = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
    known = settings | {PASSWORD_FILE} | ({SCHEMA} if schema else set())
    if unknown := sorted(told.keys() - known):
        raise UsageError(
            say("an address of {scheme}: has no setting {name!r}", scheme=scheme, name=unknown[0]),
            cure=say("known ones: {known}", known=", ".join(sorted(known))),
        )
    if len(told.get(SCHEMA, "").encode()) > _LONGEST:
        raise UsageError(
            say("the name of the schema has more than {most} bytes", most=_LONGEST),
            cure=say("give a shorter one: the server would cut it, and take two such libraries for one"),
        )
    return Place(
        label=_label(url, told.get(SCHEMA)),
        host=url.host,
        port=url.port,
        user=url.username,
        password=_password(url, told.pop(PASSWORD_FILE, None)),
        database=url.database,
        schema=told.pop(SCHEMA, schema),
        settings=told,
    )


def _label(url: URL, schema: str | None) -> str:
    shown = url.set(query={} if schema is None else {SCHEMA: schema})
    return shown.render_as_string(hide_password=True)


def _password(url: URL, file: str | None) -> str | None:
    return url.password if file is None else password_in(file)


def _no_address(scheme: str) -> UsageError:
    return UsageError(
        say("this is no address of a database of {scheme}:", scheme=scheme),
        cure=say(
            "give {scheme}://user@host/database, with marks such as @ in names or the password quoted as %40",
            scheme=scheme,
        ),
    )


__all__ = ["Place", "place_of"]
