"""Hide packages whose import takes longer than a short command, and which are not needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"


class _HiddenPackage:
    """Import finder that reports a package as not installed.

    Its class has no base: ``importlib.abc`` would import modules that a short command does not need.
    """

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        if name == _PANDAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


_FINDER = _HiddenPackage()


def hide_pandas() -> None:
    """Report pandas as not installed in this process: pyarrow takes 0.2 s to import it for type checks."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def bring_back_pandas() -> None:
    """Make pandas importable again for Spark, which needs it."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


__all__ = ["bring_back_pandas", "hide_pandas"]
