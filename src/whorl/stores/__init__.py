"""Where a library lives: the contract that every store fulfils (`contract`), and the choice of one by its address.

A store keeps rows and decides nothing. Each method is one exchange with it for any number of rows, or one for each
thousand; texts cross as the bytes into which the library packed them. What is written in one ``writing`` counts whole
or not at all, and is on the disk before the block ends; what is read in one ``reading`` is that of one moment. Writers
of several processes take turns. Its members do not import each other; the suites of promises are
`tests/contracts/test_stores.py` and `tests/contracts/test_monitoring_stores.py`.

A store may also be a module of another package, which names it, under the scheme of its addresses, in its
``pyproject.toml``::

    [project.entry-points."whorl.stores"]
    my_store = "my_package.my_store"

Once that package is installed, ``my_store:...`` is the address of a library; the schemes of this package's own are
taken.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from whorl.errors import InputError, UsageError
from whorl.language import Message, say
from whorl.release import missing_package
from whorl.stores.contract import Reader, Store, StoreModule, Writer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

USUAL = "sqlite"
"""The scheme of a path that has none."""

OWN = {
    USUAL: "whorl.stores.sqlite",
    "postgresql": "whorl.stores.sql.postgresql",
    "mysql": "whorl.stores.sql.mysql",
    "mongodb": "whorl.stores.mongodb",
}
"""The modules of this package's own stores by their schemes, which are also the extras that bring their drivers."""

ON_SERVERS = frozenset(OWN) - {USUAL}
"""The schemes of own stores that are on servers: their addresses are no paths, and may have secrets."""

_SECRET = re.compile(r"\b((?:postgresql|mysql|mongodb(?:\+srv)?|rediss?):/{0,3}[^:@/?#\s]*):\S*@")
"""Up to the last @, which may stand in a password that should have quoted it."""

ENTRY_POINTS = "whorl.stores"
"""The group of entry points by which other packages bring stores."""


def schemes() -> list[str]:
    """Return the schemes of all stores: those of this package, and those that other packages bring."""
    return [*OWN, *sorted(_brought())]


def open_store(address: str, *, create: bool) -> Store:
    """Return the store at ``address``: a path, or an address with a scheme such as ``sqlite:news``.

    Raises:
        UsageError: there is no store for the scheme, or a package that it needs is missing.
        InputError: there is no library, or it is damaged.
        ResourceError: it cannot be reached.
    """
    scheme, rest = _parts(address)
    if scheme == USUAL and shown(rest) != rest:
        # An address of a server behind something else, such as a second name: as a path its password would be shown.
        raise InputError(
            say("there is no library at {folder}", folder=shown(address)),
            cure=say("check its name; `whorl add` makes one"),
        )
    if not _is_known(scheme):
        known = ", ".join(f"{name}:" for name in schemes())
        raise UsageError(
            say("there is no store for '{scheme}:'", scheme=scheme),
            cure=say("give a path, or an address that begins {known}", known=known),
        )
    return _module(scheme).open_store(rest, create)


def exists(address: str) -> bool:
    """Whether a store is at ``address``; any string may be asked for, and nothing is opened.

    Raises:
        UsageError: a package that its scheme needs is missing.
    """
    scheme, rest = _parts(address)
    return _is_known(scheme) and _module(scheme).exists(rest)


def on_server(address: str) -> bool:
    """Whether an address names a library on a server, by its scheme; nobody is asked."""
    return _parts(address)[0] in ON_SERVERS


def shown(text: str) -> str:
    """Return an address, or a text with one in it, as it may be shown: without passwords."""
    return _SECRET.sub(r"\1:***@", text)


def name_of(address: str) -> str:
    """Return what a library is called for short: the end of its path, or its schema or database on a server."""
    from pathlib import Path
    from urllib.parse import parse_qs, unquote, urlsplit

    if not on_server(address):
        return Path(address).resolve().name
    parts = urlsplit(address)
    return parse_qs(parts.query).get("schema", [unquote(parts.path.rpartition("/")[2])])[-1]


def _parts(address: str) -> tuple[str, str]:
    """The scheme of an address, and what follows; of a path the scheme that needs not be said."""
    scheme, colon, rest = address.partition(":")
    if scheme == "mongodb+srv":
        return "mongodb", f"{rest}{'&' if '?' in rest else '?'}srv=true"
    if not colon or len(scheme) == 1 or "/" in scheme or not scheme.isidentifier():
        return USUAL, address
    return scheme, rest.removeprefix("//")


def _is_known(scheme: str) -> bool:
    return scheme in OWN or scheme in _brought()  # what is installed is looked through only where it must be


@cache
def _brought() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS) if entry.name not in OWN}


def _module(scheme: str) -> StoreModule:
    if scheme in OWN:
        try:
            return cast(StoreModule, import_module(OWN[scheme]))
        except ModuleNotFoundError as error:
            raise missing_package(_lacking(scheme, error), scheme) from error
    entry = _brought()[scheme]
    try:
        module: StoreModule = entry.load()
        _ = module.exists, module.open_store
    except Exception as error:
        own, package = entry.module.partition(".")[0], entry.dist.name if entry.dist else entry.value
        if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] != own:
            cure = say("pip install {package}", package=error.name.partition(".")[0])
            raise UsageError(_lacking(scheme, error), cure=cure) from error
        raise UsageError(
            say(
                "the store '{scheme}:' of the package {package} cannot be loaded: {error}",
                scheme=scheme,
                package=package,
                error=error,
            ),
            cure=say("update or remove {package}", package=package),
        ) from error
    return module


def _lacking(scheme: str, error: ModuleNotFoundError) -> Message:
    return say("{what} needs {package}", what=say("the store '{scheme}:'", scheme=scheme), package=error.name)


__all__ = [
    "ENTRY_POINTS",
    "ON_SERVERS",
    "OWN",
    "Reader",
    "Store",
    "Writer",
    "exists",
    "name_of",
    "on_server",
    "open_store",
    "schemes",
    "shown",
]
