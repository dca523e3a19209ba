"""The boilerplate of a library as this process knows it: a cache of the truth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from whorl.matching.boilerplate import Notices
from whorl.stores import Reader

_NOTHING = (0, Notices())


class NoticeCache:
    """What the notices of a library are. Safe from threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known = _NOTHING

    def known(self, reader: Reader) -> Notices:
        """Return all of them; constant cost where no others were learned since."""
        with self._lock:
            last, notices = self._known
            fresh = reader.notices_after(last)
            if fresh:
                runs = [run for notice in fresh for run in Notices.unpacked(notice.runs)]
                self._known = (fresh[-1].number, notices | Notices(runs))
            return self._known[1]

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Let this process learn notices, and forget them if the block fails."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._known = _NOTHING
            raise


__all__ = ["NoticeCache"]
