"""The error tree. Every mistake a user can make ends in one of these, with its cure.

    WhorlError
    ├── UsageError       2  the request contradicts itself or names what does not exist
    ├── InputError       3  a file, a row or a value cannot be read as asked
    └── ResourceError    4  the machine ran out of something: disk, memory, permission

The number is the exit code of the command line.
"""


class WhorlError(Exception):
    """A failure that the user can understand and cure.

    Args:
        message: what is wrong, with file and line where there is one.
        cure: what to do about it, as an imperative; may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, *, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message}\n  cure: {self.cure}" if self.cure else self.message


class UsageError(WhorlError):
    """The request contradicts itself or names something that does not exist."""

    exit_code = 2


class InputError(WhorlError):
    """A file, a row or a value cannot be read as asked."""

    exit_code = 3


class ResourceError(WhorlError):
    """The machine ran out of something: disk space, memory, permission."""

    exit_code = 4


__all__ = ["InputError", "ResourceError", "UsageError", "WhorlError"]
