"""A panic of the core, caused by arguments that the package never passes."""

import numpy as np

from whorl import _core


def panic_in_core() -> None:
    """Raise ``PanicException``, which is not an ``Exception``."""
    _core.rank(np.zeros(2), np.zeros(1, np.uint8), np.array([0, 1, 9]))


__all__ = ["panic_in_core"]
