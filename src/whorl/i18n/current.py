"""The language of the user: from the environment, or as set for a context."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, get_args

Language = Literal["en", "zh"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
_VARIABLES = ("WHORL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

_spoken: ContextVar[Language | None] = ContextVar("whorl_language", default=None)


def spoken() -> Language:
    """Return the current language.

    It is set by `speaking` or `speak`. Otherwise it is taken from the first of ``WHORL_LANG``, ``LC_ALL``,
    ``LC_MESSAGES`` and ``LANG`` that is set: Chinese for values that begin with ``zh``, otherwise English.
    """
    named = next((os.environ[name] for name in _VARIABLES if os.environ.get(name)), "")
    return _spoken.get() or ("zh" if named.lower().startswith("zh") else "en")


def speak(language: Language) -> None:
    """Set the current language in this context: this thread, and tasks started from it.

    >>> import whorl
    >>> whorl.i18n.speak("en")
    """
    _spoken.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Set the current language within the block."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


__all__ = ["LANGUAGES", "Language", "speak", "speaking", "spoken"]
