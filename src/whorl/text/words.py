"""Words of a text, each with its place in the original.

Han text is cut with jieba's dictionary: by jieba's model ("precise"; "full" has every word, "search" adds the words
within words), or by matching alone ("fmm" forward, "bmm" backward, "bidirectional", "minimum" the fewest words). Runs
of letters or digits of other scripts are words as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whorl import _core
from whorl.errors import InputError, UsageError

MODES = ("precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum")
WORDS_VERSION = _core.WORDS_VERSION


class Word(NamedTuple):
    """A word and where it stands.

    Attributes:
        text: the word, folded if the text was.
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
    user_dictionary: str | Path | None = None,
) -> list[list[Word]]:
    """Cut texts into words, in parallel.

    Args:
        texts: the texts.
        mode: one of ``MODES``; the words of "full" and "search" overlap.
        hmm: let jieba's model guess words that the dictionary lacks; matching alone never guesses.
        fold: fold first, so that traditional, full-width and zero-width characters make no difference and marks are no
            words.
        tags: find parts of speech.
        user_dictionary: a file of words on top of jieba's, a line each: word, frequency, tag; the last two may be left
            out.

    Raises:
        UsageError: there is no such mode.
        InputError: the dictionary cannot be read.

    Cost: about 0.1 µs a character and core; the first call loads the dictionary in a tenth of a second.
    """
    check_mode(mode)
    dictionary = load_dictionary(user_dictionary)
    buffers = dictionary.segment(texts, mode, hmm, fold, tags)
    starts, ends = (np.frombuffer(memoryview(buffer), np.uint32).tolist() for buffer in buffers[:2])
    codes = np.frombuffer(memoryview(buffers[2]), np.uint16).tolist()
    counts = np.frombuffer(memoryview(buffers[3]), np.uint32).tolist()
    names = dictionary.tags()
    tagged = [names[code] for code in codes] if tags else repeat(None)
    places = zip(starts, ends, tagged, strict=False)
    found = []
    for text, count in zip(texts, counts, strict=True):
        words = [Word(text[start:end], start, end, tag) for start, end, tag in islice(places, count)]
        found.append([word._replace(text=_core.fold(word.text)) for word in words] if fold else words)
    return found


def check_mode(mode: str) -> None:
    """Raise UsageError unless ``mode`` is one of ``MODES``."""
    if mode not in MODES:
        raise UsageError(f"there is no mode '{mode}'", cure=f"choose one of: {', '.join(MODES)}")


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
            f"cannot read the dictionary {user_dictionary}: {error.strerror}", cure="check its name and permissions"
        ) from error


@lru_cache(maxsize=8)
def _read_dictionary(path: str | None, _modified: int) -> _core.Words:
    if path is None:
        return _core.Words()
    try:
        return _core.Words(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"the dictionary {path} is not UTF-8", cure="save it as UTF-8") from error
    except ValueError as error:
        raise InputError(
            f"the dictionary {path}, {error}", cure="a line is: word, frequency, tag; the last two may be left out"
        ) from error


__all__ = ["MODES", "WORDS_VERSION", "Word", "check_mode", "load_dictionary", "segment"]
