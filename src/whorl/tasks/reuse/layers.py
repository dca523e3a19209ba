"""A layer of a corpus: its texts without commentary, or the commentary without the text.

The search sees the words of the layer as one text, as if it had been published alone, so that notes between the words
cannot divide a passage. What it finds is mapped back to the original texts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.text.commentary import commentary, outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.tasks.reuse.documents import OrderedDocuments
    from whorl.tasks.reuse.settings import ReuseSettings


@frozen(eq=False)
class DocumentLayer:
    """The layer of a corpus that is searched.

    Attributes:
        documents: the documents, with the texts of the layer.
        commentary: characters of commentary in each original text.
    """

    documents: OrderedDocuments
    commentary: NDArray[np.int64]
    _places: NDArray[np.int64]
    """For each kept range, the key of its document and of its place in the layer; ascending."""
    _starts: NDArray[np.int64]
    """Start of each kept range in the original text."""

    def original(self, numbers: NDArray[np.uint32], spans: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Map ranges of the layer to the original texts, including what lies between their words.

        Args:
            numbers: document of each range.
            spans: uint32 (n, 2), start and end; not empty.
        """
        starts, lasts = self._original(numbers, spans[:, 0]), self._original(numbers, spans[:, 1] - 1)
        return np.stack([starts, lasts + 1], axis=1).astype(np.uint32)

    def _original(self, numbers: NDArray[np.uint32], places: NDArray[np.uint32]) -> NDArray[np.int64]:
        keys = numbers.astype(np.int64) << 32 | places
        ranges = np.searchsorted(self._places, keys, side="right") - 1
        return self._starts[ranges] + keys - self._places[ranges]


def layer_of(documents: OrderedDocuments, settings: ReuseSettings) -> DocumentLayer | None:
    """Return the layer that is searched; None if that is everything.

    Of two corpora, one in which no document has commentary is a single layer: it is searched as a whole.

    Raises:
        InputError: the layer is the commentary, and there is none.
    """
    if settings.layer == "all":
        return None
    texts: list[str] = documents.texts.to_pylist()
    notes = [commentary(text, settings.notes) for text in texts]
    annotated = np.array([bool(spans) for spans in notes])
    is_commentary = settings.layer == "commentary"
    if is_commentary and not annotated.any():
        raise InputError(
            say("no document has commentary that is recognized"),
            hint=say("name its brackets with `notes`, such as 【】, or search all layers"),
        )
    has_commentary = {is_other: annotated[documents.others == is_other].any() for is_other in (False, True)}
    layered: list[str] = []
    places: list[int] = []
    starts: list[int] = []
    for number, (text, spans, is_other) in enumerate(zip(texts, notes, documents.others.tolist(), strict=True)):
        are_notes = is_commentary and bool(has_commentary[is_other])
        kept = spans if are_notes else outside(spans, len(text))
        between = "\n" if are_notes else ""
        layered.append(between.join(text[start:end] for start, end in kept))
        starts += [start for start, _ in kept]
        place = 0
        for start, end in kept:
            places.append(number << 32 | place)
            place += end - start + len(between)
    counts = np.array([sum(end - start for start, end in spans) for spans in notes], np.int64)
    lengths = np.array([len(text) for text in layered], np.int64)
    searched = replace(documents, texts=pa.array(layered, pa.large_string()), lengths=lengths)
    return DocumentLayer(searched, counts, np.array(places, np.int64), np.array(starts, np.int64))


__all__ = ["DocumentLayer", "layer_of"]
