import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from whorl.corpus import Source
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer

LINES = b"".join(b"article %d\n" % number for number in range(200_000))


def compress(data: bytes, kind: str) -> bytes:
    packed: bytes = gzip.compress(data, 1) if kind == "gz" else pa.compress(data, codec="zstd", asbytes=True)
    return packed


def source_of(path: Path, kind: str | None) -> Source:
    return Source(path, path.name, "jsonl", kind)


def read_all(source: Source, step: int = 100_000) -> tuple[bytes, TruncatedStream | None]:
    data = bytearray()
    with ByteReader(source) as stream:
        try:
            while chunk := stream.read(step):
                data += chunk
        except TruncatedStream as damage:
            return bytes(data), damage
    return bytes(data), None


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_all_members_of_an_archive_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    parts = [LINES, b"", *(b"line %d\n" % number for number in range(500))]
    path.write_bytes(b"".join(compress(part, kind) for part in parts))
    assert read_all(source_of(path, kind)) == (b"".join(parts), None)


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("missing", [1, 1000])
def test_everything_before_a_break_is_delivered(tmp_path: Path, kind: str, missing: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(compress(LINES, kind)[:-missing])
    data, damage = read_all(source_of(path, kind))
    assert LINES.startswith(data)
    assert damage is not None
    assert "ends early" in damage.fault
    assert damage.position == len(data)
    if kind == "gz":
        assert len(data) == len(LINES) if missing == 1 else len(data) > len(LINES) - 60_000


def test_a_second_member_that_breaks_off_does_not_cost_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(compress(b"first\n", "gz") + compress(LINES, "gz")[:15])
    data, damage = read_all(source_of(path, "gz"))
    assert data.startswith(b"first\n")
    assert damage is not None


def test_rubbish_after_an_archive_is_damage_not_an_early_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(compress(b"first\n", "gz") + b"rubbish")
    data, damage = read_all(source_of(path, "gz"))
    assert data == b"first\n"
    assert damage is not None
    assert damage.fault == "gzip data is damaged"


@pytest.mark.parametrize("kind", [None, "gz", "zst"])
def test_what_is_written_is_read_again(tmp_path: Path, kind: str | None) -> None:
    path = tmp_path / "a"
    for part, append in ((LINES, False), (b"one more\n", True)):
        with open_writer(path, kind, append=append) as output:
            output.write(part)
    assert read_all(source_of(path, kind)) == (LINES + b"one more\n", None)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_equal_content_gives_equal_archives(tmp_path: Path, kind: str) -> None:
    for name in ("a", "b"):
        with open_writer(tmp_path / name, kind) as output:
            output.write(LINES)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("place", [-6, -2], ids=["checksum", "length"])
@pytest.mark.parametrize("step", [100_000, 3_000_000])
def test_a_wrong_sum_at_the_end_costs_no_line(tmp_path: Path, place: int, step: int) -> None:
    path = tmp_path / "a"
    packed = bytearray(compress(LINES, "gz"))
    packed[place] ^= 1
    path.write_bytes(packed)
    data, damage = read_all(source_of(path, "gz"), step)
    assert data == LINES
    assert damage is not None
    assert (damage.fault, damage.position) == ("gzip data is damaged", len(LINES))


@pytest.mark.parametrize("padding", [1, 3, 512, 200_000])
def test_nuls_after_an_archive_and_between_its_members_are_padding(tmp_path: Path, padding: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(compress(LINES, "gz") + b"\0" * padding)
    assert read_all(source_of(path, "gz")) == (LINES, None)
    path.write_bytes(path.read_bytes() + compress(b"second\n", "gz") + b"\0" * padding)
    assert read_all(source_of(path, "gz")) == (LINES + b"second\n", None)


def test_nuls_alone_are_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\0" * 512)
    data, damage = read_all(source_of(path, "gz"))
    assert (data, damage is not None) == (b"", True)
