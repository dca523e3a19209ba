"""The definition of a dedup result, as plainly as it can be written."""

from collections import defaultdict

from tests.unit.matching.slow_twin import similarity

from whorl.fingerprints import Family, keys
from whorl.matching.verify import Verification, judge

LISTED = 64


def dedup_slowly(
    ranked: list[str],
    family: Family,
    threshold: float,
    references: int = 0,
    verification: Verification | None = None,
) -> dict[int, tuple[int, float]]:
    """Return rank → (rank of the kept document it copies, similarity) for every dropped document."""
    listings: dict[int, list[int]] = defaultdict(list)
    dropped: dict[int, tuple[int, float]] = {}
    for rank, text in enumerate(ranked):
        own = keys(family, text)
        hits = [kept for key in own for kept in listings[key]]
        candidates = {kept for kept in hits if hits.count(kept) >= family.min_shared}
        judged = {kept: judge(text, ranked[kept], family, family.verdict(threshold)) for kept in candidates}
        figures = {kept: figure.similarity for kept, (figure, _) in judged.items()}
        verified = [kept for kept, (_, alike) in judged.items() if alike]
        if verification is not None:
            figures = {kept: similarity(text, ranked[kept], verification) for kept in verified}
            verified = [kept for kept in verified if figures[kept] >= (verification.threshold or 0.0)]
        if verified and rank >= references:
            best = min(verified, key=lambda kept: (-figures[kept], kept))
            dropped[rank] = best, figures[best]
            continue
        for key in own:
            if len(listings[key]) < LISTED:
                listings[key].append(rank)
    return dropped
