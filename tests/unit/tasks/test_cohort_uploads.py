"""Uploaded manuscripts: names that lead out of the folder, encodings, damage and limits."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import InputError
from whorl.tasks.cohort import uploads
from whorl.tasks.cohort.uploads import keep_file, unpack


def packed(*files: tuple[str, bytes]) -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return data


def below(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    }


@given(st.lists(st.tuples(st.text(st.sampled_from("a.\\/:~ \t\0林"), max_size=12), st.binary(max_size=3)), max_size=6))
def test_whatever_it_is_named_every_file_stays_in_the_folder(files: list[tuple[str, bytes]]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place, "inside")
        folder.mkdir()
        for name, content in files:
            keep_file(io.BytesIO(content), name, folder)
        assert sorted(below(folder).values()) == sorted(content for _, content in files)
        assert [entry.name for entry in Path(place).iterdir()] == ["inside"]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_names_without_a_stated_encoding_are_read(encoding: str, tmp_path: Path) -> None:
    name = "林一/论文.txt"
    raw = name.encode(encoding)
    data = packed((f"{'x' * (len(raw) - 4)}.txt", b"1")).getvalue().replace(b"x" * (len(raw) - 4) + b".txt", raw)
    assert unpack(io.BytesIO(data), tmp_path) == 1
    assert below(tmp_path) == {name: b"1"}


def test_equal_names_are_both_kept(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = packed(("a.txt", b"1"), ("a.txt", b"2"), ("b", b"3"), ("b/c.txt", b"4"))
    unpack(archive, tmp_path)
    assert below(tmp_path) == {"a.txt": b"1", "a (2).txt": b"2", "b": b"3", "b_/c.txt": b"4"}


def test_a_bomb_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 2**20)
    with pytest.raises(InputError, match="more than 1,048,576 bytes"):
        unpack(packed(("a.txt", bytes(2**22))), tmp_path)
    assert sum(map(len, below(tmp_path).values())) <= 2**20
    monkeypatch.setattr(uploads, "MAX_FILES", 2)
    with pytest.raises(InputError, match="3 files; at most 2"):
        unpack(packed(*((f"{number}.txt", b"") for number in range(3))), tmp_path)


def test_damage_and_passwords_are_named(tmp_path: Path) -> None:
    whole = packed(("a.txt", b"0123456789" * 100)).getvalue()
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match=r"a\.txt in the ZIP is encrypted"):
        unpack(io.BytesIO(bytes(locked)), tmp_path)
    for damaged in (whole[: len(whole) // 2], b"", whole[:40] + b"\xff" * 8 + whole[48:]):
        with pytest.raises(InputError, match="the ZIP cannot be read"):
            unpack(io.BytesIO(damaged), tmp_path)
