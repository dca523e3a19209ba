"""Drop-in replacement for nshash: articles that share one of their five longest sentences form a group.

    >>> from whorl.compat.nshash import NSHash
    >>> with NSHash("news", hashfunc="farmhash", hashdb="memory") as nshash:  # doctest: +SKIP
    ...     similar_id = nshash.get_similar(text)

Names, defaults, sentences and hashes are those of the original (github.com/veelion/nshash, MIT), and its LevelDB
folders can be opened directly. These defects of the original are fixed:

* An article that belongs to several groups merges them: the lowest id remains, the others become aliases.
* The last id is stored, so that no id is assigned twice after a restart. Ids are integers in every store.
* An empty or blank text forms its own group.
* With ``max_group``, one boilerplate sentence cannot merge everything.
* The memory store is an SQLite file instead of a pickle, and survives a kill at any time.

For articles in memory or files, ``whorl.dedup`` finds more, explains each duplicate and needs no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from os import PathLike
from threading import Lock
from typing import Any, Self

from whorl import _core
from whorl.compat.hashdb import COUNTER, HashDB, HashDBLeveldb, HashDBMemory, SharedHashDB
from whorl.compat.hashdb_redis import HashDBRedis
from whorl.compat.hashdb_sql import HashDBSQL
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.i18n import say

_HASHES = ("md5", "farmhash")
_TEXTS_AT_ONCE = 1024
_STOPPED = "stop_sentences"

Sentence = tuple[str, int, int]
"""Hash of a sentence, with its start and end in the text."""


class NSHash:
    """Group articles incrementally.

    Args:
        name: name of the files of a built-in store; see HashDBMemory and HashDBLeveldb.
        hashfunc: "md5" or "farmhash" (FarmHash ``hash64``).
        hashdb: "memory", "leveldb", the address of a Redis such as "redis://host:6379/0" or of an SQL database such as
            "postgresql://host/name", or an object with ``get`` and ``put``.
        sentences: number of longest sentences to hash.
        min_shared: minimum number of sentences shared with a group; 2 is strict.
        max_group: group size from which an article must share half of its sentences, and half of its text if that is
            one sentence. A sentence that fails this becomes a stop sentence. None, as in the original, has no limit.
        import_pickle: for "memory", import ``name.hashdb.pkl`` of the original.

    Raises:
        UsageError: a value is out of range, or a store cannot be opened with these options.
        InputError: a file of the store is damaged.

    Safe to share between threads. Any number of processes may write to Redis or a database: they take turns by article
    or block, and assign no id twice. Any other store allows one writing process at a time.
    """

    def __init__(
        self,
        name: str | PathLike[str],
        hashfunc: str = "md5",
        hashdb: str | HashDB = "memory",
        *,
        sentences: int = 5,
        min_shared: int = 1,
        max_group: int | None = None,
        import_pickle: bool = False,
    ) -> None:
        if hashfunc not in _HASHES:
            raise NotFoundError(
                say("there is no hash function '{hashfunc}'", hashfunc=hashfunc),
                hint=say("choose one of: {known}", known=", ".join(_HASHES)),
            )
        for what, value in (("sentences", sentences), ("min_shared", min_shared), ("max_group", max_group)):
            if value is not None and (type(value) is not int or value < 1):
                raise UsageError(
                    say("{what} is {value!r}, not a whole number from 1", what=what, value=value),
                    hint=say("see the documentation of NSHash"),
                )
        self.hashfunc = hashfunc
        self.db = _store(name, hashdb, import_pickle)
        self._owns_db = isinstance(hashdb, str)
        self._turn = self.db.turn if isinstance(self.db, SharedHashDB) else nullcontext
        self._sentences = sentences
        self._min_shared = min_shared
        self._max_group = max_group
        self._lock = Lock()

    def get_similar(self, doc: str) -> int:
        """Return the id of the group of an article, or a new id.

        Raises:
            InputError: ``doc`` is not a str.

        Cost: linear in the text, and about ten lookups.
        """
        (chosen,) = _chosen([doc], self.hashfunc, self._sentences)
        with self._lock, self._turn():
            return self._take_in(doc, chosen)

    def get_similar_all(self, docs: Iterable[str]) -> list[int]:
        """Return the ids of many articles, like repeated calls of ``get_similar``, but faster.

        An early id may have become an alias by the end: resolve it with ``current_id``.

        Raises:
            InputError: an item is not a str. The items before it have been added.
        """
        ids: list[int] = []
        for block in _blocks(docs):
            chosen = _chosen(block, self.hashfunc, self._sentences)
            with self._lock, self._turn():
                ids += map(self._take_in, block, chosen)
        return ids

    def get_nshash(self, doc: str, n: int | None = None) -> list[str] | list[int]:
        """Return the hashes of the ``n`` longest sentences: str for md5, int for farmhash."""
        (chosen,) = _chosen([doc], self.hashfunc, n or self._sentences)
        hashes = [key for key, _, _ in chosen]
        return [int(key) for key in hashes] if self.hashfunc == "farmhash" else hashes

    def current_id(self, similar_id: int) -> int:
        """Return the current id of a group: the lowest of all merged ids."""
        current = similar_id
        while (alias := self.db.get(f"alias:{current}")) is not None:
            current = int(alias)
        return current

    @property
    def stop_sentences(self) -> list[str]:
        """The sentences that were too weak to add an article to a group of ``max_group`` articles."""
        count = self._number(_STOPPED)
        return [_string(self.db.get(f"stop_sentence:{place}")) for place in range(1, count + 1)]

    def close(self) -> None:
        """Save and close a built-in store."""
        if self._owns_db and isinstance(self.db, HashDBMemory | HashDBLeveldb | HashDBRedis | HashDBSQL):
            self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_in(self, doc: str, chosen: list[Sentence]) -> int:
        owners = {key: self._owner(key) for key, _, _ in chosen}
        shared: dict[int, dict[str, Sentence]] = {}
        for sentence in chosen:
            owner = owners[sentence[0]]
            if owner is not None:
                shared.setdefault(owner, {})[sentence[0]] = sentence
        groups = [group for group, ties in shared.items() if self._holds(doc, group, list(ties.values()), len(owners))]
        if not groups:
            return self._start_group(key for key, owner in owners.items() if owner is None)
        similar_id = min(groups)
        self._join(similar_id, groups)
        for key, owner in owners.items():
            if owner is None or (owner in groups and owner != similar_id):
                self.db.put(key, similar_id)
        return similar_id

    def _owner(self, key: str) -> int | None:
        """Return the group of a sentence; resolved aliases are shortened."""
        stored = self.db.get(key)
        if stored is None:
            return None
        owner = self.current_id(int(stored))
        if owner != int(stored):
            self.db.put(f"alias:{int(stored)}", owner)
            self.db.put(key, owner)
        return owner

    def _holds(self, doc: str, group: int, ties: list[Sentence], sentences: int) -> bool:
        """Return True if an article with ``sentences`` sentences belongs to a group it shares ``ties`` with."""
        if len(ties) < self._min_shared:
            return False
        if self._max_group is None or self._size(group) < self._max_group:
            return True
        _, start, end = ties[0]
        if 2 * len(ties) >= sentences and (len(ties) > 1 or 2 * (end - start) >= len(doc)):
            return True
        for key, start, end in ties:
            self._stop(key, doc[start:end])
        return False

    def _join(self, similar_id: int, groups: list[int]) -> None:
        """Merge the groups, and add the article."""
        members = 1 + sum(map(self._size, groups))
        for group in groups:
            if group != similar_id:
                self.db.put(f"alias:{group}", similar_id)
        self.db.put(f"size:{similar_id}", members)

    def _start_group(self, keys: Iterable[str]) -> int:
        """Assign a new id to sentences that have none, and return it."""
        new = self._number(COUNTER) + 1
        self.db.put(COUNTER, new)
        for key in keys:
            self.db.put(key, new)
        return new

    def _size(self, group: int) -> int:
        return self._number(f"size:{group}", 1)

    def _stop(self, key: str, sentence: str) -> None:
        if self.db.get(f"stop:{key}") is None:
            place = self._number(_STOPPED) + 1
            self.db.put(f"stop_sentence:{place}", sentence.encode(errors="replace").decode())
            self.db.put(f"stop:{key}", place)
            self.db.put(_STOPPED, place)

    def _number(self, key: str, otherwise: int = 0) -> int:
        value = self.db.get(key)
        return otherwise if value is None else int(value)


def _store(name: str | PathLike[str], hashdb: str | HashDB, import_pickle: bool) -> HashDB:
    if hashdb == "memory":
        return HashDBMemory(name, import_pickle=import_pickle)
    if hashdb == "leveldb":
        return HashDBLeveldb(name)
    if isinstance(hashdb, str) and "://" in hashdb:
        is_redis = hashdb.partition(":")[0] in ("redis", "rediss", "unix")
        return HashDBRedis(hashdb, name) if is_redis else HashDBSQL(hashdb, name)
    if isinstance(hashdb, str) or not isinstance(hashdb, HashDB):
        hint = say("use 'memory', 'leveldb', an address of Redis or of a database, or an object with get and put")
        raise UsageError(say("{name} is {value!r}", name="hashdb", value=hashdb), hint=hint)
    return hashdb


def _blocks(docs: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(docs)
    while block := list(islice(rest, _TEXTS_AT_ONCE)):
        yield block


def _chosen(docs: list[str], hashfunc: str, sentences: int) -> list[list[Sentence]]:
    for doc in docs:
        if not isinstance(doc, str):
            raise InputError(
                say("expected an article as str, got {kind}", kind=type(doc).__name__), hint=say("pass its text")
            )
    return _core.nshash(docs, hashfunc, sentences)


def _string(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


__all__ = ["HashDB", "HashDBLeveldb", "HashDBMemory", "HashDBRedis", "HashDBSQL", "NSHash"]
