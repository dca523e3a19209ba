"""Immutable result types of comparisons, used by all layers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from whorl._internal.frozen import fast_constructor, frozen
from whorl.i18n import Language, Message, listed, say, say_many, spoken, translated
from whorl.types.cards import card
from whorl.types.comparison_parts import Changes, Exclusion, Facts, Flag, Passage, Ratios, Span
from whorl.types.percentages import adding_up, percent
from whorl.types.serialization import Plain, plain


@frozen
class Comparison:
    """Comparison of the examined text b with a source a. ``str()`` is a one-sentence summary.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> found = whorl.compare(text, text.replace("四十吨", "五十吨"))
    >>> found.relation, found.ratios.copied
    ('version', 1.0)

    Attributes:
        similarity: Jaccard similarity of the shingles of both texts, in [0, 1]; 1.0 for texts with the same normalized
            form, 0.0 for texts without features.
        a_in_b: share of the distinct shingles of a that b contains, in [0, 1].
        b_in_a: share of the distinct shingles of b that a contains, in [0, 1].
        passages: common passages, in the order of text b.
        relation: "exact" (same normalized body), "near_duplicate" (small edits, the facts agree), "version" (an earlier
            and a later state of one document), "excerpt" (one is contained in the other), "partial" (copied passages,
            but much of each text is original), "template" (the common text is a form, or the documents have different
            names and facts), "quotation" (the copied text is marked as quoted), "reworded" (the same content, hardly
            anything word for word), "translation" (the same content in another language) or "unrelated".
        direction: the derived text: "b" if b is an excerpt of a or quotes it, "a" for the reverse; None if neither
            derives from the other, or if that is unknown.
        confidence: confidence of the relation, in [0.5, 1]; 0.5 if a value is exactly at its threshold.
        copied: copied shares of the bodies of a and b, in [0, 1]: sentences with at least four fifths of their
            text, word for word, in the other text.
        reworded: shares of both bodies that are aligned with the other text but not copied; never added to ``copied``.
        facts: agreement of numbers and names in the passages.
        reprint: True if the relation is that of a copy, and the copied share of b reaches the minimum of a reprint.
        ratios: copied shares of b.
        changes: differences.
        flags: tricks that were undone, and embedded C2PA manifests.
        exclusions: text that was excluded by options.
        language: requested language of the sentence; None is the current one, and English in JSON.
    """

    similarity: float
    a_in_b: float
    b_in_a: float
    passages: tuple[Passage, ...]
    relation: str
    direction: str | None
    confidence: float
    copied: tuple[float, float]
    reworded: tuple[float, float]
    facts: Facts
    reprint: bool
    ratios: Ratios
    changes: Changes
    flags: tuple[Flag, ...]
    exclusions: tuple[Exclusion, ...]
    language: Language | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, including the sentence.

        >>> found.to_dict()["relation"] == found.relation
        True
        """
        return asdict(self) | former_keys(self) | {"sentence": self.describe(self.language or "en")}

    def describe(self, language: Language | None = None) -> str:
        """Render the sentence in a language; by default as ``str()`` does."""
        language = language or self.language or spoken()
        finding, changes = _findings(self), self.changes.describe(language)
        if not changes or self.relation in ("exact", "unrelated"):
            return str(translated(finding, language))
        return str(translated(say("{some}; {more}", some=finding, more=changes), language))

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return _html(self)


