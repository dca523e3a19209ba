import gzip
import json
from pathlib import Path

import pytest

from whorl.corpus import KeptRejects, Source
from whorl.errors import InputError

JSONL = Source(Path("/data/a.jsonl"), "news/a.jsonl", "jsonl")


def test_rows_are_kept_byte_for_byte_and_listed(tmp_path: Path) -> None:
    with KeptRejects(tmp_path) as rejects:
        rejects.add(JSONL, row=3, line=3, reason="not JSON", data=b"\xff{")
        rejects.add(JSONL, row=9, line=9, reason="not JSON", data=iter([b"two ", b"pieces"]))
        assert (rejects.total, rejects.reasons, rejects.sources) == (2, {"not JSON": 2}, {"news/a.jsonl": 2})
    assert (tmp_path / "news/a.jsonl").read_bytes() == b"\xff{\ntwo pieces\n"
    assert [json.loads(line) for line in (tmp_path / "rejected.jsonl").read_text().splitlines()] == [
        {"file": "news/a.jsonl", "row": 3, "line": 3, "reason": "not JSON", "bytes": 2},
        {"file": "news/a.jsonl", "row": 9, "line": 9, "reason": "not JSON", "bytes": 10},
    ]


def test_rows_of_a_compressed_file_are_kept_compressed(tmp_path: Path) -> None:
    source = Source(Path("/data/a.jsonl.gz"), "a.jsonl.gz", "jsonl", "gz")
    with KeptRejects(tmp_path) as rejects:
        rejects.add(source, row=1, line=1, reason="not JSON", data=b"{")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b"{\n"


def test_many_files_are_kept_apart(tmp_path: Path) -> None:
    sources = [Source(None, f"{number}.jsonl", "jsonl") for number in range(100)]
    with KeptRejects(tmp_path) as rejects:
        for turn in (b"first", b"second"):
            for source in sources:
                rejects.add(source, row=1, line=1, reason="not JSON", data=turn)
    assert {(tmp_path / source.name).read_bytes() for source in sources} == {b"first\nsecond\n"}


def test_the_run_stops_at_the_first_bad_row_when_asked(tmp_path: Path) -> None:
    with (
        KeptRejects(tmp_path, on_error="stop") as rejects,
        pytest.raises(InputError, match=r"(?s)a\.jsonl, line 3: not JSON.*cure"),
    ):
        rejects.add(JSONL, row=3, line=3, reason="not JSON", data=b"{")
