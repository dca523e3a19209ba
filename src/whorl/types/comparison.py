"""Immutable result types of comparisons, used by all layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, make_dataclass
from datetime import datetime
from functools import reduce
from typing import Any, TypeVar

from whorl.i18n import Language, Message, listed, say, say_many, spoken, translated
from whorl.types.cards import NotebookCard, card

Span = tuple[int, int]
_Instance = TypeVar("_Instance")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text a that occurs in text b, with its changes.

    >>> import whorl
    >>> text = "据悉，渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> [passage] = whorl.compare("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。", text).passages
    >>> text[passage.b_start : passage.b_end]
    '渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。'

    ``a[passage.a_start:passage.a_end]`` is the passage in text a; offsets are code points of the original texts.

    Attributes:
        a_start: start in text a.
        a_end: end in text a, exclusive.
        b_start: start in text b.
        b_end: end in text b, exclusive.
        similarity: share of the folded code points of both sides that are aligned and equal, in (0, 1].
        kind: the most important change: "verbatim" none; "typography" width, letter case, spaces or punctuation;
            "script" traditional or simplified characters; "noise" inserted filler characters; "characters" single
            characters or words; "homophones" characters of the same sound; "rewritten" more than a third of it.
        moved: True if its order differs from that of the other passages.
        matched: number of equal folded code points.
        replaced: number of replaced folded code points.
        homophones: number of these that are Han characters of the same sound.
        inserted: number of folded code points only in text b.
        deleted: number of folded code points only in text a.
        script: number of characters written in the other script.
        noise: number of invisible and filler characters that text b has in addition.
        source: number of the source (text a); 0 if there is a single source.
    """

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    similarity: float
    kind: str
    moved: bool
    matched: int
    replaced: int
    homophones: int
    inserted: int
    deleted: int
    script: int
    noise: int
    source: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences of text b from text a.

    >>> import whorl
    >>> changes = whorl.compare("渔港的冰厂今年夏天添了两台新机器。", "渔港的冰厂去年夏天添了两台新机器。").changes
    >>> changes.characters, changes.describe("en")
    (1, 'changed: 1 character')

    Attributes:
        title: True if the titles differ; None if a text has no title.
        byline: True if the lines that name authors, editors or sources differ.
        characters: folded code points replaced in passages, including homophones and names in bylines.
        homophones: number of these that are characters of the same sound.
        look_alikes: look-alike characters that b has in addition; they are restored before the comparison.
        script: characters written in the other script, traditional or simplified.
        noise: inserted invisible and filler characters.
        order: number of moved passages.
        inserted: folded code points of the body of b that a does not have.
        deleted: folded code points of the body of a that b does not have.
    """

    title: bool | None
    byline: bool
    characters: int
    homophones: int
    look_alikes: int
    script: int
    noise: int
    order: int
    inserted: int
    deleted: int

    def describe(self, language: Language | None = None) -> str:
        """Summarize the changes in a few words; empty for no changes, and for insertions and deletions only.

        Args:
            language: language of the summary; None is the current one.
        """
        return _spaced(translated(_changed(self), language))


@dataclass(frozen=True, slots=True)
class Flag:
    """A trick that hides a copy from a search; it is undone before the comparison.

    >>> import whorl
    >>> spoilt = "渔港的冰厂今年添了两台新机器。".replace("冰厂", chr(0x200B) + "冰厂")
    >>> whorl.compare("渔港的冰厂今年添了两台新机器。", spoilt).flags
    (Flag(kind='hidden', text='b', count=1),)

    Attributes:
        kind: "hidden", invisible characters and characters hidden by the formatting of a document; "look_alikes",
            characters replaced by others of the same look; "homophones", characters replaced by others of the same
            sound: at least two, and more than half of the replaced Han characters.
        text: "a" or "b".
        count: number of characters.
    """

    kind: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Ratios:
    """Copied shares of the body of text b, each in [0, 1] of its folded code points.

    >>> import whorl
    >>> text = "渔港的冰厂今年添了两台新机器。"
    >>> ratios = whorl.compare(text, text + "明天有雨，记得带伞。").ratios
    >>> round(ratios.copied, 2), round(ratios.unquoted, 2)
    (0.64, 0.64)

    A quotation is enclosed in quotation marks within one paragraph, or over several if each opens with the mark, or is
    a block that Markdown or LaTeX marks as quoted. Only the marks in text b count.

    Attributes:
        copied: copied word for word, with tricks undone: see ``Comparison.copied``.
        reworded: aligned with a source, but not copied. Never added to ``copied``.
        unquoted: copied and outside of quotations and references. It is a share of the whole body, as ``copied`` is,
            and never larger than that.
        foreign: ``copied`` without sources that are the author's own or authorised.
        largest: share from the source that contributed most.
        quoted_uncited: share of passages in quotations that name no source. A source is named in the sentence before,
            after or around a quotation: by a verb of saying (张三说：, said), 来源, 引自 or 据…报道, a title between
            《》, a note or reference ([1], ①, ¹, a LaTeX citation, author and year in parentheses), or a dash and a
            name below it. It is not verified that the source is the right one. Titles of works, and quotations within
            reference lists, do not count. Never larger than ``copied``; 0 if quotations are excluded.
    """

    copied: float
    reworded: float
    unquoted: float
    foreign: float
    largest: float
    quoted_uncited: float = 0.0


@dataclass(frozen=True, slots=True)
class Facts:
    """Agreement of the facts of two texts within their passages.

    >>> import whorl
    >>> form = "渔港气象台{}月{}日预报：今天白天到夜间全市多云，最低气温{}度，最高{}度，请市民注意添加衣物。"
    >>> whorl.compare(form.format(3, 5, 6, 15), form.format(11, 21, 2, 4)).facts
    Facts(agreeing=0, differing=4, other_words=0)

    Attributes:
        agreeing: numbers aligned with an equal number.
        differing: numbers aligned with a different number.
        other_words: slots with different words, such as names: two or more words replaced by two or more.
    """

    agreeing: int
    differing: int
    other_words: int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Text that was excluded by an option.

    >>> import whorl
    >>> source, text = "渔港的冰厂今年添了两台新机器。", "他说：“渔港的冰厂今年添了两台新机器。”"
    >>> whorl.compare(source, text, exclude=["quotations"]).exclusions
    (Exclusion(reason='quotations', characters=17, passages=1),)

    Attributes:
        reason: "quotations", "references", "boilerplate"; or "least" for passages that are too short.
        characters: code points of text b that are excluded; for "least", equal folded code points of the passages.
        passages: number of detected passages that are not reported.
    """

    reason: str
    characters: int
    passages: int


