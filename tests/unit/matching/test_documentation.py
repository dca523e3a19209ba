"""The pages on comparisons run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("page", ["COMPARE.md", "COMPARE.zh-CN.md", "TRANSLATIONS.md", "TRANSLATIONS.zh-CN.md"])
def test_the_examples_run(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    for example in blocks:
        exec(example, {})
