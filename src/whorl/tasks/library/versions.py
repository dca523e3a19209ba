"""Versions that the results of whorl depend on."""

from __future__ import annotations

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.release import RECIPE_VERSION, __version__
from whorl.types.comparison import Plain


@frozen
class Versions(Plain):
    """The versions of whorl, its core, the folding table and the recipe."""

    whorl: str
    core: str
    fold: str
    recipe: int


def versions() -> Versions:
    """Return the versions of this program."""
    return Versions(__version__, _core.VERSION, _core.FOLD_VERSION, RECIPE_VERSION)


__all__ = ["Versions", "versions"]
