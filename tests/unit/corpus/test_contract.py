import io
import subprocess
import sys
from pathlib import Path

import pytest

from whorl.corpus import FORMATS, Source, discover, format_of
from whorl.corpus.compression import ByteReader
from whorl.errors import InputError


def test_importing_the_package_loads_no_driver() -> None:
    script = "import sys, whorl.corpus; print(sorted({'numpy', 'openpyxl', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"jsonl"}))
def test_every_format_reads_and_writes(name: str) -> None:
    module = format_of(Source(Path("a"), "a", name))
    assert callable(module.read)
    assert callable(module.write)


def test_standard_input_is_read_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    [source] = discover(["-"])
    with ByteReader(source) as stream:
        assert stream.read(100) == b"one\ntwo\n"
    assert not sys.stdin.closed


def test_a_file_that_went_away_is_an_error_with_a_hint(tmp_path: Path) -> None:
    for compression in (None, "gz"):
        with pytest.raises(InputError, match=r"(?s)cannot open .*hint"):
            ByteReader(Source(tmp_path / "gone", "gone", "jsonl", compression))
