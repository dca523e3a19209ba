"""The boilerplate of a library as this process knows it: a cache of the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from whorl import _core
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader

SEVERAL = 3
"""What stands in so many unrelated protected articles is a notice of who publishes them, and no longer theirs."""
_ANY = frozenset(range(SEVERAL + 1))
_COMMON = frozenset({0, SEVERAL})


@dataclass(frozen=True)
class Learned:
    """What a library has learned; sets of runs are made when they are first asked for.

    Attributes:
        last: the number of the last notice.
        holders: in how many unrelated protected articles each run stands; ``SEVERAL`` for that many or more.
        since: for each run the last content that may have been judged before it was nobody's own, or somebody's.
    """

    last: int = 0
    holders: Mapping[int, int] = field(default_factory=dict)
    since: Mapping[int, int] = field(default_factory=dict)

    _sets: dict[frozenset[int], Notices] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def runs(self) -> Notices:
        """All of them."""
        return self._those(_ANY)

    @property
    def common(self) -> Notices:
        """Those that are nobody's own, which are taken off every figure."""
        return self._those(_COMMON)

    @property
    def owned(self) -> Notices:
        """Those that belong to a protected article."""
        return self._those(_ANY - _COMMON)

    @property
    def claimable(self) -> Notices:
        """Those that one more protected article may make its own or common."""
        return self._those(_ANY - {SEVERAL})

    @property
    def claimed(self) -> Notices:
        """Those that stand in any protected article."""
        return self._those(_ANY - {0})

    def _those(self, counts: frozenset[int]) -> Notices:
        """The runs that stand in so many; all of them are not made twice."""
        found = self._sets.get(counts)
        if found is None:
            runs = [run for run, count in self.holders.items() if count in counts]
            is_all = counts != _ANY and len(runs) == len(self.holders)
            found = self._sets[counts] = self.runs if is_all else Notices(runs)
        return found

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

    def learned(self, reader: Reader) -> Learned:
        """Return all that was learned, also what belongs to a protected article; at the cost of ``known``."""
        with self._lock:
            before = self._learned
            fresh = reader.notices_after(before.last)
            if fresh:
                told = {run: notice for notice in fresh for run in Notices.unpacked(notice.runs)}
                other = (run for run, notice in told.items() if is_common(notice.holders) != before.is_common(run))
                now = reader.mark().content
                since = {run: now if told[run].content < 0 else told[run].content for run in other}
                holders = {**before.holders, **{run: notice.holders for run, notice in told.items()}}
                self._learned = Learned(fresh[-1].number, holders, {**before.since, **since})
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
