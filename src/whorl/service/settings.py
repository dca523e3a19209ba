"""What a service is told when it starts, and tells its worker processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from whorl.errors import InputError, UsageError
from whorl.language import say
from whorl.library import exists
from whorl.stores import name_of, on_server, shown

_VARIABLE = "WHORL_SERVICE"
_RESERVED = set("/\\?#%&=\0")
_HERE = ("127.0.0.1", "localhost", "::1")
FOLDER = "service"
"""Of the folder of a library: where keys, users and jobs are kept, unless another is named."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a service runs.

    Attributes:
        libraries: their addresses by the names under which they are served.
        state: the folder of keys, users, jobs and the audit log.
        host: the address to listen at.
        port: at which port; 0 is any that is free.
        workers: processes that answer.
        hosts: further names by which browsers may call the service, such as "copies.paper.example".
        most_bytes: of the body of a request.
        rate: requests a second that each key, user or address may make in the long run; 0 is without bound.
        is_secure: whether browsers come over TLS, which something before the service ends.
        proxies: addresses and networks of what stands before the service, whose word is taken for from where a request
            comes and whether that is over TLS (``X-Forwarded-For``, ``X-Forwarded-Proto``).
        reviewers: how many people must agree for a decision about a match to count.
    """

    libraries: Mapping[str, str]
    state: str
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    hosts: tuple[str, ...] = ()
    most_bytes: int = 64 * 2**20
    rate: float = 0.0
    is_secure: bool = False
    proxies: tuple[str, ...] = ()
    reviewers: int = 1

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts by which it may be called; empty for any, where keys alone decide."""
        if self.hosts or self.is_local:
            return (*_HERE, self.host, *self.hosts)
        return ()

    def tell(self) -> None:
        """Leave these settings to the worker processes that this one starts."""
        os.environ[_VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def told(cls) -> Self:
        """Return what the process that started this one has left."""
        given = json.loads(os.environ[_VARIABLE])
        return cls(**given | {name: tuple(given[name]) for name in ("hosts", "proxies")})


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def state_folder(place: str) -> Path:
    """Return where a service keeps its own: in the folder of its first library, or the folder itself.

    Args:
        place: the folder of a library, or one that was named for this.

    Raises:
        InputError: there is no such folder.
        UsageError: the library is on a server, where there is none.
    """
    if on_server(place):
        problem = say("{library} has no folder for keys, users and jobs", library=shown(place))
        raise UsageError(problem, cure=say("name one for them: `state`"))
    folder = Path(place)
    if not folder.is_dir():
        raise InputError(
            say("there is no library at {folder}", folder=folder), cure=say("check its name; `whorl add` makes one")
        )
    return folder / FOLDER if exists(place) else folder


def named(addresses: Iterable[str]) -> dict[str, str]:
    """Return libraries by the names under which they are served: ``NAME=ADDRESS``, or the name of the folder or schema.

    Raises:
        UsageError: two have the same name, or one has a name that no address can hold.
    """
    found: dict[str, str] = {}
    for given in addresses:
        name, is_named, address = given.partition("=")
        if not is_named or "/" in name or "\\" in name:
            address, name = given, name_of(given)
        if not name or _RESERVED & set(name) or not name.isprintable() or name in (".", ".."):
            raise UsageError(
                say("{name!r} cannot be the name of a library", name=name),
                cure=say("name it: news={path}", path=shown(address)),
            )
        if name in found:
            raise UsageError(
                say("two libraries are called {name}", name=name),
                cure=say("name one: other={path}", path=shown(address)),
            )
        found[name] = address
    return found


__all__ = ["FOLDER", "Settings", "is_loopback", "named", "state_folder"]
