"""A family is one file: another package adds one, which is a method like any other and passes every contract test.

The package is a folder with that file and the metadata that `pip install` would write; whorl itself is not edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.articles import article, small_corpus, write_jsonl
from tests.packages import hold_to_promises, installed
from tests.runs import duplicates, kept_documents, whorl

from whorl.fingerprints import ENTRY_POINTS

FAMILY = '''\
"""Equal folded texts, known by few bits.

Is
    The digest of ``exact``, cut to ``bits`` bits, is the only key.

Survives
    What ``exact`` survives.

Blind to
    Everything else; and texts whose bits are equal by chance.

Cost
    That of ``exact``.

Source
    A test.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from whorl.errors import demand_whole
from whorl.fingerprints import Fingerprints, Verdict, family, shared_keys


@dataclass(frozen=True)
class FewBits:
    """The family ``few_bits``."""

    bits: int = 48

    name: ClassVar[str] = "few_bits"
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        demand_whole(self, "bits", 1, 64)

    def fingerprint(self, texts: Any) -> Fingerprints:
        whole = family("exact").fingerprint(texts)
        return replace(whole, keys=whole.keys >> np.uint64(64 - self.bits))

    def similarity(self, a: str, b: str) -> float:
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        return Verdict("keys", 1.0)
'''


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment of Python with the package of an additional family."""
    folder = tmp_path / "site"
    folder.mkdir()
    return installed(folder, ENTRY_POINTS, "few_bits", FAMILY)


def test_it_is_listed_and_has_a_page(environment: dict[str, str]) -> None:
    listed = whorl("methods", environment=environment)
    assert "Equal folded texts, known by few bits." in listed.out
    page = whorl("methods", "few_bits", environment=environment)
    assert page.code == 0, page.error
    assert "That of `exact`." in page.out
    assert ["bits", "48"] in [line.split() for line in page.out.splitlines()]


def test_it_removes_copies(environment: dict[str, str], tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", small_corpus(originals=5))
    for method in ("few_bits", "exact"):
        ended = whorl(
            "dedup", tmp_path / "a.jsonl", "-o", tmp_path / method, "--method", method, environment=environment
        )
        assert ended.code == 0, ended.error
    assert duplicates(tmp_path / "few_bits")
    assert kept_documents(tmp_path / "few_bits") == kept_documents(tmp_path / "exact")
    recipe = json.loads((tmp_path / "few_bits" / "run.json").read_text(encoding="utf-8"))["recipe"]
    assert (recipe["method"], recipe["parameters"]["bits"]) == ("few_bits", 48)


def test_it_explains_itself(environment: dict[str, str], tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(article(1), encoding="utf-8")
    ended = whorl("explain", tmp_path / "a.txt", tmp_path / "b.txt", "--method", "few_bits", environment=environment)
    assert (ended.code, "a copy" in ended.out) == (0, True), ended.error


@pytest.mark.parametrize("promises", ["tests/contracts/test_families.py", "tests/contracts/test_parameters.py"])
def test_it_is_held_to_every_promise(environment: dict[str, str], promises: str) -> None:
    hold_to_promises(environment, promises, "few_bits")


def test_an_own_name_is_taken(tmp_path: Path) -> None:
    environment = installed(tmp_path, ENTRY_POINTS, "exact", "raise SystemExit('never imported')")
    page = whorl("methods", "exact", environment=environment)
    assert (page.code, "Yann Collet" in page.out) == (0, True), page.error


@pytest.mark.parametrize("source", ["import nowhere_to_be_found", "", 'name = "broken"'])
def test_a_broken_package_is_named_and_in_nobody_elses_way(tmp_path: Path, source: str) -> None:
    environment = installed(tmp_path, ENTRY_POINTS, "broken", source)
    assert whorl("methods", "minhash", environment=environment).code == 0
    for arguments in (["methods"], ["methods", "broken"]):
        ended = whorl(*arguments, environment=environment)
        assert ended.code == 2
        assert "Traceback" not in ended.error
        assert "the package broken cannot be loaded" in ended.error
        assert "hint: update or remove broken" in ended.error
