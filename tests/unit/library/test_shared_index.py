"""An index shared by workers gives the results of private indexes."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited, newsroom_articles
from tests.rounds import rounds
from tests.servers.shared import fresh

import whorl
from whorl.errors import InputError, ResourceError, UsageError
from whorl.indexes.inverted import KeyAnswers, KeyIndex
from whorl.library.search.answering import KeyRows, answers_of
from whorl.stores.redis import IndexState, PeriodKeys, RedisKeys

ROOT = Path(__file__).parents[3]
DAY = "2026-01-"


@pytest.fixture
def server() -> str:
    """Return the address of an empty Redis database."""
    return fresh("redis")


def shared(place: Path, server: str) -> str:
    return f"sqlite:{place}?index={quote(server)}"


def client(server: str) -> Any:
    import redis

    return redis.Redis.from_url(server)


def as_lists(answers: KeyAnswers) -> list[list[Any]]:
    return [column.tolist() for column in (answers.query, answers.id, answers.hits, answers.keys, answers.cut)]


KEYS = st.lists(st.sampled_from([0, 1, 2, 3, 2**63, 2**64 - 1, 255 << 56, 7 << 40]), max_size=6)
WORKS = st.lists(
    st.tuples(st.lists(KEYS, min_size=1, max_size=6), st.lists(st.integers(0, 30), max_size=3)), max_size=4
)


@settings(max_examples=rounds(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    works=WORKS,
    queries=st.lists(KEYS, max_size=4),
    limit=st.integers(1, 4),
    max_matches=st.integers(1, 3),
    earliest=st.integers(0, 3),
)
def test_it_answers_as_a_local_index(
    server: str,
    works: list[tuple[list[list[int]], list[int]]],
    queries: list[list[int]],
    limit: int,
    max_matches: int,
    earliest: int,
) -> None:
    local = KeyIndex(most_documents=limit)
    flat, counts = (
        np.array([key for keys in queries for key in keys], np.uint64),
        np.array([len(keys) for keys in queries], np.uint32),
    )
    different, places = np.unique(flat, return_inverse=True)
    removed: set[int] = set()
    with closing(RedisKeys(server, "a", 0)) as index:
        state = IndexState(token_hex(8), 0, "")
        index.take("nobody", state, [], [])
        for added, missing in works:
            first = state.content + 1
            numbers = np.arange(first, first + len(added))
            local.add([*map(list, added)], numbers.astype(np.uint64))
            sets = [sorted(set(keys)) for keys in added]
            value = PeriodKeys(
                numbers,
                np.array([key for keys in sets for key in keys], np.uint64),
                np.array([*map(len, sets)], np.uint32),
            )
            index.push(state, (int(numbers[-1]), ""), {0: value})
            state = state._replace(content=int(numbers[-1]))
            removed |= {number for number in missing if number <= state.content}
            local.remove(np.array(missing, np.uint64))
        rows = index.ask((state.token, state.content), different, [0], max(limit + 1, earliest) + len(removed))
    there = ~np.isin(rows.content, sorted(removed))
    answers = answers_of(
        KeyRows(rows.key[there], rows.content[there]),
        places.reshape(-1),
        counts,
        limit=limit,
        max_listed=max_matches,
        min_shared=1,
        earliest=earliest,
    )
    expected = local.query_many([*map(list, queries)], limit=max_matches, earliest=earliest)
    assert as_lists(answers) == as_lists(expected)
    assert answers.unlisted.tolist() == expected.unlisted.tolist()


def answers(library: whorl.Library) -> list[Any]:
    texts = [library.get(id_).text for id_ in library] + [article(number) for number in range(3)]
    return [library.check(text, at=f"{DAY}{1 + number % 28:02}").to_dict() for number, text in enumerate(texts)]


def documents(count: int) -> list[dict[str, str]]:
    """Return copies of some articles, dated over a month."""
    return [
        {
            "id": f"{number}",
            "text": edited(article(number % 9), number % 4),
            "published_at": f"{DAY}{1 + number % 28:02}",
        }
        for number in range(count)
    ]


@pytest.mark.parametrize(
    "rules",
    [{}, {"window": "8d"}, {"window": "1d"}, {"most_documents": 1}, {"most_documents": 3}, {"texts": False}],
    ids=str,
)
def test_a_library_answers_as_with_an_index_of_its_own(server: str, tmp_path: Path, rules: dict[str, Any]) -> None:
    batch = [*documents(60), *(row for row in newsroom_articles() if row["id"] < "nr-050")]
    with (
        whorl.open(shared(tmp_path / "shared", server), **rules) as first,
        whorl.open(tmp_path / "own", **rules) as other,
    ):
        for library in (first, other):
            for start in (0, 40, 41, 60):
                library.add(batch[start : start + 60])
            library.add({"id": "3", "text": article(77), "published_at": f"{DAY}04"})
            library.remove(["1", "nr-006", "nr-042"])
        assert [first.report(id_) for id_ in first] == [other.report(id_) for id_ in other]
        assert first.verify() == other.verify()
        if first.rules.texts:
            assert answers(first) == answers(other)
        first.reindex()
        if first.rules.texts:
            assert answers(first) == answers(other)
        assert first.verify().healed == ()


def test_workers_find_what_others_added(server: str, tmp_path: Path) -> None:
    address = shared(tmp_path / "library", server)
    with whorl.open(address) as first, whorl.open(address) as other:
        first.add({"id": "a", "text": article(1)})
        assert [match.id for match in other.add({"id": "b", "text": edited(article(1), 2)}).matches] == ["a"]
        assert {match.id for match in first.check(article(1)).matches} == {"a", "b"}
        other.remove("a")
        assert [match.id for match in first.check(article(1)).matches] == ["b"]


def test_nothing_is_shared_before_it_is_true(server: str, tmp_path: Path) -> None:
    address = shared(tmp_path / "library", server)
    with whorl.open(address) as first:
        first.add({"id": "a", "text": article(1)})
        before = state_of(server)
        with pytest.raises(UsageError):
            first.add_if({"id": "b", "text": article(2)}, refuse)
        assert state_of(server) == before
        assert first.add({"id": "c", "text": article(2)}).matches == ()
        assert first.verify().healed == ()


def refuse(_: object) -> None:
    raise UsageError("no")


def state_of(server: str) -> list[tuple[bytes, Any]]:
    redis = client(server)
    return sorted((name, redis.hgetall(name)) for name in redis.keys("*") if redis.type(name) == b"hash")


def test_who_does_not_share_it_leaves_it_behind_and_it_catches_up(server: str, tmp_path: Path) -> None:
    with whorl.open(shared(tmp_path / "library", server)) as first, whorl.open(tmp_path / "library") as other:
        first.add({"id": "a", "text": article(1)})
        for number in range(30):
            other.add({"id": f"{number}", "text": edited(article(number % 5), 1)})
        other.remove(["a", "1"])
        assert [first.check(article(number)) for number in range(6)] == [
            other.check(article(number)) for number in range(6)
        ]


def flush(server: str, tmp_path: Path) -> None:
    client(server).flushdb()


def drop_keys(server: str, tmp_path: Path) -> None:
    redis = client(server)
    redis.delete(*[name for name in redis.keys("*") if name.rpartition(b":")[2].lstrip(b"-").isdigit()])


def drop_the_mark(server: str, tmp_path: Path) -> None:
    redis = client(server)
    redis.delete(*[name for name in redis.keys("*") if name.endswith(b"}")])


def put_back(server: str, tmp_path: Path) -> None:
    redis = client(server)
    kept = {name: redis.dump(name) for name in redis.keys("*")}
    with whorl.open(shared(tmp_path / "library", server)) as library:
        library.add([{"id": f"later {number}", "text": edited(article(number), 2)} for number in range(5)])
    redis.flushdb()
    for name, value in kept.items():
        redis.restore(name, 0, value)


def another_version(server: str, tmp_path: Path) -> None:
    redis = client(server)
    for name in redis.keys("*}"):
        redis.hset(name, "format", "0")


def lose_a_field(kind: str, field: str, value: str | None = None) -> Callable[[str, Path], None]:
    def damage(server: str, tmp_path: Path) -> None:
        redis = client(server)
        for name in redis.keys("*"):
            is_period = name.rpartition(b":")[2].lstrip(b"-").isdigit()
            if redis.type(name) == b"hash" and is_period == (kind == "period"):
                redis.hdel(name, field) if value is None else redis.hset(name, field, value)

    damage.__name__ = f"{kind} {field} {value}"
    return damage


def of_another_type(server: str, tmp_path: Path) -> None:
    redis = client(server)
    for name in redis.keys("*"):
        redis.delete(name)
        redis.set(name, "a string")


DAMAGES = [
    *(lose_a_field("mark", field) for field in ("format", "token", "content", "last")),
    *(lose_a_field("mark", field, "\xff") for field in ("token", "content", "last")),
    *(lose_a_field("period", field) for field in ("token", "bits", "base", "contents")),
    *(lose_a_field("period", field, "many") for field in ("token", "bits", "base", "contents")),
    of_another_type,
]


@pytest.mark.parametrize("rules", [{}, {"window": "8d"}], ids=str)
@pytest.mark.parametrize("damage", [flush, drop_keys, drop_the_mark, put_back, another_version, *DAMAGES])
def test_what_is_lost_or_old_is_filled_again(server: str, tmp_path: Path, damage: Any, rules: Any) -> None:
    address = shared(tmp_path / "library", server)
    with whorl.open(address, **rules) as open_before:
        open_before.add(documents(20))
        damage(server, tmp_path)
        with whorl.open(tmp_path / "library") as local, whorl.open(address) as opened_after:
            expected = answers(local)
            assert answers(opened_after) == expected
            assert answers(open_before) == expected
        open_before.add({"id": "more", "text": edited(article(2), 1), "published_at": f"{DAY}03"})
        assert open_before.verify().healed == ()


def test_what_is_of_another_state_of_the_library_is_not_believed(
    server: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address = shared(tmp_path / "library", server)
    with whorl.open(address) as library:
        library.add({"id": "a", "text": article(1)})
        library.backup(tmp_path / "copy")
        library.add([{"id": "b", "text": article(2)}, {"id": "c", "text": article(3)}])
    with whorl.open(tmp_path / "copy") as older:
        older.add([{"id": "d", "text": article(4)}, {"id": "e", "text": article(5)}])
    with caplog.at_level(logging.WARNING), whorl.open(shared(tmp_path / "copy", server)) as older:
        assert "another state" in caplog.text
        assert [match.id for match in older.check(article(4)).matches] == ["d"]
        assert older.check(article(2)).matches == ()
        assert older.verify().healed == ()


def test_old_periods_are_dropped_and_loaded_by_who_asks(server: str, tmp_path: Path) -> None:
    address = shared(tmp_path / "library", server)
    with whorl.open(address, window="8d") as library:
        library.add(documents(40))
        library.add({"id": "old", "text": article(60), "published_at": "2020-01-01"})
        library.add({"id": "new", "text": article(61), "published_at": "2026-09-01"})
        redis = client(server)
        before = kept_periods(server)
        assert all(0 < redis.pttl(name) <= 24 * 86_400_000 for name in before)
        drop_keys(server, tmp_path)
        assert [match.id for match in library.check(article(60), at="2020-01-02").matches] == ["old"]
        assert library.check(article(61), at="2020-01-02").matches == ()
        assert 0 < len(kept_periods(server)) < len(before)
        assert library.verify().healed == ()


def kept_periods(server: str) -> list[bytes]:
    return [name for name in client(server).keys("*") if name.rpartition(b":")[2].isdigit()]


def test_many_of_a_key_and_many_contents_are_found(server: str, tmp_path: Path) -> None:
    foot = article(500, 60)
    batch = [{"id": f"{number}", "text": article(number, 60) + foot} for number in range(1100)]
    with (
        whorl.open(shared(tmp_path / "shared", server), most_documents=2000) as first,
        whorl.open(tmp_path / "own", most_documents=2000) as other,
    ):
        for library in (first, other):
            library.add(batch)
            library._core.index.tend()
            library.add({"id": "last", "text": foot})
        assert first.report("last") == other.report("last")
        assert first.check(batch[7]["text"]) == other.check(batch[7]["text"])
        assert first.verify().healed == ()


@pytest.mark.parametrize("workers", [4])
def test_workers_that_add_at_once_miss_nothing(server: str, tmp_path: Path, workers: int) -> None:
    address = shared(tmp_path / "library", server)
    whorl.open(address).close()
    command = [sys.executable, "-m", "tests.unit.library.adder", address]
    running = [subprocess.Popen([*command, str(number)], cwd=ROOT) for number in range(workers)]
    assert [process.wait() for process in running] == [0] * workers
    with whorl.open(address) as library, whorl.open(tmp_path / "library") as local:
        assert len(library) == workers * 30
        assert library.verify() == local.verify()
        assert {cluster.size for cluster in library.clusters()} == {workers}
        assert answers(library) == answers(local)


def test_without_the_server_nothing_is_answered_and_nothing_added(server: str, tmp_path: Path) -> None:
    with whorl.open(shared(tmp_path / "library", server)) as library:
        library.add({"id": "a", "text": article(1)})
    removed = "redis://somebody:secret@127.0.0.1:1/0"
    with pytest.raises(ResourceError) as failure:
        whorl.open(shared(tmp_path / "library", removed))
    assert "redis://127.0.0.1:1/0" in str(failure.value)
    assert "without `?index=`" in str(failure.value)
    assert "secret" not in f"{failure.value}{failure.value!r}"
    wrong = server.replace(server.partition("@")[0], "redis://:nothing")
    with pytest.raises(ResourceError, match="check the user and password"):
        whorl.open(shared(tmp_path / "library", wrong))


def test_the_password_may_be_in_a_file(server: str, tmp_path: Path) -> None:
    user, _, place = server.partition("@")
    (tmp_path / "secret").write_text(f"{unquote(user.removeprefix('redis://:'))}\n", encoding="utf-8")
    with whorl.open(shared(tmp_path / "library", f"redis://{place}?password_file={tmp_path / 'secret'}")) as library:
        library.add({"id": "a", "text": article(1)})
    assert client(server).keys("whorl:*")
    with pytest.raises(InputError, match="a file that contains only the password"):
        whorl.open(shared(tmp_path / "library", f"redis://{place}?password_file={tmp_path / 'none'}"))


@pytest.mark.parametrize(
    ("index", "message"),
    [("mysql://host/x", "unknown index address 'mysql:'"), ("redis://host:x/0", "not a Redis address")],
)
def test_an_address_that_is_none_is_told(tmp_path: Path, index: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        whorl.open(f"sqlite:{tmp_path / 'library'}?index={index}")


def test_an_index_is_named_among_other_parameters(tmp_path: Path) -> None:
    from whorl.library.addresses import Address

    for address, store, index in [
        ("news", "news", None),
        ("news?index=redis://h", "news", "redis://h"),
        ("pg://h/d?index=redis://h/1&a=b", "pg://h/d?a=b", "redis://h/1"),
        ("pg://h/d?a=b&index=redis%3A%2F%2Fh%2F1%3Fc%3D2&d=e", "pg://h/d?a=b&d=e", "redis://h/1?c=2"),
        ("what?index=is this", "what?index=is this", None),
    ]:
        assert Address.of(address) == (store, index)


def test_each_library_has_keys_of_its_own(server: str, tmp_path: Path) -> None:
    with whorl.open(shared(tmp_path / "a", server)) as first, whorl.open(shared(tmp_path / "b", server)) as other:
        first.add({"id": "a", "text": article(1)})
        assert other.check(article(1)).matches == ()
        other.reindex()
        assert first.check(article(1)).matches
