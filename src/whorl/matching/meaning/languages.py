"""Whether two texts are in the same language, by their scripts and their short words."""

from __future__ import annotations

from collections import Counter

from whorl.text import tokens

_DENSE_FROM = "\u2e80"
_MAX_LETTERS = 4
_MIN_LATIN = 3
_MIN_COMMON = 0.15
"""Texts in English have 0.25 or more of their short words in common, in English and Spanish 0.1 or less."""
_MANY, _FEW = 0.3, 0.1


def is_dense(text: str) -> bool:
    """True if at least three tenths of a text are in a script without spaces."""
    letters = sum(map(str.isalpha, text))
    return sum(sign >= _DENSE_FROM and sign.isalpha() for sign in text) >= _MANY * max(1, letters)


def is_same_language(a: str, b: str) -> bool:
    """True if two texts are probably in the same language. Linear."""
    if _script(a) != _script(b):
        return False
    if is_dense(a):
        return True
    first, second = _short_words(a), _short_words(b)
    return sum(min(share, second.get(word, 0.0)) for word, share in first.items()) >= _MIN_COMMON


def latin_words(text: str) -> set[str]:
    """Return the distinct words of three Latin letters or more, folded, such as names and code. Linear."""
    return {token for token in tokens(text) if len(token) >= _MIN_LATIN and token.isascii() and token.isalpha()}


def _script(text: str) -> str:
    """Return the script of most letters; kana and Hangul mark texts that are mostly Han otherwise."""
    counts = Counter(_script_of(sign) for sign in text if sign.isalpha())
    total = counts.total()
    marked = [script for script in ("kana", "hangul") if counts[script] > _FEW * total]
    return marked[0] if marked else counts.most_common(1)[0][0] if counts else ""


def _script_of(sign: str) -> str:
    if "\u3040" <= sign <= "\u30ff":
        return "kana"
    if "\uac00" <= sign <= "\ud7a3":
        return "hangul"
    if sign >= _DENSE_FROM:
        return "han"
    return "latin" if sign < "\u0250" else f"{ord(sign) >> 8:x}"


def _short_words(text: str) -> dict[str, float]:
    counts = Counter(token for token in tokens(text) if token.isalpha() and len(token) <= _MAX_LETTERS)
    return {word: count / counts.total() for word, count in counts.items()}


__all__ = ["is_dense", "is_same_language", "latin_words"]
