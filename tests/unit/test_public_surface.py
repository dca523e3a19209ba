"""The public names of `import whorl`."""

import builtins
import collections.abc
import dataclasses
import inspect
import os
import pathlib
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from importlib.metadata import version

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import whorl
import whorl.results
from whorl.errors import InputError, IsolationError, NotFoundError, ResourceError, UsageError, WhorlError
from whorl.release import DISTRIBUTION

PUBLIC = [
    "AsyncClient",
    "Client",
    "Comparison",
    "Composition",
    "DedupResult",
    "Document",
    "Explanation",
    "HammingIndex",
    "InputError",
    "IsolationError",
    "KeyIndex",
    "Library",
    "NotFoundError",
    "Passage",
    "Recipe",
    "ResourceError",
    "StripResult",
    "UsageError",
    "WhorlError",
    "__version__",
    "add_files",
    "alert",
    "check_files",
    "cohort",
    "compare",
    "compare_against",
    "compare_files",
    "compare_many",
    "compare_sources",
    "copy_statistics",
    "decontaminate",
    "decontaminate_files",
    "dedup",
    "dedup_files",
    "dedup_shard",
    "describe_method",
    "evaluate",
    "explain",
    "explain_files",
    "fingerprint",
    "fingerprint_files",
    "fit_attribution",
    "hot",
    "learn_boilerplate",
    "methods",
    "open",
    "pack_evidence",
    "recommend",
    "render_comparison",
    "reuse",
    "reuse_files",
    "review_queue",
    "sample",
    "score",
    "segment",
    "segment_files",
    "show",
    "speak",
    "statistics",
    "strip",
    "strip_files",
    "trace",
    "train_idf",
    "verify_evidence",
    "watch",
]


def test_the_public_names_are_these() -> None:
    assert whorl.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(whorl))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_resolves_and_is_documented(name: str) -> None:
    thing = getattr(whorl, name)
    assert name == "__version__" or thing.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'dedupe'"):
        _ = whorl.dedupe


def test_the_version_is_that_of_the_installed_package() -> None:
    assert whorl.__version__ == version(DISTRIBUTION)


def test_importing_is_light() -> None:
    heavy = {"jinja2", "numpy", "pyarrow", "pydantic", "rich", "typer", "whorl._core"}
    code = f"import sys, whorl; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("kind", "code"), [(UsageError, 2), (NotFoundError, 2), (InputError, 3), (ResourceError, 4), (IsolationError, 5)]
)
def test_every_error_is_a_whorl_error_with_an_exit_code(kind: type[WhorlError], code: int) -> None:
    error = kind("the shelf is full", hint="buy another")
    assert isinstance(error, WhorlError)
    assert error.exit_code == code
    assert str(error) == "the shelf is full\n  hint: buy another"
    assert str(kind("the shelf is full")) == "the shelf is full"


FOREIGN = (builtins, collections.abc, np, npt, os, pa, pathlib, typing)


def returned(thing: object) -> Iterator[str]:
    """Return the return annotations of a function, or of the methods and fields of a class."""
    if not inspect.isclass(thing):
        yield str(getattr(thing, "__annotations__", {}).get("return", ""))
        return
    members = (member for name, member in inspect.getmembers(thing) if not name.startswith("_"))
    for member in members:
        function = member.fget if isinstance(member, property) else getattr(member, "func", member)
        yield str(getattr(function, "__annotations__", {}).get("return", ""))
    if dataclasses.is_dataclass(thing):
        yield from (str(field.type) for field in dataclasses.fields(thing))


def test_all_that_is_returned_is_public() -> None:
    public = {name: getattr(whorl.results, name) for name in whorl.results.__all__}
    public |= {name: getattr(whorl, name) for name in whorl.__all__}
    hidden = set()
    for name, thing in public.items():
        home = vars(sys.modules.get(getattr(thing, "__module__", ""), builtins))
        for part in {part for text in returned(thing) for part in re.findall(r"(?<![\w.'])_*[A-Z]\w*", text)}:
            is_foreign = part not in public and any(hasattr(module, part) for module in FOREIGN)
            if not is_foreign and (part not in public or home.get(part, public[part]) is not public[part]):
                hidden.add(f"{part}, of {name}")
    assert hidden == set()
    assert {"Report", "CodeAnswers", "Compared", "Word"} <= public.keys()


def test_unknown_names_raise_one_error(tmp_path: pathlib.Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "1", "text": "渔港的冰厂今年夏天添了两台新机器。"})
        requests = [
            lambda: library.report("2"),
            lambda: library.cluster(7),
            lambda: library.trace("2"),
            lambda: whorl.describe_method("minhush"),
            lambda: whorl.dedup(["渔港"], method="minhush"),
            lambda: whorl.segment(["渔港"], mode="words"),
        ]
        for ask in requests:
            with pytest.raises(NotFoundError, match=r"not found|there is no") as caught:
                ask()
            assert isinstance(caught.value, UsageError)
            assert caught.value.hint
