"""Detect file types by their first bytes: archives and compressed files, whatever their names.

An archive that is read as text becomes one document of noise, and all archives look alike. Archives that cannot be read
are therefore refused by name, with a hint on how to unpack them.
"""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.rejects import Rejects
from whorl.corpus.signature import head_of
from whorl.errors import InputError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTAINER = "container"
"""Format of archives that are refused."""

_HEAD_BYTES = 4096
_COMPRESSED = {b"\x1f\x8b\x08": "gz", b"\x28\xb5\x2f\xfd": "zst"}
_TAR = slice(257, 262)
_UNPACKED_BY_NAME = frozenset(("parquet", "docx", "odt", "epub", "xlsx", "closed", "pdf", "rtf", "mhtml"))
_WARC = re.compile(rb"(?:\xef\xbb\xbf)?\s*WARC/\d")
_ROW = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[^"\\\n]*"\s*:[^\n]*\}\s*\n\s*\{\s*"')
_PLAIN = (".txt", ".text", ".log")
"""Suffixes of files that are always read as one text."""


class DetectedType(NamedTuple):
    """Format and compression of a file.

    Attributes:
        format: a key of ``whorl.corpus.reader.FORMATS``.
        compression: None, "gz" or "zst".
    """

    format: str
    compression: str | None


class _ContainerKind(NamedTuple):
    """A container format that is not read."""

    name: str
    hint: Message


_UNZIP = say("extract it and name the folder")
_DECOMPRESS = say("decompress it first")
_KINDS: tuple[tuple[bytes, _ContainerKind], ...] = (
    (b"PK\x03\x04", _ContainerKind("ZIP", _UNZIP)),
    (b"PK\x05\x06", _ContainerKind("ZIP", _UNZIP)),
    (b"7z\xbc\xaf\x27\x1c", _ContainerKind("7z", _UNZIP)),
    (b"Rar!\x1a\x07", _ContainerKind("RAR", _UNZIP)),
    (b"BZh", _ContainerKind("bzip2", _DECOMPRESS)),
    (b"\xfd7zXZ\x00", _ContainerKind("xz", _DECOMPRESS)),
    (b"\x04\x22\x4d\x18", _ContainerKind("LZ4", _DECOMPRESS)),
    (b"filedesc://", _ContainerKind("ARC", say("convert it with `warcio recompress FILE.arc.gz FILE.warc.gz`"))),
    (b"SQLite format 3\x00", _ContainerKind("SQLite", say("export its rows as JSON Lines or CSV"))),
    (b"ARROW1\x00\x00", _ContainerKind("Arrow", say("write it as Parquet"))),
    (b"Obj\x01", _ContainerKind("Avro", say("write it as Parquet"))),
    (b"ORC", _ContainerKind("ORC", say("write it as Parquet"))),
    (b"\x89HDF", _ContainerKind("HDF5", say("write it as Parquet"))),
)
_TAR_KIND = _ContainerKind("tar", _UNZIP)
_WACZ = _ContainerKind("WACZ", say("unzip it and name the WARC files in its folder archive"))
_TWICE = _ContainerKind("gzip", say("decompress it once"))


def content_of(path: Path, by_name: str, compression: str | None) -> DetectedType:
    """Return the type of a file by its content if that is unambiguous, else by its name.

    Args:
        path: the file. If it cannot be opened or is no regular file, its name decides, and the reader reports the
            error.
        by_name: the format of its suffix.
        compression: the compression of its suffix.

    Cost: one read of 4 KiB, two for a compressed file.
    """
    named = DetectedType(by_name, compression)
    head = head_of(path)
    if not head or by_name in _UNPACKED_BY_NAME:
        return named
    packed = next((name for magic, name in _COMPRESSED.items() if head.startswith(magic)), None)
    if packed is not None:
        compression = packed
        head = _unpacked_head(path, packed)
    elif compression is not None and _is_text(head):
        compression = None  # decompressed on the way, but keeps its name
    if _kind_of(path, head) is not None:
        return DetectedType(CONTAINER, compression)
    if _WARC.match(head):
        return DetectedType("warc", compression)
    if by_name == "text":
        return DetectedType(_format_of_rows(path, head), compression)
    return DetectedType(by_name, compression)


def _is_text(head: bytes) -> bool:
    """True if the bytes are whole lines of UTF-8 text, which no compressed stream is."""
    lines = head[: head.rfind(b"\n") + 1]
    try:
        lines.decode()
    except UnicodeDecodeError:
        return False
    return bool(lines.strip()) and b"\0" not in head


def _format_of_rows(path: Path, head: bytes) -> str:
    """Return the format of a file with an unknown suffix; parts of a corpus often have none."""
    if head.startswith(b"PAR1"):
        return "parquet"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return "jsonl" if not any(suffix in _PLAIN for suffix in suffixes) and _ROW.match(head) else "text"


def _unpacked_head(path: Path, compression: str) -> bytes:
    with suppress(InputError), ByteReader(Source(path, path.name, "text", compression)) as stream:
        return stream.peek(_HEAD_BYTES)
    return b""


def _kind_of(path: Path, head: bytes) -> _ContainerKind | None:
    if head[_TAR] == b"ustar":
        return _TAR_KIND
    if any(head.startswith(magic) for magic in _COMPRESSED):
        return _TWICE
    kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
    if kind is not None and kind.name == "ZIP":
        with suppress(OSError, ValueError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(name.startswith("archive/") and ".warc" in name for name in names):
                return _WACZ
            if {"[Content_Types].xml", "mimetype", "META-INF/container.xml"} & set(names):
                return None  # a document without its suffix
    if kind is not None and kind.name in ("bzip2", "ORC") and _is_text(head):
        return None  # a text that happens to begin with these letters
    return kind


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> NoReturn:
    """Refuse the file.

    Raises:
        InputError: always, with the type of the file and how to unpack it.
    """
    del columns, rejects, options
    path = source.path or Path(source.name)
    with ByteReader(source) as stream:
        kind = _kind_of(path, stream.peek(_HEAD_BYTES)) or _TWICE
    if kind is _TWICE:
        raise InputError(say("{label} is compressed twice", label=source.label), hint=kind.hint)
    raise InputError(say("{label} is an archive: {kind}", label=source.label, kind=kind.name), hint=kind.hint)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Write nothing, because no row was read."""
    del source, target, keep, options
    return 0


__all__ = ["CONTAINER", "DetectedType", "content_of", "read", "write"]
