"""The hashes of words and the keys made of them, a second time, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
WORD_SEED = 0x77686F726C773031


def mix(value: int) -> int:
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def absorb(state: int, value: int) -> int:
    product = ((state ^ value) * 0xF1357AEA2E62A9C5) & MASK
    return product ^ product >> 32


def word_hash(word: str) -> int:
    """The hash of a folded word."""
    state = WORD_SEED
    for character in word:
        state = absorb(state, ord(character))
    return mix(state)


def set_key(words: Iterable[str], lexicon: int = 0) -> int:
    """The key of a set of words in a lexicon, of which 0 has all words."""
    step = GOLDEN * lexicon & MASK
    hashes = sorted(map(word_hash, words))
    state = (GOLDEN * (lexicon + 1)) & MASK
    for value in hashes:
        if lexicon == 0 or mix(value ^ step) % 3:
            state = absorb(state, value)
    return mix(state)
