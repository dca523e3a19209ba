"""What one text has from others, as the fronts tell it: which sources gave how much, and by what texts are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import whorl
from whorl import _core
from whorl.model import Comparison, Composition, Exclusion, Flag
from whorl.reports.naming import file_name


@dataclass(frozen=True, slots=True)
class Article:
    """A text, and what it is called.

    >>> from whorl.results import Article
    >>> article = Article("examples/newsroom/a.txt", "渔港的冰厂今年添了两台新机器。")
    >>> article.label, article.digest[:8]
    ('a.txt', '7ec059b1')

    Attributes:
        name: where it is, as `whorl compare` takes it, or what it is called.
        text: all of it.
        authorised: whether it is the author's own work, or its reprint is agreed.
        id: what names it where it is; empty for nothing.
        place: its path below the folder that holds all that was searched; empty for none.
        hidden: how many characters its document hides from its readers; they are not in the text.
        missing: what its file lacks, such as chapters of a book, in one plain sentence; empty for nothing.
    """

    name: str
    text: str
    authorised: bool = False
    id: str = ""
    place: str = ""
    hidden: int = 0
    missing: str = ""

    @property
    def label(self) -> str:
        """What pages call it: its id, else the name of its file without the folders."""
        return self.id or file_name(self.name)

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8, in hexadecimal; a lone surrogate counts as the three bytes of its code."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Collection:
    """One of the inputs that were searched for sources.

    Attributes:
        name: the file, folder or pattern, without the folders around it.
        files: how many files of it were read; 0 for a library.
        texts: how many texts of them.
        authorised: whether they are the author's own work, or their reprint is agreed.
        first: the earliest date of a text, in ISO 8601; empty where none is known.
        last: the latest.
    """

    name: str
    files: int
    texts: int
    authorised: bool = False
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What comes from one source.

    Attributes:
        number: of the source, from 0.
        source: the source.
        share: of the text, in [0, 1].
        comparison: with that source alone, of what larger sources left over.
        rank: what readers count it by, from 1, which is the source that gave most.
    """

    number: int
    source: Article
    share: float
    comparison: Comparison
    rank: int = 1


def parts_of(found: Comparison | Composition, sources: Sequence[Article]) -> list[Part]:
    """Return the sources that gave something, the one that gave most first."""
    if isinstance(found, Comparison):
        return [Part(0, sources[0], found.ratios.copied, found)]
    with_passages = {one.passages[0].source: one for one in found.comparisons if one.passages}
    shares = found.shares
    in_order = sorted(with_passages, key=lambda number: (-shares[number], number))
    return [
        Part(number, sources[number], shares[number], with_passages[number], rank)
        for rank, number in enumerate(in_order, start=1)
    ]


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


def versions() -> dict[str, str]:
    """Return what whatever a comparison says depends on."""
    return {
        "whorl": whorl.__version__,
        "core": _core.VERSION,
        "fold": _core.FOLD_VERSION,
        "pinyin": _core.PINYIN_VERSION,
    }


def tricks(parts: Sequence[Part], text: Article) -> Iterator[tuple[str, Article, int]]:
    """Yield each trick that was undone: its kind, the text that it stands in, and how often.

    Homophones add up over the sources.
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


def left_out_of(parts: Sequence[Part]) -> Iterator[Exclusion]:
    """Yield what was left out of the text, by each reason, with the passages of all sources."""
    given = [exclusion for part in parts for exclusion in part.comparison.exclusions]
    for reason in dict.fromkeys(exclusion.reason for exclusion in given):
        same = [exclusion for exclusion in given if exclusion.reason == reason]
        characters = [exclusion.characters for exclusion in same]
        count = sum(characters) if reason == "least" else max(characters)
        passages = sum(exclusion.passages for exclusion in same)
        if count or passages:
            yield Exclusion(reason, count, passages)


__all__ = [
    "Article",
    "Collection",
    "Part",
    "as_data",
    "left_out_of",
    "parts_of",
    "tricks",
    "versions",
]
