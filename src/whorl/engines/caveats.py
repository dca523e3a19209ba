"""Check that the method of a run suits its corpus: samples removals, the largest cluster and the relations.

In a suitable corpus for a method that finds passages, few documents are related without being duplicates: 6% of 61,000
real news articles, and at most 4% by each relation. For forms, versions, licenses, manual pages and source files it is
13% to 82%; for laws the method learns one passage of boilerplate for every four documents. The limits below lie between
these figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from whorl.engines.decide import Decisions
from whorl.i18n import say
from whorl.matching.relation import RELATIONS
from whorl.matching.removals import EXAMINED, Caveat, caveats, copied_shares, within_reach
from whorl.recipe import Recipe

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FEW = 10
"""Minimum number of documents for a warning: a handful of versions is not a corpus of versions."""
_FAMILY = 0.1
"""Minimum share of documents that are related but not duplicates in a corpus of families."""
_COMPARED = 2.5
"""Comparisons per document: 10,000 news articles need up to 2."""
_LEARNED = 0.16
"""Passages of boilerplate per document: news 0.03 at most, mail 0.15, laws and licenses 0.19 and more."""


class TextOf(Protocol):
    """Source of the texts of documents."""

    def text(self, document: int) -> str:
        """Return the text of one document."""
        ...


def near_removals(decisions: Decisions, digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the removed near-duplicates, at most one document for each text.

    They are sorted by digest: as good as random, and independent of the order of the files.
    """
    removed = np.flatnonzero(~decisions.kept)
    differing = (digests[removed] != digests[decisions.duplicate_of[removed]]).any(axis=1)
    near = removed[differing]
    _, first = np.unique(digests[near, 0], return_index=True)
    return np.asarray(near[first], np.int64)


def largest_cluster(decisions: Decisions, near: NDArray[np.int64]) -> int:
    """Return the size of the largest cluster among these removed documents."""
    return int(np.unique(decisions.duplicate_of[near], return_counts=True)[1].max(initial=0))


def describe_caveats(
    decisions: Decisions, digests: NDArray[np.uint64], texts: TextOf, references: int
) -> list[dict[str, Any]]:
    """Return warnings that the method of a run does not suit its corpus, ready for JSON.

    Cost: at most 100 comparisons, of four million code points in all.
    """
    near = near_removals(decisions, digests)
    shares = copied_shares(within_reach(_pairs(decisions, near, texts)))
    removed = len(decisions.kept) - int(decisions.kept.sum())
    listed = caveats(shares, largest_cluster(decisions, near), removed, len(decisions.kept) - references)
    return [caveat.as_dict() for caveat in listed]


def describe_material(decisions: Decisions, recipe: Recipe, references: int) -> list[dict[str, Any]]:
    """Return the kinds of documents in a corpus that the method is not made for, ready for JSON.

    Linear in the links.
    """
    documents = len(decisions.kept) - references
    return [caveat.as_dict() for caveat in _families(decisions, recipe, references, max(1, documents))]


def _families(decisions: Decisions, recipe: Recipe, references: int, documents: int) -> Iterator[Caveat]:
    minimum = max(_FEW, _FAMILY * documents)
    by_passages = any(judgement.goes_by_passages for judgement in recipe.judgements())
    forms = _related(decisions, references, "template") >= minimum
    if forms:
        yield _forms(*_pairs_of(decisions, "template"), by_passages=by_passages)
    if _related(decisions, references, "version") >= minimum:
        yield _versions(*_pairs_of(decisions, "version"))
    if forms or not by_passages:
        return
    linked, learned = _related(decisions, references), len(decisions.notices)
    if linked >= minimum and decisions.comparisons >= _COMPARED * documents:
        message = say(
            "{count:,} of {of:,} documents share passages with others without being copies, as licenses, laws, "
            "manuals and source code do: `method=corpus` compares whole texts instead",
            count=linked,
            of=documents,
        )
        yield Caveat("clauses", linked, documents, message)
    elif learned >= max(_FEW, _LEARNED * documents):
        message = say(
            "{count:,} passages occur in many of the {of:,} documents, as the clauses of licenses and laws do: "
            "`method=corpus` compares whole texts instead",
            count=learned,
            of=documents,
        )
        yield Caveat("clauses", learned, documents, message)


def _forms(count: int, of: int, *, by_passages: bool) -> Caveat:
    if by_passages:
        message = say(
            "of {of:,} related pairs, {count:,} are the same form filled in with different facts, not copies: "
            "`method=corpus` finds copies of whole forms and does not compare every form with all others",
            of=of,
            count=count,
        )
    else:
        message = say(
            "of {of:,} related pairs, {count:,} are the same form filled in with different facts, not copies: "
            "related.parquet lists them",
            of=of,
            count=count,
        )
    return Caveat("forms", count, of, message)


def _versions(count: int, of: int) -> Caveat:
    message = say(
        "of {of:,} related pairs, {count:,} are versions of one document, and both stay: "
        "`remove=exact,near_duplicate,excerpt,version` keeps one version of each",
        of=of,
        count=count,
    )
    return Caveat("versions", count, of, message)


def _related(decisions: Decisions, references: int, relation: str | None = None) -> int:
    """Return the number of kept documents that are linked to another by a relation; None means any relation."""
    links = decisions.links
    chosen = slice(None) if relation is None else links.relations == RELATIONS.index(relation)
    linked = np.concatenate([links.documents[chosen], links.others[chosen]])
    return int(np.count_nonzero(np.bincount(linked)[references:]))


def _pairs_of(decisions: Decisions, relation: str) -> tuple[int, int]:
    """Return the number of pairs linked by a relation, and the number of all related pairs."""
    removed, linked = decisions.removed_relations(), decisions.links.counts()
    return linked.get(relation, 0), sum(removed.values()) + sum(linked.values())


def _pairs(decisions: Decisions, near: NDArray[np.int64], texts: TextOf) -> Iterator[tuple[str, str]]:
    """Yield kept and removed texts, except for those kept in a library without texts."""
    for document in islice(near.tolist(), EXAMINED):
        kept = texts.text(int(decisions.duplicate_of[document]))
        if kept:
            yield kept, texts.text(document)


__all__ = ["TextOf", "describe_caveats", "describe_material", "largest_cluster", "near_removals"]
