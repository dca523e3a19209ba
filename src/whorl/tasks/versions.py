"""Which versions decide what whorl finds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from whorl import _core
from whorl.model import plain
from whorl.recipe import RECIPE_VERSION


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of whorl, its core, the folding table and the recipe."""

    whorl: str
    core: str
    fold: str
    recipe: int

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return plain(self)


def versions() -> Versions:
    """Return the versions of this program."""
    return Versions(version("whorl"), _core.VERSION, _core.FOLD_VERSION, RECIPE_VERSION)


__all__ = ["Versions", "versions"]
