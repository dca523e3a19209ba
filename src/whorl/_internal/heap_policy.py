"""Keep freed memory for the next block of a run.

A run reads its input in blocks of 8 MiB. By default the allocator of glibc returns memory of that size to the system
when it is freed, and the system clears every page again before the next block: reading 583 MB took 68,000 page faults
and 0.34 s of processor time. With the settings below it took 6,000 and 0.17 s.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of the settings in ``malloc.h``."""
_KEPT_BYTES = 64 * 2**20
_LARGEST_KEPT = 32 * 2**20


def keep_freed_blocks() -> None:
    """Let the process keep up to 64 MiB of freed memory per heap. Only for commands: a library leaves this to its host.

    Without effect on systems without glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


__all__ = ["keep_freed_blocks"]
