"""The page of a comparison: what one text has from others, with every passage side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import whorl
from whorl import _core
from whorl.model import Changes, Comparison, Composition, Flag, Ratios
from whorl.reports.passages import TONES, view

_SHOWN = 400_000
_STRETCHES = 2_000

_KINDS = {
    "identical": ("相同", "identical"),
    "near-duplicate": ("近乎相同", "near-duplicate"),
    "contains": ("全在来源之中", "contained in the source"),
    "contained": ("包含整篇来源", "contains the whole source"),
    "partial": ("部分相同", "partial"),
    "mixed": ("由多篇拼成", "mixed of several sources"),
    "rewritten": ("改写", "rewritten"),
    "unrelated": ("无关", "unrelated"),
}
_FRAMES = {"title": ("标题", "title"), "byline": ("署名、编辑、来源", "authors, editors, sources")}
_CHANGES = {
    "characters": ("换掉的字", "characters replaced"),
    "homophones": ("其中同音字", "of these homophones"),
    "look_alikes": ("以形似字符冒充的字", "look-alikes"),
    "script": ("繁简互换的字", "characters in the other script"),
    "noise": ("夹进的符号", "idle signs put in"),
    "order": ("次序已变的段落", "passages in another order"),
    "inserted": ("本文独有的字", "characters only in the text"),
    "deleted": ("来源独有的字", "characters only in the source"),
}
_FLAGS = {
    "hidden": ("看不见的字符", "invisible characters"),
    "look_alikes": ("以形似字符冒充的字", "look-alikes in the place of other characters"),
    "homophones": ("以同音字替换的字", "homophones in the place of other characters"),
}
_EXCLUSIONS = {
    "quotations": ("引文", "quotations"),
    "references": ("参考文献", "references"),
    "boilerplate": ("套话", "boilerplate"),
    "least": ("过短的段落", "passages that are too short"),
}


@dataclass(frozen=True, slots=True)
class Article:
    """A text, and what it is called.

    Attributes:
        name: what readers know it by, such as its file.
        text: all of it.
        authorised: whether it is the author's own work, or its reprint is agreed.
    """

    name: str
    text: str
    authorised: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8, in hexadecimal; a lone surrogate counts as the three bytes of its code."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """What comes from one source.

    Attributes:
        number: of the source, from 0.
        source: the source.
        share: of the text, in [0, 1].
        comparison: with that source alone, of what larger sources left over.
    """

    number: int
    source: Article
    share: float
    comparison: Comparison


def parts_of(found: Comparison | Composition, sources: Sequence[Article]) -> list[Part]:
    """Return the sources that gave something, the one that gave most first."""
    if isinstance(found, Comparison):
        return [Part(0, sources[0], found.ratios.copied, found)]
    with_passages = {one.passages[0].source: one for one in found.comparisons if one.passages}
    parts = [Part(number, sources[number], found.shares[number], one) for number, one in with_passages.items()]
    return sorted(parts, key=lambda part: (-part.share, part.number))


def as_data(
    found: Comparison | Composition,
    text: Article,
    sources: Sequence[Article],
    *,
    left_out: int = 0,
    rejected: int = 0,
) -> dict[str, Any]:
    """Return a comparison as plain data for JSON: what was found, and of which texts, by which versions.

    Args:
        found: what was found.
        text: the text that was examined.
        sources: what it was compared with.
        left_out: further sources that were not compared.
        rejected: further sources that could not be read.

    Returns:
        The fields of ``found``; ``text`` and ``sources`` with name, characters and SHA-256, of many sources those that
        gave something, the largest first, each with its ``share`` and its own ``comparison``; ``source`` is the number
        that passages name.
    """
    parts = parts_of(found, sources)
    own = [_identity(part.source) | {"source": part.number, "share": part.share} for part in parts]
    data = found.to_dict()
    if isinstance(found, Composition):
        del data["comparisons"], data["shares"]
        own = [entry | {"comparison": part.comparison.to_dict()} for entry, part in zip(own, parts, strict=True)]
        data |= {"compared": len(sources), "left_out": left_out, "rejected": rejected}
    return {"text": _identity(text), "sources": own} | data | {"versions": versions()}


def _identity(article: Article) -> dict[str, Any]:
    return {
        "name": article.name,
        "characters": len(article.text),
        "sha256": article.digest,
        "authorised": article.authorised,
    }


def render_comparison(
    found: Comparison | Composition,
    text: str | Article,
    sources: Sequence[str | Article],
    *,
    command: str = "",
    at: datetime | None = None,
    left_out: int = 0,
    rejected: int = 0,
) -> str:
    """Render one self-contained HTML page about a comparison, for readers of Chinese and of English.

    Args:
        found: what ``whorl.compare`` or ``whorl.compare_sources`` said.
        text: the text that was examined: the second one of ``whorl.compare``.
        sources: the texts that it was compared with: the first one of ``whorl.compare``, or all the sources.
        command: what was run, to be shown.
        at: when; None is now.
        left_out: further sources that were not compared.
        rejected: further sources that could not be read.

    Returns:
        HTML that asks for nothing from outside, runs no script and can be encoded in UTF-8, whatever the texts hold. It
        shows about 400,000 characters of the text and counts the rest.
    """
    own = text if isinstance(text, Article) else Article("乙 B", text)
    articles = [
        one if isinstance(one, Article) else Article(_name(number, len(sources)), one)
        for number, one in enumerate(sources)
    ]
    parts = parts_of(found, articles)
    comparisons = [part.comparison for part in parts]
    from whorl.reports.html import environment

    page = environment().get_template("comparison.html.j2")
    return page.render(
        found=found,
        pair=found if isinstance(found, Comparison) else None,
        sentences=[str(replace(found, language=language)) for language in ("zh", "en")],
        kind=kind_names(found.kind),
        text=own,
        parts=parts,
        names=[article.name for article in articles] if len(articles) > 1 else (),
        authorised=[article.name for article in articles if article.authorised],
        others=len(articles) - len(parts),
        left_out=left_out,
        rejected=rejected,
        ratios=list(ratio_rows(found.ratios)),
        changes=list(_change_rows([one.changes for one in comparisons])),
        frames=list(_frame_rows(found)),
        flags=list(flag_rows(parts, own)),
        exclusions=list(exclusion_rows(parts)),
        stretches=_stretches(found, len(own.text), len(articles)),
        view=view([article.text for article in articles], own.text, found.passages, _SHOWN),
        command=command,
        at=f"{(at or datetime.now(UTC)):%Y-%m-%d %H:%M:%S %Z}".strip(),
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """Return what whatever a comparison says depends on."""
    return {
        "whorl": whorl.__version__,
        "core": _core.VERSION,
        "fold": _core.FOLD_VERSION,
        "pinyin": _core.PINYIN_VERSION,
    }


def _name(number: int, count: int) -> str:
    return "甲 A" if count == 1 else f"{number + 1}"


def kind_names(kind: str) -> tuple[str, str]:
    """Name the kind of a comparison in Chinese and English."""
    return _KINDS.get(kind, (kind, kind))


def change_name(change: str) -> tuple[str, str]:
    """Name a field of ``Changes`` in Chinese and English."""
    return (_FRAMES | _CHANGES).get(change, (change, change))


def told(found: Comparison) -> tuple[str, str]:
    """Say in Chinese and in English what a text is to its source, and what was changed."""
    zh, en = kind_names(found.kind)
    changes = found.changes
    return "；".join(filter(None, [zh, changes.told("zh")])), "; ".join(filter(None, [en, changes.told("en")]))


def ratio_rows(ratios: Ratios) -> Iterator[tuple[str, str, float]]:
    """Yield the four ratios, each with its name in Chinese and English."""
    yield "总复制比", "copied", ratios.copied
    yield "去除引文与参考文献", "without quotations and references", ratios.unquoted
    yield "去除本人或已授权的来源", "without own and authorised sources", ratios.foreign
    yield "单一来源最大复制比", "largest single source", ratios.largest


def _change_rows(changes: Sequence[Changes]) -> Iterator[tuple[str, str, int]]:
    own = {"inserted", "deleted"} if len(changes) > 1 else set()
    for name, (zh, en) in _CHANGES.items():
        count = sum(getattr(change, name) for change in changes)
        if count and name not in own:
            yield zh, en, count


def _frame_rows(found: Comparison | Composition) -> Iterator[tuple[str, str, bool | None]]:
    if isinstance(found, Comparison):
        yield *_FRAMES["title"], found.changes.title
        yield *_FRAMES["byline"], found.changes.byline


def flag_rows(parts: Sequence[Part], text: Article) -> Iterator[tuple[str, str, str, int]]:
    """Yield each trick that was undone: its name in Chinese and English, the text that it stands in, and how often.

    Homophones add up over the sources.
    """
    counts: dict[tuple[str, str], int] = {}
    for part in parts:
        for flag in part.comparison.flags:
            place = flag.kind, text.name if flag.text == "b" else part.source.name
            counts[place] = _together(flag, counts.get(place, 0))
    for (kind, name), count in counts.items():
        yield *_FLAGS.get(kind, ("", kind)), name, count


def _together(flag: Flag, before: int) -> int:
    return before + flag.count if flag.kind == "homophones" else max(before, flag.count)


def exclusion_rows(parts: Sequence[Part]) -> Iterator[tuple[str, str, int, int]]:
    """Yield what was left out: its name in Chinese and English, characters, and passages of all sources."""
    given = [exclusion for part in parts for exclusion in part.comparison.exclusions]
    for reason in dict.fromkeys(exclusion.reason for exclusion in given):
        same = [exclusion for exclusion in given if exclusion.reason == reason]
        characters = [exclusion.characters for exclusion in same]
        count = sum(characters) if reason == "least" else max(characters)
        yield *_EXCLUSIONS.get(reason, ("", reason)), count, sum(exclusion.passages for exclusion in same)


def _stretches(found: Comparison | Composition, length: int, sources: int) -> list[tuple[int, int, float, float]]:
    """Number, tone, start and width of each passage, in percents of the text."""
    return [
        (
            number,
            (passage.source if sources > 1 else number - 1) % TONES + 1,
            round(100 * passage.b_start / length, 3),
            round(100 * (passage.b_end - passage.b_start) / length, 3),
        )
        for number, passage in enumerate(found.passages[:_STRETCHES], start=1)
    ]


__all__ = [
    "Article",
    "Part",
    "as_data",
    "change_name",
    "exclusion_rows",
    "flag_rows",
    "kind_names",
    "parts_of",
    "ratio_rows",
    "render_comparison",
    "told",
    "versions",
]
