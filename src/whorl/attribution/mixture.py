"""Mixed articles, which combine unrelated articles, and the strands of a cluster that they connect."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from whorl.attribution.member_facts import Relation, Witness

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
    inside = [relation for relation in relations if relation.a in places and relation.b in places]
    mixed = {places[id] for id in _mixed(inside)}
    roots = list(range(len(members)))

    def root(place: int) -> int:
        while roots[place] != place:
            roots[place] = roots[roots[place]]
            place = roots[place]
        return place

    related_ids = set()
    for relation in inside:
        a, b = places[relation.a], places[relation.b]
        related_ids |= {a, b}
        if not {a, b} & mixed and max(relation.a_in_b, relation.b_in_a) >= _STRANGERS:
            roots[max(root(a), root(b))] = min(root(a), root(b))
    parts: dict[int, Strand] = {}
    for place in range(len(members)):
        if place not in mixed:
            parts.setdefault(root(place) if place in related_ids else -1, []).append(place)
    loose = parts.pop(-1, [])
    if not parts:
        return [list(range(len(members)))]
    member_sets = [{*part, *_tied(part, mixed, inside, places)} for part in parts.values()]
    member_sets[0] |= {*loose, *mixed.difference(*member_sets)}
    return list(map(sorted, member_sets))


def _tied(part: Strand, mixed: set[int], relations: Sequence[Relation], places: dict[str, int]) -> set[int]:
    """Return the mixed members that share text with a strand."""
    members, tied = set(part), set()
    for relation in relations:
        a, b = places[relation.a], places[relation.b]
        if max(relation.a_in_b, relation.b_in_a) >= _STRANGERS:
            tied |= {a} if b in members and a in mixed else set()
            tied |= {b} if a in members and b in mixed else set()
    return tied


def _mixed(relations: Sequence[Relation]) -> set[str]:
    """Return the members that contain parts of two members unrelated to each other."""
    by_id: dict[str, dict[str, Relation]] = {}
    for relation in relations:
        by_id.setdefault(relation.a, {})[relation.b] = relation
        by_id.setdefault(relation.b, {})[relation.a] = relation.seen_from(relation.b)
    mixed = set()
    for id, related in by_id.items():
        parts = [relation for relation in related.values() if _LEAST_SHARE <= relation.a_in_b <= _MOST_SHARE]
        parts.sort(key=lambda relation: -relation.a_in_b)
        for relation, other in combinations(parts[:_LOOKED_AT], 2):
            between = by_id[relation.b].get(other.b)
            if between is None or max(between.a_in_b, between.b_in_a) < _STRANGERS:
                mixed.add(id)
                break
    return mixed


def shares(relations: Sequence[Relation]) -> dict[str, dict[str, float]]:
    """Return, for each member, the share of its text that each related member contains."""
    shares_by_member: dict[str, dict[str, float]] = {}
    for relation in relations:
        shares_by_member.setdefault(relation.a, {})[relation.b] = relation.a_in_b
        shares_by_member.setdefault(relation.b, {})[relation.a] = relation.b_in_a
    return shares_by_member


__all__ = ["Strand", "shares", "strands"]
