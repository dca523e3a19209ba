"""Scale of the soak tests and of the slow properties: ``WHORL_ROUNDS=10 make soak test`` tries ten times as much."""

import os


def rounds(usual: int) -> int:
    """Return the scaled number of rounds of a soak test, or of examples of a slow property."""
    return usual * int(os.environ.get("WHORL_ROUNDS", "1"))


def stride(usual: int) -> int:
    """Return the distance between the places that a test of many places tries: smaller with more rounds."""
    return max(1, usual // rounds(1))


__all__ = ["rounds", "stride"]
