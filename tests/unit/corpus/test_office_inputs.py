"""The text of office documents and books is what their readers see: the cases of `tests/cases/inputs`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.office import write_docx, write_epub, write_odt, write_rtf

from whorl.corpus import HIDDEN_TEXT, MISSING_PARTS, Columns, ReadOptions, Rejects, discover, format_of

CASES = Path(__file__).parents[2] / "cases" / "inputs"
WRITERS = {"docx": write_docx, "odt": write_odt, "fodt": write_odt, "rtf": write_rtf, "epub": write_epub}
EXPECTED = ("name", "text", "hidden", "missing", "refused")


def cases() -> list[Any]:
    return [
        pytest.param(suffix, case, id=f"{suffix}: {case['name']}")
        for suffix in WRITERS
        for case in tomllib.loads((CASES / f"{suffix.removeprefix('f')}.toml").read_text(encoding="utf-8"))["case"]
    ]


@pytest.mark.parametrize(("suffix", "case"), cases())
def test_what_readers_see_is_read(tmp_path: Path, suffix: str, case: dict[str, Any]) -> None:
    path = tmp_path / f"a.{suffix}"
    WRITERS[suffix](path, **{name: value for name, value in case.items() if name not in EXPECTED})
    [source] = discover([path])
    rejects = Rejects()
    batches = list(format_of(source).read(source, Columns(), rejects, ReadOptions()))
    texts = [text.split("\n") for batch in batches for text in batch.texts.to_pylist()]
    notices = {name: value for batch in batches for name, value in batch.notices.items()}
    if "refused" in case:
        assert (texts, [rejection.reason for rejection in rejects.named]) == ([], [case["refused"]])
        return
    assert (texts, rejects.total) == ([case["text"]], 0)
    assert int(notices.pop(HIDDEN_TEXT, 0)) == case.get("hidden", 0)
    assert notices.pop(MISSING_PARTS, None) == case.get("missing")
    assert notices == {}
