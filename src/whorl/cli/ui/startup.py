"""Startup and shutdown optimizations of the program."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"
_COLLECTED_AFTER = (100_000, 20, 20)
"""Thresholds of the garbage collector: the defaults of Python take a tenth of the time of a short command.

A short command creates fewer objects than the first one, most of them by imports, and none of these are garbage.
"""


class _LeftOut:
    """Import finder that reports a package as not installed.

    Its class has no base: ``importlib.abc`` would import modules that a short command does not need.
    """

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        if name == _PANDAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


_FINDER = _LeftOut()


def travel_light() -> None:
    """Disable optional startup work that takes a third of the time of a short command.

    Pandas is hidden, because pyarrow takes 0.2 s to import it for type checks. Garbage is collected less often.
    OpenBLAS starts no threads, which would busy-wait for matrices. Pydantic loads no plugins, which would read the
    metadata of all packages.
    """
    gc.set_threshold(*_COLLECTED_AFTER)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.meta_path.insert(0, _FINDER)


def bring_back_pandas() -> None:
    """Make pandas importable again for Spark, which needs it."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


__all__ = ["bring_back_pandas", "travel_light"]
