"""What the program does without, so that it starts and ends sooner."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"
_COLLECTED_AFTER = (50_000, 20, 20)
"""Objects and rounds after which garbage is sought: with Python's own, a tenth of the time of a short command."""


class _LeftOut(MetaPathFinder):
    """Finds that a package is not installed."""

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        if name == _PANDAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


_FINDER = _LeftOut()


def travel_light() -> None:
    """Leave out, in a process that is nothing but this program, what costs a short command a third of its time.

    Pandas is not found: pyarrow imports it, for a fifth of a second, to know its objects if it met any. Garbage is
    sought less often. No threads of OpenBLAS begin, which wait for matrices by asking for them all the time. Plugins of
    pydantic are not sought, for which the metadata of all packages would be read.
    """
    gc.set_threshold(*_COLLECTED_AFTER)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.meta_path.insert(0, _FINDER)


def bring_back_pandas() -> None:
    """Let it be found by Spark, which needs it."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


__all__ = ["bring_back_pandas", "travel_light"]
