"""Weights of the evidence for the original, as data that can be configured and fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import isfinite
from types import MappingProxyType
from typing import Any, Self

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.types.comparison import Plain

ORIGIN: Mapping[str, float] = MappingProxyType(
    {
        "seen": 0.23,
        "published": 1.04,
        "timely": 0.98,
        "impossible": 0.0,
        "snapshot": 0.31,
        "named": 3.07,
        "names": 2.35,
        "itself": 2.19,
        "dateline": 5.01,
        "canonical": 1.51,
        "links": 1.94,
        "title": 0.81,
        "heading": 0.66,
        "whole": 0.48,
        "added": 1.02,
        "tricks": 1.97,
        "repairs": 1.39,
        "habit": 1.0,
        "byline": 1.85,
        "mark": 0.06,
        "trust": 1.46,
        "age": 0.2,
        "registered": 1.0,
        "authorised": 1.5,
        "attestation": 20.0,
        "elsewhere": -0.91,
        "outside": 3.27,
    }
)
"""Log-odds in favor of a member for evidence of full strength, fitted to simulated propagation except for `FIXED`. An
impossible claim does not count as a claim, and needs no separate weight."""

SYNDICATION: Mapping[str, float] = MappingProxyType(
    {
        "prior": -4.57,
        "account": 20.0,
        "author": 5.42,
        "byline": 0.5,
        "mark": 3.96,
        "names": -4.31,
        "permission": -1.0,
        "links": -1.23,
        "canonical": -7.3,
        "newsroom": -3.98,
        "near": 2.21,
        "tricks": -7.81,
    }
)
"""Log-odds of self-syndication, fitted in the same way. A known account decides alone."""

_FORMER = {"proof": "attestation", "leave": "permission"}
"""Former names of weights, which recipes have that `whorl attribute fit` wrote before."""
FIXED = ("impossible", "attestation", "registered", "authorised", "habit")
FIXED_SIGNS = ("account",)
"""Weights that are never fitted, of the original and of self-syndication: what people entered or decided, and the habit
of two sites, whose value is the log-odds itself."""


@frozen
class Weights(Plain):
    """Weights of evidence in log-odds, and the required confidence.

    >>> from whorl.attribution.weights import Weights
    >>> Weights.of({"confidence": 0.9}).confidence
    0.9

    Attributes:
        origin: weights of the kinds of evidence for the original; `ORIGIN` lists all.
        syndication: weights of the signs of self-syndication; `SYNDICATION` lists all.
        confidence: minimum probability of an original; below it, the result is undetermined.

    Raises:
        UsageError: a name is unknown, a weight is not finite, or the confidence is not in [0.5, 1).
    """

    origin: Mapping[str, float] = field(default_factory=lambda: dict(ORIGIN))
    syndication: Mapping[str, float] = field(default_factory=lambda: dict(SYNDICATION))
    confidence: float = 0.8

    def __post_init__(self) -> None:
        for name, usual in (("origin", ORIGIN), ("syndication", SYNDICATION)):
            object.__setattr__(self, name, _checked(name, usual, getattr(self, name)))
        if not _is_number(self.confidence) or not 0.5 <= self.confidence < 1:
            raise UsageError(
                say("{name} is {value!r}", name="confidence", value=self.confidence),
                hint=say("use a probability from 0.5 to below 1"),
            )

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Return the defaults, updated from a table ``[attribution]`` of a recipe."""
        unknown = sorted(table.keys() - {"origin", "syndication", "confidence"})
        if unknown:
            raise UsageError(
                say("attribution has an unknown key '{name}'", name=unknown[0]),
                hint=say("known keys: {known}", known="confidence, origin, syndication"),
            )
        return cls(**table)


def _checked(name: str, usual: Mapping[str, float], changes: Any) -> Mapping[str, float]:
    hint = say("known keys: {known}", known=", ".join(usual))
    if not isinstance(changes, Mapping):
        raise UsageError(say("{name} is {value!r}", name=name, value=changes), hint=hint)
    renamed: dict[Any, Any] = {_FORMER.get(key, key): value for key, value in changes.items()}
    for key, value in renamed.items():
        if key not in usual:
            raise UsageError(say("{table} has an unknown key '{name}'", table=name, name=key), hint=hint)
        if not _is_number(value):
            raise UsageError(say("{name} is {value!r}", name=key, value=value), hint=say("use a number"))
    return {**usual, **renamed}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


__all__ = ["FIXED", "FIXED_SIGNS", "ORIGIN", "SYNDICATION", "Weights"]
