"""Pinyin: Han characters as toneless syllables, so that homophones compare equal.

The readings are a versioned format, ``PINYIN_VERSION``. A character is read by the longest dictionary word starting
after the previous one: 行 is ``hang`` in 银行 and ``xing`` in 行动. ü is written v. Traditional characters have the
readings of the simplified ones. On 300,000 characters of news, 99.97% of the syllables are those of pypinyin.

Comparisons read each character separately, by its most frequent reading, so that equal characters stay equal if a
neighbor changes; 99.56% of those syllables are pypinyin's.
"""

from typing import NamedTuple

from whorl import _core

PINYIN_VERSION = _core.PINYIN_VERSION


class Reading(NamedTuple):
    """The reading of one Han character.

    Attributes:
        syllable: toneless, in lower case.
        offset: position of the character in the original text.
    """

    syllable: str
    offset: int


def readings(text: str) -> list[Reading]:
    """Return the readings of the Han characters of ``text`` in the context of words, in order.

    Linear; characters without a reading are omitted.
    """
    return [Reading(*reading) for reading in _core.pinyin_readings(text)]


def initials(text: str, *, by_word: bool = True) -> str:
    """Return the first letters of the syllables of the Han characters of ``text``. Linear.

    Args:
        text: any text.
        by_word: read characters in the context of words; otherwise each separately, as the keys of ``pinyin`` do.
    """
    return _core.pinyin_initials(text, by_word)


def pinyin_fold(text: str) -> str:
    """Return the folded text with every Han character replaced by its syllable, for comparisons.

    Tokens are separated by a space. Linear.
    """
    return _core.pinyin_fold(text)


__all__ = ["PINYIN_VERSION", "Reading", "initials", "pinyin_fold", "readings"]
