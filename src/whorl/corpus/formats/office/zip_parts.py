"""Zip archives of XML parts, such as office documents and books: size limits, and no expansion of entities."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal, Protocol
from xml.etree import ElementTree as ET

MOST_XML_BYTES = 128 * 2**20
"""Maximum unpacked size of the parts of a document that are read."""

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,  # an unsupported compression
    RuntimeError,  # an encrypted part
    ValueError,
    LookupError,  # an unknown XML encoding, or a missing part
    ET.ParseError,
)
"""Errors raised by a damaged archive or a damaged part."""

_PIECE_BYTES = 2**16
_ENTITY = b"<!ENTITY"


class DeclaresEntitiesError(Exception):
    """A part declares entities. Their expansion can blow up a small part, and no program writes them."""


def is_too_large(archive: zipfile.ZipFile, names: Iterable[str], limit: int) -> bool:
    """True if these parts unpack to more than ``limit`` bytes. A part longer than its stated size is cut there."""
    return sum(archive.getinfo(name).file_size for name in names) > limit


def events(part: IO[bytes], *kinds: Literal["start", "end"]) -> Iterator[Any]:
    """Yield the elements of a part with their kinds while it is parsed.

    Raises:
        DeclaresEntitiesError: the part declares entities.
        xml.etree.ElementTree.ParseError: the part is not XML.
    """
    parser: ET.XMLPullParser[Any] = ET.XMLPullParser(kinds)
    for piece in _pieces(part):
        parser.feed(piece)
        yield from parser.read_events()
    parser.close()
    yield from parser.read_events()


class ParserTarget(Protocol):
    """Receiver of parser events."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    def data(self, text: str) -> None:
        """Handle character data."""

    def end(self, tag: str) -> None:
        """Handle the end of an element."""


def feed(part: IO[bytes], target: ParserTarget) -> None:
    """Parse a part into a target, without building a tree. Raises as ``events`` does."""
    parser = ET.XMLParser(target=target)
    for piece in _pieces(part):
        parser.feed(piece)
    parser.close()


def _pieces(part: IO[bytes]) -> Iterator[bytes]:
    before = b""
    while piece := part.read(_PIECE_BYTES):
        plain = before + piece.replace(b"\0", b"")  # NULs are removed because of UTF-16
        if _ENTITY in plain:
            raise DeclaresEntitiesError
        before = plain[1 - len(_ENTITY) :]
        yield piece


def stated(elements: Iterator[Any]) -> dict[str, str]:
    """Return the text of the elements, each on one line, by tag; the first element of a tag wins."""
    texts: dict[str, str] = {}
    for _, element in elements:
        if value := " ".join((element.text or "").split()):
            texts.setdefault(element.tag, value)
    return texts


__all__ = [
    "DAMAGE",
    "MOST_XML_BYTES",
    "DeclaresEntitiesError",
    "ParserTarget",
    "events",
    "feed",
    "is_too_large",
    "stated",
]
