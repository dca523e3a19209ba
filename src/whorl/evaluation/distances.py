"""Hamming distances of SimHash codes of copies and of unrelated texts, by text length and feature set.

A good distance limit includes most copies and few unrelated pairs; both depend on the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import Share
from whorl.evaluation.scoring import BANDS, Truth, bands
from whorl.fingerprints.simhash import SimHash

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEATURES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "shingles of 2": {"features": "shingles", "shingle": 2},
        "shingles of 4": {"features": "shingles", "shingle": 4},
        "nouns and verbs": {"features": "words", "tags": ("n", "v"), "weights": "tf"},
        "words": {"features": "words"},
    }
)
"""Feature sets of codes: parameters of ``SimHash`` by name."""

BITS = 64
_STRANGERS = 200_000
_LIMITS = (3, 10)


@frozen
class Distances:
    """Distance histograms of one length band.

    Attributes:
        features: name of the feature set in ``FEATURES``.
        band: length band of the shorter text.
        copies: number of true pairs at each distance, 0 to 64.
        strangers: number of random unrelated pairs at each distance.
    """

    features: str
    band: str
    copies: tuple[int, ...]
    strangers: tuple[int, ...]

    def within(self, distance: int) -> tuple[Share, Share]:
        """Return the shares of copies and of unrelated pairs within a distance."""
        copies, strangers = (
            Share(sum(histogram[: distance + 1]), sum(histogram)) for histogram in (self.copies, self.strangers)
        )
        return copies, strangers

    def as_dict(self) -> dict[str, Any]:
        """Return the histograms and the shares within selected distances, ready for JSON."""
        shares = {str(distance): self.within(distance) for distance in _LIMITS}
        return {
            "features": self.features,
            "band": self.band,
            "copies": list(self.copies),
            "strangers": list(self.strangers),
            "within": {
                distance: {"copies": copies.as_dict(), "strangers": strangers.as_dict()}
                for distance, (copies, strangers) in shares.items()
            },
        }


def measure_distances(
    documents: Documents, truth: Truth, seed: int, features: Mapping[str, Mapping[str, Any]] = FEATURES
) -> Iterator[Distances]:
    """Yield the distances of copies and of 200,000 random pairs for each length band that has copies.

    Cost: one code for each document and feature set.
    """
    place = {id: position for position, id in enumerate(documents.ids)}
    related = truth.right() | truth.aside
    pairs = np.array([(place[a], place[b]) for (a, b), _ in truth.pairs()], np.int64).reshape(-1, 2)
    related_pairs = np.array([(place[a], place[b]) for a, b in related], np.int64).reshape(-1, 2)
    for name, parameters in features.items():
        yield from _of_features(name, SimHash(bits=BITS, **parameters), documents, pairs, related_pairs, seed)


def _of_features(
    name: str,
    family: SimHash,
    documents: Documents,
    pairs: NDArray[np.int64],
    related_pairs: NDArray[np.int64],
    seed: int,
) -> Iterator[Distances]:
    prints = family.fingerprint(list(documents.texts))
    coded = prints.counts > 0
    band = np.searchsorted(np.array(BANDS), prints.lengths, "left")
    rng = np.random.default_rng(seed)
    pairs = pairs[coded[pairs].all(axis=1)]
    band_of_pair = band[pairs].min(axis=1)
    for number, label in enumerate(bands()):
        copies = pairs[band_of_pair == number]
        if len(copies):
            strangers = _strangers(np.flatnonzero(coded & (band == number)), related_pairs, rng)
            histograms = (_histogram(prints.codes, sample) for sample in (copies, strangers))
            yield Distances(name, label, *histograms)


def _strangers(
    members: NDArray[np.int64], related_pairs: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw random pairs of documents that are not related."""
    if len(members) < 2:
        return np.empty((0, 2), np.int64)
    samples = rng.choice(members, (_STRANGERS, 2))
    is_related = np.isin(_unordered(samples), _unordered(related_pairs))
    strangers: NDArray[np.int64] = samples[~is_related & (samples[:, 0] != samples[:, 1])]
    return strangers


def _unordered(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each pair of documents, the same in either order."""
    numbers: NDArray[np.int64] = pairs.min(axis=1) << 32 | pairs.max(axis=1)
    return numbers


def _histogram(codes: NDArray[np.uint8], pairs: NDArray[np.int64]) -> tuple[int, ...]:
    differing = np.unpackbits(codes[pairs[:, 0]] ^ codes[pairs[:, 1]], axis=1).sum(axis=1)
    return tuple(np.bincount(differing, minlength=BITS + 1).tolist())


__all__ = ["BITS", "FEATURES", "Distances", "measure_distances"]
