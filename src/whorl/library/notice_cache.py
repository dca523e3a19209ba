"""The boilerplate of a library as this process knows it: a cache of the truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from threading import Lock

from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Notice

SEVERAL = 3
"""What stands in so many unrelated protected articles is a notice of who publishes them, and no longer theirs."""


@dataclass(frozen=True)
class Learned:
    """What a library has learned.

    Attributes:
        last: the number of the last notice.
        held: the runs that stand in no protected article, in one, in two unrelated ones and in ``SEVERAL`` or more.
    """

    last: int = 0
    held: tuple[Notices, ...] = (Notices(),) * (SEVERAL + 1)

    @cached_property
    def runs(self) -> Notices:
        """All of them."""
        return self._of(range(SEVERAL + 1))

    @cached_property
    def common(self) -> Notices:
        """Those that are nobody's own, which are taken off every figure."""
        return self._of(filter(is_common, range(SEVERAL + 1)))

    @cached_property
    def owned(self) -> Notices:
        """Those that belong to a protected article."""
        return self._of(range(1, SEVERAL))

    @cached_property
    def claimable(self) -> Notices:
        """Those that one more protected article may make its own or common."""
        return self._of(range(SEVERAL))

    @cached_property
    def claimed(self) -> Notices:
        """Those that stand in any protected article."""
        return self._of(range(1, SEVERAL + 1))

    def _of(self, counts: Iterable[int]) -> Notices:
        return reduce(or_, (self.held[count] for count in counts))

    def holders(self, run: int) -> int:
        """In how many unrelated protected articles a learned run stands; ``SEVERAL`` for that many or more."""
        return next(count for count, runs in enumerate(self.held) if runs.intersection([run]))

    def told(self, notices: Sequence[Notice]) -> Learned:
        """What is known with further notices, of which the last counts that has a run."""
        last = {run: min(notice.holders, SEVERAL) for notice in notices for run in Notices.unpacked(notice.runs)}
        held = []
        for count, before in enumerate(self.held):
            gone = Notices(run for run in before.intersection(last) if last[run] != count)
            held.append((before - gone) | Notices(run for run, now in last.items() if now == count))
        return Learned(notices[-1].number, tuple(held))


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

    def learned(self, reader: Reader) -> Learned:
        """Return all that was learned, also what belongs to a protected article; at the cost of ``known``."""
        with self._lock:
            fresh = reader.notices_after(self._learned.last)
            if fresh:
                self._learned = self._learned.told(fresh)
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
