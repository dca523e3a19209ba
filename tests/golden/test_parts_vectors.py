"""Keys of sentences, segments, punctuation and bags are a file format: those in `parts.json` never change."""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden.recorded import recorded

from whorl.fingerprints import family, keys

VECTORS = recorded("parts")
TEXTS = {vector["name"]: vector["text"] for vector in recorded("vectors")["texts"]}
TEXTS |= VECTORS["texts"]


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: f"{vector['family']} {vector['parameters']}")
def test_keys(vector: dict[str, Any]) -> None:
    chosen = family(vector["family"], **vector["parameters"])
    actual = {name: [f"{key:016x}" for key in sorted(keys(chosen, text))] for name, text in TEXTS.items()}
    assert actual == vector["keys"]
