"""Where a library is: what its address says, without saying its secrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from whorl.errors import UsageError
from whorl.language import say

EXAMPLE = "mongodb://user@host/database"

_BAD_IN_NAMES = set('/\\. "$*<>:|?\0')
_LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class Place:
    """A database on a server.

    Attributes:
        uri: of the server, as its driver takes it, with its secrets.
        database: its name.
        label: the address without user, password and parameters.
    """

    uri: str = field(repr=False)
    database: str
    label: str


def place_of(address: str, scheme: str = "mongodb") -> Place:
    """Return the place of an address, which follows its scheme.

    Raises:
        UsageError: the address is none.
    """
    authority, _, rest = address.removeprefix("//").partition("/")
    database, _, parameters = rest.partition("?")
    login, at, hosts = authority.rpartition("@")
    is_name = 0 < len(database.encode("utf-8", "replace")) <= _LONGEST_NAME and not _BAD_IN_NAMES & set(database)
    if not hosts or not is_name:
        raise UsageError(
            say("this is no address of a library on a server: {scheme}://…", scheme=scheme),
            cure=say("name host and database, as in {example}", example=EXAMPLE),
        )
    given = dict(parse_qsl(parameters, keep_blank_values=True))
    uri = f"{scheme}://{login}{at}{hosts}/{quote(database)}?{urlencode(given)}"
    return Place(uri, database, f"{scheme}://{hosts}/{database}")


def client_of(place: Place) -> Any:
    """A client of the server of a place, which connects when it is asked something.

    Raises:
        UsageError: the address has something that the driver does not take.
    """
    from pymongo import MongoClient
    from pymongo.errors import ConfigurationError, InvalidURI

    try:
        return MongoClient(place.uri, **_USUAL)
    except (ConfigurationError, InvalidURI, ValueError, TypeError):
        # What the driver says may have parts of the password in it, if its marks are not quoted.
        raise UsageError(
            say("{label}: the driver does not understand this address", label=place.label),
            cure=say("quote marks in user and password as %40 for @ …, and check the parameters"),
        ) from None


_USUAL = {
    "appname": "whorl",
    "w": "majority",
    "journal": True,
    "tz_aware": False,
}

__all__ = ["EXAMPLE", "Place", "client_of", "place_of"]
