"""Wording of comparison results: labels of kinds, relations and changes, and the headline."""

from __future__ import annotations

from collections.abc import Iterator

from whorl.i18n import Language, Message, say, say_many, translated
from whorl.reports.comparison.shares import share
from whorl.types.comparison import Comparison, Composition, Ratios

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
"""Labels of the relations of two texts."""
_DIRECTED = {
    ("excerpt", "b"): say("is an excerpt of it"),
    ("excerpt", "a"): say("contains it"),
    ("compilation", "b"): say("contains it among other stories"),
    ("compilation", "a"): say("is one of several stories in it"),
}
"""Labels of directed relations, by relation and by the derived text; "b" is the examined text."""


def directed(relation: str, direction: str | None) -> Message | str:
    """Return the label of the relation of a text to the other text of a match."""
    return _DIRECTED.get((relation, direction or ""), RELATIONS.get(relation, relation))


PASSAGES = {
    "verbatim": say("verbatim"),
    "typography": say("typography"),
    "script": say("other script"),
    "noise": say("inserted filler characters"),
    "characters": say("characters changed"),
    "homophones": say("homophones"),
    "rewritten": say("rewritten"),
    "translated": say("translated"),
    "meaning": say("same content in other words"),
}
"""Labels of the kinds of passages."""

FRAMES = {"title": say("title"), "byline": say("authors, editors, sources")}
CHANGES = {
    "characters": say("characters replaced"),
    "homophones": say("of these homophones"),
    "look_alikes": say("look-alikes in the place of other characters"),
    "script": say("characters in the other script"),
    "noise": say("inserted filler characters"),
    "order": say("passages in another order"),
    "inserted": say("characters only in the text"),
    "deleted": say("characters only in the source"),
}
"""Labels of changes, by the fields of ``Changes``."""

FLAGS = {
    "hidden": say("invisible characters"),
    "look_alikes": say("look-alikes in the place of other characters"),
    "homophones": say("homophones in the place of other characters"),
    "manifest": say("invisible characters of a C2PA manifest, a signed statement of origin"),
}
"""Labels of tricks that were undone, and of embedded manifests."""

EXCLUSIONS = {
    "quotations": say("quotations"),
    "references": say("references"),
    "boilerplate": say("boilerplate"),
    "least": say("passages that are too short"),
}
"""Labels of exclusions, by the reasons of ``Exclusion``."""

RATIOS = {
    "copied": say("copied"),
    "reworded": say("reworded"),
    "unquoted": say("without quotations and references"),
    "foreign": say("without own and authorised sources"),
    "largest": say("largest single source"),
    "quoted_uncited": say("quoted without naming a source"),
}
"""Labels of the shares, by the fields of ``Ratios``."""
_TRANSLATED = say("the same in another language")
_MEANING = say("the same content in other words, by meaning")


def labelled(ratios: Ratios) -> Iterator[tuple[Message, float]]:
    """Yield the shares with their labels; those of translations and by meaning only if there are any."""
    for name, label in RATIOS.items():
        yield label, getattr(ratios, name)
    if ratios.translated:
        yield _TRANSLATED, ratios.translated
    if ratios.meaning:
        yield _MEANING, ratios.meaning


ROLES = {
    "original": say("probable original"),
    "copy": say("copy"),
    "reprint": say("reprint with permission"),
    "syndication": say("by the same author"),
    "undetermined": say("undetermined"),
}
"""Labels of the probable roles of cluster members."""

REVIEWS = {
    "pending": say("pending"),
    "confirmed": say("confirmed"),
    "rejected": say("dismissed"),
    "authorised": say("authorised"),
}
"""Labels of the decisions about matches."""

_SAME = say("The text is the same as its source")
_NOTHING = say("No passage of a source was found in the text")


def headline(comparison: Comparison | Composition, giving: int, sources: int) -> Message:
    """Summarize a comparison in one sentence.

    Args:
        comparison: result of the comparison.
        giving: number of sources that contributed text.
        sources: number of all sources.
    """
    ratios = comparison.ratios
    copied, reworded = share(ratios.copied), share(ratios.reworded)
    if comparison.relation == "exact" and sources == 1:
        return _SAME
    if ratios.is_by_meaning:
        return say_many(
            "{meaning} of the text has the same content as its source, in other words",
            "{meaning} of the text has the same content as its sources, in other words",
            sources,
            meaning=share(ratios.meaning),
        )
    if comparison.relation == "reworded" and sources == 1:
        if not ratios.copied:
            return say("{reworded} of the text is reworded from its source", reworded=reworded)
        return say(
            "{reworded} of the text is reworded from its source; {copied} is copied word for word",
            reworded=reworded,
            copied=copied,
        )
    if comparison.relation == "translation":
        return say_many(
            "{translated} of the text says the same as its source in another language",
            "{translated} of the text says the same as its sources in another language",
            sources,
            translated=share(ratios.translated),
        )
    if not giving:
        return _NOTHING
    if comparison.relation == "template" and sources == 1:
        return say(
            "The text and its source are the same form with different facts; {copied} is the same", copied=copied
        )
    if comparison.relation == "quotation" and sources == 1:
        return say("{copied} of the text is quoted from its source", copied=copied)
    if sources == 1:
        return say("{copied} of the text is in its source", copied=copied)
    return say_many(
        "{copied} of the text is in one source",
        "{copied} of the text is in {count:,} sources",
        giving,
        copied=copied,
    )


def describe(comparison: Comparison, language: Language | None = None) -> str:
    """Describe the relation of a text to its source and the changes; None is the current language."""
    kind, changes = RELATIONS.get(comparison.relation, comparison.relation), comparison.changes.describe(language)
    summary = say("{kind}; {changes}", kind=kind, changes=changes) if changes else kind
    return str(translated(summary, language))


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
    "describe",
    "headline",
    "labelled",
]
