from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.corpus import ReadOptions, Source
from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Span
from whorl.corpus.lines import line_blocks
from whorl.errors import InputError


def cut(path: Path, step: int, longest: int = 2**20) -> tuple[list[tuple[int, int, bytes]], list[tuple[int, bytes]]]:
    """Yield every line as (line number, offset, bytes), and every line that was too long."""
    lines: list[tuple[int, int, bytes]] = []
    oversize: list[tuple[int, bytes]] = []
    with ByteReader(Source(path, path.name, "jsonl")) as stream:
        options = ReadOptions(max_row_bytes=longest, block_bytes=step)
        for block in line_blocks(stream, options, lambda line, pieces: oversize.append((line, b"".join(pieces)))):
            offset = block.offset
            for number, line in enumerate(block.data.splitlines(keepends=True), block.line):
                lines.append((number, offset, line))
                offset += len(line)
    return lines, oversize


def expected(data: bytes, longest: int) -> tuple[list[tuple[int, int, bytes]], list[tuple[int, bytes]]]:
    lines, oversize, offset = [], [], 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if len(line.removesuffix(b"\n")) > longest:
            oversize.append((number, line.removesuffix(b"\n")))
        else:
            lines.append((number, offset, line))
        offset += len(line)
    return lines, oversize


@given(
    data=st.lists(st.integers(0, 40)).map(lambda sizes: b"\n".join(b"x" * size for size in sizes)),
    step=st.integers(4, 50),
    longest=st.integers(8, 50),
)
def test_every_line_is_delivered_once_with_its_number_and_place(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, step: int, longest: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_bytes(data)
    assert cut(path, step, longest) == expected(data, longest)


@given(
    sizes=st.lists(st.integers(0, 40), min_size=1),
    step=st.integers(1, 90),
    bounds=st.tuples(st.integers(0, 200), st.integers(0, 200)).map(sorted),
)
def test_whole_lines_are_those_of_the_next_bytes(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], step: int, bounds: list[int]
) -> None:
    data = b"\n".join(b"x" * size for size in sizes)
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_bytes(data)
    start, end = (min(bound, len(data)) for bound in bounds)
    for span in (None, Span(start, end, 1)):
        rest = data if span is None else data[start:end]
        with ByteReader(Source(path, path.name, "jsonl", span=span)) as stream:
            while rest:
                size = stream.whole_lines(step)
                assert size == (rest[:step].rfind(b"\n") + 1 or step)
                assert stream.read(size) == rest[:size]
                rest = rest[size:]
            assert stream.read(stream.whole_lines(step)) == b""


def test_the_byte_order_mark_is_no_text_but_counts_as_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo")
    assert cut(path, 100)[0] == [(1, 3, b"one\n"), (2, 7, b"two")]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_an_empty_file_has_no_lines(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    assert cut(path, 100) == ([], [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_encodings_are_refused_with_a_hint(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes("新闻\n".encode(encoding))
    with pytest.raises(InputError, match="save it as UTF-8"):
        cut(path, 100)
