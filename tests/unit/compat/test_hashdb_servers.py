"""The stores of nshash that many processes share: Redis, and any SQL database."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited
from tests.servers.shared import fresh, shared

from whorl.compat.hashdb import COUNTER, SharedHashDB
from whorl.compat.hashdb_redis import HashDBRedis
from whorl.compat.hashdb_sql import HashDBSQL
from whorl.compat.nshash import NSHash
from whorl.errors import ResourceError, UsageError

ROOT = Path(__file__).parents[3]
WORKERS, PRIVATE, COMMON = 4, 10, 10


@pytest.fixture(params=["redis", "sqlite", "postgresql", "mysql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty location of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hashes.sqlite'}"
    if request.param == "postgresql":
        fresh("postgresql")  # skips if unavailable
        return str(getattr(shared("postgresql"), "fresh_database")())  # noqa: B009
    return fresh({"mysql": "mariadb"}.get(request.param, request.param))


def opened(address: str, name: str = "news") -> Any:
    return HashDBRedis(address, name) if address.startswith("redis") else HashDBSQL(address, name)


@pytest.fixture
def store(address: str) -> Iterator[Any]:
    opened_store = opened(address)
    yield opened_store
    opened_store.close()


def test_stored_numbers_keep_their_type(store: Any, address: str) -> None:
    assert isinstance(store, SharedHashDB)
    assert store.get("a") is None
    store.put("a", 9)
    store.put("a", 10)
    store.put("A", 11)
    store.put(17, 3)
    store.put("句", "坏句 🗞")
    assert [store.get(key) for key in ("a", "A", 17, "17", "句", "?")] == [10, 11, 3, 3, "坏句 🗞", None]
    store.close()
    again, other = opened(address), opened(address, "other")
    assert (again.get("a"), other.get("a")) == (10, None)
    again.close()
    other.close()


def test_half_a_turn_does_not_count(store: Any, address: str) -> None:
    store.put("a", 1)

    def fail() -> None:
        with store.turn():
            store.put("a", 2)
            store.put("b", 2)
            assert store.get("a") == 2
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (store.get("a"), store.get("b")) == (1, None)
    with store.turn():
        store.put("b", 3)
    assert store.get("b") == 3


def test_no_other_comes_in_before_a_turn_ends(store: Any, address: str) -> None:
    other = opened(address)
    with store.turn():
        count = f"from tests.unit.compat.test_hashdb_servers import opened, add_one; add_one(opened({address!r}))"
        waiting = subprocess.Popen([sys.executable, "-c", count], cwd=ROOT)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.7)
        store.put(COUNTER, 5)
    assert waiting.wait() == 0
    assert other.get(COUNTER) == 6
    other.close()


def add_one(store: Any) -> None:
    with store.turn():
        store.put(COUNTER, (store.get(COUNTER) or 0) + 1)
    store.close()


def test_processes_give_no_id_out_twice_and_find_what_others_have(address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.unit.compat.test_hashdb_servers", address]
    running = [
        subprocess.Popen([*command, str(worker)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for worker in range(WORKERS)
    ]
    stderr = [json.loads(process.communicate()[0]) for process in running]
    value = [id_ for ids in stderr for id_ in ids[:PRIVATE]]
    assert len(set(value)) == WORKERS * PRIVATE
    with NSHash("news", hashdb=address) as nshash:
        common = [[nshash.current_id(id_) for id_ in ids[PRIVATE:]] for ids in stderr]
    assert common == [common[0]] * WORKERS
    assert len(set(common[0])) == COMMON
    assert not set(common[0]) & set(value)


def test_errors_show_no_password() -> None:
    for address in ("redis://u:secret@127.0.0.1:1/0", "postgresql://u:secret@127.0.0.1:1/x"):
        with pytest.raises(ResourceError) as failure:
            NSHash("news", hashdb=address).get_similar(article(1))
        assert "secret" not in f"{failure.value}{failure.value!r}"
    for address in ("redis://host:x", "nothing://host/x", "sqlite://host:x"):
        with pytest.raises(UsageError) as mistake:
            NSHash("news", hashdb=address)
        assert "address" in str(mistake.value)


def test_a_turn_that_lasted_too_long_puts_nothing() -> None:
    address = fresh("redis")
    store = HashDBRedis(address, "news")

    def late() -> None:
        with store.turn():
            store.put("a", 1)
            store._client.delete(store._lock)

    with pytest.raises(ResourceError, match="the lock expired"):
        late()
    assert store.get("a") is None
    store.close()


def main(address: str, worker: str) -> None:
    """Add private articles, and copies of articles that others add too."""
    value = [article(1000 * (int(worker) + 1) + number) for number in range(PRIVATE)]
    common = [edited(article(number), 2, seed=int(worker)) for number in range(COMMON)]
    with NSHash("news", hashdb=address) as nshash:
        print(json.dumps([nshash.get_similar(text) for text in [*value, *common]]))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
