"""Exceptions for user errors, each with a hint.

    WhorlError
    ├── UsageError       2  the request contradicts itself or names what does not exist
    │   └── NotFoundError   no document, cluster, method or rule has this name
    ├── InputError       3  a file, a row or a value cannot be read as requested
    └── ResourceError    4  the machine ran out of something: disk, memory, permission
        ├── DiskFullError   a disk has no room
        └── IsolationError  5  the process that parses files cannot be started within the limits of this environment

The number is the exit code of the command line. Messages name an argument in backticks by its Python name, such as
`text` or `text=body`, which the command line shows as an option of the command.
"""

from typing import Any

from whorl.i18n import Language, Message, as_message, say, spoken, translated


class WhorlError(Exception):
    """Base class of errors that the user can fix. ``str()`` gives message and hint in the current language.

    >>> import whorl
    >>> try:
    ...     index = whorl.indexes.KeyIndex(most_documents=0)
    ... except whorl.WhorlError as error:
    ...     refused = error
    >>> print(refused)
    expected a positive whole number for most_documents, got 0
      hint: give most_documents a number, or leave it out

    Args:
        message: what is wrong, with file and line where there is one.
        hint: what to do about it, as an imperative; may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to(self, language: Language | None = None) -> str:
        """Return message and hint in a language, by default the current one.

        >>> print(refused.to("zh"))
        most_documents 应为正整数，实际为 0
          建议：most_documents 请使用数，或省略
        """
        text = say("{message}\n  hint: {hint}", message=self.message, hint=self.hint) if self.hint else self.message
        language = language or spoken()
        return str(text) if language == "en" else str(translated(as_message(text), language))

    def __str__(self) -> str:
        return self.to()


class UsageError(WhorlError):
    """The request contradicts itself or names something that does not exist.

    >>> import whorl
    >>> try:
    ...     whorl.dedup(["text"], threshold=2)
    ... except whorl.errors.UsageError as error:
    ...     print(error.message)
    expected a number in (0, 1] for threshold, got 2
    """

    exit_code = 2


class NotFoundError(UsageError):
    """No document, cluster, method or rule has this name. A missing file is an ``InputError``.

    >>> import whorl
    >>> try:
    ...     whorl.lab.describe_method("minhush")
    ... except whorl.errors.NotFoundError as error:
    ...     print(error.message)
    there is no method 'minhush'
    """


class InputError(WhorlError):
    """A file, a row or a value cannot be read as requested.

    >>> import whorl
    >>> try:
    ...     whorl.dedup([{"body": "text"}])
    ... except whorl.errors.InputError as error:
    ...     print(error.hint)
    set the text column: text=...
    """

    exit_code = 3


class ResourceError(WhorlError):
    """The machine ran out of something: disk space, memory, permission.

    >>> import whorl
    >>> issubclass(whorl.errors.ResourceError, whorl.WhorlError), whorl.errors.ResourceError.exit_code
    (True, 4)
    """

    exit_code = 4


class DiskFullError(ResourceError):
    """A disk has no room for what was to be written; nothing was changed."""


class IsolationError(ResourceError):
    """The process that parses files cannot be started, or not with the memory that reading a file may take.

    Nothing is wrong with the files: they are neither read nor rejected.

    >>> import whorl
    >>> issubclass(whorl.errors.IsolationError, whorl.errors.ResourceError), whorl.errors.IsolationError.exit_code
    (True, 5)
    """

    exit_code = 5


def demand_whole(holder: Any, name: str, minimum: int, maximum: int) -> None:
    """Refuse the field ``name`` of ``holder`` unless it is a whole number from ``minimum`` to ``maximum``.

    Raises:
        UsageError: it is not. The message begins with the name of ``holder``, if it has one.
    """
    value = getattr(holder, name)
    if type(value) is not int or not minimum <= value <= maximum:
        message = say(
            "{name} is {value!r}, expected an integer from {least} to {most}",
            name=name,
            value=value,
            least=minimum,
            most=maximum,
        )
        raise _refusal(holder, message, say("choose an integer from {least} to {most}", least=minimum, most=maximum))


def is_error(failure: BaseException) -> bool:
    """Return True for an exception that does not ask the process to end: any ``Exception``, or a panic of the core.

    A panic is not an ``Exception``, so that no handler swallows it by chance. The last handler of a thread or a request
    reports it like any other defect.

    >>> is_error(ValueError()), is_error(KeyboardInterrupt())
    (True, False)
    """
    return isinstance(failure, Exception) or type(failure).__name__ == "PanicException"


def demand_share(holder: Any, name: str, minimum: float = 0.0) -> None:
    """Refuse the field ``name`` of ``holder`` unless it is a number above ``minimum`` and up to 1.

    Raises:
        UsageError: it is not. The message begins with the name of ``holder``, if it has one.
    """
    value = getattr(holder, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not minimum < value <= 1:
        message = say("{name} is {value!r}, expected a number in ({least:g}, 1]", name=name, value=value, least=minimum)
        raise _refusal(holder, message, say("use a share such as 0.8"))


def _refusal(holder: Any, message: Message, hint: Message) -> UsageError:
    """Return the error for a field; for a method the hint refers to its page."""
    owner = getattr(holder, "name", None)
    if not owner:
        return UsageError(message, hint=hint)
    return UsageError(
        say("{label}: {reason}", label=owner, reason=message), hint=say("see `whorl methods {name}`", name=owner)
    )


__all__ = [
    "DiskFullError",
    "InputError",
    "IsolationError",
    "NotFoundError",
    "ResourceError",
    "UsageError",
    "WhorlError",
    "demand_share",
    "demand_whole",
    "is_error",
]
