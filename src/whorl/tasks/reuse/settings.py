"""Settings of a search for text reuse."""

from __future__ import annotations

from dataclasses import dataclass, replace

from whorl.tasks.library.arguments import demand_from

LEAST = 13
"""Default minimum length of a passage in Han characters; 39 letters in other scripts."""
SHORTEST = 8
HOT = 50
"""Default number of documents above which a passage is aligned with its earliest witnesses only."""
NOISY_CHARACTERS = 10_000_000
"""Up to this length of a corpus, candidates are also found by short k-grams unless this is chosen."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run.

    Attributes:
        least: minimum length of a passage.
        hot: number of documents above which a passage is hot.
        noisy: whether candidates are also found by short k-grams; None decides by the size of the corpus.
        group: name of the group column.
    """

    least: int = LEAST
    hot: int = HOT
    noisy: bool | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        demand_from("least", self.least, SHORTEST)
        demand_from("hot", self.hot, 2)

    def for_corpus(self, characters: int) -> Settings:
        """Decide ``noisy`` by the size of the corpus unless it is set."""
        return self if self.noisy is not None else replace(self, noisy=characters <= NOISY_CHARACTERS)


__all__ = ["HOT", "LEAST", "NOISY_CHARACTERS", "Settings"]
