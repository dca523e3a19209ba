"""Precision of a recipe on the user's corpus, judged by measures that are independent of the recipe.

A method selects pairs by its own keys and score. Judging its removals by that score would approve every decision of
the method. So a pair *stands* only if three independent measures agree:

- the relation found by ``whorl.compare`` is one that the purpose allows,
- the facts agree: at least half of the numbers that face each other in the passages are equal, and so are at least half
  of the distinct numbers of the text that has fewer, if there are at least three,
- at least 40% of the distinct 5-grams (of folded code points) of the reported text are in the other text.

Planted copies measure the recall of a recipe; this measures its precision on real articles.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import Any

from whorl._internal.frozen import frozen
from whorl.evaluation.documents import Documents
from whorl.evaluation.intervals import Share
from whorl.evaluation.trial import Trial
from whorl.i18n import say
from whorl.matching.compare import compare_many
from whorl.matching.relation import REMOVED
from whorl.matching.removals import Caveat, caveats
from whorl.text import fold
from whorl.types.comparison import Comparison

JUDGED = 200
"""Maximum number of pairs of a recipe to compare."""
GRAM = 5
"""Length of an n-gram in folded code points."""
CONTAINED = 0.4
"""Minimum share of the n-grams of a reported text that the other text contains.

With typing errors in every tenth character, the worst of 100 Chinese or English articles keeps 0.5; unrelated English
articles of 5,000 characters share 0.3.
"""

_FEW_NUMBERS = 3
_HALF = 0.5
_FAR_ABOVE = 2
_NUMBER = re.compile("[0-9]+")


@frozen
class JudgedPair:
    """A reported pair with measures that are independent of the recipe.

    Attributes:
        relation: relation of the texts, by ``whorl.compare``.
        copied: copied share of the reported text.
        facts_agree: True if the numbers of both texts agree.
        jaccard: Jaccard similarity of the 5-grams.
        contained: share of the 5-grams of the reported text that the other text contains.
    """

    relation: str
    copied: float
    facts_agree: bool
    jaccard: float
    contained: float

    def stands(self, right: tuple[str, ...]) -> bool:
        """Return True if the pair was reported correctly."""
        return self.relation in right and self.facts_agree and self.contained >= CONTAINED


@frozen
class CorpusJudgment:
    """Judgment of the reports of a recipe on a corpus.

    Attributes:
        removed: share of documents that were removed.
        stands: share of compared pairs that stand.
        relations: number of compared pairs by relation.
        facts_differ: number of compared pairs whose facts differ.
        jaccard: median 5-gram Jaccard similarity of the compared pairs; None without pairs.
        warnings: signs that the recipe does not fit the corpus.
    """

    removed: Share
    stands: Share
    relations: Mapping[str, int]
    facts_differ: int
    jaccard: float | None
    warnings: tuple[Caveat, ...]

    @property
    def precision(self) -> float:
        """The share of pairs that stand; 1 without pairs."""
        return 1.0 if self.stands.value is None else self.stands.value

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        return {
            "removed": self.removed.as_dict(),
            "stands": self.stands.as_dict(),
            "relations": dict(self.relations),
            "facts_differ": self.facts_differ,
            "jaccard": self.jaccard,
            "warnings": [warning.as_dict() for warning in self.warnings],
        }


@dataclass(slots=True)
class ReportJudge:
    """Judge of the reports of recipes on one corpus; a pair reported by several recipes is compared once.

    Attributes:
        corpus: the original documents.
        right: relations of correctly reported pairs.
        planted: share of planted copies; a recipe that removes more than twice this share gets a warning.
        seed: seed for the choice of compared pairs.
    """

    corpus: Documents
    planted: Share
    seed: int = 0
    right: tuple[str, ...] = REMOVED
    _texts: dict[str, str] = field(init=False, repr=False)
    _judged: dict[tuple[str, str], JudgedPair] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._texts = dict(zip(self.corpus.ids, self.corpus.texts, strict=True))

    def judge(self, trial: Trial, *, counts_links: bool = False) -> CorpusJudgment:
        """Compare up to 200 of the pairs that a recipe reports on this corpus.

        Args:
            trial: trial of the recipe on this corpus.
            counts_links: also judge links with one of the right relations.
        """
        reported = sorted({*trial.removals.items(), *(trial.linked(self.right) if counts_links else ())})
        sampled = Random(self.seed).sample(reported, min(JUDGED, len(reported)))
        new = [pair for pair in sampled if pair not in self._judged]
        texts = [(self._texts[other], self._texts[document]) for document, other in new]
        self._judged |= zip(new, judge_pairs(texts), strict=True)
        judged = [self._judged[pair] for pair in sampled]
        shares = [pair.copied for pair in judged]
        removed = Share(len(trial.removals), len(self.corpus))
        warnings = caveats(shares, trial.largest, len(trial.removals), len(self.corpus)) + _excess(
            removed, self.planted
        )
        return CorpusJudgment(
            removed,
            Share(sum(pair.stands(self.right) for pair in judged), len(judged)),
            dict(Counter(pair.relation for pair in judged).most_common()),
            sum(not pair.facts_agree for pair in judged),
            median(pair.jaccard for pair in judged) if judged else None,
            tuple(warnings),
        )


def judge_pairs(pairs: Iterable[tuple[str, str]]) -> list[JudgedPair]:
    """Judge pairs of a kept and a reported text. Linear in the texts."""
    texts = list(pairs)
    return [_judged(*pair, comparison) for pair, comparison in zip(texts, compare_many(texts), strict=True)]


def _judged(kept: str, reported: str, comparison: Comparison) -> JudgedPair:
    if comparison.relation == "exact":
        return JudgedPair("exact", 1.0, facts_agree=True, jaccard=1.0, contained=1.0)
    ours, theirs = _grams(reported), _grams(kept)
    both = len(ours & theirs)
    agree = comparison.facts.differing <= comparison.facts.agreeing + _FEW_NUMBERS and _numbers_agree(kept, reported)
    jaccard, contained = _ratio(both, len(ours | theirs)), _ratio(both, len(ours))
    return JudgedPair(comparison.relation, comparison.ratios.copied, agree, jaccard, contained)


def _grams(text: str) -> set[str]:
    folded = fold(text)
    return {folded[start : start + GRAM] for start in range(max(1, len(folded) - GRAM + 1))} if folded else set()


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _numbers_agree(a: str, b: str) -> bool:
    """Return True if the text with fewer distinct numbers shares half of them, or has fewer than three."""
    ours, theirs = (set(_NUMBER.findall(unicodedata.normalize("NFKC", text))) for text in (a, b))
    fewer = min(len(ours), len(theirs))
    return fewer < _FEW_NUMBERS or len(ours & theirs) >= _HALF * fewer


def _excess(removed: Share, planted: Share) -> list[Caveat]:
    """Return a warning if the recipe significantly removes more than twice the share of planted copies."""
    explained = _FAR_ABOVE * (planted.value or 0.0)
    if removed.interval[0] <= explained:
        return []
    share, other = (f"{100 * (part.value or 0.0):.0f}%" for part in (removed, planted))
    message = say(
        "{share} of the corpus is removed, but only {other} of the sample was planted: check the removals",
        share=share,
        other=other,
    )
    return [Caveat("excess", removed.hits, removed.of, message)]


__all__ = ["CONTAINED", "GRAM", "JUDGED", "CorpusJudgment", "JudgedPair", "ReportJudge", "judge_pairs"]
