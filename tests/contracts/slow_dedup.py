"""The definition of a dedup result, in the plainest possible code."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from tests.unit.matching.slow_twin import similarity

from whorl.fingerprints import Family, keys
from whorl.matching.compilation import find_stories
from whorl.matching.fields import PARTS
from whorl.matching.relation import ruling
from whorl.matching.verify import Verification, judge
from whorl.recipe import Recipe

LISTED = 64
COMPARED = 16


def dedup_slowly(
    ranked: list[str],
    family: Family,
    threshold: float,
    references: int = 0,
    verification: Verification | None = None,
) -> dict[int, tuple[int, float]]:
    """Return rank → (rank of the kept document it copies, similarity) for every removed document."""
    listings: dict[int, list[int]] = defaultdict(list)
    bodies: dict[bytes | int, list[int]] = defaultdict(list)
    dropped: dict[int, tuple[int, float]] = {}
    holding = compilations(
        ranked, [set(keys(family, text)) for text in ranked], lambda hits: len(hits) >= family.min_shared
    )
    for rank, text in enumerate(ranked):
        document_keys = keys(family, text)
        folded = family.fingerprint([text])
        body = folded.digests.tobytes() if folded.lengths[0] else b""
        hits = [kept for key in document_keys for kept in listings[key]]
        shared = {kept: count for kept, count in Counter(hits).items() if count >= family.min_shared}
        candidates = set(closest(shared)) | set(bodies[body or rank])
        judged = {kept: judge(text, ranked[kept], family, family.verdict(threshold)) for kept in candidates}
        figures = {kept: figure.similarity for kept, (figure, _) in judged.items()}
        verified = [kept for kept, (_, alike) in judged.items() if alike]
        if verification is not None:
            figures = {kept: similarity(text, ranked[kept], verification) for kept in verified}
            verified = [kept for kept in verified if figures[kept] >= (verification.threshold or 0.0)]
        verified = [kept for kept in verified if is_removable(ranked, rank, kept, [family], holding)]
        if verified and rank >= references:
            best = min(verified, key=lambda kept: (-figures[kept], kept))
            dropped[rank] = best, figures[best]
            continue
        bodies[body or rank].append(rank)
        for key in document_keys:
            if len(listings[key]) < LISTED:
                listings[key].append(rank)
    return dropped


def dedup_by_fields_slowly(ranked: list[str], recipe: Recipe, references: int = 0) -> dict[int, tuple[int, float]]:
    """Deduplicate by fields: first line and rest are judged apart, and both ("and") or one ("or") must be a copy."""
    judgements = recipe.judgements()
    listings: dict[tuple[str, int], list[int]] = defaultdict(list)
    bodies: dict[tuple[bytes, ...] | int, list[int]] = defaultdict(list)
    dropped: dict[int, tuple[int, float]] = {}
    enough = all if recipe.combine == "and" else any
    own_keys = [
        {
            (judgement.part, key)
            for judgement in judgements
            for key in keys(judgement.family, part_of(text, judgement.part))
        }
        for text in ranked
    ]

    def shares_enough(hits: set[tuple[str, int]]) -> bool:
        counts = Counter(part for part, _ in hits)
        return enough(counts[judgement.part] >= judgement.family.min_shared for judgement in judgements)

    holding = compilations(ranked, own_keys, shares_enough)
    for rank, text in enumerate(ranked):
        part_keys = {judgement.part: keys(judgement.family, part_of(text, judgement.part)) for judgement in judgements}
        hits = {
            part: Counter(kept for key in keys_found for kept in listings[part, key])
            for part, keys_found in part_keys.items()
        }
        figures: dict[int, float] = {}
        body = body_of(text, recipe)
        same = set(bodies[body or rank])
        named = {kept: sum(keys_found[kept] for keys_found in hits.values()) for kept in set().union(*hits.values())}
        sharing = {kept: total for kept, total in named.items() if enough(shares(hits, kept, recipe))}
        for kept in same.union(closest(sharing)):
            shared = [kept in same or is_enough for is_enough in shares(hits, kept, recipe)]
            passed = []
            for judgement, compared in zip(judgements, shared, strict=True):
                a, b = part_of(text, judgement.part), part_of(ranked[kept], judgement.part)
                verdict = judgement.family.verdict(judgement.threshold)
                figure, alike = judge(a, b, judgement.family, verdict, judgement.verification)
                passed.append(figure.similarity if compared and alike else None)
            families = [judgement.family for judgement in judgements]
            if enough(figure is not None for figure in passed) and is_removable(ranked, rank, kept, families, holding):
                best_of = min if recipe.combine == "and" else max
                figures[kept] = best_of(figure for figure in passed if figure is not None)
        if figures and rank >= references:
            best = min(figures, key=lambda kept: (-figures[kept], kept))
            dropped[rank] = best, figures[best]
            continue
        bodies[body or rank].append(rank)
        for part, keys_found in part_keys.items():
            for key in keys_found:
                if len(listings[part, key]) < LISTED:
                    listings[part, key].append(rank)
    return dropped


def closest(shared: dict[int, int]) -> list[int]:
    """Return the kept documents with the most common keys; ties by rank."""
    return sorted(shared, key=lambda kept: (-shared[kept], kept))[:COMPARED]


def compilations(ranked: list[str], keys_of: list[set[Any]], shares_enough: Callable[[set[Any]], bool]) -> set[int]:
    """Return the ranks of documents that contain several others: keys propose the smallest first, texts decide."""
    candidates: dict[int, list[int]] = {}
    for rank, document_keys in enumerate(keys_of):
        hits = {other: document_keys & keys_of[other] for other in range(len(ranked)) if other != rank}
        stories = [
            other
            for other, shared in hits.items()
            if shares_enough(shared)
            and 4 * len(shared) >= len(keys_of[other])
            and 5 * len(shared) <= 4 * len(document_keys)
        ]
        chosen, assigned = list[int](), set[Any]()
        for other in sorted(stories, key=lambda other: (len(keys_of[other]), other)):
            if 2 * len(hits[other] - assigned) > len(hits[other]):
                chosen.append(other)
                assigned |= hits[other]
        if len(chosen) > 1 and 4 * len(assigned) >= len(document_keys):
            candidates[rank] = chosen
    return set(find_stories(ranked, candidates))


def is_removable(ranked: list[str], rank: int, kept: int, families: list[Family], compilations: set[int]) -> bool:
    """Return True if a text may be removed for a kept one: equal texts always, others by their relation."""
    text, other = ranked[rank], ranked[kept]
    pairs = [(text, other)] if len(families) == 1 else [(part_of(text, part), part_of(other, part)) for part in PARTS]
    folded = [family.fingerprint(list(pair)) for family, pair in zip(families, pairs, strict=True)]
    if all((pair_digests.digests[0] == pair_digests.digests[1]).all() for pair_digests in folded):
        return True
    relation = ruling(other, text)
    filled, pair_digests = relation.copied
    is_edition = rank in compilations and filled >= 2 / 3
    is_story = (
        relation.relation == "excerpt"
        and kept in compilations
        and filled < 0.8
        and filled <= pair_digests
        and not is_edition
    )
    return relation.is_removable and not is_story


def shares(hits: dict[str, Counter[int]], kept: int, recipe: Recipe) -> list[bool]:
    """Return True if a kept document shares enough keys, field by field."""
    return [hits[judgement.part][kept] >= judgement.family.min_shared for judgement in recipe.judgements()]


def body_of(text: str, recipe: Recipe) -> tuple[bytes, ...]:
    """Return a value that is equal for documents with equal fields; None if a field is empty."""
    fields = [judgement.family.fingerprint([part_of(text, judgement.part)]) for judgement in recipe.judgements()]
    return tuple(field.digests.tobytes() for field in fields) if all(field.lengths[0] for field in fields) else ()


def part_of(text: str, part: str) -> str:
    """Return the first line, or the lines below it."""
    title, _, rest = text.partition("\n")
    return title if part == "title" else rest
