"""What whorl says, in the language of whoever reads it.

Sentences are written in English where they are said, as templates, and keep what they are made of: a `Message` is the
English text for programs and logs, and says the same in another language when a front asks for it. The translations
stand in one catalogue, ``locale/zh/LC_MESSAGES/whorl.po``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, reduce
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any, Literal, Self, get_args

Language = Literal["en", "zh"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
_ASKED = ("WHORL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

_spoken: ContextVar[Language | None] = ContextVar("whorl_language", default=None)


class Message(str):
    """A sentence in English that can say itself in another language.

    Attributes:
        one: its template in English, as in the catalogue.
        many: the template for other numbers than one; empty where no number decides.
        number: the number that decides between them.
        values: what stands in the places of the template; messages among them are translated too.
    """

    __slots__ = ("many", "number", "one", "values")

    one: str
    many: str
    number: int
    values: dict[str, Any]

    def __new__(cls, one: str, many: str, number: int, values: dict[str, Any]) -> Self:
        """Make the English text."""
        made = super().__new__(cls, (many if many and number != 1 else one).format(**values))
        made.one, made.many, made.number, made.values = one, many, number, values
        return made

    def __reduce__(self) -> tuple[type[Message], tuple[str, str, int, dict[str, Any]]]:
        return type(self), (self.one, self.many, self.number, self.values)

    def to(self, language: Language) -> str:
        """Return it in a language; in English where the catalogue lacks it."""
        if language == "en":
            return str(self)
        catalogue = _catalogue(language)
        said = catalogue.ngettext(self.one, self.many, self.number) if self.many else catalogue.gettext(self.one)
        return said.format(**{name: translated(value, language) for name, value in self.values.items()})


def say(template: str, /, **values: Any) -> Message:
    """Return a sentence.

    Args:
        template: in English, a literal with named places as of ``str.format``: ``"{path}: no row {row:,}"``.
        values: what stands in those places.
    """
    return Message(template, "", 0, values)


def say_many(one: str, many: str, count: int, /, **values: Any) -> Message:
    """Return a sentence whose words depend on a number, which stands in its places as ``count``.

    Args:
        one: the template in English where the number is 1.
        many: the template where it is another.
        count: the number.
        values: what stands in further places.
    """
    return Message(one, many, count, {"count": count, **values})


def listed(things: Sequence[Any]) -> Any:
    """Return things, one at least, one after the other: ``a, b, c``."""
    return reduce(lambda some, more: say("{some}, {more}", some=some, more=more), things)


def translated(said: Any, language: Language | None = None) -> Any:
    """Return what is said in a language, by default the one that is spoken; anything but a message as it is."""
    return said.to(language or spoken()) if isinstance(said, Message) else said


def looked_up(text: str, language: Language | None = None) -> str:
    """Return a text that has no places in a language, by default the spoken one; as it is where the catalogue lacks it.

    It is for texts that stand somewhere else than in `say`: the help of commands, the public pages of methods.
    """
    language = language or spoken()
    return text if language == "en" or not text else _catalogue(language).gettext(text)


def spoken() -> Language:
    """Return the language that is spoken here.

    It is the one of `speaking` or `speak`, else the first that ``WHORL_LANG``, ``LC_ALL``, ``LC_MESSAGES`` and ``LANG``
    name: Chinese where it begins with ``zh``, else English.
    """
    named = next((os.environ[name] for name in _ASKED if os.environ.get(name)), "")
    return _spoken.get() or ("zh" if named.lower().startswith("zh") else "en")


def speak(language: Language) -> None:
    """Speak a language from now on, in this context: this thread, and tasks that are started in it."""
    _spoken.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language within the block."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


@cache
def _catalogue(language: Language) -> NullTranslations:
    path = Path(__file__).parent / "locale" / language / "LC_MESSAGES" / "whorl.mo"
    with path.open("rb") as file:
        return GNUTranslations(file)


__all__ = [
    "LANGUAGES",
    "Language",
    "Message",
    "listed",
    "looked_up",
    "say",
    "say_many",
    "speak",
    "speaking",
    "spoken",
    "translated",
]
