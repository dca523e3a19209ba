"""What a comparison is called and said to be, for people."""

from __future__ import annotations

from whorl.language import Language, Message, say, say_many, translated
from whorl.model import Comparison, Composition
from whorl.reports.shares import share

RELATIONS = {
    "exact": say("exact duplicate"),
    "near_duplicate": say("near-duplicate"),
    "version": say("another version"),
    "excerpt": say("excerpt"),
    "compilation": say("compiled from several sources"),
    "partial": say("partly copied"),
    "template": say("same form, other facts"),
    "quotation": say("quotation"),
    "reworded": say("reworded"),
    "translation": say("translation"),
    "unrelated": say("unrelated"),
}
"""The relations of two texts, for people."""
_DIRECTED = {
    ("excerpt", "b"): say("is an excerpt of it"),
    ("excerpt", "a"): say("contains it"),
    ("compilation", "b"): say("holds it among other stories"),
    ("compilation", "a"): say("is one of several stories in it"),
}
"""What a text is to the other one of a match, by the relation and by which of both derives: "b" is the text."""


def directed(relation: str, direction: str | None) -> Message | str:
    """Return what a text is to the other one of a match."""
    return _DIRECTED.get((relation, direction or ""), RELATIONS.get(relation, relation))


PASSAGES = {
    "verbatim": say("verbatim"),
    "typography": say("typography"),
    "script": say("other script"),
    "noise": say("idle signs put in"),
    "characters": say("characters changed"),
    "homophones": say("homophones"),
    "rewritten": say("rewritten"),
}
"""The kinds of passages."""

FRAMES = {"title": say("title"), "byline": say("authors, editors, sources")}
CHANGES = {
    "characters": say("characters replaced"),
    "homophones": say("of these homophones"),
    "look_alikes": say("look-alikes in the place of other characters"),
    "script": say("characters in the other script"),
    "noise": say("idle signs put in"),
    "order": say("passages in another order"),
    "inserted": say("characters only in the text"),
    "deleted": say("characters only in the source"),
}
"""What was changed, by the fields of ``Changes``."""

FLAGS = {
    "hidden": say("invisible characters"),
    "look_alikes": say("look-alikes in the place of other characters"),
    "homophones": say("homophones in the place of other characters"),
}
"""Tricks that were undone."""

EXCLUSIONS = {
    "quotations": say("quotations"),
    "references": say("references"),
    "boilerplate": say("boilerplate"),
    "least": say("passages that are too short"),
}
"""What was left out, by the reasons of ``Exclusion``."""

RATIOS = {
    "copied": say("copied"),
    "reworded": say("reworded"),
    "unquoted": say("without quotations and references"),
    "foreign": say("without own and authorised sources"),
    "largest": say("largest single source"),
    "quoted_uncited": say("quoted without naming a source"),
}
"""The shares, by the fields of ``Ratios``."""

ROLES = {
    "original": say("probable original"),
    "copy": say("copy"),
    "reprint": say("reprint with leave"),
    "syndication": say("by the same author"),
    "undetermined": say("undetermined"),
}
"""What a member of a cluster probably is."""

REVIEWS = {
    "pending": say("pending"),
    "confirmed": say("confirmed"),
    "rejected": say("dismissed"),
    "authorised": say("authorised"),
}
"""What people decide about matches."""

_SAME = say("The text is the same as its source")
_NOTHING = say("No passage of a source was found in the text")


def headline(found: Comparison | Composition, giving: int, sources: int) -> Message:
    """Return what was found, as one sentence.

    Args:
        found: the comparison.
        giving: how many sources gave something.
        sources: how many there are.
    """
    ratios = found.ratios
    copied, reworded = share(ratios.copied), share(ratios.reworded)
    if found.relation == "exact" and sources == 1:
        return _SAME
    if found.relation == "reworded" and sources == 1:
        if not ratios.copied:
            return say("{reworded} of the text is reworded from its source", reworded=reworded)
        return say(
            "{reworded} of the text is reworded from its source; {copied} is copied word for word",
            reworded=reworded,
            copied=copied,
        )
    if not giving:
        return _NOTHING
    if found.relation == "template" and sources == 1:
        return say(
            "The text and its source are the same form with different facts; {copied} is the same", copied=copied
        )
    if found.relation == "quotation" and sources == 1:
        return say("{copied} of the text is quoted from its source", copied=copied)
    if sources == 1:
        return say("{copied} of the text stands in its source", copied=copied)
    return say_many(
        "{copied} of the text stands in one source",
        "{copied} of the text stands in {count:,} sources",
        giving,
        copied=copied,
    )


def told(found: Comparison, language: Language | None = None) -> str:
    """Return what a text is to its source, and what was changed, in a language, by default the one that is spoken."""
    kind, changes = RELATIONS.get(found.relation, found.relation), found.changes.told(language)
    own = say("{kind}; {changes}", kind=kind, changes=changes) if changes else kind
    return str(translated(own, language))


__all__ = [
    "CHANGES",
    "EXCLUSIONS",
    "FLAGS",
    "FRAMES",
    "PASSAGES",
    "RATIOS",
    "RELATIONS",
    "REVIEWS",
    "ROLES",
    "headline",
    "told",
]
