"""Translated pages planted in other pages: `compare` aligns their paragraphs, and strangers are no translations.

On the documentation of ``WHORL_DATA`` in English and Chinese.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks.translated import planted_translations
from tests.quality.corpora import data_folder

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["translated"]

pytestmark = pytest.mark.skipif(data_folder() is None, reason="WHORL_DATA is not set")


@cache
def figures() -> dict[str, Any]:
    return planted_translations()


def test_planted_translations_are_aligned() -> None:
    assert figures()["plagdet"] >= FLOORS["plagdet"], figures()
    assert figures()["called_translations"] >= FLOORS["called"] * figures()["planted"], figures()


def test_strangers_are_no_translations() -> None:
    assert figures()["strangers_called_share"] <= FLOORS["strangers"], figures()
