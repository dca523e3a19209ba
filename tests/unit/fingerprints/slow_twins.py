"""The keys of the families of parts by their definitions, plain and slow.

They share with the core the fold, the spans of sentences and the hash of a text, which is its key ``exact``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from whorl.fingerprints import family, keys
from whorl.text import fold, tokens
from whorl.text.structure import punctuation_contexts, segments, sentences

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ABSORB = 0xF1357AEA2E62A9C5
TOKEN_SEED = 0x77686F726C2D3031
PARTS_SEED = 0x77686F726C2D3032
WHOLE_TEXT = 2**32


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def absorb(values: Iterable[int], state: int) -> int:
    for value in values:
        product = (state ^ value) * ABSORB & MASK
        state = product ^ product >> 32
    return state


def hash_of(text: str) -> int:
    (key,) = keys(family("exact"), text)
    return key


def in_slot(hash_: int, slot: int) -> int:
    return mix(hash_ ^ (slot + 1) * GOLDEN & MASK)


def or_whole_text(values: set[int], text: str, min_shared: int) -> set[int]:
    if not fold(text) or len(values) >= min_shared:
        return values
    return {in_slot(hash_of(text), WHOLE_TEXT + number) for number in range(min_shared)}


def longest_sentence(
    text: str, sentences_: int, min_length: int, run: int, per_sentence: bool, min_shared: int
) -> set[int]:
    places = [(start, end) for start, end in sentences(text) if fold(text[start:end])]
    run = min(run, len(places))
    runs = [text[places[first][0] : places[first + run - 1][1]] for first in range(len(places) - run + 1) if run]
    long_enough = [passage for passage in runs if len(fold(passage)) >= min_length]
    by_length = sorted(long_enough or runs, key=lambda passage: -len(fold(passage)))
    chosen = list(dict.fromkeys(map(hash_of, by_length)))[:sentences_]
    if chosen and not per_sentence:
        chosen = [mix(absorb(sorted(chosen), PARTS_SEED))]
    return or_whole_text(set(chosen), text, min_shared)


def segment(text: str, count: int, rule: str, min_length: int, min_shared: int) -> set[int]:
    result = {
        in_slot(hash_of(text[span[0] : span[1]]), slot)
        for slot, span in enumerate(segments(text, count, rule))
        if span and len(fold(text[span[0] : span[1]])) >= min_length
    }
    return or_whole_text(result, text, min_shared)


def punctuation(text: str, width: int, sample: int, min_shared: int) -> set[int]:
    hashes = {
        mix(absorb(map(token_hash, tokens(text[start:end])), PARTS_SEED))
        for start, end in punctuation_contexts(text, width)
    }
    return or_whole_text({hash_ for hash_ in hashes if hash_ % sample == 0}, text, min_shared)


def bag(text: str, min_length: int) -> set[int]:
    folded = fold(text)
    if len(folded) < min_length:
        return or_whole_text(set(), text, 1)
    total = sum(number * mix(ord(character) * GOLDEN & MASK) for character, number in Counter(folded).items())
    return {mix((total ^ len(folded) * GOLDEN) & MASK)}


def token_hash(token: Sequence[str]) -> int:
    return absorb(map(ord, token), TOKEN_SEED)
