"""Numbers, dates and names of a text: what a free retelling keeps while no word of the source remains.

Sentence vectors hardly see them: two reports of one league have nearly the same vectors, whoever won. So texts that
agree in their vectors must agree in their facts, too. Numbers are compared by value (3647亿 and 364.7 billion), and
round ones agree with what they round (五千多 and 5295).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from whorl._internal.frozen import frozen
from whorl.text.words import segment

_HAN_DIGITS = {"〇": 0, "两": 2} | {sign: value for value, sign in enumerate("零一二三四五六七八九")}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10**4, "亿": 10**8}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(f"{_ONES} eighteen nineteen".split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = {month: value for value, month in enumerate(_MONTH_NAMES.split(), 1)}
_SCALES = {"万": 1e4, "亿": 1e8, "万亿": 1e12, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_HAN_NUMBER = "[零〇一二两三四五六七八九十百千万亿]+"
_NUMBER = re.compile(
    r"(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?P<scale>万亿|万|亿|(?:thousand|million|billion|trillion)\b)?"
    rf"|(?P<han>{_HAN_NUMBER})(?P<tenths>成)?|(?P<word>[A-Za-z]+)"
)
_DATE = re.compile(rf"(?:\d{{1,4}}|{_HAN_NUMBER})[年月日]|(?:{'|'.join(_MONTHS)})\b(?: \d{{1,2}}\b)?")
_NAME = re.compile(r"(?<=[a-z0-9,)\"'’] )[A-Z][A-Za-z]+")
_CAPITALIZED = re.compile(r"[A-Z][A-Za-z]+")
_NAME_TAGS = ("nr", "ns", "nt", "nz")
_MIN_NAME = 2
_NO_NUMBER = frozenset("一两十百千万亿")
_MIN_WORD = 3
_ROUND_FROM, _LOW, _HIGH = 10, 0.88, 1.3
_NAMED, _DATED, _ROUND, _SMALL = 0.7, 0.6, 0.6, 0.4
_SMALLEST, _SMALLER, _MAX_WEIGHT = 12, 31, 4
_YEARS = range(1900, 2101)


@frozen
class Facts:
    """The distinct facts of a text.

    Attributes:
        numbers: values of numbers outside of dates, each with a weight: how little it is due to chance that another
            text has it.
        dates: values of years, months and days.
        names: names of people, places and organizations.
        capitalized: all capitalized words.
        text: the text.
    """

    numbers: dict[float, float]
    dates: frozenset[float]
    names: frozenset[str]
    capitalized: frozenset[str]
    text: str


@frozen
class Agreement:
    """How well the facts of a text agree with those of another.

    Attributes:
        agreeing: weight of the facts that the other text has,
        differing: and of those that it lacks.
        values: number of agreeing numbers and dates: articles on one subject share names anyway.
    """

    agreeing: float
    differing: float
    values: int

    @property
    def share(self) -> float:
        """The share of the first, in [0, 1]; 0 without facts."""
        return self.agreeing / (self.agreeing + self.differing) if self.agreeing else 0.0


def number_count(text: str) -> int:
    """Return the number of numbers in a text. Linear."""
    return sum(1 for _ in _values(text))


def facts_of(text: str) -> Facts:
    """Read the facts of a text. Linear, with the segmentation of Han text into words."""
    dates = " ".join(_DATE.findall(text))
    numbers = {value: _weight(value) for value in _values(_DATE.sub(" ", text))}
    names = {name for name in _NAME.findall(text) if name not in _MONTHS}
    (words,) = segment([text], tags=True)
    names |= {word.text for word in words if word.text > "\u2e80" and (word.tag or "").startswith(_NAME_TAGS)}
    names = {name for name in names if len(name) >= _MIN_NAME}
    return Facts(numbers, frozenset(_values(dates)), frozenset(names), frozenset(_CAPITALIZED.findall(text)), text)


def agreement(facts: Facts, other: Facts, *, names: bool) -> Agreement:
    """Compare the facts of a text with those of another.

    Args:
        facts: those that the other text should have.
        other: those of the other text.
        names: compare names; those of another script cannot be compared.
    """
    agreeing = differing = 0.0
    values = 0
    for value, weight in facts.numbers.items():
        likeness = _likeness(value, other)
        agreeing += likeness * weight
        values += likeness > 0
        differing += 0.0 if likeness else weight
    dated = sum(value in other.dates or value in other.numbers for value in facts.dates)
    named = sum(name in other.capitalized or (name > "\u2e80" and name in other.text) for name in facts.names)
    agreeing += _DATED * dated + (_NAMED * named if names else 0.0)
    differing += _DATED * (len(facts.dates) - dated) + (_NAMED * (len(facts.names) - named) if names else 0.0)
    return Agreement(agreeing, differing, values + dated)


def _likeness(value: float, other: Facts) -> float:
    if value in other.numbers or value in other.dates:
        return 1.0
    is_rounded = any(_rounds(value, number) or _rounds(number, value) for number in other.numbers)
    return _ROUND if is_rounded else 0.0


def _rounds(value: float, number: float) -> bool:
    """True if a number of one digit may stand for another: "more than five thousand", "close to thirty"."""
    return value >= _ROUND_FROM and _digits(value) == 1 and _LOW * value <= number < _HIGH * value


def _values(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(text):
        if match["digits"]:
            yield round(float(match["digits"].replace(",", "")) * _SCALES.get(match["scale"], 1), 6)
        elif match["han"]:
            if len(match["han"]) > 1 or match["tenths"] or match["han"] not in _NO_NUMBER:
                yield _han(match["han"]) * (10 if match["tenths"] else 1)
        elif match["word"] in _MONTHS:
            yield float(_MONTHS[match["word"]])
        elif _WORDS.get(match["word"].lower(), 0) >= _MIN_WORD:
            yield float(_WORDS[match["word"].lower()])


def _han(number: Iterable[str]) -> float:
    """Return the value of a number in Han characters: by position (二〇二四) or with units (三万五千)."""
    signs = list(number)
    if all(sign in _HAN_DIGITS for sign in signs):
        return float("".join(str(_HAN_DIGITS[sign]) for sign in signs))
    total = section = digit = 0
    for sign in signs:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        elif sign in _HAN_UNITS:
            section += (digit or 1) * _HAN_UNITS[sign]
            digit = 0
        else:
            before = section + digit
            total = (total + before or 1) * 10**8 if sign == "亿" else total + (before or 1) * _HAN_MYRIADS[sign]
            section = digit = 0
    return float(total + section + digit)


def _digits(value: float) -> int:
    """Return the number of significant digits, up to six."""
    return max(1, len(f"{value:.5e}".partition("e")[0].replace(".", "").rstrip("0")))


def _weight(value: float) -> float:
    if value <= _SMALLEST:
        return _SMALL
    return 1.0 if value <= _SMALLER or value in _YEARS else float(min(_MAX_WEIGHT, _digits(value)))


__all__ = ["Agreement", "Facts", "agreement", "facts_of", "number_count"]
