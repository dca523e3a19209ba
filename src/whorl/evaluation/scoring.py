"""Scoring of removals against the truth.

A true pair is *found* if its documents end in one cluster: one was removed in favor of the other, or both in favor of
the same kept document. If links are judged, a linked pair of kept documents is found, too. A pair is *proved* if one
document was removed in favor of the other: a run compares documents only with kept ones, so that two of three copies
are removed, and the third pair is found without a comparison. *At most one kept* is weaker: it also counts a document
that was removed in favor of an unrelated one, so that removing everything reaches 1.

A removal is *right* if the removed and the kept document are related, *aside* if the truth excludes the pair from
scoring, and *unknown* if an incomplete truth does not contain it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from whorl._internal.frozen import frozen
from whorl.evaluation.intervals import Share, f1_interval, harmonic
from whorl.evaluation.plagdet import CopiedStretch

Removals = Mapping[Any, Any]
"""Removed document → the kept document that replaces it, which is not removed itself."""

Pair = tuple[Any, Any]
"""Two documents, in order."""

BANDS = (140, 500, 1000, 3000)
"""Upper limits of the length bands, in folded code points; longer texts form the last band."""

_EXAMPLES = 20


def pair(a: Any, b: Any) -> Pair:
    """Return two documents in order."""
    return (a, b) if a <= b else (b, a)


def band_of(length: int) -> str:
    """Return the name of the length band of a text, by its folded length."""
    first = 1
    for last in BANDS:
        if length <= last:
            return f"{first}-{last}"
        first = last + 1
    return f"{first}-"


def bands() -> tuple[str, ...]:
    """Return the names of all length bands, the shortest first."""
    return tuple(band_of(length) for length in (*BANDS, BANDS[-1] + 1))


@frozen
class Copy:
    """A document that shares text with others.

    Attributes:
        document: the copy.
        kind: kind of copy, or its label; empty if unknown.
        sources: documents whose text it contains.
        passages: copied passages, if known.
    """

    document: Any
    kind: str
    sources: tuple[Any, ...]
    passages: tuple[CopiedStretch, ...] = ()


@frozen
class Truth:
    """The ground truth of a corpus.

    Attributes:
        copies: every copy, once.
        related: further true pairs, such as two copies of one original.
        aside: pairs that are excluded from scoring.
        others: pairs that are known not to be copies.
        complete: True if all pairs not listed are known not to be copies.
    """

    copies: tuple[Copy, ...]
    related: frozenset[Pair] = frozenset()
    aside: frozenset[Pair] = frozenset()
    others: frozenset[Pair] = frozenset()
    complete: bool = True

    def pairs(self) -> Iterator[tuple[Pair, str]]:
        """Yield every pair that a perfect method finds, with its kind."""
        for copy in self.copies:
            for source in copy.sources:
                yield pair(copy.document, source), copy.kind

    def right(self) -> frozenset[Pair]:
        """Return every true pair."""
        return self.related | {pair for pair, _ in self.pairs()}


def of_one_original(copies: tuple[Copy, ...]) -> frozenset[Pair]:
    """Return the pairs of copies with a common source. Quadratic in the copies of one source."""
    families: dict[Any, set[Any]] = defaultdict(set)
    for copy in copies:
        for source in copy.sources:
            families[source].add(copy.document)
    return frozenset(chain.from_iterable(combinations(sorted(members), 2) for members in families.values()))


@frozen
class Recall:
    """Recall counts of a set of copies.

    Attributes:
        pairs_found: pairs in one cluster.
        proved: pairs with one document removed in favor of the other.
        at_most_one_kept: pairs with at least one document removed, in favor of any document.
        any_found: copies with at least one pair found.
        any_proved: copies with at least one pair proved.
    """

    pairs_found: Share
    proved: Share
    at_most_one_kept: Share
    any_found: Share
    any_proved: Share

    def as_dict(self) -> dict[str, Any]:
        """Return the shares, ready for JSON."""
        return {
            **self.pairs_found.as_dict(),
            "proved": self.proved.as_dict(),
            "at_most_one_kept": self.at_most_one_kept.as_dict(),
            "copies": self.any_found.as_dict(),
            "copies_proved": self.any_proved.as_dict(),
        }


@frozen
class Score:
    """The scores of a run on a labeled corpus.

    Attributes:
        recall: recall of all pairs.
        by_kind: recall by kind of copy.
        by_band: recall by length band of the shorter text; empty if lengths are unknown.
        removed: number of removed documents.
        right: removals in favor of a related document.
        wrong: removals in favor of an unrelated document; if the truth is incomplete, only listed pairs count.
        aside: removals that are excluded from scoring.
        unknown: removals that an incomplete truth does not contain.
        complete: True if the truth is complete.
        mistaken: the first wrong removals, as (removed, kept).
        missed: the first pairs that were not found.
    """

    recall: Recall
    by_kind: dict[str, Recall]
    by_band: dict[str, Recall]
    removed: int
    right: int
    wrong: int
    aside: int
    unknown: int
    complete: bool
    mistaken: tuple[Pair, ...]
    missed: tuple[Pair, ...]

    @property
    def precision(self) -> Share | None:
        """Share of right removals among the scored ones; None if the truth is incomplete."""
        return Share(self.right, self.right + self.wrong) if self.complete else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None if the truth is incomplete or either is undefined."""
        precision, recall = self.precision, self.recall.pairs_found
        if precision is None or recall.value is None:
            return None
        return harmonic(1.0 if precision.value is None else precision.value, recall.value)

    def as_dict(self) -> dict[str, Any]:
        """Return every figure, ready for JSON."""
        precision, f1 = self.precision, self.f1
        low, high = (None, None) if precision is None else f1_interval(precision, self.recall.pairs_found)
        return {
            "recall": self.recall.as_dict(),
            "precision": None if precision is None else precision.as_dict(),
            "f1": None if f1 is None else {"value": f1, "low": low, "high": high},
            "kinds": {kind: recall.as_dict() for kind, recall in self.by_kind.items()},
            "bands": {band: recall.as_dict() for band, recall in self.by_band.items()},
            "removed": self.removed,
            "right": self.right,
            "wrong": self.wrong,
            "aside": self.aside,
            "unknown": self.unknown,
            "mistaken": [list(pair) for pair in self.mistaken],
            "missed": [list(pair) for pair in self.missed],
        }


