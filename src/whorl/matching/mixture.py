"""Mixed articles, which combine unrelated articles, and the strands of a cluster that they connect."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from whorl.matching.witness import Relation, Witness

Strand = list[int]
"""Indices of the members that share one text, including mixed articles."""

_LEAST_SHARE, _MOST_SHARE = 0.12, 0.88
_STRANGERS = 0.1
_LOOKED_AT = 8


def strands(members: Sequence[Witness], relations: Sequence[Relation]) -> list[Strand]:
    """Split a cluster into strands, each with the members that share one text; most clusters have one strand.

    Args:
        members: members of the cluster.
        relations: relations between them. Members without relations, or related only to mixed articles, belong to the
            first strand.
    """
    places = {member.id: place for place, member in enumerate(members)}
    inside = [one for one in relations if one.a in places and one.b in places]
    mixed = {places[id] for id in _mixed(inside)}
    roots = list(range(len(members)))

    def root(place: int) -> int:
        while roots[place] != place:
            roots[place] = roots[roots[place]]
            place = roots[place]
        return place

    known = set()
    for one in inside:
        a, b = places[one.a], places[one.b]
        known |= {a, b}
        if not {a, b} & mixed and max(one.a_in_b, one.b_in_a) >= _STRANGERS:
            roots[max(root(a), root(b))] = min(root(a), root(b))
    parts: dict[int, Strand] = {}
    for place in range(len(members)):
        if place not in mixed:
            parts.setdefault(root(place) if place in known else -1, []).append(place)
    loose = parts.pop(-1, [])
    if not parts:
        return [list(range(len(members)))]
    found = [{*part, *_tied(part, mixed, inside, places)} for part in parts.values()]
    found[0] |= {*loose, *mixed.difference(*found)}
    return list(map(sorted, found))


def _tied(part: Strand, mixed: set[int], relations: Sequence[Relation], places: dict[str, int]) -> set[int]:
    """Return the mixed members that share text with a strand."""
    own, found = set(part), set()
    for one in relations:
        a, b = places[one.a], places[one.b]
        if max(one.a_in_b, one.b_in_a) >= _STRANGERS:
            found |= {a} if b in own and a in mixed else set()
            found |= {b} if a in own and b in mixed else set()
    return found


def _mixed(relations: Sequence[Relation]) -> set[str]:
    """Return the members that contain parts of two members unrelated to each other."""
    by_id: dict[str, dict[str, Relation]] = {}
    for one in relations:
        by_id.setdefault(one.a, {})[one.b] = one
        by_id.setdefault(one.b, {})[one.a] = one.seen_from(one.b)
    found = set()
    for id, related in by_id.items():
        parts = [one for one in related.values() if _LEAST_SHARE <= one.a_in_b <= _MOST_SHARE]
        parts.sort(key=lambda one: -one.a_in_b)
        for one, other in combinations(parts[:_LOOKED_AT], 2):
            between = by_id[one.b].get(other.b)
            if between is None or max(between.a_in_b, between.b_in_a) < _STRANGERS:
                found.add(id)
                break
    return found


def shares(relations: Sequence[Relation]) -> dict[str, dict[str, float]]:
    """Return, for each member, the share of its text that each related member contains."""
    found: dict[str, dict[str, float]] = {}
    for one in relations:
        found.setdefault(one.a, {})[one.b] = one.a_in_b
        found.setdefault(one.b, {})[one.a] = one.b_in_a
    return found


__all__ = ["Strand", "shares", "strands"]
