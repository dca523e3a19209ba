"""Reading a file of lines in blocks gives the same result as reading it as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whorl.corpus import Columns, ReadOptions, Rejects, Source, cutting
from whorl.corpus.cutting import counted, cut, stretches
from whorl.corpus.formats.json.jsonl import read

FIRST = '{"id": "first", "text": "第一行说明这是什么编码。"}\n'
LINES = st.lists(
    st.one_of(
        st.builds('{{"id": "{}", "text": "{}"}}'.format, st.integers(0, 99), st.text("abc 新闻编", max_size=40)).map(
            str.encode
        ),
        st.sampled_from([b"", b"\r", b"[]", b'{"text": 7}', b'{"text": \xff}', b"x" * 300, b'{"no": "text"}']),
    ),
    max_size=30,
)


@pytest.fixture(autouse=True)
def small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow blocks of any small size."""
    monkeypatch.setattr(cutting, "_LEAST_BYTES", 1)


def written(folder: Path, data: bytes) -> Source:
    path = folder / "rows.jsonl"
    path.write_bytes(data)
    return Source(path, path.name, "jsonl")


def cut_into(source: Source, size: int, columns: Columns, options: ReadOptions) -> list[Source]:
    parts = stretches(source, size)
    return cut(source, parts, [counted(part) for part in parts], columns, options) if parts else [source]


def rows_of(sources: Sequence[Source], columns: Columns, options: ReadOptions) -> dict[str, Any]:
    rejects = Rejects()
    collected: dict[str, Any] = {"texts": [], "ids": [], "rows": [], "offsets": [], "lengths": [], "encodings": set()}
    for source in sources:
        for batch in read(source, columns, rejects, options):
            for name in ("texts", "ids", "rows", "offsets", "lengths"):
                collected[name] += getattr(batch, name).tolist()
            collected["encodings"].add(batch.encoding)
            collected |= batch.notices
    # A line that is too long is found during splitting, before the block is read.
    return collected | {"rejected": sorted(rejects.named)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=LINES,
    size=st.integers(20, 400),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    end=st.sampled_from([b"", b"\n"]),
)
def test_as_at_once(tmp_path: Path, lines: list[bytes], size: int, mark: bytes, end: bytes) -> None:
    columns, options = Columns(), ReadOptions(max_row_bytes=250)
    source = written(tmp_path, mark + FIRST.encode() + b"\n".join(lines) + end)
    sources = cut_into(source, size, columns, options)
    assert rows_of(sources, columns, options) == rows_of([source], columns, options)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5"])
def test_the_beginning_tells_the_encoding(tmp_path: Path, encoding: str) -> None:
    lines = "".join(f'{{"id": "{n}", "text": "編碼由文件的開頭決定，後面各段都照此辦理。"}}\n' for n in range(40))
    source = written(tmp_path, lines.encode(encoding) + b'{"text": "only ascii"}\n' * 90)
    sources = cut_into(source, 200, Columns(), ReadOptions())
    assert len(sources) > 10
    assert rows_of(sources, Columns(), ReadOptions()) == rows_of([source], Columns(), ReadOptions())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b'{"text": "one"}\n' * 900_000 + FIRST.encode() * 50, "text", id="told later"),
        pytest.param(FIRST.encode() * 50, "body", id="no such column"),
        pytest.param(b'{"body": "one"}\n' * 50, "text", id="another column"),
    ],
)
def test_what_is_read_whole(tmp_path: Path, data: bytes, text: str) -> None:
    source = written(tmp_path, data)
    assert stretches(source, len(data) // 3)
    assert cut_into(source, len(data) // 3, Columns((text,)), ReadOptions()) == [source]


def test_nested_columns_are_read_in_stretches(tmp_path: Path) -> None:
    source = written(tmp_path, b'{"a": {"b": "one"}}\n' * 50)
    assert len(cut_into(source, 200, Columns(("a.b",)), ReadOptions())) > 1


def test_only_plain_lines_are_cut(tmp_path: Path) -> None:
    path = written(tmp_path, FIRST.encode() * 50).path
    assert stretches(Source(path, "rows.jsonl", "jsonl"), 100)
    assert not stretches(Source(path, "rows.jsonl.gz", "jsonl", "gz"), 100)
    assert not stretches(Source(path, "rows.csv", "csv"), 100)
    assert not stretches(Source(None, "stdin.jsonl", "jsonl"), 100)
