"""The database: connections, write access and read snapshots."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from whorl.errors import InputError, UsageError, WhorlError
from whorl.i18n import say
from whorl.stores.contract import TableVersions
from whorl.stores.mongodb.address import SCHEME, MongoAddress, client_of, place_of
from whorl.stores.mongodb.chain import Chain
from whorl.stores.mongodb.checking import faults_of
from whorl.stores.mongodb.copying import copy_to
from whorl.stores.mongodb.failures import failures
from whorl.stores.mongodb.layout import KINDS, SETTINGS, VERSION
from whorl.stores.mongodb.migration import migrate
from whorl.stores.mongodb.reading import MongoReader
from whorl.stores.mongodb.tending import tend
from whorl.stores.mongodb.writing import MongoWriter

if TYPE_CHECKING:
    from pymongo.database import Database


def exists(address: str) -> bool:
    """Return True if a store exists in a database; see the contract."""
    try:
        place = place_of(address)
        with failures(place.label), client_of(place) as client:
            return Chain(client[place.database], place.label).last() is not None
    except WhorlError:
        return False


def open_store(address: str, create: bool) -> MongoStore:
    """Return the store in a database; see the contract."""
    return MongoStore(place_of(address), create)


def versions(address: str) -> TableVersions:
    """Return the versions of the collections in a database; see the contract."""
    place = place_of(address)
    with failures(place.label), client_of(place) as client:
        link = Chain(client[place.database], place.label).last()
    if link is None:
        raise _no_library(place)
    return TableVersions(link.state.tables, VERSION)


class MongoStore:
    """A library in a database; implements `whorl.stores.Store`. Thread-safe."""

    def __init__(self, place: MongoAddress, create: bool) -> None:
        self._place = place
        self._turn = RLock()
        self._closed = False
        self._process = os.getpid()
        self._client = client_of(place)
        self._database: Database[Any] = self._client[place.database]
        self._chain = Chain(self._database, place.label)
        try:
            with failures(place.label):
                self._open(create)
        except BaseException:
            self._client.close()
            raise

    def _open(self, create: bool) -> None:
        link = self._chain.last()
        if link is not None:
            if link.state.tables < VERSION:
                migrate(self._database, self._chain)
            return
        if not create:
            raise _no_library(self._place)
        if others := set(self._database.list_collection_names()) - KINDS.keys():
            raise UsageError(
                say(
                    "the database {name} contains other collections: {some}",
                    name=self._place.database,
                    some=min(others),
                ),
                hint=say("use an empty database, or that of a library"),
            )
        self._chain.begin()

    @property
    def folder(self) -> Path | None:
        """None: there is no folder for caches."""
        return None

    def settings(self) -> dict[str, str]:
        """See the contract."""
        with self.reading() as reading:
            return {setting.name: setting.value for setting in reading.whole(SETTINGS)}

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """See the contract."""
        with self.writing() as writing:
            kept = {setting.name: setting.value for setting in writing.whole(SETTINGS)}
            if not kept:
                writing.put_settings(settings)
        return kept or dict(settings)

    @contextmanager
    def reading(self) -> Iterator[MongoReader]:
        """See the contract."""
        self._demand_open()
        with failures(self._place.label):
            yield MongoReader(self._database, self._chain.demand().state, self._chain)

    @contextmanager
    def writing(self) -> Iterator[MongoWriter]:
        """See the contract."""
        self._demand_open()
        with self._turn, failures(self._place.label):
            self._demand_open()
            turn = self._chain.take()
            writing = MongoWriter(self._database, self._chain, turn)
            try:
                yield writing
                writing.finish()
                turn.commit()
            except BaseException:
                turn.abandon(writing.before, writing.has_sent)
                raise

    def backup(self, address: str) -> None:
        """See the contract."""
        target = MongoStore(place_of(address.removeprefix(f"{SCHEME}:")), create=True)
        try:
            with self.reading() as reading, failures(target._place.label):
                copy_to(reading, target._database, target._chain)
        finally:
            target.close()

    def tend(self) -> None:
        """Remove rows that no reader sees any more; see the contract."""
        self._demand_open()
        with self._turn, failures(self._place.label):
            tend(self._database, self._chain)

    def faults(self) -> list[str]:
        """See the contract."""
        with self.reading() as reading:
            return faults_of(reading)

    def close(self) -> None:
        """See the contract."""
        self._closed = True
        if not self._is_of_a_parent():
            self._client.close()

    def _is_of_a_parent(self) -> bool:
        """Return True in a forked process, which must not touch the connections of its parent."""
        return os.getpid() != self._process

    def _demand_open(self) -> None:
        if self._is_of_a_parent():
            problem = say("the library was opened before this process was forked")
            raise UsageError(problem, hint=say("open it again in each process: whorl.open(...)"))
        if self._closed:
            raise UsageError(say("the library is closed"), hint=say("open it again: whorl.open(...)"))


def _no_library(place: MongoAddress) -> InputError:
    return InputError(
        say("no library at {folder}", folder=place.label), hint=say("check the name; `whorl add` creates a library")
    )


__all__ = ["MongoStore", "exists", "open_store", "versions"]
