"""Settings of the service, and their transfer to worker processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library import exists
from whorl.service.state.database import absent_state
from whorl.stores import masked, name_of, on_server

_VARIABLE = "WHORL_SERVICE"
_RESERVED = set("/\\?#%&=\0")
_HERE = ("127.0.0.1", "localhost", "::1")
FOLDER = "service"
"""Default folder for keys, users and jobs within the folder of a library."""


@frozen
class Settings:
    """Settings of the service.

    Attributes:
        libraries: addresses of the libraries by served name.
        state: folder of keys, users, jobs and the audit log, or the address of a database on PostgreSQL or MySQL,
            which several replicas of the service may share.
        host: address to listen at.
        port: port to listen at; 0 for any free port.
        workers: number of worker processes.
        hosts: additional host names of the service, such as "copies.paper.example".
        most_bytes: maximum size of a request body.
        rate: sustained requests per second and key, user or address; 0 for no limit.
        is_secure: True if a reverse proxy terminates TLS.
        proxies: addresses and networks of reverse proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` headers
            are trusted.
        reviewers: number of people who must agree on a decision.
        zone: zone in which the console shows times to readers who chose none; empty for UTC.
        tenants: folder of the libraries that are created over HTTP, or address of a PostgreSQL database in which each
            has a schema; empty if there are none.
        files: folder of uploads and of the files of jobs, the same for all replicas; empty for that of the state.
        meaning: model for comparisons by meaning: True for that of the package, or the path of a folder; False allows
            no such comparisons, which take a processor for seconds.
        keep_days: age in days from which pages and audit entries are removed, except for those of open cases; 0 keeps
            them.
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
    zone: str = ""
    keep_days: int = 0
    tenants: str = ""
    files: str = ""
    meaning: bool | str = False

    @property
    def files_folder(self) -> Path:
        """Folder of uploads and of the files of jobs.

        Raises:
            UsageError: the state is in a database, and no folder is set.
        """
        if not self.files and on_server(self.state):
            raise UsageError(
                say("the files of jobs need a folder, because the state of the service is in a database"),
                hint=say("choose one that all replicas of the service share: --files FOLDER"),
            )
        return Path(self.files or self.state)

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach the service."""
        return is_loopback(self.host)

    @property
    def names(self) -> tuple[str, ...]:
        """Permitted host names; empty for any, if only keys protect the service."""
        if self.hosts or self.is_local:
            return (*_HERE, self.host, *self.hosts)
        return ()

    def to_environment(self) -> None:
        """Store the settings in the environment of worker processes."""
        os.environ[_VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Self:
        """Read the settings that the parent process stored in the environment."""
        settings = json.loads(os.environ[_VARIABLE])
        return cls(**settings | {name: tuple(settings[name]) for name in ("hosts", "proxies")})


def is_loopback(host: str) -> bool:
    """Return True for an address of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def state_folder(place: str, *, create: bool = False) -> Path:
    """Return the folder of the service state: within the folder of its first library, or the folder itself.

    Args:
        place: folder of a library, or a separate folder for the state.
        create: the library does not exist yet, and will be created in the folder.

    Raises:
        InputError: the folder does not exist.
        UsageError: the library is on a server and has no folder.
    """
    if on_server(place):
        problem = say("{library} has no folder for keys, users and jobs", library=masked(place))
        raise UsageError(problem, hint=say("choose a folder or a database for them: `state`"))
    folder = Path(place.removeprefix("sqlite:"))
    if create and not exists(place):
        return folder / FOLDER
    if not folder.is_dir():
        raise InputError(
            say("no library at {folder}", folder=folder), hint=say("check the path; `whorl add` creates a library")
        )
    return folder / FOLDER if exists(place) else folder


def state_place(place: str, *, create: bool = False) -> str:
    """Return the address of the service state for a database, a library in a folder, or a folder of the state.

    Args:
        place: the database or the folder.
        create: whether the folder may be missing, because the state will be created.

    Raises:
        InputError: the folder does not exist.
    """
    if on_server(place):
        return place
    if not Path(place.removeprefix("sqlite:")).is_dir():
        if create:
            return place
        raise absent_state(place)
    return str(state_folder(place))


def is_library_name(name: str) -> bool:
    """Return True if a name can be part of an address."""
    return bool(name) and not _RESERVED & set(name) and name.isprintable() and name not in (".", "..")


def named(addresses: Iterable[str]) -> dict[str, str]:
    """Parse libraries by name: ``NAME=ADDRESS``, or an address whose folder or schema is the name.

    Raises:
        UsageError: two libraries have the same name, or a name cannot be part of an address.
    """
    libraries: dict[str, str] = {}
    for argument in addresses:
        name, is_named, address = argument.partition("=")
        if not is_named or "/" in name or "\\" in name:
            address, name = argument, name_of(argument)
        if not is_library_name(name):
            raise UsageError(
                say("{name!r} is not a valid library name", name=name),
                hint=say("choose a name: news={path}", path=masked(address)),
            )
        if name in libraries:
            raise UsageError(
                say("duplicate library name {name}", name=name),
                hint=say("choose another name: other={path}", path=masked(address)),
            )
        libraries[name] = address
    return libraries


__all__ = ["FOLDER", "Settings", "is_library_name", "is_loopback", "named", "state_folder", "state_place"]
