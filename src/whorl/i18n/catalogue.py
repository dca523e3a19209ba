r"""The catalogue of translations, read from its source: a file of GNU gettext [gettext manual, section 3.1].

The file is read as it is written and reviewed, so nothing has to be compiled before an installation speaks Chinese. It
takes about 10 ms, once in a process that needs it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from whorl.i18n.current import Language

_STRING = r'((?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"\s*)+)'
_ENTRY = re.compile(rf"^msgid {_STRING}(?:msgid_plural {_STRING})?msgstr(?:\[0\])? {_STRING}", re.MULTILINE)
_BETWEEN = re.compile(r'"\s*\n"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Catalogue:
    """The translations of one language that has a single plural form.

    Attributes:
        templates: the singular and plural of all translated messages; the plural is empty if there is none.
    """

    def __init__(self, source: str) -> None:
        """Parse a catalogue; entries without a translation, and the header, are left out.

        Args:
            source: the content of a ``.po`` file.
        """
        self._translations: dict[str, str] = {}
        self.templates: list[tuple[str, str]] = []
        for literals in _ENTRY.findall(source):
            singular, plural, translation = map(_unquoted, literals)
            if singular and translation:
                self._translations[singular] = translation
                self.templates.append((singular, plural))

    def translate(self, text: str) -> str | None:
        """Return the translation of a message by its singular; None if there is none."""
        return self._translations.get(text)


def _unquoted(literal: str) -> str:
    text = literal.strip()[1:-1]
    if "\n" in text:
        text = _BETWEEN.sub("", text)
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text) if "\\" in text else text


@cache
def catalogue(language: Language) -> Catalogue:
    """Return the catalogue of a language other than English."""
    path = Path(__file__).parent / "locale" / f"{language}.po"
    return Catalogue(path.read_text(encoding="utf-8"))


__all__ = ["Catalogue", "catalogue"]
