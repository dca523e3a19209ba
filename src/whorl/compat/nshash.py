"""nshash as its users know it: an article that shares one of its five longest sentences with a group belongs to it.

    >>> from whorl.compat.nshash import NSHash
    >>> with NSHash("news", hashfunc="farmhash", hashdb="memory") as nshash:  # doctest: +SKIP
    ...     similar_id = nshash.get_similar(text)

Names, defaults, sentences and hashes are those of the original (github.com/veelion/nshash, MIT), and its LevelDB
folders are read as they are. What differs is what it got wrong:

* An article that belongs to several groups merges them; the lowest id stays, the others become its aliases.
* The last id is stored, so that a restart gives out no id twice. Ids are numbers in every store.
* An empty text, or one of white space, is alone.
* One boilerplate sentence does not merge everything, if that is asked for: see ``max_group``.
* The memory form is kept in SQLite, not in a pickle, and is complete after a kill at any moment.

For articles in memory or files, ``whorl.dedup`` finds more, proves each copy and needs no database.
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
from whorl.language import say

_HASHES = ("md5", "farmhash")
_TEXTS_AT_ONCE = 1024
_STOPPED = "stop_sentences"

Sentence = tuple[str, int, int]
"""The hash of a sentence, and where it begins and ends in its text."""


class NSHash:
    """Groups articles as they come.

    Args:
        name: of the files in which a store of ours is kept; see HashDBMemory and HashDBLeveldb.
        hashfunc: "md5" or "farmhash" (FarmHash ``hash64``).
        hashdb: "memory", "leveldb", the address of a Redis such as "redis://host:6379/0" or of an SQL database such as
            "postgresql://host/name", or an object with ``get`` and ``put``.
        sentences: how many of the longest sentences are hashed.
        min_shared: how many of them an article and a group must share; 2 is strict.
        max_group: a group of this many articles takes in more only on good evidence: half of the sentences of an
            article, and if that is one sentence, half of its text. A sentence that failed to be is a stop sentence.
            None, as in the original, takes in everything.
        import_pickle: for "memory", take over ``name.hashdb.pkl`` of the original.

    Raises:
        UsageError: a value is out of range, or a store cannot be opened as asked.
        InputError: the file of a store is damaged.

    Safe to share between threads. Any number of processes may write to Redis or to a database: they take turns, article
    by article or block by block, and give no id out twice. One process at a time may write to any other store.
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
                cure=say("choose one of: {known}", known=", ".join(_HASHES)),
            )
        for what, value in (("sentences", sentences), ("min_shared", min_shared), ("max_group", max_group)):
            if value is not None and (type(value) is not int or value < 1):
                raise UsageError(
                    say("{what} is {value!r}, not a whole number from 1", what=what, value=value),
                    cure=say("see the page of NSHash"),
                )
        self.hashfunc = hashfunc
        self.db = _store(name, hashdb, import_pickle)
        self._owns_db = isinstance(hashdb, str)
        self._sentences = sentences
        self._min_shared = min_shared
        self._max_group = max_group
        self._lock = Lock()

    def get_similar(self, doc: str) -> int:
        """Return the id of the group that an article belongs to; a new one if it belongs to none.

        Raises:
            InputError: ``doc`` is not a str.

        Cost: linear in the text, and some ten look-ups.
        """
        return self.get_similar_all([doc])[0]

    def get_similar_all(self, docs: Iterable[str]) -> list[int]:
        """Return the id of each of many articles, as ``get_similar`` would one after the other, but faster.

        The id of an early one may be an alias at the end: ask ``current_id``.

        Raises:
            InputError: an item is not a str. Those before it have been taken in.
        """
        ids: list[int] = []
        for block in _blocks(docs):
            chosen = _chosen(block, self.hashfunc, self._sentences)
            with self._lock, self.db.turn() if isinstance(self.db, SharedHashDB) else nullcontext():
                ids += map(self._take_in, block, chosen)
        return ids

    def get_nshash(self, doc: str, n: int | None = None) -> list[str] | list[int]:
        """Return the hashes of the ``n`` longest sentences: str for md5, int for farmhash."""
        (chosen,) = _chosen([doc], self.hashfunc, n or self._sentences)
        hashes = [key for key, _, _ in chosen]
        return [int(key) for key in hashes] if self.hashfunc == "farmhash" else hashes

    def current_id(self, similar_id: int) -> int:
        """Return the id that a group has now: the lowest of all that were merged into it."""
        current = similar_id
        while (alias := self.db.get(f"alias:{current}")) is not None:
            current = int(alias)
        return current

    @property
    def stop_sentences(self) -> list[str]:
        """The sentences that were too weak to bring something into a group of ``max_group`` articles."""
        count = self._number(_STOPPED)
        return [_string(self.db.get(f"stop_sentence:{place}")) for place in range(1, count + 1)]

    def close(self) -> None:
        """Save and close the store, if it is one of ours."""
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
        similar_id = min(groups) if groups else self._new_id()
        self._join(similar_id, groups)
        for key, owner in owners.items():
            if owner is None or (owner in groups and owner != similar_id):
                self.db.put(key, similar_id)
        return similar_id

    def _owner(self, key: str) -> int | None:
        """The group that a sentence belongs to; if it has merged into another, the way there is made short."""
        stored = self.db.get(key)
        if stored is None:
            return None
        owner = self.current_id(int(stored))
        if owner != int(stored):
            self.db.put(f"alias:{int(stored)}", owner)
            self.db.put(key, owner)
        return owner

    def _holds(self, doc: str, group: int, ties: list[Sentence], sentences: int) -> bool:
        """Whether an article of so many sentences belongs to a group with which it shares some."""
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
        """Make one of the groups, and count the article to it."""
        members = 1 + sum(map(self._size, groups))
        for group in groups:
            if group != similar_id:
                self.db.put(f"alias:{group}", similar_id)
        if groups:
            self.db.put(f"size:{similar_id}", members)

    def _new_id(self) -> int:
        new = self._number(COUNTER) + 1
        self.db.put(COUNTER, new)
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
        cure = say("give 'memory', 'leveldb', an address of Redis or of a database, or an object with get and put")
        raise UsageError(say("{name} is {value!r}", name="hashdb", value=hashdb), cure=cure)
    return hashdb


def _blocks(docs: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(docs)
    while block := list(islice(rest, _TEXTS_AT_ONCE)):
        yield block


def _chosen(docs: list[str], hashfunc: str, sentences: int) -> list[list[Sentence]]:
    for doc in docs:
        if not isinstance(doc, str):
            raise InputError(say("an article is {kind}, not str", kind=type(doc).__name__), cure=say("give its text"))
    return _core.nshash(docs, hashfunc, sentences)


def _string(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


__all__ = ["HashDB", "HashDBLeveldb", "HashDBMemory", "HashDBRedis", "HashDBSQL", "NSHash"]
