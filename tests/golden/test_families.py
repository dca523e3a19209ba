"""Hash values are a file format: those in `families.json` never change."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.golden.recorded import recorded

from whorl.fingerprints import family, keys

HERE = Path(__file__).parent
VECTORS = recorded("families")
TEXTS = {vector["name"]: vector["text"] for vector in recorded("vectors")["texts"]}

each_text = pytest.mark.parametrize("vector", VECTORS["texts"], ids=lambda vector: vector["name"])


def test_the_reference_gives_these_vectors() -> None:
    assert runpy.run_path(str(HERE / "reference_families.py"))["vectors"]() == VECTORS["texts"]


@each_text
@pytest.mark.parametrize("sizes", ["winnowing", "winnowing_dense"])
def test_winnowing(vector: dict[str, Any], sizes: str) -> None:
    actual = keys(family("winnowing", **VECTORS[sizes]), TEXTS[vector["name"]])
    assert sorted(f"{key:016x}" for key in actual) == sorted(vector[sizes])


@each_text
def test_shingles(vector: dict[str, Any]) -> None:
    actual = keys(family("shingles", **VECTORS["shingles"]), TEXTS[vector["name"]])
    assert sorted(f"{key:016x}" for key in actual) == vector["shingles"]


@each_text
@pytest.mark.parametrize("bits", [8, 32, 64, 128])
def test_simhash_codes(vector: dict[str, Any], bits: int) -> None:
    actual = family("simhash", bits=bits, **VECTORS["simhash"]).code(TEXTS[vector["name"]])
    assert (None if actual is None else f"{actual:x}") == vector["simhash"][str(bits)]


@each_text
def test_simhash_keys(vector: dict[str, Any]) -> None:
    actual = keys(family("simhash", **VECTORS["simhash"]), TEXTS[vector["name"]])
    assert sorted(f"{key:016x}" for key in actual) == sorted(set(vector["simhash_keys"]))
