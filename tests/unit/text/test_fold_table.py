"""The folding table, and the fold built on it, compared with an independent twin: Python's character data.

Python has another version of Unicode than the table, so only characters assigned in both are compared. Python's data
lacks scripts (names replace them), the ignorable property (listed here), traditional characters (the table may replace
an ideograph by one other ideograph, which is then fixed) and variants of letters (listed here)."""

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from unicodedata import category, combining, decimal, name, normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from whorl.text import tokens
from whorl.text.look_alikes import undo_look_alikes

PROJECT = Path(__file__).parents[3]
TABLE = PROJECT / "crates" / "whorl-core" / "src" / "text" / "fold_table.bin"
SPECIFICATION = PROJECT / "docs" / "SPECIFICATION.md"
BMP_SIZE = 0x10000

CONTROL_WHITE_SPACE = set("\t\n\v\f\r\x85")
IGNORABLE_LETTERS_AND_MARKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
OPTIONAL_MARK = re.compile("ARABIC|HEBREW|SYRIAC|COMBINING DOT BELOW LEFT")
TATWEEL = "\u0640"
LETTER_VARIANTS = str.maketrans(
    "\u0622\u0623\u0625\u0671\u0629\u06c0\u06c1\u06c2\u0649\u06cc\u06a9",
    "\u0627\u0627\u0627\u0627\u0647\u0647\u0647\u0647\u064a\u064a\u0643",
)
VIETNAMESE_TONE = re.compile("[ou][\u0300\u0301\u0303\u0309\u0323]")
UNSPACED = re.compile(
    "CJK|HANGUL|HALFWIDTH HANGUL"
    "|HIRAGANA|HENTAIGANA|KATAKANA|COMBINING KATAKANA-HIRAGANA|THAI|LAO|KHMER|MYANMAR|HANGZHOU|MASU MARK"
    "|IDEOGRAPHIC (NUMBER ZERO|ITERATION MARK|CLOSING MARK)|VERTICAL (KANA|IDEOGRAPHIC)|OLD CHINESE|CHINESE SMALL"
    "|VIETNAMESE ALTERNATE READING MARK|YANGQIN"
)


class Class(IntEnum):
    SINGLE = 0
    RUN = 1
    BREAK = 2
    DROP = 3


Part = tuple[str, Class]


