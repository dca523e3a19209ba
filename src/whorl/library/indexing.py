"""What a library asks of its index of keys, be it a cache of this process or one that workers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np

from whorl.indexes.inverted import KeyAnswers
from whorl.library.keys import Keys, digest_keys
from whorl.stores import Reader
from whorl.stores.records import Content

EARLIEST = 64
"""Of a text most of whose keys too many contents have, the first so many of these are looked at, key by key.

Such a text was copied more often than a key may be shared: its copies share nearly all of its keys, and the first of
them are where it comes from.
"""


class Index(Protocol):
    """Which contents share keys. Safe from threads; never trusted further than it covers the truth."""

    def catch_up(self, reader: Reader) -> None:
        """Learn what others wrote since; constant cost where there is nothing."""
        ...

    def inserting(self, reader: Reader) -> AbstractContextManager[None]:
        """Let this process write contents; what became of them is told by ``committed`` or ``take_back``."""
        ...

    def insert(self, contents: Sequence[int], keys: Keys, periods: Sequence[int], reader: Reader) -> None:
        """Add the contents that this process is about to write: for who asks with this reader, and who it likes."""
        ...

    def committed(self) -> None:
        """Know that what was inserted last is true, and may be told to everybody."""
        ...

    def take_back(self) -> None:
        """Forget what was inserted and did not become true, as far as is known; nothing where there is none."""
        ...

    def query(self, keys: Keys, periods: tuple[int, int] | None, reader: Reader, most: int) -> KeyAnswers:
        """Return the ``most`` contents that share keys with each of some texts: of some periods, or of all."""
        ...

    def same(
        self, asked: Sequence[tuple[bytes, range]], reader: Reader, fresh: Mapping[int, Content] = ...
    ) -> dict[tuple[bytes, int], Content]:
        """Return the contents that say what some folded texts say in some periods, by digest and period.

        Args:
            asked: digests and periods.
            reader: the truth.
            fresh: contents that are about to be written.
        """
        ...

    def lacks(self, contents: Sequence[int], keys: Keys) -> list[int]:
        """Return those of some contents that cannot be found by their keys."""
        ...

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """Build the index again from the truth."""
        ...

    def verify(self) -> None:
        """Read everything.

        Raises:
            InputError: it is damaged.
        """
        ...

    def stats(self) -> dict[str, float]:
        """What the index holds, and what was asked of it here."""
        ...

    def tend(self) -> None:
        """Do what keeps it fast, while others ask and add."""
        ...

    def save(self) -> None:
        """Make what is new outlive the process; not within ``inserting``."""
        ...

    def close(self) -> None:
        """Let go of it; what this process wrote outlives it."""
        ...


def said_by(
    asked: Sequence[tuple[bytes, range]],
    holders: Callable[[Keys], Iterable[int]],
    reader: Reader,
    fresh: Mapping[int, Content],
) -> dict[tuple[bytes, int], Content]:
    """Return what ``Index.same`` does; ``holders`` tells the contents that have one of some keys."""
    wanted = [(digest, period) for digest, periods in asked for period in periods]
    keys = Keys(digest_keys(wanted), np.array([len(periods) for _, periods in asked], np.uint32))
    found = dict.fromkeys(holders(keys))
    rows = reader.contents(found.keys() - fresh.keys())
    rows |= {number: fresh[number] for number in found.keys() & fresh.keys()}
    contents = {(content.digest, content.period): content for content in rows.values() if content.digest is not None}
    return {place: contents[place] for place in dict.fromkeys(wanted) if place in contents}


def lacking(contents: Sequence[int], answers: KeyAnswers) -> list[int]:
    """Return those of some contents that do not have all keys asked for, but for those that were cut."""
    whole = answers.hits == (answers.keys - answers.cut)[answers.query]
    found = set(zip(answers.query[whole].tolist(), answers.id[whole].tolist(), strict=True))
    askable = (answers.keys > answers.cut).tolist()
    return [number for row, number in enumerate(contents) if askable[row] and (row, number) not in found]


__all__ = ["EARLIEST", "Index", "lacking", "said_by"]
