"""The error tree. Every mistake a user can make ends in one of these, with its cure.

    WhorlError
    ├── UsageError       2  the request contradicts itself or names what does not exist
    │   └── NotFoundError   a document, cluster, method or other thing asked for by its name is not there
    ├── InputError       3  a file, a row or a value cannot be read as asked
    └── ResourceError    4  the machine ran out of something: disk, memory, permission

The number is the exit code of the command line. Messages hold for whoever asked: an argument is named as Python knows
it, in backticks, such as `text` or `text=body`, which the command line shows as an option of the command.
"""

from typing import Any

from whorl.language import Language, say, translated


class WhorlError(Exception):
    """A failure that the user can understand and cure. ``str()`` of it says both, in the language that is spoken.

    Args:
        message: what is wrong, with file and line where there is one.
        cure: what to do about it, as an imperative; may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, *, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def to(self, language: Language | None = None) -> str:
        """Return what is wrong and its cure in a language, by default the one that is spoken."""
        told = say("{message}\n  cure: {cure}", message=self.message, cure=self.cure) if self.cure else self.message
        return str(translated(told, language))

    def __str__(self) -> str:
        return self.to()


class UsageError(WhorlError):
    """The request contradicts itself or names something that does not exist."""

    exit_code = 2


class NotFoundError(UsageError):
    """What was asked for by its name is not there: a document, a cluster, a method, a rule. Files are input."""


class InputError(WhorlError):
    """A file, a row or a value cannot be read as asked."""

    exit_code = 3


class ResourceError(WhorlError):
    """The machine ran out of something: disk space, memory, permission."""

    exit_code = 4


def demand_whole(holder: Any, name: str, least: int, most: int) -> None:
    """Refuse the field ``name`` of ``holder`` unless it is a whole number from ``least`` to ``most``.

    Raises:
        UsageError: it is not. The message begins with the name of ``holder``, if it has one.
    """
    value = getattr(holder, name)
    if type(value) is not int or not least <= value <= most:
        owner = getattr(holder, "name", None)
        raise UsageError(
            f"{f'{owner}: ' if owner else ''}{name} is {value!r}, not a whole number from {least} to {most}",
            cure=f"see `whorl methods {owner}`" if owner else f"choose one from {least} to {most}",
        )


def demand_share(holder: Any, name: str, least: float = 0.0) -> None:
    """Refuse the field ``name`` of ``holder`` unless it is a number above ``least`` and up to 1.

    Raises:
        UsageError: it is not. The message begins with the name of ``holder``, if it has one.
    """
    value = getattr(holder, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least < value <= 1:
        owner = getattr(holder, "name", None)
        raise UsageError(
            f"{f'{owner}: ' if owner else ''}{name} is {value!r}, not above {least:g} and up to 1",
            cure=f"see `whorl methods {owner}`" if owner else "give a share such as 0.8",
        )


__all__ = ["InputError", "NotFoundError", "ResourceError", "UsageError", "WhorlError", "demand_share", "demand_whole"]
