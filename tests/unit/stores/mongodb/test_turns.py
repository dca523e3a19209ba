"""The write lock: crashed and sleeping holders, and the recovery of their work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.servers.shared import fresh

from whorl.errors import ResourceError
from whorl.stores.mongodb import MongoStore, chain, open_store, tending
from whorl.stores.mongodb.address import client_of, place_of
from whorl.stores.mongodb.layout import CHAIN
from whorl.stores.mongodb.writing import MongoWriter
from whorl.stores.records import Content, Entry, PairRecord


def entry(number: int, title: str = "") -> Entry:
    return Entry(number, f"id {number}", number, 1, 5, None, 7, title, None, None, None, "")


@pytest.fixture
def address() -> str:
    return fresh("mongodb").removeprefix("mongodb:")


@pytest.fixture
def database(address: str) -> Iterator[Any]:
    place = place_of(address)
    with client_of(place) as client:
        yield client[place.database]


@pytest.fixture
def stores(address: str) -> Iterator[tuple[MongoStore, MongoStore]]:
    """Return two workers on the same library."""
    both = open_store(address, create=True), open_store(address, create=True)
    yield both
    for store in both:
        store.close()


def sleep(writer: MongoWriter) -> None:
    """Suspend a worker, as if its process had been stopped."""
    writer._turn._over.set()


def titles(store: MongoStore) -> list[str | None]:
    with store.reading() as reader:
        return [entry.title for entry in reader.all_entries()]


def test_sleeping_holder_is_replaced_and_its_writes_are_ignored(
    stores: tuple[MongoStore, MongoStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain, "SILENCE", 0.3)
    first, second = stores

    def write_asleep() -> None:
        with first.writing() as asleep:
            asleep.put_entries([entry(1, "of the dead")])
            asleep._send(["document"])
            sleep(asleep)
            with second.writing() as awake:
                assert awake.next_document() == 1
                awake.put_entries([entry(1, "of the living")])
            monkeypatch.setattr(
                asleep._turn, "demand", lambda: None
            )  # as a worker that has just checked before it was stopped
            asleep.put_entries([entry(1, "later"), entry(2)])

    with pytest.raises(ResourceError, match="lost the write lock"):
        write_asleep()
    assert titles(first) == titles(second) == ["of the living"]
    with second.writing() as writer:
        assert writer.next_document() == 2
        writer.put_entries([entry(2, "next")])
    assert titles(first) == ["of the living", "next"]


def test_sleeping_holder_sends_nothing(stores: tuple[MongoStore, MongoStore], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "SILENCE", 0.0)
    with pytest.raises(ResourceError, match="nothing was written"), stores[0].writing() as writer:
        writer.put_entries([entry(1)])
    assert titles(stores[1]) == []


def test_abandoned_writes_are_absent(stores: tuple[MongoStore, MongoStore]) -> None:
    store, _ = stores
    with store.writing() as writer:
        writer.put_entries([entry(1, "before")])

    def give_up() -> None:
        with store.writing() as writer:
            writer.put_entries([entry(1, "after"), entry(2)])
            writer.remove_contents([1])
            writer._send(list(writer._kept))
            raise KeyError

    with pytest.raises(KeyError):
        give_up()
    assert titles(store) == ["before"]
    with store.reading() as reader:
        assert (reader.count(), reader.counts()["documents"]) == (1, 1)


def test_leftovers_of_dead_holders_are_removed(
    stores: tuple[MongoStore, MongoStore], database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = stores

    def give_up() -> None:
        with store.writing() as writer:
            writer.put_entries([entry(1, "dead")])
            writer._send(["document"])
            raise KeyError

    with pytest.raises(KeyError):
        give_up()
    assert database["document"].count_documents({}) == 1
    store.tend()
    assert database["document"].count_documents({}) == 0
    assert chain.Chain(database, "").demand().state.passed_over == [2]
    monkeypatch.setattr(tending, "GRACE", -1.0)
    store.tend()
    assert chain.Chain(database, "").demand().state.passed_over == []


def test_only_old_versions_are_removed(
    stores: tuple[MongoStore, MongoStore], database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = stores
    monkeypatch.setattr(tending, "_FEW", 0)
    for title in "abc":
        with store.writing() as writer:
            writer.put_entries([entry(1, title), entry(2)])
            writer.put_contents([Content(1, b"1" * 16, 0, 1, 1)])
            writer.put_pairs([PairRecord(1, 2, 0.5, 0.5, 0.5, "near", True)])
    with store.writing() as writer:
        writer.remove_entries([2])
        writer.remove_pairs([(1, 2)])
    store.tend()
    assert database["document"].count_documents({}) == 7
    monkeypatch.setattr(chain, "GRACE", -1.0)
    monkeypatch.setattr(chain, "_STEP", -1.0)
    with store.writing() as writer:
        writer.put_state(1)
    store.tend()
    assert titles(store) == ["c"]
    counted = {name: database[name].count_documents({}) for name in ("document", "content", "pair", "state")}
    assert counted == {"document": 1, "content": 1, "pair": 0, "state": 1}
    with store.reading() as reader:
        assert reader.numbered([1, 2]) == {1: entry(1, "c")}
        assert reader.pairs([1, 2]) == {}
    state = chain.Chain(database, "").demand().state
    assert {name: state.rows[name] for name in counted} == counted


def test_reading_reports_removed_versions(
    stores: tuple[MongoStore, MongoStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = stores
    monkeypatch.setattr(tending, "_FEW", 0)
    monkeypatch.setattr(chain, "GRACE", -1.0)
    monkeypatch.setattr(chain, "_STEP", -1.0)
    with store.writing() as writer:
        writer.put_contents([Content(1, b"1" * 16, 0, 1, 1)])
    with store.reading() as reader:
        with other.writing() as writer:
            writer.put_contents([Content(1, b"1" * 16, 0, 2, 1)])
        other.tend()
        monkeypatch.setattr("whorl.stores.mongodb.rows._LONGEST_READING", 0.0)
        with pytest.raises(ResourceError, match="took so long"):
            reader.contents([1])


def test_the_chain_stays_short_also_after_somebody_was_passed_over(
    stores: tuple[MongoStore, MongoStore], database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write() -> None:
        for number in range(20):
            with stores[number % 2].writing() as writer:
                writer.put_state(number)
        assert database[CHAIN].count_documents({}) <= 12

    write()
    monkeypatch.setattr(chain, "SILENCE", 0.1)

    def be_passed_over() -> None:
        with stores[0].writing() as asleep:
            sleep(asleep)
            stores[1].settle({"a": "1"})

    with pytest.raises(ResourceError):
        be_passed_over()
    monkeypatch.undo()
    write()


def test_texts_that_not_every_server_takes_come_back(stores: tuple[MongoStore, MongoStore]) -> None:
    odd = entry(1, "a\0b")._replace(id="no\0id", url="//\0", collection="c\0d")
    with stores[0].writing() as writer:
        writer.put_entries([odd])
        writer.put_links({1: ["\0", "b"]})
    with stores[1].reading() as reader:
        assert reader.entries(["no\0id", "half\ud800"]) == {"no\0id": odd}
        assert reader.links([1]) == {1: ["\0", "b"]}
        assert reader.collections() == {"c\0d": 1}
        assert list(reader.all_entries("c\0d")) == [odd]
