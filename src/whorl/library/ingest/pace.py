"""How many documents are judged before the boilerplate learned from them is applied.

Boilerplate learned from one part of a batch is removed from the keys of the next part, which then has fewer false
candidates. Within the part itself it is only applied after the comparisons. So parts are small if most comparisons are
repeated, as for manuals and licenses, and full-sized if few are, as for news. The first part is as large as the
library. Thus what is learned depends on the articles and their batches, not on which process added them or when it
started.
"""

from __future__ import annotations

from collections.abc import Iterator

_SMALLEST, _LARGEST = 32, 2000


class PartSizes:
    """Sizes of the parts of one batch.

    Args:
        contents: number of contents already in the library.
    """

    def __init__(self, contents: int) -> None:
        self._documents = min(_LARGEST, max(_SMALLEST, contents))

    def parts(self, documents: int) -> Iterator[slice]:
        """Yield slices of the documents; call ``note`` with the cost of each before requesting the next."""
        start = 0
        while start < documents:
            stop = min(documents, start + self._documents)
            yield slice(start, stop)
            start = stop

    def note(self, compared: int, again: int) -> None:
        """Record the comparisons of the last part, and how many were repeated because of new boilerplate."""
        self._documents = _SMALLEST if again > compared else min(_LARGEST, 2 * self._documents)


__all__ = ["PartSizes"]
