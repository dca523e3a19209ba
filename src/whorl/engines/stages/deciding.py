"""Decide one part of a corpus."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.changes import ComparedRemovals, compare_removed
from whorl.engines.decide import Texts, by_field, decided, fields_of
from whorl.engines.links import Links
from whorl.engines.progress import Progress
from whorl.engines.stages.columns import packed, unpacked
from whorl.engines.stages.parting import DocumentPart, Learned
from whorl.fingerprints import Fingerprints
from whorl.recipe import Recipe


@frozen(eq=False)
class Prints:
    """Digests, lengths and codes of the documents of a part, in its order.

    Attributes:
        digests: uint64 (n, 2).
        lengths: uint32 (n,).
        codes: uint8 (n, width).
    """

    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    codes: NDArray[np.uint8]


@frozen(eq=False)
class Decided:
    """Decisions on the documents of a part.

    Attributes:
        removed: uint32 (n,), the removed documents, ascending.
        duplicate_of: uint32 (n,), the kept document of each.
        shared: uint32 (n,), amount shared with it in the units of the measure.
        united: uint32 (n,), denominator of that share.
        relation: uint8 (n,), relation to the kept document, a number of ``relation.RELATIONS``.
        similarity: float64 (n,), the deciding similarity.
        by_field: float64 (n, 2), or (0, 2) if documents are judged as a whole.
        histograms: int64 (2, 101), removed documents and near misses by similarity in hundredths.
        hot_keys: uint64 (k, 4): a key, number of its documents, kept ones not listed under it, an example.
        comparisons: uint64 (1,), number of compared pairs of texts.
        changed: changes of removed documents: arrays of ``ComparedRemovals`` by name; empty if not reported.
        links: relations between kept documents.
    """

    removed: NDArray[np.uint32]
    duplicate_of: NDArray[np.uint32]
    shared: NDArray[np.uint32]
    united: NDArray[np.uint32]
    relation: NDArray[np.uint8]
    similarity: NDArray[np.float64]
    by_field: NDArray[np.float64]
    histograms: NDArray[np.int64]
    hot_keys: NDArray[np.uint64]
    comparisons: NDArray[np.uint64]
    changed: dict[str, NDArray[Any]]
    links: Links

    def dumps(self) -> bytes:
        """Serialize the decisions."""
        columns = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in (_CHANGED, _LINKS)
        }
        changed = {f"{_CHANGED}.{name}": values for name, values in self.changed.items()}
        return packed(columns | changed | {f"{_LINKS}.{name}": values for name, values in self.links.arrays().items()})

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Load the result of ``dumps``.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        columns = {field.name: arrays[field.name] for field in fields(cls) if field.name not in (_CHANGED, _LINKS)}

        def below(name: str) -> dict[str, NDArray[Any]]:
            prefix = f"{name}."
            return {key.removeprefix(prefix): values for key, values in arrays.items() if key.startswith(prefix)}

        return cls(**columns, changed=below(_CHANGED), links=Links(**below(_LINKS)))


_CHANGED, _LINKS = "changed", "links"


def decide_part(
    recipe: Recipe, part: DocumentPart, prints: Prints, texts: Texts, learned: Learned, progress: Progress
) -> Decided:
    """Decide the documents of a part in rank order, as the local engine decides a whole corpus.

    Args:
        recipe: how documents are compared.
        part: groups of documents that share keys.
        prints: digests, lengths and codes of its documents.
        texts: reads a text again by its position in the part.
        learned: boilerplate of the whole corpus.
        progress: receives the progress.

    Raises:
        InputError: a text has changed since it was read.
    """
    count = len(part.documents)
    order = np.arange(count, dtype=np.uint32)
    whole = Fingerprints(prints.digests, prints.lengths, np.empty(0, np.uint64), part.counts[0], prints.codes)
    field_prints = [
        replace(field, counts=counts) for field, counts in zip(by_field(recipe, whole), part.counts, strict=True)
    ]
    probe = _core.Probe.of_part(
        fields_of(recipe, count, [field_prints]),
        recipe.combine == "and",
        part.references,
        (part.keys, part.multiplicities, part.starts, part.members),
        part.sizes,
        part.sought.ravel(),
        learned.runs,
    )
    progress.stage("probe", count, "documents")
    decisions = decided(recipe, probe, order, texts, progress)
    compared = compare_removed(decisions, prints.lengths, texts, progress) if recipe.tells_changes else None
    places = np.flatnonzero(~decisions.kept)
    removed = part.documents[places]
    ascending = np.argsort(removed)
    chosen = places[ascending]
    hot = [(key, documents, unlisted, part.documents[rows]) for key, documents, unlisted, rows in decisions.hot_keys]
    return Decided(
        removed=removed[ascending],
        duplicate_of=part.documents[decisions.duplicate_of[chosen]],
        shared=decisions.shared[chosen],
        united=decisions.united[chosen],
        relation=decisions.relation[chosen],
        similarity=decisions.similarity[chosen],
        by_field=decisions.by_field[chosen] if len(decisions.by_field) else decisions.by_field,
        histograms=np.array([decisions.removed, decisions.near_misses], np.int64),
        hot_keys=np.array(hot, np.uint64).reshape(-1, 4),
        comparisons=np.array([decisions.comparisons], np.uint64),
        changed={} if compared is None else _changed(compared, ascending),
        links=decisions.links.renumbered(part.documents),
    )


def _changed(compared: ComparedRemovals, order: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    arrays = {name: getattr(compared, name) for name in ("title", "titled", "byline", "counts")}
    return {name: values[order] for name, values in arrays.items()}


__all__ = ["Decided", "Prints", "decide_part"]
