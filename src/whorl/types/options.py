"""Keyword options that several functions share, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TypedDict

from whorl.i18n import Language


class CompareOptions(TypedDict, total=False):
    """The options of ``whorl.compare``, which ``whorl.matching.compare.Comparing`` documents and validates."""

    exclude: Sequence[str]
    boilerplate: Sequence[str]
    least: int
    reprint: float
    language: Language | None
    terms: Sequence[tuple[str, str]]
    meaning: bool | str | PathLike[str]


__all__ = ["CompareOptions"]
