"""The frozen data that judgement gives and everything above passes around."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, make_dataclass
from datetime import datetime
from functools import reduce
from typing import Any, TypeVar

from whorl.cards import Shown, card
from whorl.language import Language, Message, listed, say, say_many, spoken, translated

Span = tuple[int, int]
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text a that stands in text b, and how it was changed.

    >>> import whorl
    >>> text = "据悉，渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> [passage] = whorl.compare("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。", text).passages
    >>> text[passage.b_start : passage.b_end]
    '渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。'

    ``a[passage.a_start:passage.a_end]`` is the passage as text a has it; offsets are code points of the original texts.

    Attributes:
        a_start: where it starts in text a.
        a_end: where it ends there, exclusive.
        b_start: where it starts in text b.
        b_end: where it ends there, exclusive.
        similarity: the share of the folded code points of both stretches that stand aligned and are equal, in (0, 1].
        kind: what changed most: "verbatim" nothing; "typography" width, letter case, spaces or punctuation; "script"
            traditional or simplified characters; "noise" idle signs put between; "characters" single characters or
            words; "homophones" characters that sound alike; "rewritten" more than a third of it.
        moved: whether it stands in another order than the other passages.
        matched: folded code points that are equal.
        replaced: folded code points that are others.
        homophones: of those replaced, Han characters that sound alike.
        inserted: folded code points that only text b has.
        deleted: folded code points that only text a has.
        script: characters written in the other script.
        noise: invisible characters and idle signs that text b has more of.
        source: the number of the source that text a is; 0 where there is one.
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
    """What distinguishes text b from text a.

    >>> import whorl
    >>> changes = whorl.compare("渔港的冰厂今年夏天添了两台新机器。", "渔港的冰厂去年夏天添了两台新机器。").changes
    >>> changes.characters, changes.told("en")
    (1, 'changed: 1 character')

    Attributes:
        title: whether the titles differ; None where a text has none.
        byline: whether the lines that name authors, editors or sources differ.
        characters: folded code points replaced in passages, homophones and the names of bylines included.
        homophones: of those, characters that sound alike.
        look_alikes: characters in the place of others that look the same, which b has more of; they were put back
            before the texts were compared.
        script: characters written in the other script, traditional or simplified.
        noise: invisible characters and idle signs put between.
        order: passages that stand in another order.
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

    def told(self, language: Language | None = None) -> str:
        """Return what was changed in a few words; empty for nothing, and for what was only added or left out.

        Args:
            language: None is the one that is spoken.
        """
        return _spaced(translated(_changed(self), language))


@dataclass(frozen=True, slots=True)
class Flag:
    """A trick that hides a copy from a search, and that was undone before the texts were compared.

    >>> import whorl
    >>> spoilt = "渔港的冰厂今年添了两台新机器。".replace("冰厂", chr(0x200B) + "冰厂")
    >>> whorl.compare("渔港的冰厂今年添了两台新机器。", spoilt).flags
    (Flag(kind='hidden', text='b', count=1),)

    Attributes:
        kind: "hidden" invisible characters, and characters of a document that its formatting hides; "look_alikes"
            characters in the place of others that look the same; "homophones" characters in the place of others that
            sound the same: at least two, and more than half of the Han characters that were replaced.
        text: "a" or "b".
        count: how many.
    """

    kind: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Ratios:
    """How much of the body of text b is copied, each a share in [0, 1] of folded code points.

    >>> import whorl
    >>> text = "渔港的冰厂今年添了两台新机器。"
    >>> ratios = whorl.compare(text, text + "明天有雨，记得带伞。").ratios
    >>> round(ratios.copied, 2), round(ratios.unquoted, 2)
    (0.64, 0.64)

    Quotations stand between quotation marks of one paragraph, or of several if each of them opens with the mark, or in
    blocks that Markdown or LaTeX marks as quoted. Only the marks in text b count.

    Attributes:
        copied: word for word, with tricks undone: see ``Comparison.copied``.
        reworded: that is aligned with a source and not copied. Never added to ``copied``.
        unquoted: what is copied and stands neither in a quotation nor in a reference. It is a share of the whole body,
            as ``copied`` is, and never larger than that.
        foreign: the same as ``copied``, without passages from sources that are the author's own or authorised.
        largest: share that comes from the source with the most.
        quoted_uncited: share in passages and in quotations that name no source. A source is named in the sentence
            before or after a quotation, or in the one around it: by a verb of saying (张三说：, said), 来源, 引自 or
            据…报道, the name of a work between 《》, a note or reference ([1], ①, ¹, a citation of LaTeX, author and
            year in parentheses), or a dash and a name below it. Whether the source is the right one is not known.
            Names of works and quotations within lists of references do not count. Never larger than ``copied``; 0 if
            quotations are excluded.
    """

    copied: float
    reworded: float
    unquoted: float
    foreign: float
    largest: float
    quoted_uncited: float = 0.0


