"""Interface of the key index of a library: a cache in this process, or an index shared by workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Protocol

import numpy as np

from whorl.indexes.inverted import KeyAnswers
from whorl.library.search.keys import TextKeys, digest_keys
from whorl.stores import Reader
from whorl.stores.records import Content

EARLIEST = 64
"""How many first contents of each cut key are examined for a text most of whose keys are cut.

Such a text was copied more often than ``most_documents`` allows for a key. Its copies share nearly all of its keys, and
the original is among the first contents.
"""


class Index(Protocol):
    """Finds contents that share keys. Thread-safe; only used as far as it covers the store."""

    def catch_up(self, reader: Reader) -> None:
        """Add what other processes wrote since; constant cost without new contents."""
        ...

    def inserting(self, reader: Reader) -> AbstractContextManager[None]:
        """Begin to write contents; end with ``committed`` or ``take_back``."""
        ...

    def insert(self, contents: Sequence[int], keys: TextKeys, periods: Sequence[int], reader: Reader) -> None:
        """Add contents that this process is about to write. Queries with this reader must find them."""
        ...

    def committed(self) -> None:
        """Publish what was inserted last, after its transaction was committed."""
        ...

    def take_back(self) -> None:
        """Undo what was inserted last, after its transaction failed; a no-op without one."""
        ...

    def query(self, keys: TextKeys, periods: tuple[int, int] | None, reader: Reader, limit: int) -> KeyAnswers:
        """Return the contents that share most keys with each text, in some periods or in all."""
        ...

    def same(
        self, values: Sequence[tuple[bytes, range]], reader: Reader, fresh: Mapping[int, Content] = ...
    ) -> dict[tuple[bytes, int], Content]:
        """Return the contents whose normalised texts have the digests in the periods, by digest and period.

        Args:
            values: digests and periods.
            reader: read access to the store.
            fresh: contents that are about to be written.
        """
        ...

    def holders(self, values: Sequence[tuple[bytes, range]], reader: Reader) -> list[int]:
        """Return the contents among which ``same`` finds its result; it does not read their rows."""
        ...

    def lacks(self, contents: Sequence[int], keys: TextKeys) -> list[int]:
        """Return the contents that cannot be found by their keys."""
        ...

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """Rebuild the index from the store."""
        ...

    def verify(self) -> None:
        """Read the whole index.

        Raises:
            InputError: the index is damaged.
        """
        ...

    def stats(self) -> dict[str, float]:
        """Return size and query counts of the index."""
        ...

    def tend(self) -> None:
        """Do background maintenance, while other threads query and add."""
        ...

    def save(self) -> None:
        """Make changes durable; must not be called within ``inserting``."""
        ...

    def close(self) -> None:
        """Close the index; changes of this process are durable."""
        ...


def keys_of_digests(values: Sequence[tuple[bytes, range]]) -> TextKeys:
    """Return the keys of digests in periods, by which ``Index.holders`` finds their contents."""
    return TextKeys(digest_keys(_places(values)), np.array([len(periods) for _, periods in values], np.uint32))


def with_digests(
    values: Sequence[tuple[bytes, range]],
    holders: Iterable[int],
    reader: Reader,
    fresh: Mapping[int, Content] = MappingProxyType({}),
) -> dict[tuple[bytes, int], Content]:
    """Implement ``Index.same``: return those of the holders of keys that have the digests themselves."""
    content_numbers = dict.fromkeys(holders)
    rows = reader.contents(content_numbers.keys() - fresh.keys())
    rows |= {number: fresh[number] for number in content_numbers.keys() & fresh.keys()}
    contents = {(content.digest, content.period): content for content in rows.values() if content.digest is not None}
    return {place: contents[place] for place in dict.fromkeys(_places(values)) if place in contents}


def _places(values: Sequence[tuple[bytes, range]]) -> list[tuple[bytes, int]]:
    return [(digest, period) for digest, periods in values for period in periods]


def lacking(contents: Sequence[int], answers: KeyAnswers) -> list[int]:
    """Return the contents that lack one of the queried keys, ignoring keys that were cut."""
    whole = answers.hits == (answers.keys - answers.cut)[answers.query]
    answered = set(zip(answers.query[whole].tolist(), answers.id[whole].tolist(), strict=True))
    askable = (answers.keys > answers.cut).tolist()
    return [number for row, number in enumerate(contents) if askable[row] and (row, number) not in answered]


__all__ = ["EARLIEST", "Index", "keys_of_digests", "lacking", "with_digests"]
