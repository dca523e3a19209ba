"""Texts with characters replaced by homophones."""

import random
from functools import cache

from whorl.text import fold
from whorl.text.pinyin import pinyin_fold


@cache
def by_syllable() -> dict[str, list[str]]:
    """Return the characters of each toneless syllable, without traditional ones."""
    characters: dict[str, list[str]] = {}
    for character in map(chr, range(0x4E00, 0x9FA6)):
        if fold(character) == character != pinyin_fold(character):
            characters.setdefault(pinyin_fold(character), []).append(character)
    return characters


def with_homophones(text: str, share: float, seed: int = 0) -> str:
    """Return ``text`` with about a ``share`` of its Han characters replaced."""
    rng = random.Random(seed)
    signs = list(text)
    for place, sign in enumerate(signs):
        if sign >= "\u4e00" and rng.random() < share:
            signs[place] = rng.choice(by_syllable().get(pinyin_fold(sign), [sign]))
    return "".join(signs)
