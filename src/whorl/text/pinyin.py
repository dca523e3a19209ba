"""Pinyin: Han characters as their toneless syllables, so that characters exchanged for homophones read alike.

The readings are a file format, ``PINYIN_VERSION``. A character is read by the longest word that begins where the one
before it ends: 行 is ``hang`` in 银行 and ``xing`` in 行动. ü is written v. Traditional characters have the readings of
the simplified ones. On 300,000 characters of news 99.97 % of the syllables are those of pypinyin.

What is compared is read character by character, each by its most frequent reading, so that equal characters stay equal
where only a neighbour was changed; 99.56 % of those syllables are pypinyin's.
"""

from typing import NamedTuple

from whorl import _core

PINYIN_VERSION = _core.PINYIN_VERSION


class Reading(NamedTuple):
    """The reading of one Han character.

    Attributes:
        syllable: toneless, in lower case.
        offset: where the character stands in the original text.
    """

    syllable: str
    offset: int


def readings(text: str) -> list[Reading]:
    """Return the readings of the Han characters of ``text`` by their words, in order.

    Linear; what has no reading is left out.
    """
    return [Reading(*reading) for reading in _core.pinyin_readings(text)]


def initials(text: str, *, by_word: bool = True) -> str:
    """Return the first letters of the syllables of the Han characters of ``text``. Linear.

    Args:
        text: any text.
        by_word: read characters by the words they stand in; otherwise each by itself, as the keys of ``pinyin`` do.
    """
    return _core.pinyin_initials(text, by_word)


def pinyin_fold(text: str) -> str:
    """Return the folded text with every Han character as its syllable by itself, for comparing.

    Tokens are separated by a space. Linear.
    """
    return _core.pinyin_fold(text)


__all__ = ["PINYIN_VERSION", "Reading", "initials", "pinyin_fold", "readings"]
