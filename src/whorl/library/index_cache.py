"""Which contents share keys: an index that is a cache of the truth, and is never trusted further than it says.

The saved index says itself how far it has come: rows under keys of their own have as ids the mark up to which it covers
the truth, and the name of the state in which it did. They are saved with all others or not at all, so that nothing can
tell a state from its mark. The truth keeps the names of its states: one that does not know that of the index is another
one, or an older copy. What came after is read from the truth; an index that is missing, damaged or of another truth is
built again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import randbits
from threading import Lock, RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.disk import user_caches
from whorl.errors import InputError, ResourceError, UsageError
from whorl.indexes.inverted import KeyAnswers, KeyIndex
from whorl.indexes.segmented import Snapshot
from whorl.language import Message, say
from whorl.library.indexing import EARLIEST, lacking, said_by
from whorl.library.keys import Keys, read_keys
from whorl.library.rules import Making
from whorl.overlap import Behind, read_ahead
from whorl.stores import Reader, Store
from whorl.stores.records import Content

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = "index"
_MARK_IDS = 1 << 62
_MARKS = ("content", "removal", "state")
_MOST_SAME = 1000
_BLOCK = 4096
_FAR_BEHIND = 20_000
_SAVED_EVERY = 20_000
_STATE_BITS = 61
_LOG = logging.getLogger("whorl.library")


class Covered(NamedTuple):
    """How much of the truth an index holds, by the numbers of `whorl.stores.records.Mark`.

    Attributes:
        content: contents up to this number.
        removal: without those removed up to this one.
    """

    content: int
    removal: int

    @classmethod
    def by(cls, reader: Reader) -> Covered:
        """All of it."""
        mark = reader.mark()
        return cls(mark.content, mark.removal)


class IndexCache:
    """The index of a library in this process; fulfils `whorl.library.indexing.Index`, where its methods are told."""

    def __init__(self, store: Store, making: Making, identity: str) -> None:
        self._store = store
        self._path = _path(store, identity)
        self._making = making
        self._lock = RLock()
        self._changing = Lock()
        self._unsaved = 0
        self._is_foreign = self._wrote = False
        self._damage = ""
        self._latest = 0
        self._certain: Covered | None = None
        self._mark_keys = {name: _mark_key(identity, name) for name in _MARKS}
        self._index, self._mark = self._opened()

    def catch_up(self, reader: Reader) -> None:
        """Learn what others wrote since; constant cost where there is nothing."""
        truth = Covered.by(reader)
        if truth == self._mark and not self._damage:
            return
        with self._lock, self._mended(reader):
            if self._damage:
                self.rebuild(reader, self._damage)
            if truth.content - self._mark.content > _FAR_BEHIND:
                self._take_saved()
            self._fill(reader)
            if self._mark.removal < truth.removal:
                self.forget(reader.removed_after(self._mark.removal))
                self._mark = Covered(self._mark.content, truth.removal)

    @contextmanager
    def _mended(self, reader: Reader) -> Iterator[None]:
        """Build the index again if the block finds it damaged; damage of the truth is found again by that."""
        try:
            yield
        except InputError as error:
            self.rebuild(reader, str(error.message))

    def _fill(self, reader: Reader) -> None:
        """Make the keys of what came after the mark, while the next block is read and the one before is added."""
        with closing(read_ahead(self._blocks(reader))) as blocks, Behind("whorl-index") as adding:
            for contents, keys, last in blocks:
                adding.do(self._add_block, contents, keys(), last)

    def _blocks(self, reader: Reader) -> Iterator[tuple[list[Content], Callable[[], Keys], int]]:
        """The contents after the mark, what makes their keys, and the mark with them."""
        truth, last = Covered.by(reader), self._mark.content
        while last < truth.content:
            contents = reader.contents_after(last, _BLOCK)
            last = contents[-1].number if len(contents) == _BLOCK else truth.content
            yield contents, read_keys(self._making, reader, contents), last

    def _add_block(self, contents: Sequence[Content], keys: Keys, last: int) -> None:
        if contents:
            self._add([content.number for content in contents], keys, [content.period for content in contents])
        self._mark = Covered(last, self._mark.removal)

    @contextmanager
    def inserting(self, reader: Reader) -> Iterator[None]:
        """See the contract; nothing is saved meanwhile."""
        with self._changing:
            self.catch_up(reader)
            self._certain, self._wrote = self._mark, True
            yield

    def insert(self, contents: Sequence[int], keys: Keys, periods: Sequence[int], reader: Reader) -> None:
        """Add the contents that this process is about to write, before anybody else can read them."""
        if contents:
            with self._lock:
                try:
                    self._add(contents, keys, periods)
                except InputError as error:
                    self.rebuild(reader, str(error.message))
                    self._add(contents, keys, periods)
                self._mark = Covered(max(self._mark.content, *contents), self._mark.removal)

    def committed(self) -> None:
        """See the contract; upkeep may be taking the same contents back, which are then learned again."""
        with self._lock:
            self._certain = None

    def take_back(self) -> None:
        """See the contract; what others have written under these numbers meanwhile is learned again."""
        with self._changing:
            self._take_back()

    def _take_back(self) -> None:
        with self._lock:
            if self._certain is not None:
                self.forget(range(self._certain.content + 1, self._mark.content + 1))
                self._mark, self._certain = self._certain, None

    def forget(self, contents: Sequence[int]) -> None:
        """Remove contents."""
        if contents:
            with self._lock:
                self._index.remove(np.array(contents, np.uint64))

    def query(self, keys: Keys, periods: tuple[int, int] | None, reader: Reader, most: int) -> KeyAnswers:
        """Return the ``most`` contents that share keys with each of some texts; a damaged index is built again."""
        window = {} if periods is None or not len(self._index) else {"since": periods[0], "until": periods[1] + 1}
        least = self._making.family.min_shared
        asked = {"limit": most, "min_shared": least, "earliest": EARLIEST, **window}
        return self._asked(reader, lambda: self._index.query_many(keys, **asked))

    def same(
        self,
        asked: Sequence[tuple[bytes, range]],
        reader: Reader,
        fresh: Mapping[int, Content] = MappingProxyType({}),
    ) -> dict[tuple[bytes, int], Content]:
        """See the contract."""

        def holders(keys: Keys) -> list[int]:
            found: list[int] = self._asked(reader, lambda: self._index.query_many(keys, limit=_MOST_SAME)).id.tolist()
            return found

        return said_by(asked, holders, reader, fresh)

    def _asked(self, reader: Reader, ask: Callable[[], KeyAnswers]) -> KeyAnswers:
        try:
            return ask()
        except InputError as error:
            self.rebuild(reader, str(error.message))
            return ask()

    def tend(self) -> None:
        """Merge and save what is worth it, while others ask and add."""
        try:
            while self._index.tidy():
                _LOG.info("segments of the index were merged")
        except InputError as error:
            self._damage = error.message
        if self._unsaved >= _SAVED_EVERY:
            self.save()

    def close(self) -> None:
        """Save what this process wrote."""
        if self._wrote or self._unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Write what is new to the disk; not within ``inserting``."""
        if self._path is None or not self._unsaved or self._damage:
            return
        unsaved, replace = self._unsaved, self._is_foreign
        try:
            mark, snapshot = self._named_snapshot()
            try:
                snapshot.save(self._path, replace=replace)
            except UsageError:
                self._agree(snapshot, mark)
        except (ResourceError, InputError) as error:
            self._unsaved, self._is_foreign = self._unsaved + unsaved, replace
            _LOG.warning(say("the index was not saved: {reason}", reason=error.message))
        else:
            _LOG.info("%s: the index was saved, rows: %d", self._path, unsaved)

    def _named_snapshot(self) -> tuple[Covered, Snapshot]:
        """What the index holds, under a name that the truth knows from the moment on which it covers."""
        state = randbits(_STATE_BITS)
        with self._store.writing() as writer, self._changing, self._lock:
            self._take_back()
            writer.put_state(state)
            self._put_marks(state)
            self._unsaved, self._is_foreign = 0, False
            return self._mark, self._index.snapshot()

    def _agree(self, snapshot: Snapshot, mark: Covered) -> None:
        """Go on from what another process saved meanwhile, unless it is far behind."""
        index, saved = self._opened()
        if self._path is not None and (self._is_foreign or mark.content - saved.content > _FAR_BEHIND):
            snapshot.save(self._path, replace=True)
            self._is_foreign = False
            return
        with self._changing, self._lock:
            self._index, self._mark = index, saved

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """Build the index again from the truth, at about the cost of fingerprinting all texts."""
        if reason:
            _LOG.warning(_built_again(reason))
        with self._lock:
            self._index, self._mark = self._new(), Covered(0, Covered.by(reader).removal)
            self._is_foreign, self._damage = True, ""
            self._fill(reader)
            while self._index.tidy():
                pass

    def verify(self) -> None:
        """Read every byte of the index.

        Raises:
            InputError: it is damaged.
        """
        self._index.verify()

    def lacks(self, contents: Sequence[int], keys: Keys) -> list[int]:
        """Return those of some contents that cannot be found by their keys."""
        return lacking(contents, self._index.query_many(keys, limit=1_000_000, min_share=1.0))

    def stats(self) -> dict[str, float]:
        """What the index holds."""
        return self._index.stats()

    def _new(self) -> KeyIndex:
        return KeyIndex(most_documents=self._making.rules.most_documents)

    def _opened(self) -> tuple[KeyIndex, Covered]:
        """What was saved; an empty index where that cannot be used."""
        # Asked first: another process may be writing the first manifest, which is no reason to call it damaged.
        if self._path is None or not any(self._path.glob("*.manifest")):
            return self._new(), Covered(0, 0)
        try:
            mark = self._saved_mark(KeyIndex.open(self._path, most_documents=2**31))
            return KeyIndex.open(self._path, most_documents=self._making.rules.most_documents), mark
        except (InputError, ResourceError) as error:
            _LOG.warning(_built_again(error.message))
            self._is_foreign = True
            return self._new(), Covered(0, 0)

    def _take_saved(self) -> None:
        """Go on from what another process saved, if that is further."""
        index, mark = self._opened()
        if mark.content > self._mark.content:
            self._index, self._mark, self._unsaved = index, mark, 0

    def _saved_mark(self, index: KeyIndex) -> Covered:
        """How far a saved index has come.

        Raises:
            InputError: it does not say so, or in a state that the truth never had.
        """
        found = {}
        for name, key in self._mark_keys.items():
            ids = [id_ for id_, _ in index.query([key], limit=1000).hits if id_ >= _MARK_IDS]
            if not ids:
                raise InputError(say("it is of another library"), cure=say("nothing is to be done"))
            found[name] = max(ids) - _MARK_IDS
        with self._store.reading() as reader:
            if not reader.has_been(found["state"]):
                raise InputError(say("it is of another state of the library"), cure=say("nothing is to be done"))
        return Covered(found["content"], found["removal"])

    def _put_marks(self, state: int) -> None:
        """Replace the high-water marks by those of this state."""
        keys = np.array(list(self._mark_keys.values()), np.uint64)
        counts = np.ones(len(keys), np.uint32)
        old = self._index.query_many(Keys(keys, counts), limit=1000).id
        self._index.remove(old[old >= _MARK_IDS])
        ids = [_MARK_IDS + number for number in (self._mark.content, self._mark.removal, state)]
        self._index.add(Keys(keys, counts), ids, self._times([self._latest] * len(ids)), merge=False)

    def _add(self, numbers: Sequence[int], keys: Keys, periods: Sequence[int]) -> None:
        self._index.add(keys, np.array(numbers, np.uint64), self._times(periods), merge=False)
        self._unsaved += len(numbers)
        self._latest = max(self._latest, *periods)

    def _times(self, periods: Sequence[int]) -> NDArray[np.int64] | None:
        return None if self._making.rules.span is None else np.array(periods, np.int64)


def _path(store: Store, identity: str) -> Path | None:
    """Where an index lies: in the folder of the store, or with the caches of the user; None where neither is."""
    if store.folder is not None:
        return store.folder / FOLDER
    caches = user_caches()
    return None if caches is None else caches / sha256(identity.encode()).hexdigest()[:32] / FOLDER


def _built_again(reason: str) -> Message:
    return say("the index is built again from the texts: {reason}", reason=reason)


def _mark_key(identity: str, name: str) -> int:
    """The key of a mark, which is another one in every library."""
    return int.from_bytes(sha256(f"{identity} {name}".encode()).digest()[:8], "little")


__all__ = ["FOLDER", "IndexCache"]
