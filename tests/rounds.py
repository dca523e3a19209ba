"""Scale of the soak tests: ``WHORL_ROUNDS=10 make soak`` runs ten times the usual number of rounds."""

import os


def rounds(usual: int) -> int:
    """Return the scaled number of rounds of a soak test."""
    return usual * int(os.environ.get("WHORL_ROUNDS", "1"))


__all__ = ["rounds"]
