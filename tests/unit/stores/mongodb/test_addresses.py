"""Valid database addresses, errors about invalid ones, and secrets that are never shown."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.runs import whorl as run
from tests.servers import PASSWORD, QUOTED
from tests.servers.shared import fresh

import whorl
from whorl.errors import InputError, ResourceError, UsageError
from whorl.stores import exists, open_store
from whorl.stores.mongodb import failures
from whorl.stores.mongodb.address import client_of, place_of

SECRET = "se:cr/et@"


@pytest.fixture
def address() -> str:
    return fresh("mongodb")


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "//host",
        "//host/",
        "///database",
        "//host/a.b",
        "//host/a/b",
        "//host/" + "x" * 64,
        "//host:port/database",
        f"//user:{SECRET}@host/database",
        f"//user:{SECRET}?a=b@host/database",
        "//host/database?serverSelectionTimeoutMS=secret",
        "//host/database?nosuch=secret",
    ],
)
def test_invalid_address_is_refused_without_quoting_it(rest: str) -> None:
    with pytest.raises(UsageError) as refused:
        whorl.open(f"mongodb:{rest}")
    text = f"{refused.value} {refused.value.__cause__}"
    assert not any(part in text for part in (SECRET, "se:cr", "cr/et", "secret"))
    assert not exists(f"mongodb:{rest}")


def test_password_is_never_shown(address: str) -> None:
    place = place_of(address.removeprefix("mongodb:"))
    with client_of(place) as client:
        expected = f"{place} {client} {place.label}"
    with whorl.open(address) as library:
        library.add({"id": "a", "text": "一二三四五六七八九十"})
        expected += f"{library.stats()}"
    wrong = run("library", "stats", address.replace(QUOTED, "another-secret"))
    right = run("library", "stats", address)
    assert (wrong.code, right.code) == (2, 0), wrong.error + right.error
    for text in (expected, wrong.error, wrong.out, right.error, right.out):
        assert not any(secret in text for secret in (PASSWORD, QUOTED, "another-secret"))


def test_a_password_may_come_from_the_environment_or_a_file(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = address.replace(f":{QUOTED}@", "@")
    with pytest.raises(UsageError, match="rejected the user or password"):
        whorl.open(without)
    (tmp_path / "password").write_text(f"{PASSWORD}\n", encoding="utf-8")
    whorl.open(f"{without}&password_file={tmp_path / 'password'}").close()
    with pytest.raises(InputError, match="No such file"):
        whorl.open(f"{without}&password_file={tmp_path / 'none'}")
    monkeypatch.setenv("MONGODB_PASSWORD", unquote(QUOTED))
    whorl.open(without, create=False).close()


def test_unreachable_server_is_reported() -> None:
    address = "mongodb://127.0.0.1:1/database?serverSelectionTimeoutMS=200"
    with pytest.raises(ResourceError, match="no server responds"):
        whorl.open(address)
    assert not exists(address)


def test_wrong_password_differs_from_missing_library(address: str) -> None:
    with pytest.raises(UsageError, match="rejected the user or password"):
        whorl.open(address.replace(QUOTED, "wrong"))
    with pytest.raises(InputError, match="no library at"):
        whorl.open(address, create=False)


def test_a_database_of_others_is_left_alone(address: str) -> None:
    place = place_of(address.removeprefix("mongodb:"))
    with client_of(place) as client:
        client[place.database]["orders"].insert_one({"_id": 1})
        with pytest.raises(UsageError, match="contains other collections: orders"):
            whorl.open(address)
        assert client[place.database].list_collection_names() == ["orders"]


@pytest.mark.parametrize(
    ("state", "error"), [('{"tables": 99}', UsageError), ("{}]", InputError), ('{"nothing": 1}', InputError)]
)
def test_newer_version_differs_from_damage(address: str, state: str, error: type[Exception]) -> None:
    whorl.open(address).close()
    place = place_of(address.removeprefix("mongodb:"))
    with client_of(place) as client:
        row = {"_id": 10**6, "held": False, "by": "", "beat": 0, "state": state}
        client[place.database]["turn"].insert_one(row)
    with pytest.raises(error):
        whorl.open(address)


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        (18, UsageError, "rejected the user or password"),
        (13, ResourceError, "lacks a permission"),
        (10107, ResourceError, "is read-only"),
        (14031, ResourceError, "disk of the server is full"),
        (10334, InputError, "16 MB"),
        (1, ResourceError, "what it says"),
    ],
)
def test_server_errors_have_a_hint(code: int, error: type[whorl.WhorlError], message: str) -> None:
    from pymongo.errors import OperationFailure

    with pytest.raises(error, match=message) as failed, failures.failures("mongodb://user@host/database"):
        raise OperationFailure("what it says, full error: {...}", code)
    assert failed.value.hint
    assert "mongodb://user@host/database" in failed.value.message
    assert "full error" not in failed.value.message


def test_oversized_text_is_refused(address: str) -> None:
    store = open_store(address, create=True)

    def put() -> None:
        with store.writing() as writer:
            writer.put_state(1)
            writer.put_texts({1: bytes(17 * 2**20)})

    with pytest.raises(InputError, match="16 MB"):
        put()
    with store.reading() as reader:
        assert (reader.texts([1]), reader.has_been(1)) == ({}, False)
    store.close()
