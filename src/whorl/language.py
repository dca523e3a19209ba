"""What whorl says, in the language of whoever reads it.

Sentences are written in English where they are said, as templates, and keep what they are made of: a `Message` is the
English text for programs and logs, and says the same in another language when a front asks for it. The translations
stand in one catalogue, ``locale/zh/LC_MESSAGES/whorl.po``.

Files, the core and other processes hold the English alone; `heard` finds the message again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, reduce
from gettext import GNUTranslations
from io import BytesIO
from numbers import Number
from pathlib import Path
from string import Formatter
from struct import unpack_from
from typing import Any, Literal, NamedTuple, Self, get_args

Language = Literal["en", "zh"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
_ASKED = ("WHORL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

_PLACES_OF_MESSAGES = ("cure", "error", "message", "reason")
_LEAST_FIXED = 8

_spoken: ContextVar[Language | None] = ContextVar("whorl_language", default=None)


class Message(str):
    """A sentence in English that can say itself in another language.

    Attributes:
        one: its template in English, as in the catalogue.
        many: the template for other numbers than one; empty where no number decides.
        number: the number that decides between them.
        values: what stands in the places of the template; messages among them are translated too. An exception that was
            raised with a message stands for that message, and anything but text and numbers for its text.
    """

    __slots__ = ("many", "number", "one", "values")

    one: str
    many: str
    number: int
    values: dict[str, Any]

    def __new__(cls, one: str, many: str, number: int, values: dict[str, Any]) -> Self:
        """Make the English text."""
        values = {name: _kept(value) for name, value in values.items()}
        made = super().__new__(cls, (many if many and number != 1 else one).format(**values))
        made.one, made.many, made.number, made.values = one, many, number, values
        return made

    def __reduce__(self) -> tuple[type[Message], tuple[str, str, int, dict[str, Any]]]:
        return type(self), (self.one, self.many, self.number, self.values)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[type[str]], dict[str, Any]]) -> Any:
        """Let pydantic take it as text, and write it in the language that is spoken."""
        spoken_text = {"type": "function-plain", "function": translated, "return_schema": handler(str)}
        return handler(str) | {"serialization": spoken_text}

    def to(self, language: Language) -> str:
        """Return it in a language; in English where the catalogue lacks it."""
        if language == "en":
            return str(self)
        catalogue = _catalogue(language)
        said = catalogue.ngettext(self.one, self.many, self.number) if self.many else catalogue.gettext(self.one)
        return said.format(**{name: translated(_meant(name, value), language) for name, value in self.values.items()})

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """Return it with the texts in its places changed, messages among them included."""
        values = {name: _changed(value, change) for name, value in self.values.items()}
        return Message(self.one, self.many, self.number, values)


class _Written(str):
    """The text of something in a place, instead of the thing itself."""

    __slots__ = ("_shown",)

    _shown: str

    def __new__(cls, text: str, shown: str) -> Self:
        made = super().__new__(cls, text)
        made._shown = shown
        return made

    def __reduce__(self) -> tuple[type[_Written], tuple[str, str]]:
        return type(self), (str(self), self._shown)

    def __repr__(self) -> str:
        return self._shown

    def __format__(self, specification: str) -> str:
        try:
            return format(str(self), specification)
        except ValueError:  # it was a number, and is written as one
            return str(self)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return value.with_texts(change)
    if not isinstance(value, str):
        return value
    text = change(str(value))
    return value if text == value else text


def _kept(value: Any) -> Any:
    """What a message keeps of a value, so that it goes to other processes and holds on to nothing."""
    if isinstance(value, BaseException) and value.args and isinstance(value.args[0], Message):
        return value.args[0]
    return value if isinstance(value, str | Number | None) else _Written(str(value), repr(value))


def _meant(name: str, value: Any) -> Any:
    """What stands in a place: the message, where it is one of messages that holds plain English."""
    return heard(value) if name in _PLACES_OF_MESSAGES and isinstance(value, str) else value


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


def either(names: Iterable[str]) -> str:
    """Return a choice: "a", "a or b", "a or b or c"."""
    return reduce(lambda one, other: say("{one} or {other}", one=one, other=other), names)


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


@lru_cache(1024)
def heard(text: str) -> str:
    """Return the message that an English text is; the text itself where it is none.

    Of the templates that fit, that with the most text of its own is taken; where a number decides, in the form that
    fits.
    """
    if isinstance(text, Message):
        return text
    for form in _forms(text[:1]):
        if form.may_fit(text) and (found := _pattern(form.template).fullmatch(text)):
            values = {name: _Written(said, said) for name, said in found.groupdict().items()}
            return Message(form.one, form.many, form.number, values)
    return text


class _Form(NamedTuple):
    """A template in one of its numbers, as texts are held against it.

    Attributes:
        template: it.
        fixed: its text apart from its places, as it stands between them.
        one: the template where the number is 1, or where no number decides.
        many: the template for other numbers; empty where no number decides.
        number: one for which this form is the right one.
    """

    template: str
    fixed: tuple[str, ...]
    one: str
    many: str
    number: int

    def may_fit(self, text: str) -> bool:
        """Whether a text has what is fixed, in its order; few have, and a pattern takes long to compile."""
        reached = 0
        for part in self.fixed:
            found = text.find(part, reached)
            if found < 0:
                return False
            reached = found + len(part)
        return True


@cache
def _forms(first: str) -> list[_Form]:
    """The templates of texts that begin with a character, in all their numbers."""
    found = []
    for one, many in _catalogue("zh").templates:
        for number, template in [(1, one), (0, many)] if many else [(0, one)]:
            fixed = tuple(text for text, *_ in Formatter().parse(template))
            own = "".join(fixed)
            is_likely = len(own.replace(" ", "")) >= _LEAST_FIXED or own == template
            if is_likely and fixed[0][:1] in ("", first):
                found.append(_Form(template, fixed, one, many, number))
    return sorted(found, key=lambda form: -sum(map(len, form.fixed)))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """What fits a template: its places stand for any text, the same one wherever a name stands again."""
    written, names = "", set[str]()
    for text, name, *_ in Formatter().parse(template):
        written += re.escape(text)
        if name:
            written += f"(?P={name})" if name in names else f"(?P<{name}>.*?)"
            names.add(name)
    return re.compile(written, re.DOTALL)


def spoken() -> Language:
    """Return the language that is spoken here.

    It is the one of `speaking` or `speak`, else the first that ``WHORL_LANG``, ``LC_ALL``, ``LC_MESSAGES`` and ``LANG``
    name: Chinese where it begins with ``zh``, else English.
    """
    named = next((os.environ[name] for name in _ASKED if os.environ.get(name)), "")
    return _spoken.get() or ("zh" if named.lower().startswith("zh") else "en")


def speak(language: Language) -> None:
    """Speak a language from now on, in this context: this thread, and tasks that are started in it.

    >>> import whorl
    >>> whorl.speak("en")
    """
    _spoken.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language within the block."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


class _Catalogue(GNUTranslations):
    """The translations of one language."""

    def _parse(self, fp: Any) -> None:
        data = fp.read()
        super()._parse(BytesIO(data))
        self._originals = list(_originals(data))

    @property
    def templates(self) -> Iterator[tuple[str, str]]:
        """What is translated, each with what stands in its place for other numbers than one, or nothing."""
        return ((one, many) for one, _, many in (text.partition("\0") for text in self._originals) if one)


def _originals(data: bytes) -> Iterator[str]:
    """The texts of a compiled catalogue that are translated."""
    order = "<" if data[:1] == b"\xde" else ">"
    count, start = unpack_from(f"{order}2I", data, 8)
    for place in range(count):
        length, offset = unpack_from(f"{order}2I", data, start + 8 * place)
        yield data[offset : offset + length].decode()


@cache
def _catalogue(language: Language) -> _Catalogue:
    path = Path(__file__).parent / "locale" / language / "LC_MESSAGES" / "whorl.mo"
    with path.open("rb") as file:
        return _Catalogue(file)


__all__ = [
    "LANGUAGES",
    "Language",
    "Message",
    "either",
    "heard",
    "listed",
    "looked_up",
    "say",
    "say_many",
    "speak",
    "speaking",
    "spoken",
    "translated",
]
