"""Settings of a search for text reuse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.matching.compare import Comparing
from whorl.tasks.library.arguments import demand_from
from whorl.text.commentary import LAYERS, Layer, pairs_of

if TYPE_CHECKING:
    from whorl.matching.meaning import Encoder, Model

MIN_HAN = 13
"""Default minimum length of a passage in Han characters; 39 letters in other scripts."""
SHORTEST = 8
HOT = 20
"""Default number of documents above which a passage is aligned with its earliest witnesses only; more in a corpus of
fewer than ``HOT_PAIRS / HOT`` documents."""
HOT_PAIRS = 200_000
"""Approximate maximum number of pairs of a passage in all documents of a corpus."""
NOISY_CHARACTERS = 10_000_000
"""Up to this length of a corpus, candidates are also found by short k-grams unless this is chosen."""


@frozen
class ReuseSettings:
    """Settings of a run.

    Attributes:
        least: minimum length of a passage.
        hot: number of documents above which a passage is hot; None decides by the size of the corpus.
        noisy: whether candidates are also found by short k-grams; None decides by the size of the corpus.
        reworded: whether rewritten copies are also searched, by their words, names and numbers.
        meaning: model by which these are also compared by meaning; False compares none.
        group: name of the group column.
        layer: what is searched: everything, the text without commentary, or the commentary.
        notes: pairs of brackets that hold commentary; None recognizes what an edition uses regularly.
    """

    least: int = MIN_HAN
    hot: int | None = None
    noisy: bool | None = None
    reworded: bool = False
    group: str | None = None
    layer: Layer = "all"
    notes: str | None = None
    meaning: Model = False

    def __post_init__(self) -> None:
        _ = self.encoder  # a missing model is an error before anything is read
        demand_from("least", self.least, SHORTEST)
        if self.hot is not None:
            demand_from("hot", self.hot, 2)
        if self.layer not in LAYERS:
            raise UsageError(
                say("{name} is {value!r}", name="layer", value=self.layer),
                hint=say("use one of: {known}", known=", ".join(LAYERS)),
            )
        if self.notes is not None:
            pairs_of(self.notes)
            if self.layer == "all":
                raise UsageError(
                    say("brackets of commentary were named, but all layers are searched"),
                    hint=say("add the layer `text` or `commentary`"),
                )

    @property
    def encoder(self) -> Encoder | None:
        """The model of the meaning channel, loaded once per process; None without one."""
        return Comparing(meaning=self.meaning).encoder

    @property
    def by_content(self) -> bool:
        """Whether candidates without a passage are compared."""
        return self.reworded or bool(self.meaning)

    def for_corpus(self, documents: int, characters: int) -> ReuseSettings:
        """Decide what is not set by the size of the corpus."""
        hot = self.hot if self.hot is not None else max(HOT, HOT_PAIRS // documents)
        noisy = self.noisy if self.noisy is not None else characters <= NOISY_CHARACTERS
        return replace(self, hot=hot, noisy=noisy)


__all__ = ["HOT", "MIN_HAN", "NOISY_CHARACTERS", "ReuseSettings"]
