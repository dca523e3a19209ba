"""The options of a deduplication, which every way to run one shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from whorl.recipe import Recipe


Output = Literal["rows", "ids"]
"""What a run writes of the kept documents."""


class RecipeOptions(TypedDict, total=False):
    """Settings that override those of the recipe; ``whorl.dedup_files`` documents them."""

    id: str | None
    date: str | None
    method: str | None
    threshold: float | None
    keep: str | None
    verify: str | Mapping[str, Any] | None
    changes: bool | None
    remove: Sequence[str] | None
    links: int | None


class RunOptions(RecipeOptions, total=False):
    """Options of every run."""

    workers: int | None


class MemoryOptions(RunOptions, total=False):
    """The options of ``whorl.dedup``."""

    text: str | Sequence[str] | None
    against: Any
    recipe: Recipe | None


__all__ = ["MemoryOptions", "Output", "RecipeOptions", "RunOptions"]