@dataclass(frozen=True, slots=True)
class Facts:
    """How far two texts agree on their facts, over the passages that they share.

    >>> import whorl
    >>> form = "渔港气象台{}月{}日预报：今天白天到夜间全市多云，最低气温{}度，最高{}度，请市民注意添加衣物。"
    >>> whorl.compare(form.format(3, 5, 6, 15), form.format(11, 21, 2, 4)).facts
    Facts(agreeing=0, differing=4, other_words=0)

    Attributes:
        agreeing: numbers that stand opposite the same number.
        differing: numbers that stand opposite another number.
        other_words: slots that are filled with other words, such as names: two or more in the place of two or more.
    """

    agreeing: int
    differing: int
    other_words: int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What was left out, by choice.

    >>> import whorl
    >>> source, text = "渔港的冰厂今年添了两台新机器。", "他说：“渔港的冰厂今年添了两台新机器。”"
    >>> whorl.compare(source, text, exclude=["quotations"]).exclusions
    (Exclusion(reason='quotations', characters=17, passages=1),)

    Attributes:
        reason: "quotations", "references", "boilerplate"; or "least", passages that are too short.
        characters: code points of text b that have this role; for "least", equal folded code points of the passages.
        passages: passages that were found and are not reported.
    """

    reason: str
    characters: int
    passages: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What text b has from text a. ``str()`` of it is one plain sentence.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> found = whorl.compare(text, text.replace("四十吨", "五十吨"))
    >>> found.relation, found.ratios.copied
    ('version', 1.0)

    Attributes:
        similarity: the exact Jaccard similarity of the shingles of both texts, in [0, 1]; 1.0 for texts that fold to
            the same, 0.0 for texts without features.
        a_in_b: the share of the distinct shingles of a that b has, in [0, 1].
        b_in_a: the share of the distinct shingles of b that a has, in [0, 1].
        passages: what they share, in the order of text b.
        relation: "exact" (same normalised body), "near_duplicate" (small edits, the facts agree), "version" (an earlier
            and a later state of one document), "excerpt" (one is contained in the other), "partial" (copied passages,
            and much of each text is its own), "template" (the common text is a form or the name of the document
            differs; the facts are others), "quotation" (what is copied is marked as quoted), "reworded" (the same
            content, hardly anything word for word) or "unrelated".
        direction: which text derives from the other: "b" if b is an excerpt of a or quotes it, "a" the other way; None
            where neither does, or where it is not known.
        confidence: how sure the relation is, in [0.5, 1]; 0.5 where a figure is at the line that it had to cross.
        copied: the shares of the bodies of a and of b, in [0, 1], that are copied: they lie in sentences of which the
            other text has at least four fifths word for word.
        reworded: the shares of both that are aligned with the other text and not copied. Never added to the former.
        facts: how the numbers and names in the passages agree.
        reprint: whether the copied share of b reaches the one from which a text counts as a reprint, and the relation
            is that of a copy.
        ratios: how much of b is copied.
        changes: what differs.
        flags: tricks that were undone.
        exclusions: what was left out, by choice.
        language: of the sentence, where one was asked for; None is the one that is spoken, and in JSON English.
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
        """Return this as plain data for JSON, with the sentence.

        >>> found.to_dict()["relation"] == found.relation
        True
        """
        return asdict(self) | former_keys(self) | {"sentence": self.told(self.language or "en")}

    def told(self, language: Language | None = None) -> str:
        """Return the sentence in a language, by default that of ``str()``."""
        language = language or self.language or spoken()
        found, changes = _found(self), self.changes.told(language)
        if not changes or self.relation in ("exact", "unrelated"):
            return str(translated(found, language))
        return str(translated(say("{some}; {more}", some=found, more=changes), language))

    def __str__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        return _html(self)


@dataclass(frozen=True, slots=True)
class Composition:
    """What a text has from each of many sources. ``str()`` of it is one plain sentence.

    >>> import whorl
    >>> harbour = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> rain = "明天有雨，出门请记得带伞，山区的道路可能会积水。"
    >>> found = whorl.compare_sources([harbour, rain], harbour + rain)
    >>> found.relation, [round(share, 2) for share in found.shares]
    ('compilation', [0.53, 0.47])

    Attributes:
        passages: what it has from any source, in its order; ``b`` is the text, ``a`` the source with the number
            ``source``. No two overlap in the text.
        shares: of the text, from each source, in [0, 1].
        relation: "compilation" where two sources or more give a tenth of the text each; else the relation to the
            largest source.
        reprint: whether the copied share reaches the one from which a text counts as a reprint.
        ratios: how much of the text is copied.
        comparisons: with each source that gave something, in the order of the sources, of what belongs to no other.
        language: of the sentence, where one was asked for; None is the one that is spoken, and in JSON English.
    """

    passages: tuple[Passage, ...]
    shares: tuple[float, ...]
    relation: str
    reprint: bool
    ratios: Ratios
    comparisons: tuple[Comparison, ...]
    language: Language | None

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON, with the sentence.

        >>> found.to_dict()["relation"] == found.relation
        True
        """
        return asdict(self) | former_keys(self) | {"sentence": self.told(self.language or "en")}

    def told(self, language: Language | None = None) -> str:
        """Return the sentence in a language, by default that of ``str()``."""
        return str(translated(_composed(self), language or self.language))

    def __str__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        return _html(self)


