"""Whether what a recipe removes of a corpus itself is copied: its real removals, judged by the passages they share.

A removal *stands* if the share of the removed text that lies in passages of the kept one, as ``whorl.compare`` finds
them, reaches the share that the recipe demands, or a half where that is less or the recipe demands no share of texts.
The planted copies tell what a recipe finds; this tells what else it takes, on articles that nobody made for a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import Share
from whorl.evaluation.trial import try_recipe
from whorl.language import say
from whorl.matching.removals import Caveat, caveats, copied_shares
from whorl.matching.verify import TEXT_MEASURES
from whorl.recipe import Recipe

LARGEST = 5000
"""Documents of a corpus that a recipe is run on at most."""

JUDGED = 200
"""Removals that are compared at most."""

_HALF = 0.5
_FAR_ABOVE = 2


@dataclass(frozen=True, slots=True)
class Standing:
    """What a recipe removes of a corpus.

    Attributes:
        demanded: the share of a removed text that must be copied.
        removed: documents that were removed, of those there are.
        stands: removals that stand, of those that were compared.
        warnings: signs that the recipe does not suit the corpus.
    """

    demanded: float
    removed: Share
    stands: Share
    warnings: tuple[Caveat, ...]

    @property
    def precision(self) -> float:
        """The share of removals that stand; 1 of none."""
        return 1.0 if self.stands.value is None else self.stands.value

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        return {
            "demanded": self.demanded,
            "removed": self.removed.as_dict(),
            "stands": self.stands.as_dict(),
            "warnings": [warning.as_dict() for warning in self.warnings],
        }


def sample_of(documents: Documents, seed: int) -> Documents:
    """Return the corpus, or 5,000 of its documents."""
    places = range(len(documents))
    return documents.chosen(sorted(Random(seed).sample(places, min(LARGEST, len(places)))))


def judge_removals(corpus: Documents, recipe: Recipe, *, planted: Share, seed: int) -> Standing:
    """Run a recipe on a corpus, and compare up to 200 of its removals with the texts that were kept for them.

    Args:
        corpus: the documents as they are.
        recipe: what is judged.
        planted: how many copies were planted, among how many documents: more than twice this share is warned of.
        seed: chooses the removals that are compared.
    """
    trial = try_recipe(corpus, recipe)
    removals = sorted(trial.removals.items())
    drawn = Random(seed).sample(removals, min(JUDGED, len(removals)))
    texts = dict(zip(corpus.ids, corpus.texts, strict=True))
    shares = copied_shares((texts[kept], texts[removed]) for removed, kept in drawn)
    demanded, removed = demanded_share(recipe), Share(len(removals), len(corpus))
    stands = Share(sum(share >= demanded for share in shares), len(shares))
    found = caveats(shares, trial.largest, len(removals), len(corpus)) + _excess(removed, planted)
    return Standing(demanded, removed, stands, tuple(found))


def demanded_share(recipe: Recipe) -> float:
    """Return the share of a removed text that must be copied from the kept one: that of the recipe, at most a half."""
    judgements = recipe.judgements()
    verdicts = (judgement.family.verdict(judgement.threshold) for judgement in judgements)
    own = [verdict.threshold for verdict in verdicts if verdict.measure in TEXT_MEASURES]
    verified = [judgement.verification.threshold or _HALF for judgement in judgements if judgement.verification]
    return min([_HALF, *own, *verified])


def _excess(removed: Share, planted: Share) -> list[Caveat]:
    """A warning where the recipe surely removes more than twice the share of planted copies."""
    explained = _FAR_ABOVE * (planted.value or 0.0)
    if removed.interval[0] <= explained:
        return []
    share, other = (f"{100 * (own.value or 0.0):.0f} %" for own in (removed, planted))
    message = say(
        "{share} of the corpus is removed, of the sample only {other} was planted: see whether so much is copied",
        share=share,
        other=other,
    )
    return [Caveat("excess", removed.hits, removed.of, message)]


__all__ = ["JUDGED", "LARGEST", "Standing", "demanded_share", "judge_removals", "sample_of"]
