"""What a run is held against without reading it: libraries, and references that are sought by more keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from whorl import _core
from whorl.errors import UsageError
from whorl.fingerprints import Fingerprints, Seeking, SoughtKeys
from whorl.indexes.inverted import KeyIndex
from whorl.language import say
from whorl.matching.candidates import CandidateRows, CandidateSource
from whorl.matching.verify import demands
from whorl.recipe import Recipe


def recipe_against(sources: Sequence[CandidateSource], recipe: Recipe, *, is_chosen: bool) -> Recipe:
    """Return the recipe of a run that asks these sources.

    Args:
        sources: what it is held against.
        recipe: of the run.
        is_chosen: whether somebody chose its method; else it is that of the sources.

    Raises:
        UsageError: its keys are not those of a source, or two sources have different ones.
    """
    chosen = recipe
    for source in sources:
        if not is_chosen and chosen is recipe:
            judged = {"method": source.method, "parameters": source.parameters, "threshold": source.threshold}
            chosen = recipe.changed(**judged)
        elif chosen.fields is not None or chosen.family() != source.family:
            cure = say("name no method and no recipe: that of the library decides")
            raise UsageError(
                say("{address} was made with another recipe: {method}", address=source.address, method=source.method),
                cure=cure,
            )
    return chosen


def demand_texts(sources: Iterable[CandidateSource], recipe: Recipe) -> None:
    """Refuse a source without texts where texts decide.

    Raises:
        UsageError: there is one.
    """
    judged = [demands(own.family.verdict(own.threshold), own.verification, own.part) for own in recipe.judgements()]
    for source in sources:
        if not source.keeps_texts and (any(judged) or recipe.tells_changes):
            cure = say("let the fingerprints decide alone (verify = none), if its method can, or keep the texts")
            raise UsageError(
                say("{address} keeps no texts: no copy of its articles can be proved", address=source.address),
                cure=cure,
            )


class SoughtReferences:
    """References of a run by the number that they have in it, sought by more keys than they have.

    Args:
        family: how they were fingerprinted.
        keys: of all of them, in order.
    """

    def __init__(self, family: Seeking, keys: Iterable[Fingerprints | SoughtKeys]) -> None:
        self._family = family
        self._index = KeyIndex()
        for part in keys:
            self._index.add(part)

    def find(self, texts: Any) -> CandidateRows:
        """Return the references that share enough keys with some texts."""
        least = self._family.min_shared
        answers = self._index.query_many(self._family.sought(texts), limit=_core.LISTED, min_shared=least)
        return CandidateRows(answers.query, answers.id, answers.hits)


def seeks(recipe: Recipe) -> Seeking | None:
    """Return the family of a recipe if references are sought by more keys than they have."""
    if recipe.fields is not None:
        return None
    family = recipe.family()
    return family if isinstance(family, Seeking) else None


__all__ = ["SoughtReferences", "demand_texts", "recipe_against", "seeks"]