@frozen
class Composition:
    """Comparison of a text with many sources. ``str()`` is a one-sentence summary.

    >>> import whorl
    >>> harbour = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> rain = "明天有雨，出门请记得带伞，山区的道路可能会积水。"
    >>> found = whorl.compare_sources([harbour, rain], harbour + rain)
    >>> found.relation, [round(share, 2) for share in found.shares]
    ('compilation', [0.53, 0.47])

    Attributes:
        passages: passages from all sources, in the order of the text; ``b`` is the text, ``a`` the source with the
            number ``source``. They do not overlap in the text.
        shares: share of the text from each source, in [0, 1].
        relation: "compilation" if at least two sources contributed a tenth of the text each; otherwise the relation to
            the largest source.
        reprint: True if the copied share reaches the minimum of a reprint.
        ratios: copied shares of the text.
        comparisons: comparison with each contributing source, in the order of sources, on its assigned text only.
        language: requested language of the sentence; None is the current one, and English in JSON.
    """

    passages: tuple[Passage, ...]
    shares: tuple[float, ...]
    relation: str
    reprint: bool
    ratios: Ratios
    comparisons: tuple[Comparison, ...]
    language: Language | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, including the sentence.

        >>> found.to_dict()["relation"] == found.relation
        True
        """
        return asdict(self) | former_keys(self) | {"sentence": self.describe(self.language or "en")}

    def describe(self, language: Language | None = None) -> str:
        """Render the sentence in a language; by default as ``str()`` does."""
        return str(translated(_composed(self), language or self.language))

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return _html(self)


def former_keys(comparison: Comparison | Composition) -> dict[str, Any]:
    """Return deprecated JSON keys for existing readers: ``kind`` is the relation, ``close`` the copied share."""
    close = {"close": comparison.copied} if isinstance(comparison, Comparison) else {}
    return {"kind": comparison.relation, **close}


new_passage = fast_constructor(Passage)
new_ratios = fast_constructor(Ratios)
new_changes = fast_constructor(Changes)
new_facts = fast_constructor(Facts)
new_comparison = fast_constructor(Comparison)

_NAMED = 5


def _findings(comparison: Comparison) -> Message:
    copied, reworded = percent(comparison.ratios.copied), percent(comparison.ratios.reworded)
    if comparison.ratios.is_by_meaning:
        return say(
            "{meaning} of text B has the same content as text A, in other words",
            meaning=percent(comparison.ratios.meaning),
        )
    match comparison.relation:
        case "exact":
            return say("Text B is the same as text A")
        case "unrelated":
            return say("No passage of text A was found in text B")
        case "template":
            return say("Text B shares a form with text A, but the facts differ; {copied} is the same", copied=copied)
        case "reworded":
            if not comparison.ratios.copied:
                return say("{reworded} of text B is reworded from text A", reworded=reworded)
            return say(
                "{reworded} of text B is reworded from text A; {copied} is copied word for word",
                reworded=reworded,
                copied=copied,
            )
        case "translation":
            return say(
                "{translated} of text B says the same as text A in another language",
                translated=percent(comparison.ratios.translated),
            )
        case "quotation":
            return say("{copied} of text B is in text A, marked as a quotation", copied=copied)
        case _:
            return say("{copied} of text B is in text A", copied=copied)


def _composed(composition: Composition) -> Message:
    giving = sorted(((share, number + 1) for number, share in enumerate(composition.shares) if share), reverse=True)
    if not giving and composition.ratios.translated:
        return say(
            "{translated} of the text says the same as its sources in another language",
            translated=percent(composition.ratios.translated),
        )
    if composition.ratios.is_by_meaning:
        return say(
            "{meaning} of the text has the same content as its sources, in other words",
            meaning=percent(composition.ratios.meaning),
        )
    if not giving:
        return say("No passage of a source was found in the text")
    shares = adding_up([100 * share for share, _ in giving], round(100 * composition.ratios.copied))
    parts = [
        say("source {number} {share}", number=number, share=_whole(share))
        for (_, number), share in zip(giving, shares, strict=True)
    ]
    named = listed(parts[:_NAMED])
    if len(parts) > _NAMED:
        named = say_many(
            "{named}, {count:,} other {share} together",
            "{named}, {count:,} others {share} together",
            len(parts) - _NAMED,
            named=named,
            share=_whole(sum(shares[_NAMED:])),
        )
    return say_many(
        "{copied} of the text is in {count:,} source: {named}",
        "{copied} of the text is in {count:,} sources: {named}",
        len(parts),
        copied=percent(composition.ratios.copied),
        named=named,
    )


def _whole(percents: int) -> str:
    return f"{percents}%" if percents else "<1%"


def _html(comparison: Comparison | Composition) -> str:
    """Return a card with the sentence, ratios and passages; `whorl.evidence.render_comparison` also shows the texts."""
    facts = [
        ("relation", comparison.relation),
        *((name, percent(share)) for name, share in asdict(comparison.ratios).items()),
    ]
    rows = (
        (
            number,
            passage.kind,
            percent(passage.similarity),
            f"{passage.source + 1}: {passage.a_start:,}–{passage.a_end:,}",
            f"{passage.b_start:,}–{passage.b_end:,}",
        )
        for number, passage in enumerate(comparison.passages, start=1)
    )
    columns = ("", "kind", "=", say("source"), say("text"))
    return card(str(comparison), facts, columns=columns, rows=rows, count=len(comparison.passages))


__all__ = [
    "Changes",
    "Comparison",
    "Composition",
    "Exclusion",
    "Facts",
    "Flag",
    "Passage",
    "Plain",
    "Ratios",
    "Span",
    "adding_up",
    "new_changes",
    "new_comparison",
    "new_facts",
    "new_passage",
    "new_ratios",
    "percent",
    "plain",
]
