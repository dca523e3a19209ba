"""The committed table of words equals the output of its generator."""

import runpy
from pathlib import Path

import pytest

from whorl.text import fold
from whorl.text.pinyin import readings

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "crates" / "whorl-core" / "src" / "text" / "reading_words.txt"


def test_the_source_reproduces_the_committed_table() -> None:
    pytest.importorskip("pypinyin")
    table = runpy.run_path(str(ROOT / "scripts" / "make_reading_words.py"))["build"]()
    assert table == TABLE.read_text(encoding="utf-8"), "the readings have changed: write a new table, with a new name"


def test_every_word_of_the_table_has_its_reading() -> None:
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 3_000
    for word, *syllables in lines:
        assert [reading.syllable for reading in readings(word)] == syllables
        assert fold(word) == word
