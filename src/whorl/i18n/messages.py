"""Messages: English sentences that can be rendered in the language of the user.

Code contains English templates. A `Message` is the English text, for programs and logs, and keeps its template and
values, so that a front end can render it in another language; the translations are in `whorl.i18n.catalogue`.

Files, the core and other processes contain only English text; `as_message` recovers the message from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, reduce
from numbers import Number
from string import Formatter
from typing import Any, NamedTuple, Self

from whorl.i18n.catalogue import catalogue
from whorl.i18n.current import Language, spoken

_PLACES_OF_MESSAGES = ("hint", "error", "message", "reason")
_LEAST_FIXED = 8


class Message(str):
    """An English sentence that can be rendered in another language.

    Attributes:
        singular: English template, the key of the catalogue; the singular if there is a plural.
        plural: English template of the plural; empty if there is no plural.
        number: the number that selects the plural form.
        values: values of the placeholders; messages among them are translated, too. An exception raised with a message
            is replaced by the message, and other values than text and numbers by their text.
    """

    __slots__ = ("number", "plural", "singular", "values")

    singular: str
    plural: str
    number: int
    values: dict[str, Any]

    def __new__(cls, singular: str, plural: str, number: int, values: dict[str, Any]) -> Self:
        """Render the English text."""
        values = {name: _kept(value) for name, value in values.items()}
        message = super().__new__(cls, (plural if plural and number != 1 else singular).format(**values))
        message.singular, message.plural, message.number, message.values = singular, plural, number, values
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[str, str, int, dict[str, Any]]]:
        return type(self), (self.singular, self.plural, self.number, self.values)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[type[str]], dict[str, Any]]) -> Any:
        """Let pydantic validate it as text, and serialize it in the current language."""
        spoken_text = {"type": "function-plain", "function": translated, "return_schema": handler(str)}
        return handler(str) | {"serialization": spoken_text}

    def to(self, language: Language) -> str:
        """Render it in a language; in English if there is no translation."""
        if language == "en":
            return str(self)
        english = self.plural if self.plural and self.number != 1 else self.singular
        template = catalogue(language).translate(self.singular) or english
        return template.format(
            **{name: translated(_meant(name, value), language) for name, value in self.values.items()}
        )

    def with_texts(self, change: Callable[[str], str]) -> Message:
        """Return it with the texts in its places changed, messages among them included."""
        values = {name: _changed(value, change) for name, value in self.values.items()}
        return Message(self.singular, self.plural, self.number, values)


class _Written(str):
    """The text of a value in a placeholder, instead of the value."""

    __slots__ = ("_formatted",)

    _formatted: str

    def __new__(cls, text: str, formatted: str) -> Self:
        written = super().__new__(cls, text)
        written._formatted = formatted
        return written

    def __reduce__(self) -> tuple[type[_Written], tuple[str, str]]:
        return type(self), (str(self), self._formatted)

    def __repr__(self) -> str:
        return self._formatted

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
    return as_message(value) if name in _PLACES_OF_MESSAGES and isinstance(value, str) else value


def say(template: str, /, **values: Any) -> Message:
    """Return a message.

    Args:
        template: English literal with placeholders of ``str.format``: ``"{path}: no row {row:,}"``.
        values: values of the placeholders.
    """
    return Message(template, "", 0, values) if values else _fixed(template)


@cache
def _fixed(template: str) -> Message:
    return Message(template, "", 0, {})


def say_many(singular: str, plural: str, count: int, /, **values: Any) -> Message:
    """Return a message with plural forms; the number is available as ``count``.

    Args:
        singular: English template of the singular.
        plural: English template of the plural.
        count: the number.
        values: values of further placeholders.
    """
    return Message(singular, plural, count, {"count": count, **values})


def either(names: Iterable[str]) -> str:
    """Join alternatives: "a", "a or b", "a or b or c"."""
    return reduce(lambda some, other: say("{one} or {other}", one=some, other=other), names)


def listed(things: Sequence[Any]) -> Any:
    """Join at least one value with commas: ``a, b, c``."""
    return reduce(lambda some, more: say("{some}, {more}", some=some, more=more), things)


def translated(message: Any, language: Language | None = None) -> Any:
    """Render a message in a language, by default the current one; return anything else unchanged."""
    return message.to(language or spoken()) if isinstance(message, Message) else message


def looked_up(text: str, language: Language | None = None) -> str:
    """Translate a text without placeholders, by default into the current language; unchanged if not in the catalogue.

    Used for texts that are not passed to `say`: the help of commands, and the public pages of methods.
    """
    language = language or spoken()
    return text if language == "en" else catalogue(language).translate(text) or text


@lru_cache(1024)
def as_message(text: str) -> str:
    """Recover the message from an English text; return the text itself if no template matches.

    Of several matching templates, the one with the most literal text is chosen, in the plural form that matches.
    """
    if isinstance(text, Message):
        return text
    for form in _forms(text[:1]):
        if form.may_fit(text) and (match := _pattern(form.template).fullmatch(text)):
            values = {name: _Written(value, value) for name, value in match.groupdict().items()}
            return Message(form.singular, form.plural, form.number, values)
    return text


class _Form(NamedTuple):
    """A template in one plural form, prepared for matching.

    Attributes:
        template: the template.
        fixed: its literal parts between the placeholders.
        singular: template of the singular, or without plural.
        plural: template of the plural, or empty.
        number: a number that selects this form.
    """

    template: str
    fixed: tuple[str, ...]
    singular: str
    plural: str
    number: int

    def may_fit(self, text: str) -> bool:
        """Return True if a text contains the literal parts in order; this avoids compiling most patterns."""
        reached = 0
        for part in self.fixed:
            position = text.find(part, reached)
            if position < 0:
                return False
            reached = position + len(part)
        return True


@cache
def _forms(first: str) -> list[_Form]:
    """Return the templates that begin with a character, in all plural forms."""
    forms = []
    for singular, plural in catalogue("zh").templates:
        for number, template in [(1, singular), (0, plural)] if plural else [(0, singular)]:
            if template[0] not in ("{", first):
                continue
            fixed = tuple(text for text, *_ in Formatter().parse(template))
            literal = "".join(fixed)
            is_likely = len(literal.replace(" ", "")) >= _LEAST_FIXED or literal == template
            if is_likely and fixed[0][:1] in ("", first):
                forms.append(_Form(template, fixed, singular, plural, number))
    return sorted(forms, key=lambda form: -sum(map(len, form.fixed)))


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


__all__ = ["Message", "as_message", "either", "listed", "looked_up", "say", "say_many", "translated"]
