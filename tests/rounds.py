"""How much the soak tests do: ``WHORL_ROUNDS=10 make soak`` does ten times as much as usual."""

import os


def rounds(usual: int) -> int:
    """How often a soak test does what it usually does ``usual`` times."""
    return usual * int(os.environ.get("WHORL_ROUNDS", "1"))


__all__ = ["rounds"]
