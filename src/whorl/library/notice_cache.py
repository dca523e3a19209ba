"""The boilerplate of a library as this process knows it: a cache of the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from types import MappingProxyType
from typing import NamedTuple

from whorl import _core
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader

SEVERAL = 3
"""What stands in so many unrelated protected articles is a notice of who publishes them, and no longer theirs."""


class Learned(NamedTuple):
    """What a library has learned.

    Attributes:
        last: the number of the last notice.
        holders: in how many unrelated protected articles each run stands; ``SEVERAL`` for that many or more.
        since: for each run the last content that may have been judged before it was nobody's own, or somebody's.
        runs: all of them.
        common: those that are nobody's own, which are taken off every figure.
        owned: those that belong to a protected article.
        claimable: those that one more protected article may make its own or common.
        claimed: those that stand in any protected article.
    """

    last: int = 0
    holders: Mapping[int, int] = MappingProxyType({})
    since: Mapping[int, int] = MappingProxyType({})
    runs: Notices = Notices()
    common: Notices = Notices()
    owned: Notices = Notices()
    claimable: Notices = Notices()
    claimed: Notices = Notices()

    @classmethod
    def of(cls, last: int, holders: Mapping[int, int], since: Mapping[int, int]) -> Learned:
        """What follows from the holders of all runs."""
        return cls(
            last,
            holders,
            since,
            Notices(holders),
            Notices(run for run, count in holders.items() if is_common(count)),
            Notices(run for run, count in holders.items() if not is_common(count)),
            Notices(run for run, count in holders.items() if count < SEVERAL),
            Notices(run for run, count in holders.items() if count),
        )

    def is_common(self, run: int) -> bool | None:
        """Whether a run is nobody's own; None where it was not learned."""
        return is_common(self.holders[run]) if run in self.holders else None

    def unknown_until(self, texts: Sequence[str]) -> list[int]:
        """Return for each text the last content that may have been judged before the runs in it were what they are now.

        0 where it has none. Linear.
        """
        return _core.latest_stamps(list(self.since), list(self.since.values()), texts)


def is_common(holders: int) -> bool:
    """Whether what stands in so many unrelated protected articles is nobody's own."""
    return holders == 0 or holders >= SEVERAL


class NoticeCache:
    """What the notices of a library are. Safe from threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._learned = Learned()

    def known(self, reader: Reader) -> Notices:
        """Return all that is nobody's own; constant cost where nothing else was learned since."""
        return self.learned(reader).common

    def learned(self, reader: Reader, coming: int = 0) -> Learned:
        """Return all that was learned, also what belongs to a protected article; at the cost of ``known``.

        Args:
            reader: the truth.
            coming: the last content that is about to be written.
        """
        with self._lock:
            before = self._learned
            fresh = reader.notices_after(before.last)
            if fresh:
                told = {run: notice.holders for notice in fresh for run in Notices.unpacked(notice.runs)}
                other = (run for run, count in told.items() if is_common(count) != before.is_common(run))
                since = dict.fromkeys(other, max(coming, reader.mark().content))
                holders = {**before.holders, **told}
                self._learned = Learned.of(fresh[-1].number, holders, {**before.since, **since})
            return self._learned

    def shown(self, reader: Reader) -> list[str]:
        """Return how what is nobody's own begins, a notice each, oldest first."""
        common = self.known(reader)
        last = {run: notice for notice in reader.notices_after(0) for run in Notices.unpacked(notice.runs)}
        texts = [notice.text for notice in sorted({one for one in last.values() if is_common(one.holders)})]
        return [shown for text in texts if (shown := common.longest_in([text]))]

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Let this process learn notices, and forget them if the block fails, of which the commit is a part."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._learned = Learned()
            raise


__all__ = ["SEVERAL", "Learned", "NoticeCache", "is_common"]
