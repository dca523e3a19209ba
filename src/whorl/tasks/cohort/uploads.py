"""Manuscripts that were uploaded: single files, or one ZIP of them, written into a folder under their names."""

from __future__ import annotations

import lzma
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

from whorl._internal.disk import saving_uploads
from whorl.errors import InputError
from whorl.i18n import say

MAX_FILES = 2000
"""Maximum number of manuscripts of an upload."""
MAX_BYTES = 512 * 2**20
"""Maximum size of the files of a ZIP after unpacking."""
_PIECE_BYTES = 2**20
_LONGEST_NAME = 80
"""Maximum length of a file name in characters; 240 bytes of UTF-8 for Han, below the limit of file systems."""
_MOST_FOLDERS = 4
_IS_UTF8 = 0x800
_IS_ENCRYPTED = 0x1
_RESERVED = frozenset('\\/:*?"<>|')
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError)


def keep_file(file: IO[bytes], name: str, folder: Path) -> None:
    """Write an uploaded file into a folder under its name.

    Args:
        file: the contents.
        name: its name, as its sender states it.
        folder: an existing folder.

    Raises:
        ResourceError: the disk is full.
    """
    target = _free(folder, _parts(name) or ["file"])
    with saving_uploads(), target.open("xb") as copy:
        shutil.copyfileobj(file, copy, _PIECE_BYTES)


def unpack(archive: Path | IO[bytes], folder: Path) -> int:
    """Write the files of a ZIP into a folder, and return their number.

    Names keep at most four folders. Hidden files and the metadata of macOS are skipped. Names without a stated encoding
    are UTF-8 or, from Chinese Windows, GB 18030. Of two files with the same name both are kept.

    Args:
        archive: the ZIP.
        folder: an existing folder.

    Raises:
        InputError: the archive is damaged, encrypted, or exceeds `MAX_FILES` or `MAX_BYTES`.
        ResourceError: the disk is full.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return _unpack(opened, folder)
    except _DAMAGE as error:
        raise InputError(
            say("the ZIP cannot be read: {reason}", reason=str(error)[:200] or type(error).__name__),
            hint=say("pack the files again as a plain ZIP"),
        ) from error


def _unpack(archive: zipfile.ZipFile, folder: Path) -> int:
    entries = [(entry, parts) for entry in archive.infolist() if (parts := _path_of(entry))]
    if len(entries) > MAX_FILES:
        raise InputError(
            say("the ZIP has {count:,} files; at most {most:,} are accepted", count=len(entries), most=MAX_FILES),
            hint=say("split it, or run `whorl cohort` on a machine with the files"),
        )
    remaining = MAX_BYTES
    for entry, parts in entries:
        if entry.flag_bits & _IS_ENCRYPTED:
            raise InputError(
                say("{name} in the ZIP is encrypted", name="/".join(parts)), hint=say("pack it without a password")
            )
        with archive.open(entry) as packed, saving_uploads(), _free(folder, parts).open("xb") as copy:
            for piece in _pieces(packed):
                remaining -= len(piece)
                if remaining < 0:
                    raise InputError(
                        say("the files in the ZIP have more than {most:,} bytes", most=MAX_BYTES),
                        hint=say("split it, or run `whorl cohort` on a machine with the files"),
                    )
                copy.write(piece)
    return len(entries)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece


def _path_of(entry: zipfile.ZipInfo) -> list[str]:
    """Return the path of an entry; empty for a folder, a hidden file or metadata."""
    if entry.is_dir():
        return []
    name = entry.filename
    if not entry.flag_bits & _IS_UTF8:
        name = _decoded(name)
    parts = _parts(name)
    is_hidden = any(part.startswith(".") and part != ".." for part in PurePosixPath(name).parts)
    return [] if is_hidden or "__MACOSX" in parts else parts


def _decoded(name: str) -> str:
    """Decode a name whose archive does not say its encoding: zipfile read it as code page 437."""
    with suppress(UnicodeError):
        raw = name.encode("cp437")
        for encoding in ("utf-8", "gb18030"):
            with suppress(UnicodeDecodeError):
                return raw.decode(encoding)
    return name


def _parts(name: str) -> list[str]:
    """Return the folders and the file name of a stated path, without anything that leads out of a folder."""
    parts = []
    for part in name.replace("\\", "/").split("/"):
        plain = "".join("_" if sign in _RESERVED or not sign.isprintable() else sign for sign in part).strip(" .")
        if plain:
            stem, dot, suffix = plain.rpartition(".")
            keep = _LONGEST_NAME - len(suffix) - 1
            parts.append(plain if len(plain) <= _LONGEST_NAME or keep < 1 else f"{stem[:keep]}{dot}{suffix}")
    return [part[:_LONGEST_NAME] for part in parts[-1 - _MOST_FOLDERS :]]


def _free(folder: Path, parts: list[str]) -> Path:
    """Return a path that does not exist, with its folders."""
    place = folder
    for part in parts[:-1]:
        place = place / part
        while place.is_file():
            place = place.with_name(f"{place.name}_")
    with saving_uploads():
        place.mkdir(parents=True, exist_ok=True)
    name, number = Path(parts[-1]), 1
    while (target := place / (name if number == 1 else f"{name.stem} ({number}){name.suffix}")).exists():
        number += 1
    return target


__all__ = ["MAX_BYTES", "MAX_FILES", "keep_file", "unpack"]
