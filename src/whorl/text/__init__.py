"""Text as every fingerprint sees it: folded, and cut into tokens.

The fold is a file format, ``FOLD_VERSION``: NFKC, full case folding, width, traditional to simplified characters;
punctuation, white space and symbols end a token, zero-width and default-ignorable characters vanish. A token is one
character of a script written without spaces, or one run of letters or digits.
"""

from typing import NamedTuple

from whorl import _core

FOLD_VERSION = _core.FOLD_VERSION


def fold(text: str) -> str:
    """Return the folded text, without separators. Linear; lone surrogates end a token and vanish."""
    return _core.fold(text)


def body(text: str) -> str:
    """Return a text without the lines at its head and foot that name authors, editors, sources and rights.

    It is what fingerprints are made of, once metadata such as time codes is taken out. A text that would have nothing
    left is all body. Linear.
    """
    return "".join(text[start:end] for start, end in _core.body_ranges(text))


def tokens(text: str) -> list[str]:
    """Return the tokens of ``text``, folded, in order. Linear."""
    return _core.tokens(text)


def shared_spans(text: str, other: str, shingle: int = 5) -> list[tuple[int, int]]:
    """Return the stretches of ``text`` that shingles of ``other`` cover.

    Args:
        text: the text whose stretches are wanted.
        other: the text they may come from.
        shingle: tokens a shingle, 1 or more.

    Returns:
        Disjoint, ascending, half-open ranges of code points: ``text[start:end]`` is the passage as it stands.

    Cost: linear in both texts.
    """
    return _core.shared_spans(text, other, shingle)


class EditRun(NamedTuple):
    """A run of one text and what stands for it in another, as half-open ranges of code points.

    Attributes:
        kind: "same"; "form" the same in other width, case, punctuation or script; "homophones"; "replaced"; "deleted"
            only in ``a``; "inserted" only in ``b``.
        a_start: where it begins in the first text.
        a_end: where it ends there.
        b_start: where it begins in the second text.
        b_end: where it ends there.
    """

    kind: str
    a_start: int
    a_end: int
    b_start: int
    b_end: int


def edit_runs(a: str, b: str) -> list[EditRun]:
    """Say how one stretch became the other, word by word or character by character.

    Returns:
        Runs that fill both texts, in order; no two neighbours are of one kind.

    Cost: linear but for parts of at most about a thousand words; of longer ones that have nothing unique in common all
    is replaced.
    """
    return [EditRun(*run) for run in _core.edit_runs(a, b)]


__all__ = ["FOLD_VERSION", "EditRun", "body", "edit_runs", "fold", "shared_spans", "tokens"]
