"""Candidate sources of a run: libraries, and references that are searched with extra keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from whorl import _core
from whorl.errors import UsageError
from whorl.fingerprints import Fingerprints, Seeking, SoughtKeys
from whorl.i18n import say
from whorl.matching.candidates import CandidateRows, CandidateSource
from whorl.matching.verify import demands
from whorl.recipe import Recipe


def recipe_against(sources: Sequence[CandidateSource], recipe: Recipe, *, is_chosen: bool) -> Recipe:
    """Return the recipe of a run that queries these candidate sources.

    Args:
        sources: the libraries that documents are compared with.
        recipe: recipe of the run.
        is_chosen: True if the user chose the method; otherwise the sources determine it.

    Raises:
        UsageError: the keys of the recipe differ from those of a source, or two sources have different keys.
    """
    chosen = recipe
    for source in sources:
        if not is_chosen and chosen is recipe:
            judged = {"method": source.method, "parameters": source.parameters, "threshold": source.threshold}
            chosen = recipe.changed(**judged)
        elif chosen.fields is not None or chosen.family() != source.family:
            hint = say("set no method or recipe: the run uses the recipe of the library")
            raise UsageError(
                say(
                    "{address} was created with another recipe: {method}", address=source.address, method=source.method
                ),
                hint=hint,
            )
    return chosen


def demand_texts(sources: Iterable[CandidateSource], recipe: Recipe) -> None:
    """Refuse sources without texts if the recipe verifies against texts.

    Raises:
        UsageError: a source keeps no texts.
    """
    judged = [
        demands(judgement.family.verdict(judgement.threshold), judgement.verification, judgement.part)
        for judgement in recipe.judgements()
    ]
    for source in sources:
        if not source.keeps_texts and (any(judged) or recipe.tells_changes):
            hint = say("decide by fingerprints only (verify = none) if the method supports it, or store the texts")
            raise UsageError(
                say("{address} keeps no texts, so copies cannot be verified", address=source.address),
                hint=hint,
            )


class SoughtReferences:
    """References of a run, found by document number through more keys than they store.

    Args:
        family: the family that fingerprinted them.
        keys: the keys of all references, in order.
    """

    def __init__(self, family: Seeking, keys: Iterable[Fingerprints | SoughtKeys]) -> None:
        from whorl.indexes.inverted import KeyIndex

        self._family = family
        self._index = KeyIndex()
        for part in keys:
            self._index.add(part)

    def find(self, texts: Any) -> CandidateRows:
        """Return the references that share enough keys with the texts."""
        min_shared = self._family.min_shared
        answers = self._index.query_many(self._family.sought(texts), limit=_core.LISTED, min_shared=min_shared)
        return CandidateRows(answers.query, answers.id, answers.hits)


def seeks(recipe: Recipe) -> Seeking | None:
    """Return the family of a recipe if references are searched with more keys than they store, else None."""
    if recipe.fields is not None:
        return None
    family = recipe.family()
    return family if isinstance(family, Seeking) else None


__all__ = ["SoughtReferences", "demand_texts", "recipe_against", "seeks"]
