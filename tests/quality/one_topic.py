"""Independent texts on one topic with planted passages: phrases of a topic must not count as passages.

The texts are documentation of one subject by many authors (``related`` of ``WHORL_DATA``), or else the articles of the
example newsroom. The pairs, the passages, their positions and edits are derived from the names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from itertools import chain, pairwise
from math import fsum, log
from random import Random
from statistics import mean

from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines

from whorl.evaluation.edits import Language, homophones, synonyms, typos
from whorl.evaluation.fragments import CopiedPassage, Fragment, assemble, end_paragraph, split_sentences

HALVES = ("development", "held-out")

_PAGES: Mapping[Language, str] = {"zh": "manpages-zh.jsonl.gz", "en": "python-docs-en.jsonl.gz"}
_LONGEST_PAGE: Mapping[Language, int] = {"zh": 20_000, "en": 40_000}
_LIST = re.compile("index|contents")
_FOOTER = re.compile(r"^\s*(?:\[中文版.*|跋|譯者|译者)$", re.MULTILINE)
_FULL_LINE = 60
_ONE_TEXT = 0.02
_MIN_SHARED_LENGTH: Mapping[Language, int] = {"zh": 20, "en": 60}
_PLANTED: Mapping[Language, tuple[int, int]] = {"zh": (25, 600), "en": (80, 1800)}
_QUOTED: Mapping[Language, range] = {"zh": range(13, 31), "en": range(8, 16)}
_PHRASE: Mapping[Language, int] = {"zh": 12, "en": 36}
_MOVED: Mapping[Language, int] = {"zh": 16, "en": 48}
_TIMES = 3
_FEW = 30
_HAN = r"[\u3400-\u9fff]"
_LETTER: Mapping[Language, re.Pattern[str]] = {"zh": re.compile(_HAN), "en": re.compile("[A-Za-z]")}
_QUOTABLE: Mapping[Language, re.Pattern[str]] = {
    "zh": re.compile(_HAN),
    "en": re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*"),
}
_LENGTH: Mapping[Language, int] = {"zh": 1, "en": 5}
_GAPS: Mapping[Language, float] = {"zh": 0.2, "en": 1.2}
_WORD = re.compile(rf"(?=({_HAN}{{2}}))|([a-z]+)")


@dataclass(frozen=True)
class Document:
    """A text, and the name that it shares with its twins."""

    name: str
    text: str


@dataclass(frozen=True)
class Planted:
    """Two independent texts; passages of the first are planted into the second.

    Attributes:
        name: name of the pair.
        kind: kind of the edits.
        source: the source text.
        text: the text with the passages.
        passages: the planted passages.
        shared: long stretches that both texts share without planting.
    """

    name: str
    kind: str
    source: str
    text: str
    passages: tuple[CopiedPassage, ...]
    shared: tuple[CopiedPassage, ...]


@cache
def planted(language: Language, half: str) -> tuple[Planted, ...]:
    """Return the pairs of one half, of every kind in turn; small sets give every kind for each pair."""
    chosen = [document for document in documents(language) if _half(document.name) == half]
    rarity = _Rarity(chosen)
    kinds, pairs = _KINDS[language], list(_pairs(chosen))
    turns = len(kinds) if len(pairs) < _FEW else 1
    return tuple(
        _plant(source, host, kinds[(number + turn) % len(kinds)], language, rarity)
        for turn in range(turns)
        for number, (source, host) in enumerate(pairs)
    )


@cache
def documents(language: Language) -> tuple[Document, ...]:
    """Return one text per name."""
    folder = data_folder()
    if folder is None:
        rows = lines(NEWSROOM / "originals.jsonl")
        originals = [Document(row["id"], row["text"]) for row in rows if row["id"].startswith(language)]
        return _without_common(originals, language)
    pages = {row.get("group", row["id"]): row["text"] for row in lines(folder / "related" / _PAGES[language])}
    chosen = (name for name in sorted(pages) if len(pages[name]) <= _LONGEST_PAGE[language] and not _LIST.search(name))
    return _without_common([Document(name, _paragraphs(pages[name])) for name in chosen], language)


def _without_common(of: Sequence[Document], language: Language) -> tuple[Document, ...]:
    """Return the documents without sentences that occur in another one, unless they are as short as a phrase."""
    sentences = [split_sentences(document.text) for document in of]
    having = Counter(
        key for sentence_list in sentences for key in {_letters(fragment.text)[0] for fragment in sentence_list}
    )

    def is_own(fragment: Fragment) -> bool:
        is_phrase = _letters_of([fragment], language) < _PHRASE[language]
        return is_phrase or having[_letters(fragment.text)[0]] == 1

    return tuple(
        replace(document, text="".join(fragment.text + fragment.gap for fragment in filter(is_own, sentence_list)))
        for document, sentence_list in zip(of, sentences, strict=True)
    )


def _half(name: str) -> str:
    return HALVES[blake2b(name.encode(), digest_size=1).digest()[0] & 1]


def _paragraphs(page: str) -> str:
    """Join the hard-wrapped lines of a page into one line per paragraph."""
    paragraphs: list[str] = []
    goes_on = False
    for line in _FOOTER.split(page, maxsplit=1)[0].splitlines():
        words = " ".join(line.split())
        if words and goes_on:
            paragraphs[-1] = _joined(paragraphs[-1], words)
        elif words:
            paragraphs.append(words)
        goes_on = sum(2 if is_wide(character) else 1 for character in line) >= _FULL_LINE
    return "\n".join(paragraphs)


def _joined(line: str, following: str) -> str:
    if line.endswith("\u2010"):
        return line[:-1] + following
    return line + ("" if is_wide(line[-1]) and is_wide(following[0]) else " ") + following


def is_wide(character: str) -> bool:
    """Return True if a character takes two columns."""
    return character >= "\u2e80"


def _words(text: str) -> list[str]:
    return [pair or word for pair, word in _WORD.findall(text.lower())]


def _pairs(chosen: Sequence[Document]) -> Iterator[tuple[Document, Document]]:
    """Return each document as a host, with the nearest documents in topic that are no copies of it."""
    words = [set(_words(document.text)) for document in chosen]
    having = Counter(word for word_set in words for word in word_set)
    telling = [{word for word in word_set if 1 < having[word] <= len(chosen) / 4} for word_set in words]
    shingles = [_shingles(document.text) for document in chosen]

    def nearness(first: int, other: int) -> float:
        common = telling[first] & telling[other]
        return fsum(log(len(chosen) / having[word]) for word in common) / (100 + len(telling[other])) ** 0.5

    for host in range(len(chosen)):
        others = [
            other
            for other in range(len(chosen))
            if other != host and not _are_one_text(shingles[other], shingles[host])
        ]
        if others:
            yield chosen[max(others, key=lambda other: nearness(host, other))], chosen[host]


def _shingles(text: str) -> set[str]:
    tokens = re.findall(rf"{_HAN}|\w+", text.lower())
    return {" ".join(tokens[start : start + 5]) for start in range(len(tokens) - 4)}


def _are_one_text(first: set[str], other: set[str]) -> bool:
    return len(first & other) > _ONE_TEXT * min(len(first), len(other))


def _plant(source: Document, host: Document, kind: str, language: Language, rarity: _Rarity) -> Planted:
    rng = Random(f"{source.name} {host.name}")
    fragments = split_sentences(source.text)
    passages: list[Sequence[Fragment]] = []
    if kind == "quotation":
        passages = list(_quotations(fragments, language, rarity, rng))
    elif kind != "none":
        stretches = _stretches(fragments, language, rng)
        passages = [end_paragraph(_EDITS[kind](stretch, language, rng)) for stretch in stretches]
    host_fragments = [replace(fragment, source=None) for fragment in split_sentences(host.text)]
    places = sorted(rng.sample(range(len(host_fragments)), min(len(passages), len(host_fragments))))
    everything: list[Fragment] = []
    for number, fragment in enumerate(host_fragments):
        if number in places:
            everything += passages[places.index(number)]
        everything.append(fragment)
    text, planted_passages = assemble(everything)
    name = f"{source.name} in {host.name}, {kind}"
    common = [
        stretch
        for stretch in _common(source.text, text, language)
        if not any(meet(stretch, it) for it in planted_passages)
    ]
    return Planted(name, kind, source.text, text, planted_passages, tuple(common))


def _stretches(fragments: Sequence[Fragment], language: Language, rng: Random) -> Iterator[list[Fragment]]:
    """Yield runs of whole sentences, from one sentence to some paragraphs, and at most a third of the source."""
    shortest, longest = _PLANTED[language]
    longest = max(shortest, min(longest, _letters_of(fragments, language) // 3))
    used: set[int] = set()
    for _ in range(rng.randint(1, _TIMES)):
        target = shortest * (longest / shortest) ** rng.random()
        end = start = rng.randrange(len(fragments))
        while end < len(fragments) and _letters_of(fragments[start:end], language) < target:
            end += 1
        if _letters_of(fragments[start:end], language) >= target and used.isdisjoint(range(start, end)):
            used.update(range(start - 1, end + 1))
            yield list(fragments[start:end])


def _shuffled(passage: Sequence[Fragment], language: Language, rng: Random) -> list[Fragment]:
    """Return sentences in another order; short ones stay with those before them."""
    blocks: list[list[Fragment]] = [[]]
    for fragment in passage:
        if _letters_of(blocks[-1], language) >= _MOVED[language]:
            blocks.append([])
        blocks[-1].append(fragment)
    return list(chain.from_iterable(rng.sample(blocks, len(blocks))))


def _letters_of(fragments: Iterable[Fragment], language: Language) -> int:
    return sum(len(_LETTER[language].findall(fragment.text)) for fragment in fragments)


_Edit = Callable[[Sequence[Fragment], Language, Random], Sequence[Fragment]]
_EDITS: Mapping[str, _Edit] = {
    "verbatim": lambda passage, _language, _rng: passage,
    "typos": lambda passage, language, rng: typos(passage, language, 0.05, rng),
    "synonyms": synonyms,
    "shuffled": _shuffled,
    "homophones": lambda passage, _language, rng: homophones(passage, 0.08, rng),
}
_KINDS: Mapping[Language, tuple[str, ...]] = {
    "zh": (*_EDITS, "quotation", "none"),
    "en": (*(kind for kind in _EDITS if kind != "homophones"), "quotation", "none"),
}


def _quotations(
    fragments: Sequence[Fragment], language: Language, rarity: _Rarity, rng: Random
) -> Iterator[list[Fragment]]:
    """Yield runs of rare words of one sentence, some between quotation marks."""
    windows = [window for fragment in fragments for window in _windows(fragment, language, rng)]
    windows.sort(key=lambda window: -rarity.of(window.text))
    best = windows[: max(1, len(windows) // 5)]
    opening, closing = rng.choice((("“", "”"), ("", "")))
    for window in rng.sample(best, min(len(best), rng.randint(1, _TIMES))):
        yield [Fragment(opening, ""), window, Fragment(closing, "\n")]


def _windows(fragment: Fragment, language: Language, rng: Random) -> Iterator[Fragment]:
    """Yield runs of words that are not mostly short, separated by nothing but spaces and a few marks."""
    units = list(_QUOTABLE[language].finditer(fragment.text))
    while units:
        count = rng.choice(_QUOTED[language])
        run, units = units[:count], units[count:]
        gaps = sum(follower.start() - unit.end() for unit, follower in pairwise(run))
        letters = sum(len(unit[0]) for unit in run)
        if len(run) == count and letters >= _LENGTH[language] * count and gaps <= _GAPS[language] * count:
            start, end = run[0].start(), run[-1].end()
            yield Fragment(fragment.text[start:end], "", 0, fragment.start + start, fragment.start + end)


class _Rarity:
    """Rarity of the words of a stretch among documents."""

    def __init__(self, of: Iterable[Document]) -> None:
        sets = [set(_words(document.text)) for document in of]
        self._having = Counter(word for word_set in sets for word in word_set)
        self._all = len(sets)

    def of(self, text: str) -> float:
        return mean(log(self._all / max(1, self._having[word])) for word in _words(text))


def meet(first: CopiedPassage, other: CopiedPassage) -> bool:
    """Return True if two stretches overlap in both texts."""
    in_copy = first.copy_start < other.copy_end and other.copy_start < first.copy_end
    return in_copy and first.source_start < other.source_end and other.source_start < first.source_end


def _common(source: str, text: str, language: Language) -> Iterator[CopiedPassage]:
    """Return the long stretches that two texts share letter for letter."""
    width = _MIN_SHARED_LENGTH[language]
    letters, places = _letters(source)
    letters_of_text, places_of_text = _letters(text)
    at: dict[str, list[int]] = defaultdict(list)
    for start in range(len(letters) - width + 1):
        at[letters[start : start + width]].append(start)
    ends: dict[int, int] = {}
    for start in range(len(letters_of_text) - width + 1):
        for other in at.get(letters_of_text[start : start + width], ()):
            if ends.get(start - other, -1) > start:
                continue
            length = width
            while (
                other + length < len(letters)
                and start + length < len(letters_of_text)
                and letters[other + length] == letters_of_text[start + length]
            ):
                length += 1
            ends[start - other] = start + length - width + 1
            last, last_of_text = places[other + length - 1], places_of_text[start + length - 1]
            yield CopiedPassage(0, places[other], last + 1, places_of_text[start], last_of_text + 1)


def _letters(text: str) -> tuple[str, list[int]]:
    places = [place for place, character in enumerate(text) if character.isalnum()]
    return "".join(text[place].lower()[0] for place in places), places
