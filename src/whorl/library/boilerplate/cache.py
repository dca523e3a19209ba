"""Boilerplate of a library as this process has read it: a cache of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, reduce
from operator import or_
from threading import Lock

from whorl._internal.frozen import frozen
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import BoilerplateRecord

SEVERAL = 3
"""Text in this many unrelated protected articles is boilerplate of their publisher, and no longer protected."""


@frozen(slots=False)
class LearnedBoilerplate:
    """Boilerplate that a library has learned.

    Attributes:
        last: number of the last notice.
        by_holders: runs that occur in no protected article, in one, in two unrelated ones, and in ``SEVERAL`` or more.
    """

    last: int = 0
    by_holders: tuple[Notices, ...] = (Notices(),) * (SEVERAL + 1)

    @cached_property
    def runs(self) -> Notices:
        """All learned runs."""
        return self._of(range(SEVERAL + 1))

    @cached_property
    def common(self) -> Notices:
        """Runs that belong to no article, which every figure excludes."""
        return self._of(filter(is_common, range(SEVERAL + 1)))

    @cached_property
    def owned(self) -> Notices:
        """Runs that belong to a protected article."""
        return self._of(range(1, SEVERAL))

    @cached_property
    def claimable(self) -> Notices:
        """Runs that another protected article may turn into owned or common ones."""
        return self._of(range(SEVERAL))

    @cached_property
    def claimed(self) -> Notices:
        """Runs that occur in any protected article."""
        return self._of(range(1, SEVERAL + 1))

    def _of(self, counts: Iterable[int]) -> Notices:
        return reduce(or_, (self.by_holders[count] for count in counts))

    def holders(self, run: int) -> int:
        """Return how many unrelated protected articles contain a learned run; ``SEVERAL`` means that many or more."""
        return next(count for count, runs in enumerate(self.by_holders) if runs.intersection([run]))

    def with_notices(self, notices: Sequence[BoilerplateRecord]) -> LearnedBoilerplate:
        """Return the boilerplate updated by further notices; the last notice of a run wins."""
        last = {run: min(notice.holders, SEVERAL) for notice in notices for run in Notices.unpacked(notice.runs)}
        updated = []
        for count, before in enumerate(self.by_holders):
            removed = Notices(run for run in before.intersection(last) if last[run] != count)
            updated.append((before - removed) | Notices(run for run, now in last.items() if now == count))
        return LearnedBoilerplate(notices[-1].number, tuple(updated))


def is_common(holders: int) -> bool:
    """Return True if text in this many unrelated protected articles is common boilerplate."""
    return holders == 0 or holders >= SEVERAL


class BoilerplateCache:
    """Cache of the notices of a library. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._learned = LearnedBoilerplate()

    def common(self, reader: Reader) -> Notices:
        """Return all common boilerplate; constant cost if it is unchanged."""
        return self.learned(reader).common

    def learned(self, reader: Reader) -> LearnedBoilerplate:
        """Return all learned boilerplate, including runs of protected articles; same cost as ``common``."""
        with self._lock:
            fresh = reader.notices_after(self._learned.last)
            if fresh:
                self._learned = self._learned.with_notices(fresh)
            return self._learned

    def excerpts(self, reader: Reader) -> list[str]:
        """Return the beginning of each notice of common boilerplate, oldest first."""
        common = self.common(reader)
        last = {run: notice for notice in reader.notices_after(0) for run in Notices.unpacked(notice.runs)}
        texts = [
            notice.text
            for notice in sorted({notice_run for notice_run in last.values() if is_common(notice_run.holders)})
        ]
        return [beginning for text in texts if (beginning := common.longest_in([text]))]

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Learn notices within the block, which includes the commit; discard them if it fails."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._learned = LearnedBoilerplate()
            raise


__all__ = ["SEVERAL", "BoilerplateCache", "LearnedBoilerplate", "is_common"]
