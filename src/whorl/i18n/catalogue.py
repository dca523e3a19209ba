r"""The catalogue of translations, read from its source: a file of GNU gettext [gettext manual, section 3.1].

The file is read as ``make catalogue`` writes it and as it is reviewed, so nothing has to be compiled before an
installation speaks Chinese. A process uses few of the messages. The file is therefore only divided into entries, and an
entry is parsed when its message is looked up. Messages are stored as the file escapes them: escaping each text that is
looked up is faster than removing the escapes from all messages.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path

from whorl.i18n.current import Language

_CONTINUED = b'"\n"'
"""Between two lines of a string."""
_BEGINNING, _END = b'\nmsgid "', b'"\n'
_TRANSLATION = re.compile(r'(?:msgid_plural "(.*)"\n)?msgstr(?:\[0\])? "(.+)"$', re.MULTILINE)
"""What follows the singular in an entry that has a translation."""
_ESCAPES = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
"""Escapes by characters; the backslash is first, because the other escapes begin with it."""
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {escape[1]: character for character, escape in _ESCAPES.items()}


class Catalogue:
    """The translations of one language that has a single plural form."""

    def __init__(self, source: bytes) -> None:
        """Divide a catalogue into entries.

        Args:
            source: the content of a ``.po`` file.
        """
        entries = source.split(_BEGINNING)[1:]
        joined = (entry.replace(_CONTINUED, b"") if entry.startswith(_END) else entry for entry in entries)
        divided = (entry.partition(_END) for entry in joined)
        self._entries = {singular: rest for singular, _, rest in divided if singular}  # the header has none

    @cached_property
    def templates(self) -> list[tuple[str, str]]:
        """The singular and plural of all translated messages; the plural is empty if there is none."""
        entries = ((singular.decode(), _translation(rest)) for singular, rest in self._entries.items())
        return [(_unescaped(singular), _unescaped(entry[1] or "")) for singular, entry in entries if entry]

    def translate(self, text: str) -> str | None:
        """Return the translation of a message by its singular; None if there is none."""
        entry = _translation(self._entries.get(_escaped(text).encode(errors="replace"), b""))
        return None if entry is None else _unescaped(entry[2])


def _translation(rest: bytes) -> re.Match[str] | None:
    """Parse the rest of an entry, after its singular; None if it has no translation."""
    return _TRANSLATION.match(rest.replace(_CONTINUED, b"").decode())


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
    return Catalogue(path.read_bytes().replace(b"\r\n", b"\n"))


__all__ = ["Catalogue", "catalogue"]
