"""Stores of a library: the contract of all stores (`contract`), and their selection by address.

A store keeps rows and makes no decisions. Each method needs one round trip for any number of rows, or one per thousand;
texts are passed as the bytes into which the library packed them. Each ``writing`` block is atomic and durable when it
ends; each ``reading`` block sees one consistent snapshot. Writers of several processes take turns. Stores do not import
each other, except that SQLite is a dialect of `whorl.stores.sql`. The contract is tested by
`tests/contracts/test_stores.py` and `tests/contracts/test_monitoring_stores.py`.

Another package can provide a store: a module that its ``pyproject.toml`` registers under the scheme of its addresses::

    [project.entry-points."whorl.stores"]
    my_store = "my_package.my_store"

Once that package is installed, ``my_store:...`` is the address of a library. The schemes of built-in stores cannot be
overridden.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs

from whorl._internal.patterns import lazy_pattern
from whorl.errors import InputError, UsageError
from whorl.i18n import Message, say
from whorl.release import missing_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

    from whorl.stores.contract import (
        LookingAhead,
        OptimisticStore,
        Reader,
        Store,
        StoreChanged,
        StoreModule,
        TableVersions,
        Writer,
    )
    from whorl.stores.sql.address import SqlAddress
    from whorl.stores.sql.server import SqlServer

# The contract is public here; it is imported on first use, because commands without a library only look at addresses.
_CONTRACT = ("LookingAhead", "OptimisticStore", "Reader", "Store", "StoreChanged", "TableVersions", "Writer")


def __getattr__(name: str) -> Any:
    if name not in _CONTRACT:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.contract"), name)


USUAL = "sqlite"
"""Scheme of a path without one."""

BUILT_IN = {
    USUAL: "whorl.stores.sqlite",
    "postgresql": "whorl.stores.sql.postgresql",
    "mysql": "whorl.stores.sql.mysql",
    "mongodb": "whorl.stores.mongodb",
}
"""Modules of the built-in stores by scheme. Schemes are also the names of the extras that install the drivers."""

ON_SERVERS = frozenset(BUILT_IN) - {USUAL}
"""Schemes of built-in stores on servers: their addresses are not paths, and may contain secrets."""

_SQL_SERVERS = frozenset(("postgresql", "mysql"))

_SECRET = lazy_pattern(r"\b((?:postgresql|mysql|mongodb(?:\+srv)?|rediss?):/{0,3}[^:@/?#\s]*):\S*@")
"""Matches up to the last @, which may be part of a password that was not escaped."""

_INDEX = lazy_pattern(r"([?&]index=[^&\s]*)")

ENTRY_POINTS = "whorl.stores"
"""Group of entry points through which other packages provide stores."""


def schemes() -> list[str]:
    """Return the schemes of all stores, built-in ones and those of other packages."""
    return [*BUILT_IN, *sorted(_brought())]


def open_store(address: str, *, create: bool) -> Store:
    """Return the store at ``address``: a path, or an address with a scheme such as ``sqlite:news``.

    Raises:
        UsageError: the scheme is unknown, or a required package is not installed.
        InputError: there is no library at the address, or it is damaged.
        ResourceError: the store cannot be reached.
    """
    scheme, rest = _parts(address)
    if scheme == USUAL and masked(rest) != rest:
        # An address of a server behind something else, such as a second name: as a path its password would be shown.
        raise InputError(
            say("no library at {folder}", folder=masked(address)),
            hint=say("check the name; `whorl add` creates a library"),
        )
    if not _is_known(scheme):
        names = ", ".join(f"{name}:" for name in schemes())
        raise UsageError(
            say("unknown store '{scheme}:'", scheme=scheme),
            hint=say("use a path, or an address that begins with {known}", known=names),
        )
    return _module(scheme).open_store(rest, create)


def exists(address: str) -> bool:
    """Return True if ``address`` may be that of an existing store, without opening it; any string is accepted.

    Raises:
        UsageError: a package that the scheme requires is not installed.
    """
    scheme, rest = _parts(address)
    return _is_known(scheme) and _module(scheme).exists(rest)


def versions(address: str) -> TableVersions:
    """Return the versions of the tables of a store, without migrating them.

    Raises:
        UsageError: a newer version of whorl created it, the scheme is unknown, or the store of another package does not
            report versions.
        InputError: there is no library at the address.
        ResourceError: the store cannot be reached.
    """
    scheme, rest = _parts(address)
    if not _is_known(scheme) or not hasattr(_module(scheme), "versions"):
        raise UsageError(
            say("the store '{scheme}:' does not report versions", scheme=scheme),
            hint=say("opening the library upgrades it"),
        )
    return _module(scheme).versions(rest)


def on_server(address: str) -> bool:
    """Return True if the scheme of an address is that of a server, without connecting to it."""
    return _parts(address)[0] in ON_SERVERS


def in_folder(address: str) -> bool:
    """Return True if an address is that of a folder, with or without a scheme."""
    return _parts(address)[0] == USUAL


def sql_server(address: str, schema: str) -> tuple[SqlServer, SqlAddress] | None:
    """Return the dialect and the place of an address of an SQL server; None for another address.

    Args:
        address: the address.
        schema: default schema, for servers that have schemas.

    Raises:
        UsageError: the address is malformed, or a package that its scheme requires is not installed.
        InputError: the password file cannot be read.
    """
    scheme, rest = _parts(address)
    if scheme not in _SQL_SERVERS:
        return None
    module: Any = _module(scheme)
    return module.SERVER(), module.parse_address(rest, schema)


def has_namespaces(address: str) -> bool:
    """Return True if ``in_namespace`` accepts an address: a database on a SQL server, without a schema."""
    scheme, rest = _parts(address)
    return scheme in _SQL_SERVERS and "schema" not in parse_qs(rest.partition("?")[2])


def in_namespace(address: str, name: str) -> str:
    """Return the address of one of many libraries: in a schema of the database, on MySQL in another database.

    Args:
        address: address of a database with namespaces.
        name: name of the schema; a database on MySQL has the name in the address, an underscore, and this name.

    Raises:
        UsageError: the name would be too long.
    """
    server = sql_server(address, "")
    assert server is not None
    dialect, place = server
    return dialect.in_namespace(address, place, name)


def create_namespace(address: str, name: str) -> None:
    """Create the schema or database of ``in_namespace``, if it does not exist.

    Raises:
        ResourceError: the server cannot be reached, or the user may not create it.
    """
    _in_namespaces(address, lambda dialect, connection, place: dialect.create_namespace(connection, place, name))


def remove_namespace(address: str, name: str) -> None:
    """Remove the schema or database of ``in_namespace`` with everything in it; a missing one is ignored.

    Raises:
        ResourceError: the server cannot be reached, or refuses.
    """
    _in_namespaces(address, lambda dialect, connection, place: dialect.remove_namespace(connection, place, name))


def _in_namespaces(address: str, change: Callable[[SqlServer, Any, SqlAddress], None]) -> None:
    server = sql_server(address, "")
    assert server is not None
    dialect, place = server
    from whorl.stores.sql.pool import SqlPool

    pool = SqlPool(dialect, place)
    try:
        with pool.borrowed() as connection:
            change(dialect, connection, place)
    finally:
        pool.close()


def masked(text: str) -> str:
    """Return an address, or a text that contains one, with passwords removed for display.

    The address of a shared index is masked by itself, also where its signs are escaped.

    >>> masked("postgresql://whorl:secret@db.example/news?index=redis%3A//:secret%40cache.example/0")
    'postgresql://whorl:***@db.example/news?index=redis://:***@cache.example/0'
    """
    return "".join(
        _masked_index(part) if _INDEX.fullmatch(part) else _SECRET.sub(r"\1:***@", part) for part in _INDEX.split(text)
    )


def _masked_index(option: str) -> str:
    from urllib.parse import unquote

    name, _, address = option.partition("=")
    masked = _SECRET.sub(r"\1:***@", unquote(address))
    return f"{name}={masked.replace('%', '%25').replace('&', '%26').replace('?', '%3F')}"


def name_of(address: str) -> str:
    """Return a short name of a library: the end of its path, or its schema or database on a server."""
    from pathlib import Path
    from urllib.parse import parse_qs, unquote, urlsplit

    if not on_server(address):
        return Path(address).resolve().name
    parts = urlsplit(address)
    return parse_qs(parts.query).get("schema", [unquote(parts.path.rpartition("/")[2])])[-1]


def _parts(address: str) -> tuple[str, str]:
    """Split an address into scheme and rest; paths get the implicit scheme."""
    scheme, colon, rest = address.partition(":")
    if scheme == "mongodb+srv":
        return "mongodb", f"{rest}{'&' if '?' in rest else '?'}srv=true"
    if not colon or len(scheme) == 1 or "/" in scheme or not scheme.isidentifier():
        return USUAL, address
    return scheme, rest.removeprefix("//")


def _is_known(scheme: str) -> bool:
    return scheme in BUILT_IN or scheme in _brought()  # entry points are only scanned if necessary


@cache
def _brought() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS) if entry.name not in BUILT_IN}


def _module(scheme: str) -> StoreModule:
    if scheme in BUILT_IN:
        try:
            return cast("StoreModule", import_module(BUILT_IN[scheme]))
        except ModuleNotFoundError as error:
            raise missing_package(_lacking(scheme, error), scheme) from error
    entry = _brought()[scheme]
    try:
        module: StoreModule = entry.load()
        _ = module.exists, module.open_store
    except Exception as error:
        package_root, package = entry.module.partition(".")[0], entry.dist.name if entry.dist else entry.value
        if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] != package_root:
            hint = say("pip install {package}", package=error.name.partition(".")[0])
            raise UsageError(_lacking(scheme, error), hint=hint) from error
        raise UsageError(
            say(
                "cannot load the store '{scheme}:' of the package {package}: {error}",
                scheme=scheme,
                package=package,
                error=error,
            ),
            hint=say("update or remove {package}", package=package),
        ) from error
    return module


def _lacking(scheme: str, error: ModuleNotFoundError) -> Message:
    return say("{what} needs {package}", what=say("the store '{scheme}:'", scheme=scheme), package=error.name)


__all__ = [
    "BUILT_IN",
    "ENTRY_POINTS",
    "ON_SERVERS",
    "LookingAhead",
    "OptimisticStore",
    "Reader",
    "Store",
    "StoreChanged",
    "TableVersions",
    "Writer",
    "create_namespace",
    "exists",
    "has_namespaces",
    "in_folder",
    "in_namespace",
    "masked",
    "name_of",
    "on_server",
    "open_store",
    "remove_namespace",
    "schemes",
    "sql_server",
    "versions",
]
