import json
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from whorl.errors import InputError
from whorl.tasks.packs import MANIFEST, manifest_of, opened, packed

DETAILS = {"match": {"id": "b7", "other": "a1"}, "outside": ["ledger.json"]}
MEMBERS = {"copy/text.txt": "渔港的冰厂".encode(), "copy/page-1.body": b"<p>\x00</p>"}


def pack(folder: Path, members: dict[str, bytes] = MEMBERS, message: dict[str, Any] = DETAILS) -> Path:
    path = folder / "pack.zip"
    path.write_bytes(packed({**members, MANIFEST: manifest_of(members, message), "ledger.json": b"{}"}))
    return path


def test_the_same_members_make_the_same_bytes(tmp_path: Path) -> None:
    item = pack(tmp_path).read_bytes()
    again = pack(tmp_path, dict(reversed(MEMBERS.items()))).read_bytes()
    assert item == again


def test_members_come_back(tmp_path: Path) -> None:
    with opened(pack(tmp_path)) as result:
        assert result.read("copy/page-1.body") == b"<p>\x00</p>"
        assert [entry["name"] for entry in result.manifest["members"]] == sorted(MEMBERS)
        assert result.digest("copy/text.txt") == sha256(MEMBERS["copy/text.txt"]).hexdigest()


def rewritten(path: Path, change: Callable[[zipfile.ZipFile, zipfile.ZipInfo, bytes], None]) -> Path:
    """Return the archive with each member rewritten by ``change``."""
    with zipfile.ZipFile(path) as archive:
        kept = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for info, body in kept:
            change(archive, info, body)
    return path


def also(name: str, body: bytes = b"", mode: int = stat.S_IFREG | 0o644, **how: Any) -> Callable[..., None]:
    def change(archive: zipfile.ZipFile, info: zipfile.ZipInfo, kept: bytes) -> None:
        archive.writestr(info, kept)
        if info.filename == MANIFEST:
            more = zipfile.ZipInfo(name)
            more.external_attr = mode << 16
            archive.writestr(more, body, **how)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (also("../outside"), "is no name of a member"),
        (also("/etc/passwd"), "is no name of a member"),
        (also("c:\\windows"), "is no name of a member"),
        (also("copy/../x"), "is no name of a member"),
        (also("COPY/text.txt"), "is no name of a member"),
        (also("copy/link", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link or no file"),
        (also("copy/more.txt"), "copy/more.txt does not belong to it"),
        (also("bomb", b"0" * 2**24, compress_type=zipfile.ZIP_DEFLATED), "bomb is compressed"),
        (lambda archive, info, kept: archive.writestr(info, kept) if "text" not in info.filename else None,
         "copy/text.txt is missing"),
        (lambda archive, info, kept: archive.writestr(info, kept) if info.filename != MANIFEST else None,
         "manifest.json is missing"),
    ],
)  # fmt: skip
def test_invalid_members_are_refused(tmp_path: Path, change: Callable[..., None], message: str) -> None:
    path = rewritten(pack(tmp_path), change)
    with pytest.raises(InputError) as refused, opened(path):
        pass
    assert message in refused.value.message
    assert refused.value.cure


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = rewritten(pack(tmp_path), also("copy/text.txt", b"another text"))
    with pytest.raises(InputError, match="there twice"), opened(path):
        pass


def test_too_many_members_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    path = pack(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(3000):
            archive.writestr(f"m{number}", b"")
    with pytest.raises(InputError, match="too many members"), opened(path):
        pass


def test_members_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    body = b"0" * 100_000
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a0"), body)
        first = archive.infolist()[0]
        for number in range(1, 50):
            info = zipfile.ZipInfo(f"a{number}")
            info.header_offset, info.file_size, info.compress_size, info.CRC = (
                0,
                first.file_size,
                first.file_size,
                first.CRC,
            )
            archive.filelist.append(info)
            archive.NameToInfo[info.filename] = info
    with pytest.raises(InputError, match="lie over each other"), opened(path):
        pass


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, json.dumps({"format": "whorl-evidence", "members": 1}).encode()],
)
def test_invalid_manifest_is_refused(tmp_path: Path, manifest: bytes) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(packed({MANIFEST: manifest}))
    with pytest.raises(InputError, match="manifest cannot be read"), opened(path):
        pass


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x05\x06" + b"\xff" * 18])
def test_invalid_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(content)
    with pytest.raises(InputError), opened(path):
        pass


def test_every_damaged_byte_is_detected(tmp_path: Path) -> None:
    sound = pack(tmp_path).read_bytes()
    report = contents(tmp_path / "pack.zip")
    for place in range(0, len(sound), 7):
        damaged = bytearray(sound)
        damaged[place] ^= 0x55
        (tmp_path / "damaged.zip").write_bytes(damaged)
        # Bytes outside the members are dates and similar fields of the archive's directory.
        assert contents(tmp_path / "damaged.zip") in (report, None)


def contents(path: Path) -> list[tuple[str, str]] | None:
    """Return the members of a pack whose digests match its manifest; None if it is rejected."""
    try:
        with opened(path) as result:
            named = [(entry["name"], entry["sha256"]) for entry in result.manifest["members"]]
            return [entry for entry in named if result.digest(entry[0]) == entry[1]] or None
    except InputError:
        return None


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"), opened(tmp_path / "none.zip"):
        pass
