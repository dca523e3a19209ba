"""Pinyin: Han characters as their toneless syllables, so that characters exchanged for homophones read alike.

The readings are a file format, ``PINYIN_VERSION``. One character has one syllable, that of its most frequent reading,
whatever the words around it; ü is written v. Traditional characters have the readings of the simplified ones. Of the
syllables, 99.7 % on the example newsroom and 99.6 % on 210,000 characters of news are those of pypinyin, which looks at
words; of their first letters, 99.8 % and 99.7 %.
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
    """Return the readings of the Han characters of ``text``, in order. Linear; what has no reading is left out."""
    return [Reading(*reading) for reading in _core.pinyin_readings(text)]


def initials(text: str) -> str:
    """Return the first letters of the syllables of the Han characters of ``text``. Linear."""
    return _core.pinyin_initials(text)


def pinyin_fold(text: str) -> str:
    """Return the folded text with every Han character as its syllable; tokens are separated by a space. Linear."""
    return _core.pinyin_fold(text)


__all__ = ["PINYIN_VERSION", "Reading", "initials", "pinyin_fold", "readings"]
