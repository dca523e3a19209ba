"""Parts of a comparison: passages, changes, ratios, facts, warning flags and exclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from whorl._internal.frozen import frozen
from whorl.i18n import Language, Message, listed, say, say_many, translated

Span = tuple[int, int]


@frozen
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
        similarity: share of the folded code points of both sides that are aligned and equal, in (0, 1]; of a translated
            passage, the share in numbers, names and terms that both have, in [0, 1]; of the kind "meaning", the
            cosine of the vectors.
        kind: the most important change: "verbatim" none; "typography" width, letter case, spaces or punctuation;
            "script" traditional or simplified characters; "noise" inserted filler characters; "characters" single
            characters or words; "homophones" characters of the same sound; "rewritten" more than a third of it;
            "translated" into another language; "meaning" the same content in other words or another language, by the
            vectors of sentences.
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


@frozen
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


@frozen
class Flag:
    """A trick that hides a copy from a search, undone before the comparison; or a C2PA manifest, which is no trick.

    >>> import whorl
    >>> spoilt = "渔港的冰厂今年添了两台新机器。".replace("冰厂", chr(0x200B) + "冰厂")
    >>> whorl.compare("渔港的冰厂今年添了两台新机器。", spoilt).flags
    (Flag(kind='hidden', text='b', count=1),)

    Attributes:
        kind: "hidden", invisible characters and characters hidden by the formatting of a document; "look_alikes",
            characters replaced by others of the same look; "homophones", characters replaced by others of the same
            sound: at least two, and more than half of the replaced Han characters; "manifest", the invisible characters
            of signed statements of origin that C2PA embeds in texts, which are not counted as hidden.
        text: "a" or "b".
        count: number of characters.
    """

    kind: str
    text: str
    count: int


@frozen
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
        translated: translated from a source in another language. Never added to ``copied`` or ``reworded``.
        meaning: the same content in other words or another language, by the vectors of sentences, in the rest of the
            text. Never added to the others; 0 unless ``meaning`` was requested.
    """

    copied: float
    reworded: float
    unquoted: float
    foreign: float
    largest: float
    quoted_uncited: float = 0.0
    translated: float = 0.0
    meaning: float = 0.0

    @property
    def same_content(self) -> float:
        """The share that is translated or has the same content by its meaning, which is not copied, in [0, 1]."""
        return min(1.0, self.translated + self.meaning)

    @property
    def is_by_meaning(self) -> bool:
        """True if the texts are related by nothing but their meaning."""
        return self.meaning > 0 and not (self.copied or self.reworded or self.translated)


@frozen
class Facts:
    """Agreement of the facts of two texts within their passages.

    >>> import whorl
    >>> form = "渔港气象台{}月{}日预报：今天白天到夜间全市多云，最低气温{}度，最高{}度，请市民注意添加衣物。"
    >>> whorl.compare(form.format(3, 5, 6, 15), form.format(11, 21, 2, 4)).facts
    Facts(agreeing=0, differing=4, other_words=0)

    Attributes:
        agreeing: numbers, months and days of the week aligned with an equal one, however they are written.
        differing: those aligned with a different one.
        other_words: slots with different words, such as names: two or more words replaced by two or more.
    """

    agreeing: int
    differing: int
    other_words: int


@frozen
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


__all__ = ["Changes", "Exclusion", "Facts", "Flag", "Passage", "Ratios", "Span"]
