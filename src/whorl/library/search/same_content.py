"""Articles that say the same as a text in other words or in another language, by the vectors of sentences.

The model takes seconds, so it runs after the articles were read and not while the store is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import Evidence
from whorl.library.search.finder import CandidateContent, candidates, look_up
from whorl.library.search.listing import ListedMatch, RelatedContent
from whorl.library.search.queries import query_of
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import USUAL, comparison_of, judge_many
from whorl.matching.rewritten import MOST_CANDIDATES
from whorl.stores import Reader
from whorl.types.library import Match

if TYPE_CHECKING:
    from whorl.matching.meaning import Encoder


class ContentCandidates(NamedTuple):
    """Articles that may say the same as a text.

    Attributes:
        articles: an article of each content, those with the most keys in common first.
        texts: their texts.
        notices: boilerplate of the library.
    """

    articles: list[CandidateContent]
    texts: list[str]
    notices: Notices


def demand_texts(core: Core) -> None:
    """Refuse a library without texts.

    Raises:
        UsageError: the library keeps no texts.
    """
    if not core.making.rules.texts:
        raise UsageError(
            say("the library keeps no texts"),
            hint=say("create a library that keeps texts, and add the articles again"),
        )


def demand_content(core: Core) -> None:
    """Refuse a library that cannot find such articles.

    Raises:
        UsageError: the library keeps no texts, or does not look up articles by their content.
    """
    demand_texts(core)
    if not core.making.by_content:
        raise UsageError(
            say("a library of the method '{method}' cannot be searched by meaning", method=core.making.recipe.method),
            hint=say("compare with all its texts, `whorl compare --against`, or create one of the method 'content'"),
        )


def content_candidates(
    core: Core, reader: Reader, text: str, when: int, collection: str | None, matched: Collection[str]
) -> ContentCandidates:
    """Read the articles that share most rare words, names and numbers with a text, except for those that match it."""
    query, keys, _ = query_of(core, reader, text, when)
    looked = look_up(core, reader, [query], keys, collection)
    (hits,) = candidates(core, reader, [query], looked, at=query.when, collection=collection)
    chosen = [candidate for candidate in hits if candidate.witness.id not in matched][:MOST_CANDIDATES]
    texts = unpacked(reader.texts({candidate.witness.number for candidate in chosen}))
    return ContentCandidates(
        chosen, [texts.get(candidate.witness.number, "") for candidate in chosen], core.notices.common(reader)
    )


def matches_by_content(core: Core, further: ContentCandidates, text: str, encoder: Encoder) -> Iterable[Match]:
    """Yield the matches of a text with articles that have the same content. They join no cluster.

    Cost: that of the model for the sentences of all texts.
    """
    from whorl.matching.meaning import with_meaning

    pairs = [(other, text) for other in further.texts]
    all_judged = judge_many(pairs, USUAL, further.notices, translation=True) if pairs else []
    *ignored, of_text = further.notices.sought.ranges([*further.texts, text])
    for candidate, judged, (other, _), spans in zip(further.articles, all_judged, pairs, ignored, strict=True):
        comparison = comparison_of(judged, USUAL, authorised=False)
        comparison = with_meaning(comparison, other, text, encoder, (spans, of_text))
        if comparison.relation in ("reworded", "translation"):
            evidence = Evidence(*judged.figures(), judged, comparison)._replace(relation=comparison.relation)
            related = RelatedContent.from_evidence(candidate.content.number, evidence, core)
            yield ListedMatch(related, candidate.witness, None).match(core, evidence)


__all__ = ["ContentCandidates", "content_candidates", "demand_content", "demand_texts", "matches_by_content"]
