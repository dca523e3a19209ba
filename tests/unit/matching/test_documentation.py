"""The pages on comparisons are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("page", ["COMPARE.md", "COMPARE.zh-CN.md"])
def test_the_example_runs(page: str) -> None:
    (example,) = re.findall(
        r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    exec(example, {})
