"""Word segmentation, with the position of each word in the original text.

Han text is segmented with jieba's dictionary: by jieba's model ("precise"; "full" has every word, "search" adds the
words within words), or by matching alone ("fmm" forward, "bmm" backward, "bidirectional", "minimum" the fewest words).
Runs of letters or digits of other scripts are words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, pairwise, repeat, starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.i18n import say

MODES = ("precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum")
WORDS_VERSION = _core.WORDS_VERSION
_OVERLAPPING = ("full", "search")


@frozen
class Cutting:
    """Settings of the word segmentation.

    Args:
        mode: one of ``MODES``; the words of "full" and "search" overlap.
        hmm: let jieba's model guess words that the dictionary lacks; matching alone never guesses.
        fold: fold first, which unifies traditional and full-width characters, and drops zero-width characters and
            punctuation.
        tags: tag parts of speech.
        stem: a language of ``stem_languages`` whose words are stemmed; None does not stem.
        chunks: return runs of content words (nouns, adjectives, verbs, words of letters) between function words and
            punctuation instead of words; not with modes whose words overlap.

    Raises:
        NotFoundError: the mode or language does not exist, or the options are incompatible.
    """

    mode: str = "precise"
    hmm: bool = True
    fold: bool = False
    tags: bool = False
    stem: str | None = None
    chunks: bool = False

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.stem is not None:
            check_language(self.stem)
        if self.chunks and self.mode in _OVERLAPPING:
            raise UsageError(
                say("the words of mode '{mode}' overlap", mode=self.mode), hint=say("choose another mode for chunks")
            )


class Words(NamedTuple):
    """The words of texts as concatenated columns.

    Attributes:
        starts: first code point of each word in its text.
        ends: code point after the last one.
        tags: part of speech of each word; None unless requested.
        counts: number of words of each text.
        texts: the words: as in the text, or folded, stemmed or joined, depending on the settings.
    """

    starts: list[int]
    ends: list[int]
    tags: list[str] | None
    counts: list[int]
    texts: list[str]


class Word(NamedTuple):
    """A word and its position.

    >>> import whorl
    >>> [word.text for word in whorl.words.segment(["渔港的冰厂添了机器"])[0]]
    ['渔港', '的', '冰厂', '添', '了', '机器']

    Attributes:
        text: the word, stem or chunk, folded if the text was.
        start: first code point in the original text.
        end: code point after the last one.
        tag: part of speech, "x" for an unknown one; None unless requested.
    """

    text: str
    start: int
    end: int
    tag: str | None = None


def segment(
    texts: Sequence[str],
    mode: str = "precise",
    *,
    hmm: bool = True,
    fold: bool = False,
    tags: bool = False,
    stem: str | None = None,
    chunks: bool = False,
    user_dictionary: str | Path | None = None,
) -> list[list[Word]]:
    """Split texts into words, in parallel.

    >>> import whorl
    >>> [word.text for word in whorl.words.segment(["研究生命的起源"])[0]]
    ['研究', '生命', '的', '起源']

    Args:
        texts: the texts.
        mode: see ``Cutting``, like the next five.
        hmm: let jieba's model guess words.
        fold: fold first.
        tags: tag parts of speech.
        stem: a language whose words are stemmed.
        chunks: return runs of content words instead of words.
        user_dictionary: file of words in addition to jieba's, one per line: word, frequency, tag; the last two are
            optional.

    Raises:
        NotFoundError: the mode or language does not exist, or the options are incompatible.
        InputError: the dictionary cannot be read.

    Cost: about 0.1 µs per character and core; the first call loads the dictionary in a tenth of a second.
    """
    cutting = Cutting(mode, hmm, fold, tags, stem, chunks)
    words = cut(texts, load_dictionary(user_dictionary), cutting)
    tagged = repeat(None) if words.tags is None else words.tags
    columns = zip(words.texts, words.starts, words.ends, tagged, strict=False)
    return [list(starmap(Word, islice(columns, count))) for count in words.counts]


def cut(texts: Sequence[str], dictionary: _core.Words, cutting: Cutting) -> Words:
    """Split texts into columns of words, in parallel; lone surrogates are kept if words are not folded."""
    *columns, joined, word_ends = dictionary.segment(texts, cutting)
    starts, ends, codes, counts = (
        np.frombuffer(memoryview(column), dtype).tolist()
        for column, dtype in zip(columns, (np.uint32, np.uint32, np.uint16, np.uint32), strict=True)
    )
    names = dictionary.tags()
    if cutting.fold or cutting.stem:
        limits = [0, *np.frombuffer(memoryview(word_ends), np.uint64).tolist()]
        data = bytes(memoryview(joined))
        words = [data[start:end].decode() for start, end in pairwise(limits)]
    else:
        places = zip(starts, ends, strict=True)
        groups = zip(texts, counts, strict=True)
        words = [text[start:end] for text, count in groups for start, end in islice(places, count)]
    return Words(starts, ends, [names[code] for code in codes] if cutting.tags else None, counts, words)


def stem_languages() -> tuple[str, ...]:
    """Return the languages with a stemmer, by the algorithms of the Snowball project."""
    return tuple(_core.stem_languages())


def check_language(language: str) -> None:
    """Raise UsageError unless ``language`` is one of ``stem_languages``."""
    if language not in stem_languages():
        raise UsageError(
            say("no stemmer for {language!r}", language=language),
            hint=say("choose one of: {known}", known=", ".join(stem_languages())),
        )


def check_mode(mode: str) -> None:
    """Raise UsageError unless ``mode`` is one of ``MODES``."""
    if mode not in MODES:
        raise NotFoundError(
            say("there is no mode '{mode}'", mode=mode), hint=say("choose one of: {known}", known=", ".join(MODES))
        )


def load_dictionary(user_dictionary: str | Path | None = None) -> _core.Words:
    """Load jieba's dictionary, extended with the words of a file.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or has a malformed line.

    Cost: a tenth of a second, once for each state of a file.
    """
    if user_dictionary is None:
        return _read_dictionary(None, 0)
    try:
        return _read_dictionary(str(user_dictionary), Path(user_dictionary).stat().st_mtime_ns)
    except OSError as error:
        raise InputError(
            say(
                "cannot read the dictionary {path}: {error}",
                path=user_dictionary,
                error=error.strerror,
            ),
            hint=say("check its name and permissions"),
        ) from error


@lru_cache(maxsize=8)
def _read_dictionary(path: str | None, _modified: int) -> _core.Words:
    if path is None:
        return _core.Words()
    try:
        return _core.Words(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(say("the dictionary {path} is not UTF-8", path=path), hint=say("save it as UTF-8")) from error
    except ValueError as error:
        raise InputError(
            say("the dictionary {path}, {reason}", path=path, reason=error),
            hint=say("a line is: word, frequency, tag; the last two may be left out"),
        ) from error


__all__ = [
    "MODES",
    "WORDS_VERSION",
    "Cutting",
    "Word",
    "Words",
    "check_language",
    "check_mode",
    "cut",
    "load_dictionary",
    "segment",
    "stem_languages",
]
