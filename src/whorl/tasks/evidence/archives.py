"""File format of evidence packs: archives determined by their members and validated when they are read.

A pack is a ZIP file of uncompressed regular members, so that its size is known; they are sorted by name, without dates,
and ``manifest.json`` lists the SHA-256 of each.

The format has space that no member covers: before the first header, between members, in extra fields and comments,
after the end. The digests of the members do not cover these bytes, so data hidden there would pass as part of the
evidence. Therefore a pack is accepted only if it is, byte for byte, the file that `packed` creates from its members.
"""

from __future__ import annotations

import json
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from whorl.errors import InputError, UsageError
from whorl.i18n import Message, say, say_many

MANIFEST = "manifest.json"
PACK_MARK = b"whorl-evidence"
"""Magic bytes near the beginning of every pack, in its manifest."""
MOST_BYTES = 2**31 - 1

_MOST_MEMBERS = 2000
_MOST_LISTED = 2**20
_MOST_OF_MANIFEST = 2**22
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*(/[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*)?")
_DATE = (1980, 1, 1, 0, 0, 0)
_MODE = stat.S_IFREG | 0o644
_END, _END_64, _LONGEST_COMMENT = 22, 20, 2**16 - 1
_VERSION, _UNIX, _MIDNIGHT, _FIRST_DAY = 20, 3, 0, 0x21
_PIECE = 2**20
_FORMAT = PACK_MARK.decode()
_AGAIN = say("use the original pack: ask its creator for it")


def json_bytes(data: Any) -> bytes:
    """Serialize data as the JSON of packs: readable and deterministic."""
    return (json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8", "surrogatepass")


def manifest_of(members: Mapping[str, bytes], facts: Mapping[str, Any]) -> bytes:
    """Return the manifest of the members, with further fields."""
    listed = [
        {"name": name, "bytes": len(body), "sha256": sha256(body).hexdigest()} for name, body in sorted(members.items())
    ]
    return json_bytes({"format": _FORMAT, "version": 1, **facts, "members": listed})


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return the members as an archive, the manifest first; the same members always give the same bytes.

    Raises:
        UsageError: the members are larger than 2 GiB.
    """
    if sum(map(len, members.values())) > MOST_BYTES:
        raise UsageError(say("the evidence is more than 2 GiB"), hint=say("remove irrelevant snapshots"))
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, body in sorted(members.items(), key=lambda member: _place(member[0])):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = _UNIX
            info.external_attr = _MODE << 16
            archive.writestr(info, body)
    return buffer.getvalue()


def _place(name: str) -> tuple[bool, str]:
    """Sort key of members: the manifest first, the others by name."""
    return name != MANIFEST, name


class Pack:
    """An open archive with exactly the members of its manifest.

    Attributes:
        manifest: the parsed manifest.
        manifest_digest: the SHA-256 of the manifest.
    """

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self._archive, self._path = archive, path
        raw = self.read(MANIFEST, _MOST_OF_MANIFEST)
        self.manifest_digest = sha256(raw).hexdigest()
        self.manifest: dict[str, Any] = _understood(raw, path)

    def read(self, name: str, max_bytes: int = MOST_BYTES) -> bytes:
        """Read a member.

        Raises:
            InputError: it is missing, larger than ``max_bytes`` bytes, or unreadable.
        """
        return b"".join(self._pieces(name, max_bytes))

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a member, read in pieces."""
        digest = sha256()
        for piece in self._pieces(name, MOST_BYTES):
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self, name: str, max_bytes: int) -> Iterator[bytes]:
        try:
            info = self._archive.getinfo(name)
            if info.file_size > max_bytes:
                raise _refused(self._path, say("{name} is too large", name=name))
            with self._archive.open(info) as file:
                while piece := file.read(_PIECE):
                    yield piece
        except KeyError:
            raise _refused(self._path, say("{name} is missing", name=name)) from None
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
            raise _refused(self._path, say("{name} cannot be read: {error}", name=name, error=error)) from None


@contextmanager
def opened(path: Path) -> Iterator[Pack]:
    """Open a pack and validate its list of members before reading any of them.

    Raises:
        InputError: it is not an archive as written for packs, or its members are not those of its manifest.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            _demand_end(file, size, path)
            with zipfile.ZipFile(file) as archive:
                names = _demand_plain(archive.infolist(), size, path)
                pack = Pack(archive, path)
                _demand_same(names, pack, path)
                _demand_exact(file, archive.infolist(), size, path)
                yield pack
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            say("cannot read {path}: {reason}", path=path, reason=reason), hint=say("check its name and permissions")
        ) from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise _refused(path, say("it is damaged: {error}", error=error)) from None


def _demand_end(file: Any, size: int, path: Path) -> None:
    """Refuse files that are not archives, or whose member list alone would exhaust the memory."""
    file.seek(max(0, size - _END_64 - _END))
    before, end = file.read(_END_64), file.read(_END)
    is_small = size <= MOST_BYTES + 2 * _MOST_LISTED and not before.startswith(b"PK\x06\x07")
    if is_small and not end.startswith(b"PK\x05\x06"):
        _demand_nothing_behind(file, size, path)
    if not is_small or not end.startswith(b"PK\x05\x06"):
        raise _refused(path, say("expected an evidence pack"))
    members, listed = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if members > _MOST_MEMBERS or listed > _MOST_LISTED:
        raise _refused(path, say("it has too many members"))
    file.seek(0)


def _demand_nothing_behind(file: Any, size: int, path: Path) -> None:
    """Refuse bytes or a comment after the end of an archive."""
    start = max(0, size - _END - _LONGEST_COMMENT)
    file.seek(start)
    offset = file.read().rfind(b"PK\x05\x06")
    surplus = size - (start + offset + _END)
    if offset >= 0 and surplus > 0:
        raise _refused(
            path,
            say_many(
                "{count:,} byte follows the end of the pack", "{count:,} bytes follow the end of the pack", surplus
            ),
        )


def _demand_plain(infos: list[zipfile.ZipInfo], size: int, path: Path) -> list[str]:
    """Refuse members that are not regular files, and return their names."""
    names = [info.orig_filename for info in infos]
    for info in infos:
        name = info.orig_filename
        if not _NAME.fullmatch(name):
            raise _refused(path, say("unexpected member name {name!r:.80}", name=name))
        if names.count(name) > 1:
            raise _refused(path, say("duplicate member {name}", name=name))
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _refused(path, say("{name} is not a regular file", name=name))
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise _refused(path, say("{name} is compressed", name=name))
        if info.flag_bits & 1:
            raise _refused(path, say("{name} is encrypted", name=name))
    if sum(info.file_size for info in infos) > size:
        raise _refused(path, say("its members overlap"))
    return names


def _demand_same(names: list[str], pack: Pack, path: Path) -> None:
    listed = {entry["name"] for entry in pack.manifest["members"]}
    outside = set(pack.manifest["outside"])
    missing, extra = sorted((listed | outside) - set(names)), sorted(set(names) - listed - outside - {MANIFEST})
    if missing:
        raise _refused(path, say("{name} is missing", name=missing[0]))
    if extra:
        raise _refused(path, say("unexpected member {name}", name=extra[0]))


def _demand_exact(file: Any, infos: list[zipfile.ZipInfo], size: int, path: Path) -> None:
    """Refuse a file that differs in any byte from the one that `packed` would write for these members."""
    offset, directory = 0, b""
    for info in sorted(infos, key=lambda info: _place(info.orig_filename)):
        name = info.orig_filename.encode("ascii")
        what = (0, zipfile.ZIP_STORED, _MIDNIGHT, _FIRST_DAY, info.CRC, info.file_size, info.file_size, len(name), 0)
        header = struct.pack("<4s5H3L2H", b"PK\x03\x04", _VERSION, *what) + name
        file.seek(offset)
        if file.read(len(header)) != header:
            raise _refused(
                path,
                say("expected {name} at byte {offset:,}, found other data", name=info.orig_filename, offset=offset),
            )
        directory += struct.pack(
            "<4s2B5H3L5H2L", b"PK\x01\x02", _VERSION, _UNIX, _VERSION, *what, 0, 0, 0, _MODE << 16, offset
        )
        directory += name
        offset += len(header) + info.file_size
    count = len(infos)
    directory += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), offset, 0)
    file.seek(offset)
    if size != offset + len(directory) or file.read(len(directory)) != directory:
        raise _refused(
            path, say("expected the list of its members at byte {offset:,}, found other data", offset=offset)
        )


def _understood(raw: bytes, path: Path) -> dict[str, Any]:
    """Parse the manifest and validate the types of its fields."""
    try:
        data = json.loads(raw)
        members, outside = data["members"], data["outside"]
        is_right = data["format"] == _FORMAT and all(isinstance(name, str) for name in outside)
        is_right &= all(
            isinstance(entry["name"], str) and type(entry["bytes"]) is int and isinstance(entry["sha256"], str)
            for entry in members
        )
        is_right &= len({entry["name"] for entry in members}) == len(members)
        is_right &= all(isinstance(data["match"][side], str) for side in ("id", "other"))
        is_right &= all(isinstance(name, str) for name in data.get("absent", ()))
        version = data["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        is_right, data, version = False, {}, 1
    if not is_right:
        raise _refused(path, say("its manifest cannot be read"))
    if version != 1:
        raise InputError(
            say("{path} is an evidence pack of version {version!r:.20}", path=path, version=version),
            hint=say("use a newer whorl"),
        )
    return dict(data)


def _refused(path: Path, problem: Message) -> InputError:
    return InputError(say("{path}: {message}", path=path, message=problem), hint=_AGAIN)


__all__ = ["MANIFEST", "PACK_MARK", "Pack", "json_bytes", "manifest_of", "opened", "packed"]
