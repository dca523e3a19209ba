"""Address of a Redis server, and its client."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.stores.passwords import PASSWORD_FILE, password_in

SCHEMES = ("redis", "rediss", "unix")
"""Schemes of addresses; the second one uses TLS."""

_PATIENCE, _CONNECTING, _TRIES = 60.0, 5.0, 3


def client_of(address: str) -> Any:
    """Return a client that connects on first use; safe for threads and forks.

    Args:
        address: ``redis://user:password@host:port/database``. The option ``password_file=PATH`` after a ``?`` reads the
            password from a file; other options are passed to the driver, such as ``ssl_ca_certs``.

    Raises:
        UsageError: the address is malformed.
        InputError: the password file cannot be read.
    """
    again = Retry(ExponentialBackoff(), _TRIES)
    try:
        place, _, query = address.partition("?")
        options = dict(parse_qsl(query))
        secret = {"password": password_in(options.pop(PASSWORD_FILE))} if PASSWORD_FILE in options else {}
        plain = f"{place}?{urlencode(options)}"
        client: Any = redis.Redis.from_url(
            plain, socket_timeout=_PATIENCE, socket_connect_timeout=_CONNECTING, retry=again, **secret
        )
        client.connection_pool.make_connection()
    except (ValueError, TypeError) as error:
        raise UsageError(
            say("{where} is not a Redis address", where=masked(address)),
            hint=say("use an address such as redis://host:6379/0"),
        ) from error
    return client


def masked(address: str) -> str:
    """Return an address without user, password and options, for display."""
    try:
        parts = urlsplit(address)
        place = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
    except ValueError:
        return "redis://"
    return f"{parts.scheme}://{place}"


__all__ = ["SCHEMES", "client_of", "masked"]
