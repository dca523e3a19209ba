"""The hashes of words and the keys derived from them, implemented a second time in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor

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
    """Return the key of a set of words in a lexicon; lexicon 0 has all words."""
    step = GOLDEN * lexicon & MASK
    hashes = sorted(map(word_hash, words))
    state = (GOLDEN * (lexicon + 1)) & MASK
    for value in hashes:
        if lexicon == 0 or mix(value ^ step) % 3:
            state = absorb(state, value)
    return mix(state)


def text_rank(words: Sequence[str]) -> dict[str, int]:
    """Return the weights of words that are all terms, in steps of 1/4096."""
    terms = sorted(set(words), key=word_hash)
    weight: dict[tuple[str, str], int] = {}
    for place, first in enumerate(words):
        for second in words[place + 1 : place + 5]:
            if first != second:
                for pair in ((first, second), (second, first)):
                    weight[pair] = weight.get(pair, 0) + 1
    shared_out = {term: sum(count for (origin, _), count in weight.items() if origin == term) for term in terms}
    scores = dict.fromkeys(terms, 1.0)
    for _ in range(10):
        received = dict.fromkeys(terms, 0.0)
        for term in terms:
            for other in terms:
                if (term, other) in weight:
                    received[term] += weight[term, other] / shared_out[other] * scores[other]
        scores = {term: (1.0 - 0.85) + 0.85 * received[term] for term in terms}
    return {term: floor(score * 4096 + 0.5) for term, score in scores.items()}


def jenkins(data: bytes) -> int:
    """Lookup3 of Bob Jenkins, `hashlittle2` with initial values 0; the first result is the upper half."""

    def rotate(value: int, by: int) -> int:
        return (value << by | value >> 32 - by) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    while data:
        block, data = data[:12].ljust(12, b"\0"), data[12:]
        a, b, c = (
            (state + int.from_bytes(block[place : place + 4], "little")) & 0xFFFFFFFF
            for state, place in ((a, 0), (b, 4), (c, 8))
        )
        if data:
            for by in (4, 6, 8, 16, 19, 4):
                a, c = (a - c & 0xFFFFFFFF) ^ rotate(c, by), (c + b) & 0xFFFFFFFF
                a, b, c = b, c, a
        else:
            for by in (14, 11, 25, 16, 4, 14, 24):
                c = ((c ^ b) - rotate(b, by)) & 0xFFFFFFFF
                a, b, c = b, c, a
            a, b, c = c, a, b
    return c << 32 | b
