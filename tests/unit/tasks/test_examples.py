"""The examples in public docstrings run, print the documented output, and are numerous.

Objects from the example of a class are available in the examples of its methods, in order. Examples run in a folder
with the examples of the project.
"""

from __future__ import annotations

import doctest
import inspect
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from asyncio import Runner
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest
from tests.serving import served, settings_of

import whorl

LEAST_SHARE = 0.9
TOPICS = (whorl, whorl.evidence, whorl.indexes, whorl.lab, whorl.library, whorl.runs, whorl.watch, whorl.words)
ERRORS = ("InputError", "IsolationError", "NotFoundError", "ResourceError", "UsageError")
API = {name: getattr(module, name) for module in TOPICS for name in module.__all__}
API |= {name: getattr(whorl.errors, name) for name in ERRORS}
PUBLIC = {name: getattr(whorl.results, name) for name in whorl.results.__all__} | API
NAMES = sorted(PUBLIC.keys() - {"__version__", "JobState", "Language", "exists"})
CLIENTS = ("AsyncClient", "Client")
EXAMPLE_ADDRESS = "http://127.0.0.1:8000"


def methods(kind: type) -> Iterator[tuple[str, Any]]:
    """Return the public methods and properties of a class, and of its private bases in whorl, in order."""
    for base in kind.__mro__:
        is_told = base is kind or (base.__module__.startswith("whorl.") and base.__name__ not in API)
        for name, member in vars(base).items() if is_told else ():
            if not name.startswith("_"):
                function = getattr(member, "fget", None) or getattr(member, "func", None) or member
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function):
                    yield name, function


def documented(name: str) -> list[tuple[str, Any]]:
    """Return a public name, and the public methods if it is a class that users create or open."""
    value = PUBLIC[name]
    of_class = methods(value) if inspect.isclass(value) and name in API else ()
    return [(name, value), *((f"{name}.{method}", function) for method, function in of_class)]


EVERYTHING = {label: member for name in NAMES for label, member in documented(name)}


def examples(member: Any) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(inspect.getdoc(member) or "")


@contextmanager
def serving(name: str, folder: Path) -> Iterator[str]:
    """Run a service for the examples of clients; return its address."""
    if name not in CLIENTS:
        yield EXAMPLE_ADDRESS
        return
    with served(settings_of(folder, "newsroom")) as address:
        yield address


def runnable(example: doctest.Example, address: str) -> doctest.Example:
    """Return an example with a real address; coroutines are awaited."""
    source = example.source.replace(EXAMPLE_ADDRESS, address)
    if "await " in source or "async for" in source:
        name, is_kept, awaited = source.rstrip().rpartition(" = ")
        source = f"{name}{is_kept}awaited({awaited!r}, globals())\n"
    return doctest.Example(source, example.want, example.exc_msg, example.lineno, example.indent, example.options)


WITH_EXAMPLES = [name for name in NAMES if any(examples(member) for _, member in documented(name))]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_run(name: str, workplace: Path) -> None:
    if name == "check_files":
        whorl.library.add_files("newsroom", workplace / "examples/newsroom/originals.jsonl")
    runner = doctest.DocTestRunner(verbose=False)
    with serving(name, workplace) as address, Runner() as loop:

        def awaited(source: str, names: dict[str, Any]) -> Any:
            report = eval(compile(source, name, "eval", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
            return loop.run(report) if inspect.iscoroutine(report) else report

        names: dict[str, Any] = {"awaited": awaited}
        for label, item in documented(name):
            inputs = [runnable(example, address) for example in examples(item)]
            test = doctest.DocTest(inputs, names, label, inspect.getsourcefile(inspect.unwrap(item)), 0, None)
            copy_context().run(runner.run, test, clear_globs=False)  # an example may set the language
            names = test.globs
    for value in names.values():
        if isinstance(value, whorl.Library):
            value.close()
    assert runner.summarize(verbose=False).failed == 0


def test_nine_of_ten_public_names_have_an_example() -> None:
    lacking = [label for label, value in EVERYTHING.items() if not examples(value)]
    assert len(lacking) <= (1 - LEAST_SHARE) * len(EVERYTHING), lacking


def test_every_function_has_an_example_but_one_that_needs_people() -> None:
    functions = [name for name in NAMES if inspect.isfunction(PUBLIC[name])]
    assert [name for name in functions if not examples(PUBLIC[name])] == ["score"]
