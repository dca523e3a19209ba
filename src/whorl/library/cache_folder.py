"""Where the caches of a library lie whose store has no folder for them: with those of the user."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path

_BELOW_HOME = {"darwin": "Library/Caches", "win32": "AppData/Local"}


def cache_folder(identity: str) -> Path | None:
    """Return the folder for the caches of a library, which need not be there; None for a user without a home.

    It is in ``whorl`` below ``XDG_CACHE_HOME``, or below what the platform has for caches: ``~/.cache``,
    ``~/Library/Caches`` or ``~/AppData/Local``.

    Args:
        identity: of the library, wherever and by whomever it is opened.
    """
    told = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        user = told if told.is_absolute() else Path.home() / _BELOW_HOME.get(sys.platform, ".cache")
    except RuntimeError:
        return None
    return user / "whorl" / sha256(identity.encode()).hexdigest()[:32]


__all__ = ["cache_folder"]
