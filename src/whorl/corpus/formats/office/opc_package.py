"""Zip archives whose parts are found as office programs find them, regardless of spelling.

The parts of an OOXML document are named by content types and relationships [ECMA-376-2], those of a book by its package
document. Producers write different letter case, backslashes, absolute paths and percent escapes in either place, and
Word and e-readers open such files. ``ZipParts`` maps all spellings of a name to the member of the archive.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property, partial
from posixpath import basename, dirname, join, normpath
from typing import IO
from unicodedata import normalize
from urllib.parse import unquote

from whorl._internal.frozen import frozen
from whorl.corpus.formats.office.zip_parts import events

_IS_UTF_8 = 0x800
_CONTENT_TYPES = "[content_types].xml"
_MAX_PICTURE_BYTES = 2**26


@frozen
class Relationship:
    """A link from one part to another.

    Attributes:
        kind: the last segment of its type, such as "footnotes"; it is the same in strict and transitional documents.
        target: the name of the part, absolute and without a leading slash, or an address outside the file.
        is_external: whether the target lies outside the file.
    """

    kind: str
    target: str
    is_external: bool


class ZipParts:
    """The members of a zip archive by name, in any spelling."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._exact: dict[str, zipfile.ZipInfo] = {}
        self._folded: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            name = _normalized(info.filename)
            self._exact[name] = info
            for spelling in (name, *_other_encodings(info)):
                self._folded.setdefault(_folded(spelling), info)

    def find(self, name: str) -> zipfile.ZipInfo | None:
        """Return the member of that name: an exact match, else one after unescaping and ignoring case."""
        name = _normalized(name)
        return self._exact.get(name) or self._exact.get(unquote(name)) or self._folded.get(_folded(name))

    def open(self, name: str) -> IO[bytes]:
        """Open a part; raises KeyError if it does not exist."""
        info = self.find(name)
        if info is None:
            raise KeyError(name)
        return self.archive.open(info)

    def read(self, name: str) -> bytes:
        """Return the bytes of a part; raises KeyError if it does not exist."""
        with self.open(name) as part:
            return part.read()

    def size(self, names: Iterable[str]) -> int:
        """Return the unpacked size of these parts as stated by the archive, which also limits their reading."""
        return sum(info.file_size for name in names if (info := self.find(name)))

    @property
    def names(self) -> list[str]:
        """The names of all parts, with forward slashes."""
        return list(self._exact)

    def resolve(self, source: str, target: str) -> str:
        """Return the name of the part to which ``target`` points from within the part ``source``."""
        target = target.replace("\\", "/").partition("#")[0]
        return _normalized(join("/", dirname(_normalized(source)), target))

    def _target(self, source: str, target: str) -> str:
        """Return the part that a relationship names; some programs omit the slash of a root path."""
        name = self.resolve(source, target)
        return name if self.find(name) is not None or self.find(target) is None else self.resolve("", target)

    @cached_property
    def content_types(self) -> dict[str, str]:
        """The stated content types of the parts, keyed as in ``names``."""
        if self.find(_CONTENT_TYPES) is None:
            return {}
        by_suffix, by_name = {}, {}
        with self.open(_CONTENT_TYPES) as part:
            for _, element in events(part, "start"):
                kind = (element.get("ContentType") or "").lower()
                if element.tag.endswith("}Override") and (info := self.find(element.get("PartName") or "")):
                    by_name[info.filename] = kind
                elif element.tag.endswith("}Default"):
                    by_suffix[(element.get("Extension") or "").lower()] = kind
        types = {}
        for name, info in self._exact.items():
            suffix = basename(name).rpartition(".")[2].lower()
            if kind := by_name.get(info.filename) or by_suffix.get(suffix):
                types[name] = kind
        return types

    def content_type(self, name: str) -> str:
        """Return the stated content type of a part, or an empty string."""
        info = self.find(name)
        return "" if info is None else self.content_types.get(_normalized(info.filename), "")

    def relationships(self, source: str) -> dict[str, Relationship]:
        """Return the relationships of a part by id; an empty ``source`` means the package itself."""
        name = join(dirname(source), "_rels", f"{basename(source)}.rels")
        if self.find(name) is None:
            return {}
        relationships = {}
        with self.open(name) as part:
            for number, (_, element) in enumerate(events(part, "start")):
                target = element.get("Target")
                if target is None:
                    continue
                is_external = (element.get("TargetMode") or "").lower() == "external"
                kind = (element.get("Type") or "").rpartition("/")[2]
                name = target if is_external else self._target(source, target)
                relationships[element.get("Id") or f"#{number}"] = Relationship(kind, name, is_external)
        return relationships


def pictures_of(parts: ZipParts, names: Iterable[str]) -> list[Callable[[], bytes]]:
    """Return functions that read pictures; without those that are missing or unpack to too many bytes."""
    return [partial(parts.read, name) for name in names if 0 < parts.size([name]) <= _MAX_PICTURE_BYTES]


def _folded(name: str) -> str:
    return normalize("NFC", unquote(name)).casefold()


def _other_encodings(info: zipfile.ZipInfo) -> list[str]:
    """Return the possible intended names of a member not marked as UTF-8; Python decodes it as code page 437."""
    if info.flag_bits & _IS_UTF_8 or info.filename.isascii():
        return []
    names = []
    for encoding in ("utf-8", "gb18030"):
        with suppress(UnicodeError):
            names.append(_normalized(info.filename.encode("cp437").decode(encoding)))
    return names


def _normalized(name: str) -> str:
    return normpath("/" + name.replace("\\", "/").lstrip("/")).lstrip("/")


__all__ = ["Relationship", "ZipParts", "pictures_of"]
