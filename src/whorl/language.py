"""Translation of messages into the language of the user.

Code contains English templates. A `Message` is the English text, for programs and logs, and keeps its template and
values, so that a front end can render it in another language. The translations are in one catalogue,
``locale/zh/LC_MESSAGES/whorl.po``.

Files, the core and other processes contain only English text; `heard` recovers the message from it.
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
    """An English sentence that can be rendered in another language.

    Attributes:
        one: English template, the key of the catalogue; the singular if there is a plural.
        many: English template of the plural; empty if there is no plural.
        number: the number that selects the plural form.
        values: values of the placeholders; messages among them are translated, too. An exception raised with a message
            is replaced by the message, and other values than text and numbers by their text.
    """

    __slots__ = ("many", "number", "one", "values")

    one: str
    many: str
    number: int
    values: dict[str, Any]

    def __new__(cls, one: str, many: str, number: int, values: dict[str, Any]) -> Self:
        """Render the English text."""
        values = {name: _kept(value) for name, value in values.items()}
        made = super().__new__(cls, (many if many and number != 1 else one).format(**values))
        made.one, made.many, made.number, made.values = one, many, number, values
        return made

    def __reduce__(self) -> tuple[type[Message], tuple[str, str, int, dict[str, Any]]]:
        return type(self), (self.one, self.many, self.number, self.values)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[type[str]], dict[str, Any]]) -> Any:
        """Let pydantic validate it as text, and serialize it in the current language."""
        spoken_text = {"type": "function-plain", "function": translated, "return_schema": handler(str)}
        return handler(str) | {"serialization": spoken_text}

    def to(self, language: Language) -> str:
        """Render it in a language; in English if there is no translation."""
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
    """The text of a value in a placeholder, instead of the value."""

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
        except ValueError:  # a number that was already formatted
            return str(self)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return value.with_texts(change)
    if not isinstance(value, str):
        return value
    text = change(str(value))
    return value if text == value else text


def _kept(value: Any) -> Any:
    """Reduce a value to what can be pickled and keeps no reference to other objects."""
    if isinstance(value, BaseException) and value.args and isinstance(value.args[0], Message):
        return value.args[0]
    return value if isinstance(value, str | Number | None) else _Written(str(value), repr(value))


def _meant(name: str, value: Any) -> Any:
    """Return the value of a placeholder; plain English text is recovered as a message if messages belong there."""
    return heard(value) if name in _PLACES_OF_MESSAGES and isinstance(value, str) else value


def say(template: str, /, **values: Any) -> Message:
    """Return a message.

    Args:
        template: English literal with placeholders of ``str.format``: ``"{path}: no row {row:,}"``.
        values: values of the placeholders.
    """
    return Message(template, "", 0, values)


def say_many(one: str, many: str, count: int, /, **values: Any) -> Message:
    """Return a message with plural forms; the number is available as ``count``.

    Args:
        one: English template of the singular.
        many: English template of the plural.
        count: the number.
        values: values of further placeholders.
    """
    return Message(one, many, count, {"count": count, **values})


def either(names: Iterable[str]) -> str:
    """Join alternatives: "a", "a or b", "a or b or c"."""
    return reduce(lambda one, other: say("{one} or {other}", one=one, other=other), names)


def listed(things: Sequence[Any]) -> Any:
    """Join at least one value with commas: ``a, b, c``."""
    return reduce(lambda some, more: say("{some}, {more}", some=some, more=more), things)


def translated(said: Any, language: Language | None = None) -> Any:
    """Render a message in a language, by default the current one; return anything else unchanged."""
    return said.to(language or spoken()) if isinstance(said, Message) else said


def looked_up(text: str, language: Language | None = None) -> str:
    """Translate a text without placeholders, by default into the current language; unchanged if not in the catalogue.

    Used for texts that are not passed to `say`: the help of commands, and the public pages of methods.
    """
    language = language or spoken()
    return text if language == "en" or not text else _catalogue(language).gettext(text)


@lru_cache(1024)
def heard(text: str) -> str:
    """Recover the message from an English text; return the text itself if no template matches.

    Of several matching templates, the one with the most literal text is chosen, in the plural form that matches.
    """
    if isinstance(text, Message):
        return text
    for form in _forms(text[:1]):
        if form.may_fit(text) and (found := _pattern(form.template).fullmatch(text)):
            values = {name: _Written(said, said) for name, said in found.groupdict().items()}
            return Message(form.one, form.many, form.number, values)
    return text


class _Form(NamedTuple):
    """A template in one plural form, prepared for matching.

    Attributes:
        template: the template.
        fixed: its literal parts between the placeholders.
        one: template of the singular, or without plural.
        many: template of the plural, or empty.
        number: a number that selects this form.
    """

    template: str
    fixed: tuple[str, ...]
    one: str
    many: str
    number: int

    def may_fit(self, text: str) -> bool:
        """Return True if a text contains the literal parts in order; this avoids compiling most patterns."""
        reached = 0
        for part in self.fixed:
            found = text.find(part, reached)
            if found < 0:
                return False
            reached = found + len(part)
        return True


@cache
def _forms(first: str) -> list[_Form]:
    """Return the templates that begin with a character, in all plural forms."""
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
    """Compile a template to a pattern: placeholders match any text, repeated ones the same text."""
    written, names = "", set[str]()
    for text, name, *_ in Formatter().parse(template):
        written += re.escape(text)
        if name:
            written += f"(?P={name})" if name in names else f"(?P<{name}>.*?)"
            names.add(name)
    return re.compile(written, re.DOTALL)


def spoken() -> Language:
    """Return the current language.

    It is set by `speaking` or `speak`. Otherwise it is taken from the first of ``WHORL_LANG``, ``LC_ALL``,
    ``LC_MESSAGES`` and ``LANG`` that is set: Chinese for values that begin with ``zh``, otherwise English.
    """
    named = next((os.environ[name] for name in _ASKED if os.environ.get(name)), "")
    return _spoken.get() or ("zh" if named.lower().startswith("zh") else "en")


def speak(language: Language) -> None:
    """Set the current language in this context: this thread, and tasks started from it.

    >>> import whorl
    >>> whorl.speak("en")
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


class _Catalogue(GNUTranslations):
    """The translations of one language."""

    def _parse(self, fp: Any) -> None:
        data = fp.read()
        super()._parse(BytesIO(data))
        self._originals = list(_originals(data))

    @property
    def templates(self) -> Iterator[tuple[str, str]]:
        """Yield the singular and plural of all translated messages; the plural may be empty."""
        return ((one, many) for one, _, many in (text.partition("\0") for text in self._originals) if one)


def _originals(data: bytes) -> Iterator[str]:
    """Yield the message ids of a compiled catalogue."""
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
