"""Hash values are a file format: those in `vectors.json` never change."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.recorded import recorded

from whorl import _core
from whorl.fingerprints import Fingerprints
from whorl.matching.verify import overlap
from whorl.text import FOLD_VERSION, tokens

HERE = Path(__file__).parent
VECTORS = recorded("vectors")
TEXTS = {vector["name"]: vector["text"] for vector in VECTORS["texts"]}

each_text = pytest.mark.parametrize("vector", VECTORS["texts"], ids=lambda vector: vector["name"])
each_family = pytest.mark.parametrize("family", VECTORS["families"])


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    """The second implementation, as a dictionary of its functions."""
    return runpy.run_path(str(HERE / "reference.py"))


def test_the_vectors_are_those_of_this_fold() -> None:
    assert VECTORS["fold"] == FOLD_VERSION


@each_text
def test_tokens_and_length(vector: dict[str, Any]) -> None:
    actual = tokens(vector["text"])
    assert sum(map(len, actual)) == vector["length"]
    if vector["steps"] is not None:
        assert actual == vector["steps"]["tokens"]


@each_text
@each_family
def test_minhash_fingerprint(vector: dict[str, Any], family: str) -> None:
    chosen = VECTORS["families"][family]
    expected = vector["fingerprints"][family]
    parameters = chosen["shingle"], chosen["values"], chosen["bands"], chosen["rows"]

    actual = Fingerprints.from_buffers(_core.minhash([vector["text"]], *parameters))

    assert [f"{key:016x}" for key in actual.keys.tolist()] == expected["keys"]
    assert actual.codes.tobytes().hex() == expected["code"]
    assert actual.lengths.tolist() == [vector["length"]]
    assert digest(actual) == vector["digest"]


@each_text
@each_family
def test_sketch(vector: dict[str, Any], family: str) -> None:
    chosen = VECTORS["families"][family]
    (values,) = _core.sketch([vector["text"]], chosen["shingle"], chosen["values"], False)
    expected = vector["fingerprints"][family]["values"]
    assert (None if values is None else np.frombuffer(values, "<u4").tolist()) == expected


@each_text
def test_exact_key_is_the_lower_half_of_the_digest(vector: dict[str, Any]) -> None:
    actual = Fingerprints.from_buffers(_core.exact([vector["text"]]))
    assert digest(actual) == vector["digest"]
    assert actual.keys.tolist() == ([int(vector["digest"][16:], 16)] if vector["length"] else [])


@pytest.mark.parametrize("vector", VECTORS["overlaps"], ids=lambda vector: f"{vector['a']} / {vector['b']}")
def test_overlap(vector: dict[str, Any]) -> None:
    figure = overlap(TEXTS[vector["a"]], TEXTS[vector["b"]], vector["shingle"])
    assert [figure.shared, figure.united] == vector["shared_and_united"]


@each_text
def test_the_reference_agrees(vector: dict[str, Any], reference: dict[str, Any]) -> None:
    for family, chosen in VECTORS["families"].items():
        assert reference["fingerprint"](vector["text"], **chosen) == vector["fingerprints"][family]
    if vector["steps"] is not None:
        assert reference["steps"](vector["text"], VECTORS["families"]["default"]["shingle"]) == vector["steps"]


def digest(fingerprints: Fingerprints) -> str:
    """Return the digest of the only text, as the 32 digits that XXH3-128 tools print."""
    low, high = fingerprints.digests[0].tolist()
    return f"{high:016x}{low:016x}"
