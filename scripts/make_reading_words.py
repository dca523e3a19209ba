"""Writes `crates/whorl-core/src/text/reading_words.txt`: words in which a character is read otherwise than by itself.

    python scripts/make_reading_words.py

Nothing else runs this: the crate embeds the committed file, and `tests/unit/text/test_reading_words.py` proves that it
is still what this writes. Readings are those of the phrases of pypinyin, for words that jieba has too. Besides, there
are frequent words, read character by character, that end where another word of the table begins: they keep 增长 whole
in 增长发展, where else 长发 would be found.
"""

from collections.abc import Iterator
from pathlib import Path

import jieba
from pypinyin.contrib.tone_convert import to_normal
from pypinyin.phrases_dict import phrases_dict

from whorl import _core
from whorl.text import fold

TABLE = Path(__file__).parents[1] / "crates" / "whorl-core" / "src" / "text" / "reading_words.txt"
FREQUENT = 1000


def alone(character: str) -> str:
    """The reading of a character by itself; empty for what has none."""
    return next((syllable for syllable, _ in _core.pinyin_readings(character)), "")


def toneless(syllable: str) -> str:
    """The syllable as the table of characters writes it."""
    return str(to_normal(syllable, v_to_u=False)).replace("ê", "e").replace("ü", "v")


def frequencies() -> dict[str, int]:
    """How often each word of jieba occurs."""
    with (Path(jieba.__file__).parent / "dict.txt").open(encoding="utf-8") as lines:
        return {word: int(count) for word, count, *_ in map(str.split, lines)}


def build() -> str:
    """The table: a word a line, then its syllables, by rising code points."""
    known = frequencies()
    phrases = {
        word: [toneless(readings[0]) for readings in phrase]
        for word, phrase in phrases_dict.items()
        if word in known and len(phrase) == len(word) > 1 and fold(word) == word and all(map(alone, word))
    }
    otherwise = {word: read for word, read in phrases.items() if read != [alone(character) for character in word]}
    beginnings = {word[0] for word in otherwise}

    def before() -> Iterator[tuple[str, list[str]]]:
        for word, read in phrases.items():
            if word not in otherwise and known[word] >= FREQUENT and word[-1] in beginnings:
                yield word, read

    table = otherwise | dict(before())
    return "".join(f"{word} {' '.join(table[word])}\n" for word in sorted(table))


if __name__ == "__main__":
    TABLE.write_text(build(), encoding="utf-8")
    print(f"{len(build().encode()):,} bytes")