def former_keys(found: Comparison | Composition) -> dict[str, Any]:
    """Return what programs that read JSON knew under other keys: ``kind`` is the relation, ``close`` what is copied."""
    close = {"close": found.copied} if isinstance(found, Comparison) else {}
    return {"kind": found.relation, **close}


def _maker(kind: type[_Made]) -> Callable[..., _Made]:
    """Return what makes a frozen dataclass with slots of the values of all its fields, in a fifth of the time.

    The values are set in a twin that is not frozen and has the same slots, which then becomes one of its kind.
    """
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    twin = make_dataclass(f"_New{kind.__name__}", names, slots=True, eq=False, repr=False)

    def make(*values: object) -> _Made:
        made: Any = twin(*values)
        made.__class__ = kind
        return made  # type: ignore[no-any-return]

    return make


new_passage = _maker(Passage)
new_ratios = _maker(Ratios)
new_changes = _maker(Changes)
new_facts = _maker(Facts)
new_comparison = _maker(Comparison)

_NAMED = 5


def adding_up(parts: Sequence[float], whole: int) -> list[int]:
    """Return parts as whole numbers that add up to a whole, by largest remainders.

    Args:
        parts: not negative.
        whole: their sum, rounded.
    """
    rounded = [int(part) for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda place: (rounded[place] - parts[place], place))
    for place in by_remainder[: max(0, whole - sum(rounded))]:
        rounded[place] += 1
    return rounded


def plain(data: Any) -> dict[str, Any]:
    """Return a dataclass as plain data for JSON: its fields, and theirs; times as ISO 8601."""
    return {name: _plain(value) for name, value in asdict(data).items()}


class Plain(Shown):
    """A dataclass that can be told as plain data, and shown in a notebook."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return plain(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def percent(share: float) -> str:
    """Return a share as whole percents, a small one with a digit; only the whole is 100 %, and only nothing is 0 %."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0 < share < 0.00995:
        return f"{100 * share:.1f}%"
    whole = round(100 * share)
    return f"{min(whole, 99) if share < 1 else whole}%"


def _found(comparison: Comparison) -> Message:
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
    named += [one for one in counted if one.number]
    put_in = say_many("put in: {count:,} idle sign", "put in: {count:,} idle signs", changes.noise)
    parts = [say("changed: {things}", things=_and(named))] if named else []
    parts += [put_in] if changes.noise else []
    return reduce(lambda some, more: say("{some}; {more}", some=some, more=more), parts) if parts else ""


def _and(things: Sequence[Message]) -> Message:
    *some, last = things
    return say("{some} and {last}", some=listed(some), last=last) if some else last


def _spaced(text: str) -> str:
    """With a space between a character and the number behind it."""
    return re.sub("(?<=[了和])(?=[0-9])", " ", text)


def _composed(composition: Composition) -> Message:
    giving = sorted(((share, number + 1) for number, share in enumerate(composition.shares) if share), reverse=True)
    if not giving:
        return say("No passage of a source was found in the text")
    shares = adding_up([100 * share for share, _ in giving], round(100 * composition.ratios.copied))
    told = [
        say("source {number} {share}", number=number, share=_whole(share))
        for (_, number), share in zip(giving, shares, strict=True)
    ]
    named = listed(told[:_NAMED])
    if len(told) > _NAMED:
        named = say_many(
            "{named}, {count:,} other {share} together",
            "{named}, {count:,} others {share} together",
            len(told) - _NAMED,
            named=named,
            share=_whole(sum(shares[_NAMED:])),
        )
    return say_many(
        "{copied} of the text stands in {count:,} source: {named}",
        "{copied} of the text stands in {count:,} sources: {named}",
        len(told),
        copied=percent(composition.ratios.copied),
        named=named,
    )


def _whole(percents: int) -> str:
    return f"{percents}%" if percents else "<1%"


def _html(found: Comparison | Composition) -> str:
    """The sentence, the ratios, and where passages stand; `whorl.render_comparison` shows texts besides."""
    facts = [("relation", found.relation), *((name, percent(share)) for name, share in asdict(found.ratios).items())]
    rows = (
        (
            number,
            passage.kind,
            percent(passage.similarity),
            f"{passage.source + 1}: {passage.a_start:,}–{passage.a_end:,}",
            f"{passage.b_start:,}–{passage.b_end:,}",
        )
        for number, passage in enumerate(found.passages, start=1)
    )
    columns = ("", "kind", "=", say("source"), say("text"))
    return card(str(found), facts, columns=columns, rows=rows, count=len(found.passages))


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
