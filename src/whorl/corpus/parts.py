"""Archives of XML parts, as office documents and books are: read within bounds, and nothing in them is expanded."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal, Protocol
from xml.etree import ElementTree as ET

MOST_XML_BYTES = 128 * 2**20
"""So much may the parts of a document that are read unpack to."""

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,  # a compression that Python does not know
    RuntimeError,  # an encrypted part
    ValueError,
    LookupError,  # an encoding of XML that there is not, or a part
    ET.ParseError,
)
"""What a damaged archive, or a damaged part of one, raises."""

_PIECE_BYTES = 2**16
_ENTITY = b"<!ENTITY"


class DeclaresEntitiesError(Exception):
    """A part declares entities: expanding them is what makes a small part large, and no program writes them."""


def is_too_large(archive: zipfile.ZipFile, names: Iterable[str], most: int) -> bool:
    """Whether these parts unpack to more than ``most`` bytes; one that says less than it has is cut where it says."""
    return sum(archive.getinfo(name).file_size for name in names) > most


def events(part: IO[bytes], *kinds: Literal["start", "end"]) -> Iterator[Any]:
    """Yield the elements of a part as they are read, each with its kind.

    Raises:
        DeclaresEntitiesError: the part declares entities.
        xml.etree.ElementTree.ParseError: it is no XML.
    """
    parser: ET.XMLPullParser[Any] = ET.XMLPullParser(kinds)
    for piece in _pieces(part):
        parser.feed(piece)
        yield from parser.read_events()
    parser.close()
    yield from parser.read_events()


class Target(Protocol):
    """What is told of a part as it is read."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an element."""

    def data(self, text: str) -> None:
        """Take text."""

    def end(self, tag: str) -> None:
        """End an element."""


def feed(part: IO[bytes], target: Target) -> None:
    """Tell a target all of a part: nothing else of it is held. Raises as ``events`` does."""
    parser = ET.XMLParser(target=target)
    for piece in _pieces(part):
        parser.feed(piece)
    parser.close()


def _pieces(part: IO[bytes]) -> Iterator[bytes]:
    before = b""
    while piece := part.read(_PIECE_BYTES):
        plain = before + piece.replace(b"\0", b"")  # as it is in UTF-16, too
        if _ENTITY in plain:
            raise DeclaresEntitiesError
        before = plain[1 - len(_ENTITY) :]
        yield piece


def stated(found: Iterator[Any]) -> dict[str, str]:
    """What the elements of a part say, each on one line, by their tags; of several of one tag the first."""
    said: dict[str, str] = {}
    for _, element in found:
        if value := " ".join((element.text or "").split()):
            said.setdefault(element.tag, value)
    return said


__all__ = ["DAMAGE", "MOST_XML_BYTES", "DeclaresEntitiesError", "Target", "events", "feed", "is_too_large", "stated"]
