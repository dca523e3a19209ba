"""The meaning channel in a comparison of many texts with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whorl._internal.frozen import frozen
from whorl.matching.meaning import with_meaning
from whorl.matching.meaning.encoder import Encoder
from whorl.types.comparison import Comparison, Span


@frozen
class MeaningChannel:
    """What pairs of many texts say in other words.

    Attributes:
        encoder: the model.
        text: returns a text by its number.
        ignored: returns the ranges of a text that are neither compared nor counted, by its number.
    """

    encoder: Encoder
    text: Callable[[int], str]
    ignored: Callable[[int], Sequence[Span]]

    def extended(self, comparison: Comparison, source: int, text: int) -> Comparison:
        """Add what a text says in other words than a source. Cost: see `with_meaning`."""
        ignored = self.ignored(source), self.ignored(text)
        return with_meaning(comparison, self.text(source), self.text(text), self.encoder, ignored)


__all__ = ["MeaningChannel"]
