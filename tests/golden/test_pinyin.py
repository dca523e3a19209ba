"""The readings and the keys of the family `pinyin` are a file format: those in `pinyin.json` never change."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.golden.recorded import recorded

from whorl.fingerprints import family
from whorl.text.pinyin import PINYIN_VERSION, pinyin_fold

HERE = Path(__file__).parent
VECTORS = recorded("pinyin")

each_text = pytest.mark.parametrize("vector", VECTORS["texts"], ids=lambda vector: vector["name"])
each_rule = pytest.mark.parametrize("rule", VECTORS["rules"])


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    """The second implementation, as a dictionary of its functions."""
    return runpy.run_path(str(HERE / "pinyin_reference.py"))


def test_the_vectors_are_those_of_these_readings() -> None:
    assert VECTORS["pinyin"] == PINYIN_VERSION


@each_text
def test_pinyin(vector: dict[str, Any]) -> None:
    if vector["pinyin"] is not None:
        assert pinyin_fold(vector["text"]) == vector["pinyin"]


@each_text
@each_rule
def test_keys(vector: dict[str, Any], rule: str, reference: dict[str, Any]) -> None:
    actual = family("pinyin", **VECTORS["rules"][rule]).fingerprint([vector["text"]]).keys.tolist()
    assert [f"{key:016x}" for key in actual] == vector["keys"][rule]
    assert actual == reference["keys"](vector["text"], **VECTORS["rules"][rule])