def score(
    truth: Truth,
    removals: Removals,
    lengths: Mapping[Any, int] | None = None,
    linked: Iterable[tuple[Any, Any]] = (),
) -> Score:
    """Score removals.

    Args:
        truth: ground truth.
        removals: removed documents with the kept documents that replace them.
        lengths: folded code points of each document, for the length bands.
        linked: pairs of kept documents reported as copies; they are scored like removals.

    Cost: linear in the pairs and removals.
    """
    by_kind: dict[str, list[Copy]] = defaultdict(list)
    for copy in truth.copies:
        by_kind[copy.kind].append(copy)
    by_band = {} if lengths is None else _by_band(truth.copies, lengths)
    right = truth.right()
    links = frozenset(pair(a, b) for a, b in linked)
    verdicts = {reported: _verdict(truth, reported, right) for reported in chain(removals.items(), sorted(links))}
    counts = Counter(verdicts.values())
    missed = (
        true_pair for true_pair, _ in truth.pairs() if true_pair not in links and not is_found(*true_pair, removals)
    )
    return Score(
        _recall(truth.copies, removals, links),
        {kind: _recall(copies, removals, links) for kind, copies in by_kind.items()},
        {band: _recall(by_band[band], removals, links) for band in bands() if band in by_band},
        len(removals),
        counts["right"],
        counts["wrong"],
        counts["aside"],
        counts["unknown"],
        truth.complete,
        tuple(removal for removal, verdict in verdicts.items() if verdict == "wrong")[:_EXAMPLES],
        tuple(true_pair for true_pair, _ in zip(missed, range(_EXAMPLES), strict=False)),
    )


def _by_band(copies: Iterable[Copy], lengths: Mapping[Any, int]) -> dict[str, list[Copy]]:
    """Group pairs by the length band of the shorter text, each pair as a copy."""
    copies_by_band: dict[str, list[Copy]] = defaultdict(list)
    for copy in copies:
        for source in copy.sources:
            shorter = min(lengths[copy.document], lengths[source])
            copies_by_band[band_of(shorter)].append(Copy(copy.document, copy.kind, (source,)))
    return copies_by_band


def _verdict(truth: Truth, removal: Pair, right: frozenset[Pair]) -> str:
    removed_pair = pair(*removal)
    if removed_pair in right:
        return "right"
    if removed_pair in truth.aside:
        return "aside"
    return "wrong" if truth.complete or removed_pair in truth.others else "unknown"


def is_found(a: Any, b: Any, removals: Removals) -> bool:
    """Return True if two documents are in one cluster, with the same kept document."""
    return bool(removals.get(a, a) == removals.get(b, b))


def is_proved(a: Any, b: Any, removals: Removals) -> bool:
    """Return True if one document of a pair was removed in favor of the other."""
    return (a in removals and removals[a] == b) or (b in removals and removals[b] == a)


def is_at_most_one_kept(a: Any, b: Any, removals: Removals) -> bool:
    """Return True if at most one document of a pair is kept, whatever replaced the other."""
    return a in removals or b in removals


def share_found(pairs: Iterable[Sequence[Any]], removals: Removals) -> Share:
    """Return the share of pairs in one cluster."""
    return _share(is_found(a, b, removals) for a, b in pairs)


def share_at_most_one_kept(pairs: Iterable[Sequence[Any]], removals: Removals) -> Share:
    """Return the share of pairs with at most one kept document."""
    return _share(is_at_most_one_kept(a, b, removals) for a, b in pairs)


def share_proved(pairs: Iterable[Sequence[Any]], removals: Removals) -> Share:
    """Return the share of pairs with one document removed in favor of the other."""
    return _share(is_proved(a, b, removals) for a, b in pairs)


def _recall(copies: Sequence[Copy], removals: Removals, links: frozenset[Pair]) -> Recall:
    clustered, proved, at_most_one_kept = (
        [[holds(copy.document, source, removals) for source in copy.sources] for copy in copies]
        for holds in (is_found, is_proved, is_at_most_one_kept)
    )
    if links:
        clustered = [
            [
                is_clustered or pair(copy.document, source) in links
                for is_clustered, source in zip(flags, copy.sources, strict=True)
            ]
            for flags, copy in zip(clustered, copies, strict=True)
        ]
    return Recall(
        _share(chain.from_iterable(clustered)),
        _share(chain.from_iterable(proved)),
        _share(chain.from_iterable(at_most_one_kept)),
        _share(map(any, clustered)),
        _share(map(any, proved)),
    )


def _share(cases: Iterable[bool]) -> Share:
    counted = list(cases)
    return Share(sum(counted), len(counted))


__all__ = [
    "BANDS",
    "Copy",
    "Pair",
    "Recall",
    "Removals",
    "Score",
    "Truth",
    "band_of",
    "bands",
    "is_at_most_one_kept",
    "of_one_original",
    "pair",
    "score",
    "share_at_most_one_kept",
    "share_found",
    "share_proved",
]