@dataclass(frozen=True)
class FoldTable:
    """The file, parsed as docs/SPECIFICATION.md describes it."""

    bmp: tuple[int, ...]
    single: tuple[int, ...]
    records: dict[int, tuple[int, list[int]]]
    ranges: list[tuple[int, ...]]

    @classmethod
    def read(cls, data: bytes) -> "FoldTable":
        bmp = struct.unpack_from("<65536H", data)
        single = struct.unpack_from("<1024Q", data, 2 * BMP_SIZE)
        raw_records, offset = read_section(data, 2 * BMP_SIZE + BMP_SIZE // 8, "<IBBHI")
        raw_pool, offset = read_section(data, offset, "<I")
        ranges, offset = read_section(data, offset, "<IIB3x")
        assert offset == len(data)
        pool = [packed for (packed,) in raw_pool]
        records = {
            code_point: (flags, pool[start : start + length]) for code_point, flags, length, _, start in raw_records
        }
        return cls(bmp, single, records, ranges)

    def fold(self, character: str) -> list[Part]:
        """Return the fold of one character, with the class of every part."""
        code_point = ord(character)
        if code_point in self.records:
            return [(chr(packed & 0x1FFFFF), Class(packed >> 24)) for packed in self.records[code_point][1]]
        if code_point >= BMP_SIZE:
            return [(character, self.class_beyond_bmp(code_point))]
        match self.bmp[code_point]:
            case 0xD800:
                return [(character, Class.BREAK)]
            case 0xD801:
                return [(character, Class.DROP)]
            case folded:
                is_single = self.single[folded // 64] >> (folded % 64) & 1
                return [(chr(folded), Class.SINGLE if is_single else Class.RUN)]

    def class_beyond_bmp(self, code_point: int) -> Class:
        numbers = (number for first, last, number in self.ranges if first <= code_point <= last)
        return Class(next(numbers, Class.BREAK))


def read_section(data: bytes, offset: int, layout: str) -> tuple[list[tuple[int, ...]], int]:
    (count,) = struct.unpack_from("<I", data, offset)
    start, end = offset + 4, offset + 4 + count * struct.calcsize(layout)
    return list(struct.iter_unpack(layout, data[start:end])), end


@cache
def committed_table() -> FoldTable:
    return FoldTable.read(TABLE.read_bytes())


@pytest.fixture
def table() -> FoldTable:
    return committed_table()


def known_characters() -> Iterator[str]:
    for code_point in range(sys.maxunicode + 1):
        if category(character := chr(code_point)) not in {"Cn", "Co", "Cs"}:
            yield character


def expected_class(character: str) -> Class:
    kind = category(character)
    if character in CONTROL_WHITE_SPACE or kind[0] in "ZPS":
        return Class.BREAK
    if kind in {"Cc", "Cf"} or IGNORABLE_LETTERS_AND_MARKS.match(character):
        return Class.DROP
    if character == TATWEEL or (kind == "Mn" and OPTIONAL_MARK.match(name(character))):
        return Class.DROP
    is_word = kind[0] in "LM" or kind == "Nl"
    return Class.SINGLE if is_word and UNSPACED.match(name(character, "")) else Class.RUN


def expected_parts(text: str) -> list[Part]:
    """Return the fold of a normalised text without simplification, from Python's data."""
    folded = (part for character in text for part in normalize("NFKC", character.casefold()))
    unified = (str(decimal(part, part.translate(LETTER_VARIANTS))) for part in folded)
    return [(part, expected_class(part)) for part in unified]


def kept(parts: list[Part]) -> list[Part]:
    return [(character, kind) for character, kind in parts if kind in {Class.SINGLE, Class.RUN}]


def separates(parts: list[Part]) -> bool:
    return any(kind is Class.BREAK for _, kind in parts)


def is_ideograph(character: str) -> bool:
    return name(character, "").startswith("CJK")


def simplified(parts: list[Part], table: FoldTable) -> list[Part]:
    return [
        output
        for character, kind in parts
        for output in (table.fold(character) if is_ideograph(character) else [(character, kind)])
    ]


def test_the_specification_names_this_table() -> None:
    assert sha256(TABLE.read_bytes()).hexdigest() in SPECIFICATION.read_text(encoding="utf-8")


def test_every_character_folds_as_python_says(table: FoldTable) -> None:
    for character in known_characters():
        expected = simplified(expected_parts(normalize("NFKC", character)), table)
        actual = table.fold(character)
        assert (kept(actual), separates(actual)) == (kept(expected), separates(expected)), ascii(character)


def test_an_ideograph_becomes_one_ideograph_that_stays(table: FoldTable) -> None:
    for character in filter(is_ideograph, known_characters()):
        for output, kind in kept(table.fold(character)):
            assert kind is Class.SINGLE, ascii(character)
            assert table.fold(output) == [(output, kind)], ascii(character)


def test_composes_marks_what_can_join_the_character_before(table: FoldTable) -> None:
    composites = (character for character in known_characters() if normalize("NFC", character) == character)
    second_halves = {last for composite in composites for last in normalize("NFD", composite)[1:]}
    for character in known_characters():
        first = normalize("NFKD", character)[0]
        flags, _ = table.records.get(ord(character), (0, []))
        assert bool(flags) == (combining(first) != 0 or first in second_halves), ascii(character)


def test_records_and_ranges_can_be_searched(table: FoldTable) -> None:
    slow = {code_point for code_point, entry in enumerate(table.bmp) if entry == 0xD802}
    assert list(table.records) == sorted(table.records)
    assert slow == {code_point for code_point in table.records if code_point < BMP_SIZE}
    bounds = [bound for first, last, _ in table.ranges for bound in (first, last + 1)]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("character", ["\ud800", "\ue000", "\uffff", "\U000f0000", "\U0010ffff"], ids=ascii)
def test_non_characters_separate(table: FoldTable, character: str) -> None:
    assert table.fold(character) == [(character, Class.BREAK)]


def tokens_of_parts(parts: list[Part]) -> list[str]:
    spaced = "".join(
        {Class.SINGLE: f" {character} ", Class.RUN: character, Class.BREAK: " ", Class.DROP: ""}[kind]
        for character, kind in parts
    )
    return spaced.split(" ")


texts = st.text(
    st.characters(exclude_categories=["Cn", "Co", "Cs"]) | st.sampled_from("ae\u0301\u0323\u0345ｶﾞかᄀ\u1161\u11a8가漢")
)


@given(texts)
def test_tokens_of_any_text(text: str) -> None:
    text = undo_look_alikes(text).text
    assume(not VIETNAMESE_TONE.search(normalize("NFD", text).lower()))
    parts = simplified(expected_parts(normalize("NFKC", text)), committed_table())
    assert tokens(text) == [token for token in tokens_of_parts(parts) if token]
