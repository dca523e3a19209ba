"""Start and end of the program without work that a short command does not need."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from whorl._internal.gc_policy import SELDOM
from whorl._internal.lean_imports import hide_pandas


def travel_light() -> Departure:
    """Disable optional work at the start that takes a third of the time of a short command.

    Pandas is hidden. Garbage is collected less often. OpenBLAS starts no threads, which would busy-wait for matrices.
    Pydantic loads no plugins, which would read the metadata of all packages.

    Returns:
        the end of the program.
    """
    departure = Departure()
    gc.set_threshold(*SELDOM)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    hide_pandas()
    return departure


class Departure:
    """The end of the process after all threads and all other functions that run at exit.

    If the exit code is known by then, the memory is left to the system. The interpreter would first free every object,
    which takes some hundredths of the time of a short command.
    """

    def __init__(self) -> None:
        self._code: int | None = None
        atexit.register(self._quit)  # as the first of the functions, so that it is the last to run

    def expect(self, code: object) -> None:
        """Note the code of the exit that has begun; other values than a number are left to the interpreter."""
        if code is None or isinstance(code, int):
            self._code = code or 0

    def _quit(self) -> None:
        if self._code is None:
            return
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except (AttributeError, OSError, ValueError):  # the interpreter reports what cannot be written
            return
        os._exit(self._code)


__all__ = ["Departure", "travel_light"]
