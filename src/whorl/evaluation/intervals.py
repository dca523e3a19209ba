"""Confidence intervals (95%) of measured shares."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95
_DRAWS = 20_000
_PRIOR = 0.5
_SEED = 1


@frozen
class Share:
    """A counted proportion.

    Attributes:
        hits: number of cases with the property.
        of: number of cases.
    """

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The proportion; None if there are no cases."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval; [0, 1] if there are no cases."""
        return wilson(self.hits, self.of)

    def as_dict(self) -> dict[str, Any]:
        """Return value, interval and counts, ready for JSON."""
        low, high = self.interval
        return {"value": self.value, "low": low, "high": high, "hits": self.hits, "of": self.of}


def wilson(hits: int, of: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion, which is accurate for few cases and near 0 and 1.

    With p = hits / n and z the normal quantile: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    Source: Wilson: Probable inference, the law of succession, and statistical inference, JASA 22, 1927. Recommended by
    Brown, Cai, DasGupta: Interval estimation for a binomial proportion, Statistical Science 16, 2001.
    """
    if not of:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, z_squared = hits / of, z * z
    middle = share + z_squared / (2 * of)
    margin = z * sqrt(share * (1 - share) / of + z_squared / (4 * of * of))
    scale = 1 + z_squared / of
    low, high = (middle - margin) / scale, (middle + margin) / scale
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == of else min(1.0, high))


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean of two shares, F1; 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def f1_interval(precision: Share, recall: Share, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return an approximate interval of F1, from posterior draws of precision and recall.

    Precision (over removals) and recall (over pairs) are drawn independently from the Beta posterior of their counts
    with Jeffreys's prior. The draws are seeded: equal counts give equal intervals.

    Source: Goutte, Gaussier: A probabilistic interpretation of precision, recall and F-score, ECIR 2005.
    """
    drawn_precision, drawn_recall = (draws(share, stream=stream) for stream, share in enumerate((precision, recall)))
    samples = 2 * drawn_precision * drawn_recall / (drawn_precision + drawn_recall)
    low, high = np.quantile(samples, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def draws(share: Share, *, is_complete: bool = False, stream: int = 0) -> NDArray[np.float64]:
    """Return 20,000 draws from the Beta posterior of a proportion, with Jeffreys's prior.

    Args:
        share: the counted proportion.
        is_complete: True if the whole population was counted, so that there is no uncertainty.
        stream: number of the random stream, to draw several shares independently.
    """
    if is_complete:
        return np.full(_DRAWS, share.value or 0.0)
    rng = np.random.default_rng([_SEED, stream])
    return rng.beta(share.hits + _PRIOR, share.of - share.hits + _PRIOR, _DRAWS)


__all__ = ["CONFIDENCE", "Share", "draws", "f1_interval", "harmonic", "wilson"]
