"""Parse the address of a library on a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.stores.passwords import PASSWORD_FILE, password_in

SCHEMA = "schema"
CONNECT_TIMEOUT, TIMEOUT = "connect_timeout", "timeout"
_MOST_SECONDS = 86_400
_LONGEST = 63
"""Bytes of a name that PostgreSQL keeps; it silently truncates longer ones."""


@frozen(slots=False)
class SqlAddress:
    """Location of a library on a server; its repr contains no password.

    Attributes:
        label: the address without secrets, for display.
        host: host of the server; None for the default of the driver.
        port: port of the server; None for the default.
        user: user name; None for the default of the driver.
        password: password; None for none, or the default of the driver.
        database: its name.
        schema: schema in the database; empty for servers without schemas.
        settings: connection settings, by the names of the driver.
        connect_s: timeout in seconds for a connection; None for the default.
        statement_s: timeout in seconds for a statement; None for the default.
    """

    label: str
    host: str | None
    port: int | None
    user: str | None
    password: str | None = field(repr=False)
    database: str
    schema: str
    settings: Mapping[str, str]
    connect_s: int | None = None
    statement_s: int | None = None


def place_of(scheme: str, rest: str, settings: frozenset[str], schema: str) -> SqlAddress:
    """Parse an address.

    Args:
        scheme: scheme of the server.
        rest: the part after it: ``user:password@host:port/database?setting=value``.
        settings: names of allowed settings.
        schema: default schema; empty for servers without schemas.

    Raises:
        UsageError: the address is malformed.
        InputError: the password file cannot be read.
    """
    try:
        url = make_url(f"{scheme}://{rest}")
    except (ArgumentError, ValueError, UnicodeError):
        raise _no_address(scheme) from None
    if not url.database or "/" in url.database:
        raise _no_address(scheme)
    options = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
    allowed = settings | {PASSWORD_FILE, CONNECT_TIMEOUT, TIMEOUT} | ({SCHEMA} if schema else set())
    if unknown := sorted(options.keys() - allowed):
        raise UsageError(
            say("unknown setting {name!r} in a {scheme}: address", scheme=scheme, name=unknown[0]),
            hint=say("use one of: {known}", known=", ".join(sorted(allowed))),
        )
    if len(options.get(SCHEMA, "").encode()) > _LONGEST:
        raise UsageError(
            say("the name of the schema has more than {most} bytes", most=_LONGEST),
            hint=say("use a shorter name: the server would truncate it, and two libraries would become one"),
        )
    return SqlAddress(
        label=_label(url, options.get(SCHEMA)),
        host=url.host,
        port=url.port,
        user=url.username,
        password=_password(url, options.pop(PASSWORD_FILE, None)),
        database=url.database,
        schema=options.pop(SCHEMA, schema),
        connect_s=_seconds(options, CONNECT_TIMEOUT),
        statement_s=_seconds(options, TIMEOUT),
        settings=options,
    )


def _label(url: URL, schema: str | None) -> str:
    label_url = url.set(query={} if schema is None else {SCHEMA: schema})
    return label_url.render_as_string(hide_password=True)


def _password(url: URL, file: str | None) -> str | None:
    return url.password if file is None else password_in(file)


def _seconds(options: dict[str, str], name: str) -> int | None:
    """Remove a timeout from the settings, and return it."""
    value = options.pop(name, None)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= _MOST_SECONDS):
        raise UsageError(
            say("{name} is {value!r:.60}", name=name, value=value),
            hint=say("use whole seconds from 1 to {most:,}", most=_MOST_SECONDS),
        )
    return int(value)


def _no_address(scheme: str) -> UsageError:
    return UsageError(
        say("not a valid address of a {scheme}: database", scheme=scheme),
        hint=say(
            "use {scheme}://user@host/database; escape characters such as @ in names and passwords as %40",
            scheme=scheme,
        ),
    )


__all__ = ["SqlAddress", "place_of"]
