"""Apply decisions about matches to clusters.

People decide about two documents; clusters join contents. Of several decisions about documents of the same two contents
the last one applies, so the order in which documents arrive does not matter. "confirmed" joins contents that share too
little to join by themselves, "rejected" separates them, and "authorised" leaves it to their texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from whorl.stores import Reader
from whorl.stores.records import PairRecord

CONFIRMED, REJECTED, AUTHORISED, PENDING = "confirmed", "rejected", "authorised", "pending"
_JOINS = {CONFIRMED: True, REJECTED: False}


def decided(reader: Reader, contents: Iterable[int]) -> dict[tuple[int, int], bool]:
    """Return the pairs of contents that were joined (True) or separated (False) by decision, lower number first."""
    last: dict[tuple[int, int], str] = {}
    for review in sorted(reader.reviewed(contents), key=lambda review: (review.at, review)):
        last[review.low, review.high] = review.state
    return {pair: _JOINS[state] for pair, state in last.items() if state in _JOINS}


def joining(reader: Reader, pairs: Iterable[PairRecord], of: Collection[int] = ()) -> list[PairRecord]:
    """Return the pairs that join two contents once decisions are applied.

    Args:
        reader: read access to the store.
        pairs: pairs of contents, by their texts.
        of: contents whose pairs joined by decision are included even if not in ``pairs``.
    """
    all_pairs = list(pairs)
    decisions = decided(reader, {*of, *chain.from_iterable((pair.low, pair.high) for pair in all_pairs)})
    if not decisions:
        return [pair for pair in all_pairs if pair.joins]
    joined = [pair._replace(joins=True) for pair in all_pairs if decisions.get((pair.low, pair.high), pair.joins)]
    pair_keys = {(pair.low, pair.high) for pair in all_pairs}
    more = [
        key for key, joins in decisions.items() if joins and key not in pair_keys and (key[0] in of or key[1] in of)
    ]
    return joined + _pairs(reader, more)


def heeding(decisions: Mapping[tuple[int, int], bool], low: int | None, other: int, joins: bool) -> bool:
    """Return whether two contents join, given the decisions and what their texts say."""
    return joins if low is None else decisions.get((min(low, other), max(low, other)), joins)


def _pairs(reader: Reader, keys: Iterable[tuple[int, int]]) -> list[PairRecord]:
    """Return pairs that were joined by decision, with their figures if they share any text."""
    sorted_keys = sorted(keys)
    kept = {
        (pair.low, pair.high): pair
        for content_pairs in reader.pairs(low for low, _ in sorted_keys).values()
        for pair in content_pairs
    }
    none = PairRecord(0, 0, 0.0, 0.0, 0.0, "unrelated", True)
    return [kept.get(key, none._replace(low=key[0], high=key[1]))._replace(joins=True) for key in sorted_keys]


__all__ = ["AUTHORISED", "CONFIRMED", "PENDING", "REJECTED", "decided", "heeding", "joining"]
