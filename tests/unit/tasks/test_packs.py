import json
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.tasks.evidence.archives import MANIFEST, manifest_of, opened, packed

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
        (also("../outside"), "unexpected member name"),
        (also("/etc/passwd"), "unexpected member name"),
        (also("c:\\windows"), "unexpected member name"),
        (also("copy/../x"), "unexpected member name"),
        (also("COPY/text.txt"), "unexpected member name"),
        (also("copy/link", b"/etc/passwd", stat.S_IFLNK | 0o777), "is not a regular file"),
        (also("copy/more.txt"), "unexpected member copy/more.txt"),
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
    assert refused.value.hint


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = rewritten(pack(tmp_path), also("copy/text.txt", b"another text"))
    with pytest.raises(InputError, match="duplicate member"), opened(path):
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
    with pytest.raises(InputError, match="its members overlap"), opened(path):
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


def hidden(kind: str, sound: bytes) -> bytes:
    """A pack with bytes that belong to no member, which programs that unpack it do not notice."""
    end = len(sound) - 22
    start = int.from_bytes(sound[end + 16 : end + 20], "little")
    if kind == "prepended":
        return b"MZ" * 50 + sound
    if kind == "comment":
        return sound[:-2] + (5).to_bytes(2, "little") + b"hello"
    if kind == "trailing":
        return sound + b"x"
    if kind == "before the list":
        return sound[:start] + b"x" * 9 + sound[start:end] + moved(sound[end:], start + 9)
    if kind == "in a date":
        place = start + 12
        return sound[:place] + b"\x01\x02" + sound[place + 2 :]
    if kind == "in the mode":
        place = start + 38
        return sound[:place] + b"\x07\x07" + sound[place + 2 :]
    if kind == "extra field":
        length = start + 30
        name = start + 46 + int.from_bytes(sound[start + 28 : start + 30], "little")
        extra = b"\xfe\xca\x04\x00note"
        listed = sound[:length] + len(extra).to_bytes(2, "little") + sound[length + 2 : name] + extra + sound[name:end]
        size = (len(listed) - start).to_bytes(4, "little")
        return listed + sound[end : end + 12] + size + sound[end + 16 :]
    raise AssertionError(kind)


def moved(end: bytes, start: int) -> bytes:
    return end[:16] + start.to_bytes(4, "little") + end[20:]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("prepended", "expected manifest.json at byte 0, found other data"),
        ("comment", "5 bytes follow the end of the pack"),
        ("trailing", "1 byte follows the end of the pack"),
        ("before the list", "expected the list of its members at byte"),
        ("in a date", "expected the list of its members at byte"),
        ("in the mode", "expected the list of its members at byte"),
        ("extra field", "expected the list of its members at byte"),
    ],
)
def test_bytes_that_no_member_covers_are_refused_with_their_place(tmp_path: Path, kind: str, reason: str) -> None:
    path = pack(tmp_path)
    path.write_bytes(hidden(kind, path.read_bytes()))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    with pytest.raises(InputError) as refused, opened(path):
        pass
    assert reason in refused.value.message


def test_members_in_another_order_or_with_a_gap_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path)
    with zipfile.ZipFile(path) as archive:
        kept = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for info, body in reversed(kept):
            archive.writestr(info, body)
    with pytest.raises(InputError, match=r"expected manifest\.json at byte 0"), opened(path):
        pass
    with path.open("wb") as file, zipfile.ZipFile(file, "w") as archive:
        for info, body in kept:
            archive.writestr(info, body)
            file.write(b"gap")
            archive.start_dir = file.tell()
    with pytest.raises(InputError, match="found other data"), opened(path):
        pass


@given(st.data())
def test_no_changed_inserted_or_lost_byte_passes(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        sound = pack(Path(folder)).read_bytes()
        at = data.draw(st.integers(0, len(sound)))
        until = data.draw(st.integers(at, min(len(sound), at + 60)))
        altered = sound[:at] + data.draw(st.binary(max_size=60)) + sound[until:]
        (Path(folder) / "pack.zip").write_bytes(altered)
        content = contents(Path(folder) / "pack.zip")
        # Members outside the manifest are compared by who knows what they should be.
        ledger = sound.index(b"ledger.json{}") + len(b"ledger.json")
        assert altered == sound or content is None or len(content) < len(MEMBERS) or at >= ledger - 26


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"), opened(tmp_path / "none.zip"):
        pass
