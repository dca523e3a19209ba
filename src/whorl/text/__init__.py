"""Normalization and tokenization of text, as used by all methods.

The fold is a versioned format, ``FOLD_VERSION``: NFKC, full case folding, width, traditional to simplified characters.
Punctuation, white space and symbols end a token; zero-width and default-ignorable characters are removed. A token is
one character of a script written without spaces, or one run of letters or digits.
"""

from typing import NamedTuple

from whorl import _core

FOLD_VERSION = _core.FOLD_VERSION


def fold(text: str) -> str:
    """Return the folded text, without separators. Linear; lone surrogates end a token and are removed."""
    return _core.fold(text)


def body(text: str) -> str:
    """Return a text without the lines at its beginning and end that name authors, editors, sources and rights.

    Fingerprints are made from the body, after removal of metadata such as time codes. A text that would become empty is
    all body. Linear.
    """
    return "".join(text[start:end] for start, end in _core.body_ranges(text))


def tokens(text: str) -> list[str]:
    """Return the tokens of ``text``, folded, in order. Linear."""
    return _core.tokens(text)


def shared_spans(text: str, other: str, shingle: int = 5) -> list[tuple[int, int]]:
    """Return the ranges of ``text`` that are covered by shingles of ``other``.

    Args:
        text: the text to search.
        other: the possible source.
        shingle: number of tokens of a shingle, at least 1.

    Returns:
        Disjoint, ascending, half-open ranges of code points: ``text[start:end]`` is the original passage.

    Cost: linear in both texts.
    """
    return _core.shared_spans(text, other, shingle)


class EditRun(NamedTuple):
    """A run of one text and its counterpart in another, as half-open ranges of code points.

    Attributes:
        kind: "same"; "form" (different width, case, punctuation or script); "homophones"; "replaced"; "deleted" (only
            in ``a``); "inserted" (only in ``b``).
        a_start: start in the first text.
        a_end: end in the first text.
        b_start: start in the second text.
        b_end: end in the second text.
    """

    kind: str
    a_start: int
    a_end: int
    b_start: int
    b_end: int


def edit_runs(a: str, b: str) -> list[EditRun]:
    """Align two passages word by word or character by character.

    Returns:
        Runs that cover both texts, in order; adjacent runs have different kinds.

    Cost: linear, except for parts of up to about a thousand words; longer parts without unique common words count as
    replaced entirely.
    """
    return [EditRun(*run) for run in _core.edit_runs(a, b)]


__all__ = ["FOLD_VERSION", "EditRun", "body", "edit_runs", "fold", "shared_spans", "tokens"]
