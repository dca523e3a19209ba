"""Comparison of one text with its sources, in the form that all front ends show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.release import __version__
from whorl.reports.naming import file_name
from whorl.types.comparison import Comparison, Composition, Exclusion, Flag, Passage
from whorl.types.scans import PageLine, lines_between, pages_between


@frozen
class Article:
    """A text with its name.

    >>> from whorl.results import Article
    >>> article = Article("examples/newsroom/a.txt", "渔港的冰厂今年添了两台新机器。")
    >>> article.label, article.digest[:8]
    ('a.txt', '7ec059b1')

    Attributes:
        name: path, as `whorl compare` accepts it, or another name.
        text: the full text.
        authorised: True for the author's own earlier work and for agreed reprints.
        id: identifier of the article in its input, or empty.
        place: path below the folder that contains all searched inputs, or empty.
        hidden: number of characters that the document hides from readers; they are not part of the text.
        missing: what the file lacks, such as chapters of a book, as one sentence; empty if it is complete.
        lines: the places of recognized lines in the text.
    """

    name: str
    text: str
    authorised: bool = False
    id: str = ""
    place: str = ""
    hidden: int = 0
    missing: str = ""
    lines: tuple[PageLine, ...] = ()

    @property
    def label(self) -> str:
        """The name shown on pages: the id, or the file name without folders."""
        return self.id or file_name(self.name)

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8, in hexadecimal; a lone surrogate is encoded as three bytes."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@frozen
class Collection:
    """An input that was searched for sources.

    Attributes:
        name: the file, folder or pattern, without its parent folders.
        files: number of files read; 0 for a library.
        texts: number of texts in them.
        authorised: True for the author's own earlier work and for agreed reprints.
        first: date of the earliest text, in ISO 8601; empty if unknown.
        last: date of the latest text.
    """

    name: str
    files: int
    texts: int
    authorised: bool = False
    first: str = ""
    last: str = ""


class SourcePart(NamedTuple):
    """The contribution of one source.

    Attributes:
        number: index of the source, from 0.
        source: the source.
        share: share of the text that comes from it, in [0, 1].
        comparison: comparison with this source alone, without the passages of larger sources.
        rank: position by share, from 1 for the largest source.
    """

    number: int
    source: Article
    share: float
    comparison: Comparison
    rank: int = 1


def parts_of(comparison: Comparison | Composition, sources: Sequence[Article]) -> list[SourcePart]:
    """Return the sources that contributed text, the largest first."""
    if isinstance(comparison, Comparison):
        return [SourcePart(0, sources[0], comparison.ratios.copied, comparison)]
    with_passages = {part.passages[0].source: part for part in comparison.comparisons if part.passages}
    shares = comparison.shares
    in_order = sorted(with_passages, key=lambda number: (-shares[number], number))
    return [
        SourcePart(number, sources[number], shares[number], with_passages[number], rank)
        for rank, number in enumerate(in_order, start=1)
    ]


def as_data(
    comparison: Comparison | Composition,
    text: Article,
    sources: Sequence[Article],
    *,
    left_out: int = 0,
    rejected: int = 0,
) -> dict[str, Any]:
    """Return a comparison as plain data for JSON, with the compared texts and all versions.

    Args:
        comparison: the result of the comparison.
        text: the examined text.
        sources: the texts it was compared with.
        left_out: number of further sources that were not compared.
        rejected: number of further sources that could not be read.

    Returns:
        The fields of ``comparison``, with ``text`` and ``sources`` as name, characters and SHA-256. Of many sources,
        only those that contributed text are listed, the largest first, each with its ``share`` and ``comparison``.
        Passages refer to a source by its number ``source``. In a recognized text, they have ``a_frames`` or
        ``b_frames``: page and frame of each line.
    """
    parts = parts_of(comparison, sources)
    entries = [_identity(part.source) | {"source": part.number, "share": part.share} for part in parts]
    data = _framed(comparison.to_dict(), text, sources)
    if isinstance(comparison, Composition):
        del data["comparisons"], data["shares"]
        entries = [
            entry | {"comparison": _framed(part.comparison.to_dict(), text, sources)}
            for entry, part in zip(entries, parts, strict=True)
        ]
        data |= {"compared": len(sources), "left_out": left_out, "rejected": rejected}
    return {"text": _identity(text), "sources": entries} | data | {"versions": versions()}


def _framed(data: dict[str, Any], text: Article, sources: Sequence[Article]) -> dict[str, Any]:
    """Add to each passage where it is on the pages of recognized texts."""
    for passage in data["passages"]:
        for side, article in (("a", sources[passage["source"]]), ("b", text)):
            if article.lines:
                lines = lines_between(article.lines, passage[f"{side}_start"], passage[f"{side}_end"])
                passage[f"{side}_frames"] = [{"page": line.page, "box": list(line.box)} for line in lines]
    return data


def pages_of(passage: Passage, text: Article, sources: Sequence[Article]) -> tuple[str, str]:
    """Return the pages of a passage in its source and in the text, such as "3, 5"; empty if they are unknown."""
    source = sources[passage.source]
    sides = ((source.lines, passage.a_start, passage.a_end), (text.lines, passage.b_start, passage.b_end))
    in_source, in_text = (", ".join(map(str, pages_between(*side))) for side in sides)
    return in_source, in_text


def _identity(article: Article) -> dict[str, Any]:
    return {
        "name": article.name,
        "characters": len(article.text),
        "sha256": article.digest,
        "authorised": article.authorised,
    }


def versions() -> dict[str, str]:
    """Return the versions of everything that a comparison depends on."""
    return {
        "whorl": __version__,
        "core": _core.VERSION,
        "fold": _core.FOLD_VERSION,
        "pinyin": _core.PINYIN_VERSION,
    }


def tricks(parts: Sequence[SourcePart], text: Article) -> Iterator[tuple[str, Article, int]]:
    """Yield each trick that was undone: its kind, the text that contains it, and its count.

    Counts of homophones are summed over the sources.
    """
    counts: dict[tuple[str, int], int] = {}
    articles = {-1: text} | {part.number: part.source for part in parts}
    for part in parts:
        for flag in part.comparison.flags:
            place = flag.kind, -1 if flag.text == "b" else part.number
            counts[place] = _together(flag, counts.get(place, 0))
    for (kind, number), count in counts.items():
        yield kind, articles[number], count


def _together(flag: Flag, before: int) -> int:
    return before + flag.count if flag.kind == "homophones" else max(before, flag.count)


def left_out_of(parts: Sequence[SourcePart]) -> Iterator[Exclusion]:
    """Yield the excluded characters by reason, with the passages of all sources."""
    exclusions = [exclusion for part in parts for exclusion in part.comparison.exclusions]
    for reason in dict.fromkeys(exclusion.reason for exclusion in exclusions):
        same = [exclusion for exclusion in exclusions if exclusion.reason == reason]
        characters = [exclusion.characters for exclusion in same]
        count = sum(characters) if reason == "least" else max(characters)
        passages = sum(exclusion.passages for exclusion in same)
        if count or passages:
            yield Exclusion(reason, count, passages)


__all__ = [
    "Article",
    "Collection",
    "SourcePart",
    "as_data",
    "left_out_of",
    "pages_of",
    "parts_of",
    "tricks",
    "versions",
]
