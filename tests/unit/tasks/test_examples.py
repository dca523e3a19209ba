"""The examples in the docstrings of public functions run, and say what comes out."""

import doctest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import whorl

NEEDS_PEOPLE = {"score"}
FUNCTIONS = [
    name for name in whorl.__all__ if getattr(getattr(whorl, name), "__module__", "").startswith("whorl.tasks.")
]


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, "segment"} - NEEDS_PEOPLE))
def test_the_example_runs(name: str, workplace: Path) -> None:
    function: Callable[..., Any] = getattr(whorl, name)
    found = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert sum(len(example.examples) for example in found), "there is no example"
    if name == "check_files":
        whorl.add_files("newsroom", workplace / "examples/newsroom/originals.jsonl")
    runner = doctest.DocTestRunner(verbose=False)
    for example in found:
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
