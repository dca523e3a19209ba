"""Processes forked after their parent had used whorl: they compute, and never wait for missing threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")

USE = """
import multiprocessing, os, sys
import numpy as np
import whorl
from whorl.fingerprints import families

TEXTS = ["今天天气很好，适合出门散步。", "今天天气很好,適合出門散步!", "明天有雨，记得带伞。"] * 400

def use(_=0):
    index = whorl.indexes.KeyIndex()
    index.add([[number, number + 1] for number in range(500)])
    found = len(index.query_many([[1, 2], [3]]).id)
    shares = whorl.compare(TEXTS[0] * 9, TEXTS[1] * 9).ratios.copied
    codes = len(families()["simhash"]().fingerprint(TEXTS).codes)
    return whorl.dedup(TEXTS).run["counts"]["kept"], found, round(shares, 3), codes

def waited(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def ended(script: str, *arguments: str | Path) -> str:
    """Return the output of a program that must end soon, since the test is about hanging."""
    command = [sys.executable, "-W", "ignore", "-c", USE + script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_child_gives_what_its_parent_gives() -> None:
    assert (
        ended(
            """
expected = use()
child = os.fork()
if child == 0:
    os._exit(0 if use() == expected else 1)
assert waited(child) == 0
print(use() == expected)
"""
        )
        == "True"
    )


def test_a_child_of_a_child_computes_as_well() -> None:
    assert (
        ended(
            """
expected = use()
child = os.fork()
if child == 0:
    assert use() == expected
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0 if use() == expected else 1)
    os._exit(waited(grandchild))
print(waited(child))
"""
        )
        == "0"
    )


def test_a_pool_of_forked_processes_computes() -> None:
    assert (
        ended(
            """
expected = use()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(found == expected for found in pool.map(use, range(6))))
"""
        )
        == "True"
    )


def test_a_child_whose_parent_has_not_computed_yet() -> None:
    assert (
        ended(
            """
child = os.fork()
if child == 0:
    use()
    os._exit(0)
print(waited(child), use()[0] > 0)
"""
        )
        == "0 True"
    )


def test_a_library_of_the_parent_is_refused_and_left_whole(tmp_path: Path) -> None:
    assert (
        ended(
            """
library = whorl.open(sys.argv[1])
library.add({"id": "a", "text": TEXTS[0]})
child = os.fork()
if child == 0:
    add = lambda: library.add({"id": "b", "text": TEXTS[2]})
    for ask in (lambda: library.get("a"), add, lambda: library.check("x")):
        try:
            ask()
        except whorl.errors.UsageError as error:
            assert "open it again in each process" in str(error)
        else:
            os._exit(1)
    library.close()
    with whorl.open(sys.argv[1]) as own:
        own.add({"id": "c", "text": TEXTS[2]})
    os._exit(0)
assert waited(child) == 0
library.add({"id": "d", "text": TEXTS[2]})
print(list(library), library.verify().faults)
library.close()
""",
            tmp_path / "library",
        )
        == "['a', 'c', 'd'] ()"
    )


def test_child_uses_the_requested_threads() -> None:
    assert (
        ended(
            """
from whorl import _core
from whorl.engines.workers import bounded
with bounded(3):
    expected = use()
    child = os.fork()
    if child == 0:
        same = use() == expected and _core.workers() == 3
        with bounded(2):
            os._exit(0 if same and use() == expected and _core.workers() == 2 else 1)
    assert waited(child) == 0
    print(use() == expected)
"""
        )
        == "True"
    )
