"""How many documents are judged before what they teach is used.

What a part of a batch teaches is taken off the keys of the next, which then meet fewer strangers; off its own it comes
only once they were compared. So parts are small where most has to be compared again, as of manuals and licences, and
as large as they come where little has, as of news. The first part is as large as the library: what is learned depends
on the articles and the batches in which they came, not on which process added them or when it was started.
"""

from __future__ import annotations

from collections.abc import Iterator

_FEWEST, _MOST = 32, 2000


class Pace:
    """The sizes of the parts of one batch.

    Args:
        contents: how many contents the library has had so far.
    """

    def __init__(self, contents: int) -> None:
        self._documents = min(_MOST, max(_FEWEST, contents))

    def parts(self, documents: int) -> Iterator[slice]:
        """Yield so many documents in parts; ``note`` what each has cost before the next is asked for."""
        start = 0
        while start < documents:
            stop = min(documents, start + self._documents)
            yield slice(start, stop)
            start = stop

    def note(self, compared: int, again: int) -> None:
        """Know how many comparisons the last part took, and how many more for what it taught."""
        self._documents = _FEWEST if again > compared else min(_MOST, 2 * self._documents)


__all__ = ["Pace"]