@dataclass(frozen=True, slots=True)
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
            anything word for word) or "unrelated".
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
        flags: tricks that were undone.
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


@dataclass(frozen=True, slots=True)
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


def _maker(kind: type[_Instance]) -> Callable[..., _Instance]:
    """Return a fast constructor for a frozen dataclass with slots, which takes the values of all fields.

    It sets the values on an unfrozen twin with the same slots, then changes its class. This takes a fifth of the time.
    """
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    twin = make_dataclass(f"_New{kind.__name__}", names, slots=True, eq=False, repr=False)

    def make(*values: object) -> _Instance:
        instance: Any = twin(*values)
        instance.__class__ = kind
        return instance  # type: ignore[no-any-return]

    return make


new_passage = _maker(Passage)
new_ratios = _maker(Ratios)
new_changes = _maker(Changes)
new_facts = _maker(Facts)
new_comparison = _maker(Comparison)

_NAMED = 5


def adding_up(parts: Sequence[float], whole: int) -> list[int]:
    """Round parts to integers that add up to a whole, by largest remainders.

    Args:
        parts: nonnegative parts.
        whole: their rounded sum.
    """
    rounded = [int(part) for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda place: (rounded[place] - parts[place], place))
    for place in by_remainder[: max(0, whole - sum(rounded))]:
        rounded[place] += 1
    return rounded


def plain(data: Any) -> dict[str, Any]:
    """Convert a dataclass to plain data for JSON, recursively; times become ISO 8601."""
    return {name: _plain(value) for name, value in asdict(data).items()}


class Plain(NotebookCard):
    """Base of dataclasses that convert to plain data and have a notebook card."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return plain(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def percent(share: float) -> str:
    """Format a share as a percentage, a small one with a digit; only 1 is 100 %, and only 0 is 0 %."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0 < share < 0.00995:
        return f"{100 * share:.1f}%"
    whole = round(100 * share)
    return f"{min(whole, 99) if share < 1 else whole}%"


def _findings(comparison: Comparison) -> Message:
    copied, reworded = percent(comparison.ratios.copied), percent(comparison.ratios.reworded)
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
        case "quotation":
            return say("{copied} of text B stands in text A, marked as a quotation", copied=copied)
        case _:
            return say("{copied} of text B stands in text A", copied=copied)


def _changed(changes: Changes) -> str:
    named = [say("the title")] if changes.title else []
    named += [say("the byline")] if changes.byline else []
    counted = (
        say_many("{count:,} character", "{count:,} characters", changes.characters - changes.homophones),
        say_many("{count:,} homophone", "{count:,} homophones", changes.homophones),
        say_many("{count:,} look-alike", "{count:,} look-alikes", changes.look_alikes),
        say_many("{count:,} character in the other script", "{count:,} characters in the other script", changes.script),
        say_many("the order of {count:,} passage", "the order of {count:,} passages", changes.order),
    )
    named += [message for message in counted if message.number]
    put_in = say_many("put in: {count:,} idle sign", "put in: {count:,} idle signs", changes.noise)
    parts = [say("changed: {things}", things=_and(named))] if named else []
    parts += [put_in] if changes.noise else []
    return reduce(lambda some, more: say("{some}; {more}", some=some, more=more), parts) if parts else ""


def _and(things: Sequence[Message]) -> Message:
    *some, last = things
    return say("{some} and {last}", some=listed(some), last=last) if some else last


def _spaced(text: str) -> str:
    """Insert a space between a Han character and a following number."""
    return re.sub("(?<=[了和])(?=[0-9])", " ", text)


def _composed(composition: Composition) -> Message:
    giving = sorted(((share, number + 1) for number, share in enumerate(composition.shares) if share), reverse=True)
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
        "{copied} of the text stands in {count:,} source: {named}",
        "{copied} of the text stands in {count:,} sources: {named}",
        len(parts),
        copied=percent(composition.ratios.copied),
        named=named,
    )


def _whole(percents: int) -> str:
    return f"{percents}%" if percents else "<1%"


def _html(comparison: Comparison | Composition) -> str:
    """Return a card with the sentence, the ratios and the passages; `whorl.render_comparison` also shows the texts."""
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
