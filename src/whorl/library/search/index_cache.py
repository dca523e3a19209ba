"""Local index that finds contents with common keys: a cache of the store, used only as far as it covers the store.

The saved index records its own high-water marks: reserved keys hold the mark up to which it covers the store, and the
name of the state it was saved in. Marks and rows are saved atomically, so they cannot diverge. The store keeps the
names of its states: an index with an unknown state belongs to another store, or to an older copy of this one. Later
contents are read from the store. An index that is missing, damaged or from another store is rebuilt.
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

from whorl._internal.disk import user_caches
from whorl._internal.overlap import Behind, read_ahead
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import Message, say
from whorl.indexes.inverted import KeyAnswers, KeyIndex
from whorl.indexes.segmented import Snapshot
from whorl.library.rules import Making
from whorl.library.search.indexing import EARLIEST, keys_of_digests, lacking, with_digests
from whorl.library.search.keys import TextKeys, read_keys
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


class IndexCoverage(NamedTuple):
    """How much of the store an index covers, by the numbers of `whorl.stores.records.Mark`.

    Attributes:
        content: contents up to this number are included.
        removal: contents removed up to this number are excluded.
    """

    content: int
    removal: int

    @classmethod
    def by(cls, reader: Reader) -> IndexCoverage:
        """Return the coverage of the whole store."""
        mark = reader.mark()
        return cls(mark.content, mark.removal)


class IndexCache:
    """Index of a library in this process. `whorl.library.search.indexing.Index` documents the methods."""

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
        self._certain: IndexCoverage | None = None
        self._mark_keys = {name: _mark_key(identity, name) for name in _MARKS}
        self._index, self._mark = self._opened()

    def catch_up(self, reader: Reader) -> None:
        """Add what other processes wrote since; constant cost without new contents."""
        truth = IndexCoverage.by(reader)
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
                self._mark = IndexCoverage(self._mark.content, truth.removal)

    @contextmanager
    def _mended(self, reader: Reader) -> Iterator[None]:
        """Rebuild the index if the block finds it damaged; damage of the store itself is raised again."""
        try:
            yield
        except InputError as error:
            self.rebuild(reader, str(error.message))

    def _fill(self, reader: Reader) -> None:
        """Add the contents after the mark: read the next block and insert the previous one while making keys."""
        with closing(read_ahead(self._blocks(reader))) as blocks, Behind("whorl-index") as adding:
            for contents, keys, last in blocks:
                adding.do(self._add_block, contents, keys(), last)

    def _blocks(self, reader: Reader) -> Iterator[tuple[list[Content], Callable[[], TextKeys], int]]:
        """Yield the contents after the mark, a function that makes their keys, and the new mark."""
        truth, last = IndexCoverage.by(reader), self._mark.content
        while last < truth.content:
            contents = reader.contents_after(last, _BLOCK)
            last = contents[-1].number if len(contents) == _BLOCK else truth.content
            yield contents, read_keys(self._making, reader, contents), last

    def _add_block(self, contents: Sequence[Content], keys: TextKeys, last: int) -> None:
        if contents:
            self._add([content.number for content in contents], keys, [content.period for content in contents])
        self._mark = IndexCoverage(last, self._mark.removal)

    @contextmanager
    def inserting(self, reader: Reader) -> Iterator[None]:
        """See the contract; the index is not saved within the block."""
        with self._changing:
            self.catch_up(reader)
            self._certain, self._wrote = self._mark, True
            yield

    def insert(self, contents: Sequence[int], keys: TextKeys, periods: Sequence[int], reader: Reader) -> None:
        """Add contents that this process is about to write, before other processes can read them."""
        if contents:
            with self._lock:
                try:
                    self._add(contents, keys, periods)
                except InputError as error:
                    self.rebuild(reader, str(error.message))
                    self._add(contents, keys, periods)
                self._mark = IndexCoverage(max(self._mark.content, *contents), self._mark.removal)

    def committed(self) -> None:
        """See the contract. If maintenance is rolling back the same contents, they are added again later."""
        with self._lock:
            self._certain = None

    def take_back(self) -> None:
        """See the contract. What others have written under these numbers meanwhile is added again."""
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

    def query(self, keys: TextKeys, periods: tuple[int, int] | None, reader: Reader, limit: int) -> KeyAnswers:
        """Return the contents that share most keys with each text; rebuild the index if it is damaged."""
        window = {} if periods is None or not len(self._index) else {"since": periods[0], "until": periods[1] + 1}
        min_shared = self._making.family.min_shared
        options = {"limit": limit, "min_shared": min_shared, "earliest": EARLIEST, **window}
        return self._query_or_rebuild(reader, lambda: self._index.query_many(keys, **options))

    def same(
        self,
        values: Sequence[tuple[bytes, range]],
        reader: Reader,
        fresh: Mapping[int, Content] = MappingProxyType({}),
    ) -> dict[tuple[bytes, int], Content]:
        """See the contract."""
        return with_digests(values, self.holders(values, reader), reader, fresh)

    def holders(self, values: Sequence[tuple[bytes, range]], reader: Reader) -> list[int]:
        """See the contract."""
        keys = keys_of_digests(values)
        answers = self._query_or_rebuild(reader, lambda: self._index.query_many(keys, limit=_MOST_SAME))
        numbers: list[int] = answers.id.tolist()
        return numbers

    def _query_or_rebuild(self, reader: Reader, ask: Callable[[], KeyAnswers]) -> KeyAnswers:
        try:
            return ask()
        except InputError as error:
            self.rebuild(reader, str(error.message))
            return ask()

    def tend(self) -> None:
        """Merge and save if worthwhile, while other threads query and add."""
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
        """Write changes to disk; must not be called within ``inserting``."""
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

    def _named_snapshot(self) -> tuple[IndexCoverage, Snapshot]:
        """Return coverage and snapshot of the index, under a new state name that the store has recorded."""
        state = randbits(_STATE_BITS)
        with self._store.writing() as writer, self._changing, self._lock:
            self._take_back()
            writer.put_state(state)
            self._put_marks(state)
            self._unsaved, self._is_foreign = 0, False
            return self._mark, self._index.snapshot()

    def _agree(self, snapshot: Snapshot, mark: IndexCoverage) -> None:
        """Adopt the index that another process saved meanwhile, or replace it if it is far behind."""
        index, saved = self._opened()
        if self._path is not None and (self._is_foreign or mark.content - saved.content > _FAR_BEHIND):
            snapshot.save(self._path, replace=True)
            self._is_foreign = False
            return
        with self._changing, self._lock:
            self._index, self._mark = index, saved

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """Rebuild the index from the store, at about the cost of fingerprinting all texts."""
        if reason:
            _LOG.warning(_built_again(reason))
        with self._lock:
            self._index, self._mark = self._new(), IndexCoverage(0, IndexCoverage.by(reader).removal)
            self._is_foreign, self._damage = True, ""
            self._fill(reader)
            while self._index.tidy():
                pass

    def verify(self) -> None:
        """Read every byte of the index.

        Raises:
            InputError: the index is damaged.
        """
        self._index.verify()

    def lacks(self, contents: Sequence[int], keys: TextKeys) -> list[int]:
        """Return the contents that cannot be found by their keys."""
        return lacking(contents, self._index.query_many(keys, limit=1_000_000, min_share=1.0))

    def stats(self) -> dict[str, float]:
        """Return the size of the index."""
        return self._index.stats()

    def _new(self) -> KeyIndex:
        return KeyIndex(most_documents=self._making.rules.most_documents)

    def _opened(self) -> tuple[KeyIndex, IndexCoverage]:
        """Open the saved index, or return an empty one if it is unusable."""
        # Check the marker file first: another process may be writing the first manifest, which is not damage.
        if self._path is None or not any(self._path.glob("*.manifest")):
            return self._new(), IndexCoverage(0, 0)
        try:
            mark = self._saved_mark(KeyIndex.open(self._path, most_documents=2**31))
            return KeyIndex.open(self._path, most_documents=self._making.rules.most_documents), mark
        except (InputError, ResourceError) as error:
            _LOG.warning(_built_again(error.message))
            self._is_foreign = True
            return self._new(), IndexCoverage(0, 0)

    def _take_saved(self) -> None:
        """Adopt the index saved by another process if it covers more."""
        index, mark = self._opened()
        if mark.content > self._mark.content:
            self._index, self._mark, self._unsaved = index, mark, 0

    def _saved_mark(self, index: KeyIndex) -> IndexCoverage:
        """Return the coverage of a saved index.

        Raises:
            InputError: the marks are missing, or name a state that the store never had.
        """
        marks = {}
        for name, key in self._mark_keys.items():
            ids = [id_ for id_, _ in index.query([key], limit=1000).hits if id_ >= _MARK_IDS]
            if not ids:
                raise InputError(say("it belongs to another library"), hint=say("nothing needs to be done"))
            marks[name] = max(ids) - _MARK_IDS
        with self._store.reading() as reader:
            if not reader.has_been(marks["state"]):
                raise InputError(
                    say("it belongs to another state of the library"), hint=say("nothing needs to be done")
                )
        return IndexCoverage(marks["content"], marks["removal"])

    def _put_marks(self, state: int) -> None:
        """Replace the high-water marks by those of this state."""
        keys = np.array(list(self._mark_keys.values()), np.uint64)
        counts = np.ones(len(keys), np.uint32)
        old = self._index.query_many(TextKeys(keys, counts), limit=1000).id
        self._index.remove(old[old >= _MARK_IDS])
        ids = [_MARK_IDS + number for number in (self._mark.content, self._mark.removal, state)]
        self._index.add(TextKeys(keys, counts), ids, self._times([self._latest] * len(ids)), merge=False)

    def _add(self, numbers: Sequence[int], keys: TextKeys, periods: Sequence[int]) -> None:
        self._index.add(keys, np.array(numbers, np.uint64), self._times(periods), merge=False)
        self._unsaved += len(numbers)
        self._latest = max(self._latest, *periods)

    def _times(self, periods: Sequence[int]) -> NDArray[np.int64] | None:
        return None if self._making.rules.span is None else np.array(periods, np.int64)


def _path(store: Store, identity: str) -> Path | None:
    """Return the path of the index: in the folder of the store, else in the user's cache; None if there is neither."""
    if store.folder is not None:
        return store.folder / FOLDER
    caches = user_caches()
    return None if caches is None else caches / sha256(identity.encode()).hexdigest()[:32] / FOLDER


def _built_again(reason: str) -> Message:
    return say("rebuilding the index from the texts: {reason}", reason=reason)


def _mark_key(identity: str, name: str) -> int:
    """Return the key of a mark, which differs between libraries."""
    return int.from_bytes(sha256(f"{identity} {name}".encode()).digest()[:8], "little")


__all__ = ["FOLDER", "IndexCache"]
