"""Parse the address of a library, keeping its secrets out of messages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.stores.passwords import PASSWORD_FILE, password_in

SCHEME = "mongodb"
PASSWORD = "MONGODB_PASSWORD"
"""Environment variable with the password for an address that has a user but no password."""

_SRV = "srv"
_BAD_IN_NAMES = frozenset('/\\. "$*<>:|?\0')
_LONGEST_NAME = 63
_USUAL = {
    "connectTimeoutMS": "10000",
    "serverSelectionTimeoutMS": "10000",
    "socketTimeoutMS": "300000",
    "wTimeoutMS": "60000",
}
"""Default timeouts in milliseconds, unless the address sets them."""


@frozen
class MongoAddress:
    """A database on a server; its repr contains no password.

    Attributes:
        label: the address without secrets, for display.
        hosts: hosts in the format of the driver, without user and password.
        database: its name.
        user: user name, or None.
        password: password, or None.
        settings: connection settings, by the names of the driver.
    """

    label: str
    hosts: str
    database: str
    user: str | None
    password: str | None = field(repr=False)
    settings: Mapping[str, str] = field(repr=False)


def place_of(rest: str) -> MongoAddress:
    """Parse an address.

    Args:
        rest: the part after its scheme: ``user:password@host:port/database?setting=value``.

    Raises:
        UsageError: the address is malformed.
        InputError: the password file cannot be read.
    """
    authority, _, path = rest.removeprefix("//").partition("/")
    database, _, parameters = path.partition("?")
    database = unquote(database)
    login, _, hosts = authority.rpartition("@")
    if not hosts or "@" in path or not _is_name(database) or ":" in login.partition(":")[2]:
        raise _no_address()
    options = dict(parse_qsl(parameters, keep_blank_values=True))
    scheme = f"{SCHEME}+srv" if options.pop(_SRV, "false") == "true" else SCHEME
    user, has_password, password = login.partition(":")
    file = options.pop(PASSWORD_FILE, None)
    _demand_known(options)
    return MongoAddress(
        label=f"{SCHEME}://{user}{'@' if user else ''}{hosts}/{database}",
        hosts=f"{scheme}://{hosts}/?{urlencode(_USUAL | options)}",
        database=database,
        user=unquote(user) or None,
        password=unquote(password) if has_password and file is None else _password(file, bool(user)),
        settings=options,
    )


def client_of(place: MongoAddress) -> Any:
    """Return a client for the server of a place, which connects on first use.

    Raises:
        UsageError: the driver rejects a part of the address.
    """
    from pymongo import MongoClient
    from pymongo.errors import PyMongoError

    login: dict[str, Any] = {} if place.user is None else {"username": place.user, "password": place.password}
    try:
        return MongoClient(place.hosts, appname="whorl", w="majority", journal=True, **login)
    except (PyMongoError, ValueError, TypeError):
        raise _no_address() from None


def _is_name(database: str) -> bool:
    length = len(database.encode("utf-8", "surrogatepass"))
    return 0 < length <= _LONGEST_NAME and not _BAD_IN_NAMES & set(database)


def _demand_known(settings: Mapping[str, str]) -> None:
    from pymongo.errors import ConfigurationError
    from pymongo.uri_parser import validate_options

    for name, value in settings.items():
        try:
            validate_options({name: value})
        except (ConfigurationError, ValueError, TypeError):
            raise UsageError(
                say("unknown setting {name!r} in a {scheme}: address, or an invalid value", scheme=SCHEME, name=name),
                hint=say("see the table of settings in docs/STORES.md"),
            ) from None


def _password(file: str | None, has_user: bool) -> str | None:
    if file is None:
        return os.environ.get(PASSWORD) if has_user else None
    return password_in(file)


def _no_address() -> UsageError:
    return UsageError(
        say("not a valid address of a {scheme}: database", scheme=SCHEME),
        hint=say(
            "use {scheme}://user@host/database; escape characters such as @ in names and passwords as %40",
            scheme=SCHEME,
        ),
    )


__all__ = ["PASSWORD", "SCHEME", "MongoAddress", "client_of", "place_of"]
