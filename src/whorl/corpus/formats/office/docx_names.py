"""Names of elements and attributes of WordprocessingML, whichever edition of the namespaces a file uses."""

from __future__ import annotations

from whorl.corpus.formats.office.docx_styles import WORD_NAMESPACES

_PREFIXES = {
    **dict.fromkeys(WORD_NAMESPACES, ""),
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}": "m:",
    "{http://purl.oclc.org/ooxml/officeDocument/math}": "m:",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}": "mc:",
    "{http://schemas.openxmlformats.org/drawingml/2006/main}": "a:",
    "{http://purl.oclc.org/ooxml/drawingml/main}": "a:",
    "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}": "wp:",
    "{http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing}": "wp:",
    "{http://schemas.microsoft.com/office/word/2010/wordml}": "w14:",
    "{http://schemas.microsoft.com/office/2006/xmlPackage}": "pkg:",
    "{urn:schemas-microsoft-com:vml}": "v:",
    "{urn:schemas-microsoft-com:office:office}": "o:",
}
_MOST_NAMES = 10_000
"""A crafted file may invent a name for every element."""


class PrefixedNames(dict[str, str]):
    """Names of elements with the usual prefix, by tag; those of other namespaces are ``?``."""

    def __missing__(self, tag: str) -> str:
        """Return the name of a tag, and keep it."""
        space, _, local = tag.rpartition("}")
        prefix = _PREFIXES.get(f"{space}}}")
        name = "?" if prefix is None else prefix + local
        if len(self) < _MOST_NAMES:
            self[tag] = name
        return name


def value_of(attributes: dict[str, str], suffix: str = "}val") -> str:
    """Return the value of the attribute whose qualified name has a suffix; empty if it is missing."""
    return next((value for key, value in attributes.items() if key.endswith(suffix)), "")


__all__ = ["PrefixedNames", "value_of"]
