"""Write `crates/whorl-core/src/text/reading_words.txt`: words with a character whose reading differs from its default.

    python scripts/make_reading_words.py

Run it by hand: the crate embeds the committed file, and `tests/unit/text/test_reading_words.py` checks that the file is
up to date. Readings are those of pypinyin's phrases, for words that jieba has too. The table also has frequent words,
read character by character, that end with the beginning of another word of the table. They keep 增长 whole in 增长发展;
otherwise 长发 would match.
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
    """Return the default reading of a character; empty if it has no reading."""
    return next((syllable for syllable, _ in _core.pinyin_readings(character)), "")


def toneless(syllable: str) -> str:
    """Return the syllable as spelled in the table of characters."""
    return str(to_normal(syllable, v_to_u=False)).replace("ê", "e").replace("ü", "v")


def frequencies() -> dict[str, int]:
    """Return the frequency of each word of jieba."""
    with (Path(jieba.__file__).parent / "dict.txt").open(encoding="utf-8") as lines:
        return {word: int(count) for word, count, *_ in map(str.split, lines)}


def build() -> str:
    """Return the table: one word per line, then its syllables, by ascending code points."""
    words = frequencies()
    phrases = {
        word: [toneless(readings[0]) for readings in phrase]
        for word, phrase in phrases_dict.items()
        if word in words and len(phrase) == len(word) > 1 and fold(word) == word and all(map(alone, word))
    }
    otherwise = {word: read for word, read in phrases.items() if read != [alone(character) for character in word]}
    beginnings = {word[0] for word in otherwise}

    def before() -> Iterator[tuple[str, list[str]]]:
        for word, read in phrases.items():
            if word not in otherwise and words[word] >= FREQUENT and word[-1] in beginnings:
                yield word, read

    table = otherwise | dict(before())
    return "".join(f"{word} {' '.join(table[word])}\n" for word in sorted(table))


if __name__ == "__main__":
    TABLE.write_text(build(), encoding="utf-8")
    print(f"{len(build().encode()):,} bytes")
