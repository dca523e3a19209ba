"""How much a caller may ask for in a time."""

from __future__ import annotations

from whorl.errors import WhorlError


class TooManyError(WhorlError):
    """Somebody asks for too much at once.

    Attributes:
        seconds: after which it may be asked for again.
    """

    seconds = 1


__all__ = ["TooManyError"]
