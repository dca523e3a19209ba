"""What makes processes start fast: patterns compiled when they are used, and packages that are not imported."""

import re
import subprocess
import sys

import pytest

from whorl._internal.patterns import lazy_pattern

HIDDEN = """
from importlib.util import find_spec
import pyarrow
from whorl._internal.lean_imports import bring_back_pandas, hide_pandas

hide_pandas()
try:
    import pandas
except ModuleNotFoundError as error:
    assert error.name == "pandas"
else:
    raise AssertionError("pandas was imported")
assert pyarrow.array(["a", None]).to_pylist() == ["a", None]
bring_back_pandas()
assert find_spec("pandas") is not None
"""


def test_a_lazy_pattern_is_used_like_a_compiled_one() -> None:
    pattern = lazy_pattern(r"(?P<letter>[a-z])\d", re.IGNORECASE)
    assert [match["letter"] for match in pattern.finditer("A1 b2 c")] == ["A", "b"]
    assert pattern.sub("-", "A1 b2 c") == "- - c"
    assert pattern.fullmatch("A1")
    assert not pattern.fullmatch("A1 ")
    assert pattern.groupindex["letter"] == 1


def test_a_lazy_pattern_is_compiled_when_it_is_used() -> None:
    pattern = lazy_pattern("(")
    with pytest.raises(re.error):
        pattern.search("(")


def test_pandas_is_hidden_until_it_is_brought_back() -> None:
    pytest.importorskip("pandas")
    subprocess.run([sys.executable, "-c", HIDDEN], check=True)
