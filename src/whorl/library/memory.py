"""Libraries at the address ``:memory:``, for tests and short-lived programs.

The stores and the index are made of files that several threads open. Rather than a second implementation of each, which
might behave differently, such a library has a private folder on a file system in memory, where the system has one. It
is removed when the library is closed, and after the process if it was not.
"""

from __future__ import annotations

import os
from pathlib import Path

from whorl._internal.scratch import ScratchFolder
from whorl.library.core import Core
from whorl.library.library import Library

MEMORY = ":memory:"
"""Address of a new library in memory."""
_SHARED_MEMORY = "/dev/shm"


class MemoryLibrary(Library):
    """A library whose folder is removed when it is closed."""

    def __init__(self, core: Core, scratch: ScratchFolder) -> None:
        super().__init__(core, MEMORY)
        self._scratch = scratch
        self._owner = os.getpid()

    def close(self) -> None:
        """Release all resources, and remove everything that was added."""
        super().close()
        if os.getpid() == self._owner:
            self._scratch.cleanup()


def memory_folder() -> ScratchFolder:
    """Return an empty private folder, in memory if possible."""
    usable = Path(_SHARED_MEMORY).is_dir() and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK)
    return ScratchFolder(_SHARED_MEMORY if usable else None)


__all__ = ["MEMORY", "MemoryLibrary", "memory_folder"]
