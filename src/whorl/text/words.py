"""Words of a text, each with its place in the original.

Han text is cut with jieba's dictionary: by jieba's model ("precise"; "full" has every word, "search" adds the words
within words), or by matching alone ("fmm" forward, "bmm" backward, "bidirectional", "minimum" the fewest words). Runs
of letters or digits of other scripts are words as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise, repeat, starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whorl import _core
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.language import say

MODES = ("precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum")
WORDS_VERSION = _core.WORDS_VERSION
_OVERLAPPING = ("full", "search")


@dataclass(frozen=True, slots=True)
class Cutting:
    """How texts are cut into words.

    Args:
        mode: one of ``MODES``; the words of "full" and "search" overlap.
        hmm: let jieba's model guess words that the dictionary lacks; matching alone never guesses.
        fold: fold first, so that traditional, full-width and zero-width characters make no difference and marks are no
            words.
        tags: find parts of speech.
        stem: a language of ``stem_languages`` whose words lose their endings; None keeps words as they stand.
        chunks: runs of content words (nouns, adjectives, verbs, words of letters) between function words and marks,
            instead of words; not with modes whose words overlap.

    Raises:
        NotFoundError: there is no such mode or language, or they do not go together.
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
                say("the words of mode '{mode}' overlap", mode=self.mode), cure=say("choose another mode for chunks")
            )


@dataclass(frozen=True, slots=True)
class Words:
    """The words of texts as columns, one text after the other.

    Attributes:
        starts: the first code point of each word in its text.
        ends: the code point after the last.
        tags: the part of speech of each word; None when tags were not asked for.
        counts: how many words each text has.
        texts: the words: as they stand in the text, or folded, stemmed or joined, as they were asked for.
    """

    starts: list[int]
    ends: list[int]
    tags: list[str] | None
    counts: list[int]
    texts: list[str]


class Word(NamedTuple):
    """A word and where it stands.

    >>> import whorl
    >>> [word.text for word in whorl.segment(["渔港的冰厂添了机器"])[0]]
    ['渔港', '的', '冰厂', '添', '了', '机器']

    Attributes:
        text: the word, stem or chunk, folded if the text was.
        start: its first code point in the original text.
        end: the code point after its last.
        tag: its part of speech, "x" for an unknown one; None when tags were not asked for.
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
    """Cut texts into words, in parallel.

    >>> import whorl
    >>> [word.text for word in whorl.segment(["研究生命的起源"])[0]]
    ['研究', '生命', '的', '起源']

    Args:
        texts: the texts.
        mode: as for ``Cutting``, like the next five.
        hmm: let jieba's model guess words.
        fold: fold first.
        tags: find parts of speech.
        stem: a language whose words lose their endings.
        chunks: runs of content words instead of words.
        user_dictionary: a file of words on top of jieba's, a line each: word, frequency, tag; the last two may be left
            out.

    Raises:
        NotFoundError: there is no such mode or language, or they do not go together.
        InputError: the dictionary cannot be read.

    Cost: about 0.1 µs a character and core; the first call loads the dictionary in a tenth of a second.
    """
    cutting = Cutting(mode, hmm, fold, tags, stem, chunks)
    words = cut(texts, load_dictionary(user_dictionary), cutting)
    tagged = repeat(None) if words.tags is None else words.tags
    columns = zip(words.texts, words.starts, words.ends, tagged, strict=False)
    return [list(starmap(Word, islice(columns, count))) for count in words.counts]


def cut(texts: Sequence[str], dictionary: _core.Words, cutting: Cutting) -> Words:
    """Cut texts into columns of words, in parallel; lone surrogates stay where words are left as they stand."""
    *columns, joined, word_ends = dictionary.segment(texts, cutting)
    starts, ends, codes, counts = (
        np.frombuffer(memoryview(column), dtype).tolist()
        for column, dtype in zip(columns, (np.uint32, np.uint32, np.uint16, np.uint32), strict=True)
    )
    names = dictionary.tags()
    if cutting.fold or cutting.stem:
        limits = [0, *np.frombuffer(memoryview(word_ends), np.uint64).tolist()]
        data = bytes(memoryview(joined))
        found = [data[start:end].decode() for start, end in pairwise(limits)]
    else:
        places = zip(starts, ends, strict=True)
        groups = zip(texts, counts, strict=True)
        found = [text[start:end] for text, count in groups for start, end in islice(places, count)]
    return Words(starts, ends, [names[code] for code in codes] if cutting.tags else None, counts, found)


def stem_languages() -> tuple[str, ...]:
    """Return the languages whose words can lose their endings, by the algorithms of the Snowball project."""
    return tuple(_core.stem_languages())


def check_language(language: str) -> None:
    """Raise UsageError unless ``language`` is one of ``stem_languages``."""
    if language not in stem_languages():
        raise UsageError(
            say("there are no stems of {language!r}", language=language),
            cure=say("choose one of: {known}", known=", ".join(stem_languages())),
        )


def check_mode(mode: str) -> None:
    """Raise UsageError unless ``mode`` is one of ``MODES``."""
    if mode not in MODES:
        raise NotFoundError(
            say("there is no mode '{mode}'", mode=mode), cure=say("choose one of: {known}", known=", ".join(MODES))
        )


def load_dictionary(user_dictionary: str | Path | None = None) -> _core.Words:
    """Return jieba's dictionary, with the words of a file on top.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or a line of it is malformed.

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
            cure=say("check its name and permissions"),
        ) from error


@lru_cache(maxsize=8)
def _read_dictionary(path: str | None, _modified: int) -> _core.Words:
    if path is None:
        return _core.Words()
    try:
        return _core.Words(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(say("the dictionary {path} is not UTF-8", path=path), cure=say("save it as UTF-8")) from error
    except ValueError as error:
        raise InputError(
            say("the dictionary {path}, {reason}", path=path, reason=error),
            cure=say("a line is: word, frequency, tag; the last two may be left out"),
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
