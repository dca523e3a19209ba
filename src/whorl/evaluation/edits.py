"""Edits inside sentences, as copiers make them: typos, homophones, synonyms, other scripts and widths, noise.

Every edit maps fragments to fragments: the text changes, the record of its source does not.
"""

import re
import string
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Literal

from whorl.evaluation.fragments import Fragment

Language = Literal["zh", "en"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_HAN_SHARE = 0.2
_SYNONYM_RATE = 0.8
_NOISE = "\u200b\u200c\u200d\u2060\ufeff*_~|^·※★"
_PUNCTUATION = dict(zip("，。！？：；（）、“”‘’…—", ",.!?:;(),\"\"''.-", strict=True))
_FULL_WIDTH = {character: chr(ord(character) + 0xFEE0) for character in string.ascii_letters + string.digits}
_FULL_WIDTH_MARKS = {mark: chr(ord(mark) + 0xFEE0) for mark in ",!?:;()"}


@cache
def tables() -> Mapping[str, Any]:
    """Load the hand-made tables of mutations.toml."""
    return tomllib.loads(files("whorl.evaluation").joinpath("mutations.toml").read_text(encoding="utf-8"))


def language_of(text: str) -> Language:
    """Guess the language: `zh` if at least a fifth of the non-space characters are Han, else `en`."""
    visible = len("".join(text.split()))
    return "zh" if visible and len(_HAN.findall(text)) >= _HAN_SHARE * visible else "en"


def typos(fragments: Sequence[Fragment], language: Language, rate: float, rng: Random) -> list[Fragment]:
    """Replace a share of the Han characters by wrong ones; in English, misspell words at this rate per letter."""
    if language == "zh":
        han = _positions(fragments, lambda character: _HAN.match(character) is not None)
        return _replace_at(fragments, rng.sample(han, _count(rate, len(han))), _wrong_character, rng)
    letters = _positions(fragments, string.ascii_letters.__contains__)
    return _replace_at(fragments, rng.sample(letters, _count(rate, len(letters))), _misspelling, rng)


def homophones(fragments: Sequence[Fragment], rate: float, rng: Random) -> list[Fragment]:
    """Replace a share of the Han characters by homophones, as far as the table has them."""
    groups = _homophone_groups()
    positions = _positions(fragments, groups.__contains__)
    han = sum(len(_HAN.findall(fragment.text)) for fragment in fragments)
    chosen = rng.sample(positions, min(len(positions), _count(rate, han)))
    return _replace_at(fragments, chosen, lambda character, rng: _other(groups[character], character, rng), rng)


def synonyms(fragments: Sequence[Fragment], language: Language, rng: Random) -> list[Fragment]:
    """Replace four in five of the words that the table contains."""
    pattern, partners = _synonym_table(language)

    def exchange(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() >= _SYNONYM_RATE:
            return word
        partner = partners[word.lower()]
        return partner.capitalize() if word[0].isupper() else partner

    return [replace(fragment, text=pattern.sub(exchange, fragment.text)) for fragment in fragments]


def traditional(fragments: Sequence[Fragment]) -> list[Fragment]:
    """Replace simplified characters by their most common traditional form, one for one."""
    return _translate(fragments, _traditional_table())


def widths(fragments: Sequence[Fragment], language: Language, rng: Random) -> list[Fragment]:
    """Change the width of letters, digits and punctuation, one character for one.

    Chinese: punctuation becomes ASCII, and ASCII letters and digits become full-width. English: half of the texts
    become full-width entirely, the others only in their punctuation.
    """
    if language == "zh":
        return _translate(fragments, _PUNCTUATION | _FULL_WIDTH)
    wholly = rng.random() < 0.5
    return _translate(fragments, _FULL_WIDTH | _FULL_WIDTH_MARKS if wholly else _FULL_WIDTH_MARKS)


def noise(fragments: Sequence[Fragment], rate: float, rng: Random) -> list[Fragment]:
    """Insert a zero-width character or a symbol after a share of the characters."""
    everywhere = _positions(fragments, lambda _: True)
    chosen = rng.sample(everywhere, _count(rate, len(everywhere)))
    return _replace_at(fragments, chosen, lambda character, rng: character + rng.choice(_NOISE), rng)


def _count(rate: float, population: int) -> int:
    return min(population, max(1, round(rate * population)))


def _positions(fragments: Sequence[Fragment], eligible: Callable[[str], bool]) -> list[tuple[int, int]]:
    return [
        (number, offset)
        for number, fragment in enumerate(fragments)
        for offset, character in enumerate(fragment.text)
        if eligible(character)
    ]


def _replace_at(
    fragments: Sequence[Fragment],
    positions: Sequence[tuple[int, int]],
    replacement: Callable[[str, Random], str],
    rng: Random,
) -> list[Fragment]:
    texts = [list(fragment.text) for fragment in fragments]
    for number, offset in positions:
        texts[number][offset] = replacement(texts[number][offset], rng)
    return [replace(fragment, text="".join(text)) for fragment, text in zip(fragments, texts, strict=True)]


def _translate(fragments: Sequence[Fragment], table: Mapping[str, str]) -> list[Fragment]:
    by_code_point = str.maketrans(dict(table))
    return [replace(fragment, text=fragment.text.translate(by_code_point)) for fragment in fragments]


def _other(choices: str, character: str, rng: Random) -> str:
    return rng.choice(choices.replace(character, ""))


def _wrong_character(character: str, rng: Random) -> str:
    return _other("".join(_homophone_groups()), character, rng)


def _misspelling(letter: str, rng: Random) -> str:
    stray = _other(string.ascii_lowercase, letter.lower(), rng)
    return rng.choice((stray, "", letter + letter, letter + stray))


@cache
def _homophone_groups() -> Mapping[str, str]:
    groups: Mapping[str, str] = tables()["homophones"]
    return {character: group for group in groups.values() for character in group}


@cache
def _traditional_table() -> Mapping[str, str]:
    pairs: str = tables()["traditional"]["pairs"]
    return {pair[0]: pair[1] for pair in pairs.split()}


@cache
def _synonym_table(language: Language) -> tuple[re.Pattern[str], Mapping[str, str]]:
    pairs = [pair.replace("_", " ").split("=") for pair in tables()["synonyms"][language].split()]
    partners = {word: partner for first, second in pairs for word, partner in ((first, second), (second, first))}
    words = "|".join(re.escape(word) for word in sorted(partners, key=len, reverse=True))
    boundary = r"\b" if language == "en" else ""
    return re.compile(f"{boundary}(?:{words}){boundary}", re.IGNORECASE), partners
