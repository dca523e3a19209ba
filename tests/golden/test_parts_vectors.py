"""Keys of sentences, segments, punctuation and bags are a file format: those in `parts.json` never change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whorl.fingerprints import family, keys

HERE = Path(__file__).parent
VECTORS = json.loads((HERE / "parts.json").read_text(encoding="utf-8"))
TEXTS = {vector["name"]: vector["text"] for vector in json.loads((HERE / "vectors.json").read_text("utf-8"))["texts"]}
TEXTS |= VECTORS["texts"]


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: f"{vector['family']} {vector['parameters']}")
def test_keys(vector: dict[str, Any]) -> None:
    chosen = family(vector["family"], **vector["parameters"])
    actual = {name: [f"{key:016x}" for key in sorted(keys(chosen, text))] for name, text in TEXTS.items()}
    assert actual == vector["keys"]
