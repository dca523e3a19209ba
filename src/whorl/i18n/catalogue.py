r"""The catalogue of translations, read from its source: a file of GNU gettext [gettext manual, section 3.1].

The file is read as ``make catalogue`` writes it and as it is reviewed, so nothing has to be compiled before an
installation speaks Chinese. Reading it takes some milliseconds, once in a process that needs it. A process uses few of
the messages, so they are stored as the file escapes them: escaping each text that is looked up is faster than removing
the escapes from all messages.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path

from whorl.i18n.current import Language

_CONTINUED = '"\n"'
"""Between two lines of a string."""
_ENTRY = re.compile(r'^msgid "(.*)"\n(?:msgid_plural "(.*)"\n)?msgstr(?:\[0\])? "(.*)"$', re.MULTILINE)
_ESCAPES = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
"""Escapes by characters; the backslash is first, because the other escapes begin with it."""
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {escape[1]: character for character, escape in _ESCAPES.items()}


class Catalogue:
    """The translations of one language that has a single plural form."""

    def __init__(self, source: str) -> None:
        """Parse a catalogue; entries without a translation, and the header, are left out.

        Args:
            source: the content of a ``.po`` file.
        """
        self._entries = {
            singular: (plural, translation)
            for singular, plural, translation in _ENTRY.findall(source.replace(_CONTINUED, ""))
            if singular and translation
        }

    @cached_property
    def templates(self) -> list[tuple[str, str]]:
        """The singular and plural of all translated messages; the plural is empty if there is none."""
        return [(_unescaped(singular), _unescaped(plural)) for singular, (plural, _) in self._entries.items()]

    def translate(self, text: str) -> str | None:
        """Return the translation of a message by its singular; None if there is none."""
        entry = self._entries.get(_escaped(text))
        return None if entry is None else _unescaped(entry[1])


def _escaped(text: str) -> str:
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), text) if "\\" in text else text


@cache
def catalogue(language: Language) -> Catalogue:
    """Return the catalogue of a language other than English."""
    path = Path(__file__).parent / "locale" / f"{language}.po"
    return Catalogue(path.read_text(encoding="utf-8"))


__all__ = ["Catalogue", "catalogue"]
