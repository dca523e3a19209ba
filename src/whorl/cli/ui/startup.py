"""Startup optimizations of the program."""

from __future__ import annotations

import atexit
import gc
import os

from whorl._internal.lean_imports import hide_pandas

_COLLECTED_AFTER = (100_000, 20, 20)
"""Thresholds of the garbage collector: the defaults of Python take a tenth of the time of a short command.

A short command creates fewer objects than the first one, most of them by imports, and none of these are garbage.
"""


def travel_light() -> None:
    """Disable optional startup work that takes a third of the time of a short command.

    Pandas is hidden. Garbage is collected less often, and not at exit, when the system takes back all memory anyway.
    OpenBLAS starts no threads, which would busy-wait for matrices. Pydantic loads no plugins, which would read the
    metadata of all packages.
    """
    gc.set_threshold(*_COLLECTED_AFTER)
    atexit.register(gc.freeze)  # the last collections of the interpreter then find no objects
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    hide_pandas()


__all__ = ["travel_light"]
