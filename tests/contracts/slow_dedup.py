"""The definition of a dedup result, as plainly as it can be written."""

from collections import Counter, defaultdict

from tests.unit.matching.slow_twin import similarity

from whorl.fingerprints import Family, keys
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
    """Return rank → (rank of the kept document it copies, similarity) for every dropped document."""
    listings: dict[int, list[int]] = defaultdict(list)
    bodies: dict[bytes | int, list[int]] = defaultdict(list)
    dropped: dict[int, tuple[int, float]] = {}
    for rank, text in enumerate(ranked):
        own = keys(family, text)
        folded = family.fingerprint([text])
        body = folded.digests.tobytes() if folded.lengths[0] else b""
        hits = [kept for key in own for kept in listings[key]]
        shared = {kept: count for kept, count in Counter(hits).items() if count >= family.min_shared}
        candidates = set(closest(shared)) | set(bodies[body or rank])
        judged = {kept: judge(text, ranked[kept], family, family.verdict(threshold)) for kept in candidates}
        figures = {kept: figure.similarity for kept, (figure, _) in judged.items()}
        verified = [kept for kept, (_, alike) in judged.items() if alike]
        if verification is not None:
            figures = {kept: similarity(text, ranked[kept], verification) for kept in verified}
            verified = [kept for kept in verified if figures[kept] >= (verification.threshold or 0.0)]
        verified = [kept for kept in verified if is_removable(text, ranked[kept], [family])]
        if verified and rank >= references:
            best = min(verified, key=lambda kept: (-figures[kept], kept))
            dropped[rank] = best, figures[best]
            continue
        bodies[body or rank].append(rank)
        for key in own:
            if len(listings[key]) < LISTED:
                listings[key].append(rank)
    return dropped


def dedup_by_fields_slowly(ranked: list[str], recipe: Recipe, references: int = 0) -> dict[int, tuple[int, float]]:
    """The same where the first line and the rest are judged apart, and both ("and") or one ("or") must judge a copy."""
    judgements = recipe.judgements()
    listings: dict[tuple[str, int], list[int]] = defaultdict(list)
    bodies: dict[tuple[bytes, ...] | int, list[int]] = defaultdict(list)
    dropped: dict[int, tuple[int, float]] = {}
    enough = all if recipe.combine == "and" else any
    for rank, text in enumerate(ranked):
        own = {judgement.part: keys(judgement.family, part_of(text, judgement.part)) for judgement in judgements}
        hits = {part: Counter(kept for key in found for kept in listings[part, key]) for part, found in own.items()}
        figures: dict[int, float] = {}
        body = body_of(text, recipe)
        same = set(bodies[body or rank])
        named = {kept: sum(found[kept] for found in hits.values()) for kept in set().union(*hits.values())}
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
            if enough(figure is not None for figure in passed) and is_removable(text, ranked[kept], families):
                best_of = min if recipe.combine == "and" else max
                figures[kept] = best_of(figure for figure in passed if figure is not None)
        if figures and rank >= references:
            best = min(figures, key=lambda kept: (-figures[kept], kept))
            dropped[rank] = best, figures[best]
            continue
        bodies[body or rank].append(rank)
        for part, found in own.items():
            for key in found:
                if len(listings[part, key]) < LISTED:
                    listings[part, key].append(rank)
    return dropped


def closest(shared: dict[int, int]) -> list[int]:
    """The kept documents with the most keys in common, of equals the best ranked."""
    return sorted(shared, key=lambda kept: (-shared[kept], kept))[:COMPARED]


def is_removable(text: str, kept: str, families: list[Family]) -> bool:
    """Whether a text may be removed for a kept one: equal texts always, others by their relation."""
    pairs = [(text, kept)] if len(families) == 1 else [(part_of(text, part), part_of(kept, part)) for part in PARTS]
    folded = [family.fingerprint(list(pair)) for family, pair in zip(families, pairs, strict=True)]
    return all((own.digests[0] == own.digests[1]).all() for own in folded) or ruling(kept, text).is_removable


def shares(hits: dict[str, Counter[int]], kept: int, recipe: Recipe) -> list[bool]:
    """Whether a kept document shares enough keys, field by field."""
    return [hits[judgement.part][kept] >= judgement.family.min_shared for judgement in recipe.judgements()]


def body_of(text: str, recipe: Recipe) -> tuple[bytes, ...]:
    """What is the same for documents that say the same in both fields; nothing where nothing is left of one."""
    fields = [judgement.family.fingerprint([part_of(text, judgement.part)]) for judgement in recipe.judgements()]
    return tuple(field.digests.tobytes() for field in fields) if all(field.lengths[0] for field in fields) else ()


def part_of(text: str, part: str) -> str:
    """The first line, or what stands below it."""
    title, _, rest = text.partition("\n")
    return title if part == "title" else rest
