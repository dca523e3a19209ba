"""The public names of `import whorl`."""

import ast
import builtins
import collections.abc
import dataclasses
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import types
import typing
from collections.abc import Iterator
from importlib.metadata import version

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import whorl
import whorl.results
from whorl.engines.options import MemoryOptions
from whorl.errors import InputError, IsolationError, NotFoundError, ResourceError, UsageError, WhorlError
from whorl.inside.memory import StripOptions
from whorl.matching.compare import Comparing
from whorl.release import DISTRIBUTION
from whorl.tasks.decontaminate.files import DecontaminateFilesOptions
from whorl.tasks.decontaminate.memory import DecontaminationOptions
from whorl.tasks.dedup.job import DedupOptions
from whorl.tasks.strip_shards import StripFilesOptions
from whorl.types.options import CompareOptions

PUBLIC = {
    "whorl": """
        AsyncClient Client Document Library Recipe WhorlError __version__ cohort compare compare_against compare_files
        compare_many compare_sources decontaminate decontaminate_files dedup dedup_files explain explain_files
        fingerprint fingerprint_files learn_boilerplate_files
        open pack_evidence read reuse reuse_files strip strip_files trace verify_evidence
    """,
    "whorl.evidence": "pack_evidence render_comparison verify_evidence",
    "whorl.indexes": "HammingIndex KeyIndex",
    "whorl.iscc": "code_bytes distance text_code text_codes",
    "whorl.lab": "describe_method evaluate methods recommend sample score",
    "whorl.library": """
        Library add_files check_files exists fit_attribution open review_queue statistics trace
    """,
    "whorl.runs": "decontaminate_shard dedup_shard hot show strip_shard",
    "whorl.watch": "alert copy_statistics watch",
    "whorl.words": "learn_boilerplate segment segment_files train_idf",
}
"""The public functions and classes, by module; types and errors are in `whorl.results` and `whorl.errors`."""

MODULES = ["errors", "evidence", "i18n", "indexes", "iscc", "lab", "library", "results", "runs", "watch", "words"]


@pytest.mark.parametrize("module", PUBLIC)
def test_the_public_names_are_these(module: str) -> None:
    imported = importlib.import_module(module)
    assert imported.__all__ == PUBLIC[module].split()
    for name in imported.__all__:
        thing = getattr(imported, name)
        assert name == "__version__" or thing.__doc__, name


def test_modules_by_topic_need_no_import() -> None:
    code = f"import whorl; print([getattr(whorl, name).__name__ for name in {MODULES}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([f"whorl.{name}" for name in MODULES])
    assert {*MODULES, *whorl.__all__} <= set(dir(whorl))


@pytest.mark.parametrize("module", [whorl, whorl.library, whorl.indexes])
def test_names_resolved_on_first_use_are_declared_for_type_checkers(module: types.ModuleType) -> None:
    source = ast.parse(inspect.getsource(module))
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    declared = {alias.name: str(node.module) for node in imports for alias in node.names}
    submodules = dict.fromkeys(getattr(module, "_MODULES", ()), "whorl")
    assert (module._HOMES | submodules).items() <= declared.items()


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (whorl.dedup, MemoryOptions),
        (whorl.dedup_files, DedupOptions),
        (whorl.strip, StripOptions),
        (whorl.strip_files, StripFilesOptions),
        (whorl.decontaminate, DecontaminationOptions),
        (whorl.decontaminate_files, DecontaminateFilesOptions),
    ],
)
def test_type_checkers_know_all_options(function: typing.Any, options: type) -> None:
    files = {"engine", "master", "progress"}
    others = {whorl.dedup_files: files, whorl.strip_files: files}
    others[whorl.decontaminate_files] = {*files, "against", "save_index"}
    parameters = inspect.signature(function).parameters.values()
    assert {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY} == (
        options.__annotations__.keys() | others.get(function, set())
    )


def test_type_checkers_know_the_options_of_a_comparison() -> None:
    assert CompareOptions.__annotations__.keys() == Comparing.__dataclass_fields__.keys()


def test_unknown_options_are_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "渔港"}\n', encoding="utf-8")
    options: dict[str, typing.Any] = {"treshold": 0.9}
    shard: dict[str, typing.Any] = {"stage": "sketch", "shard": "1/1", "work": tmp_path / "work"}
    for refused in (
        lambda: whorl.dedup(["渔港"], **options),
        lambda: whorl.dedup_files(file, tmp_path / "out", **options),
        lambda: whorl.runs.dedup_shard(file, tmp_path / "out", **shard, **options),
        lambda: whorl.runs.strip_shard(file, tmp_path / "out", **shard, **options),
        lambda: whorl.runs.decontaminate_shard(file, tmp_path / "out", against=file, **shard, **options),
        lambda: whorl.strip(["渔港"], **options),
    ):
        with pytest.raises(TypeError, match="'treshold'"):
            refused()
    with pytest.raises(UsageError, match="treshold"):
        whorl.compare("渔港", "渔港", **options)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'dedupe'"):
        _ = whorl.dedupe


def test_the_version_is_that_of_the_installed_package() -> None:
    assert whorl.__version__ == version(DISTRIBUTION)


def test_importing_is_light() -> None:
    code = "import sys, whorl; print(sorted(name for name in sys.modules if name.startswith('whorl')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['whorl']"


def test_importing_the_client_is_light() -> None:
    heavy = {"jinja2", "numpy", "pyarrow", "typer", "whorl._core", "whorl.library", "whorl.tasks"}
    code = f"import sys; from whorl import Client; print(sorted({heavy} & sys.modules.keys()))"
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
    for module in map(importlib.import_module, PUBLIC):
        public |= {name: getattr(module, name) for name in module.__all__}
    hidden = set()
    for name, thing in public.items():
        home = vars(sys.modules.get(getattr(thing, "__module__", ""), builtins))
        for part in {part for text in returned(thing) for part in re.findall(r"(?<![\w.'])_*[A-Z]\w*", text)}:
            is_foreign = part not in public and any(hasattr(module, part) for module in FOREIGN)
            is_foreign = is_foreign or isinstance(home.get(part), typing.TypeVar)
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
            lambda: whorl.lab.describe_method("minhush"),
            lambda: whorl.dedup(["渔港"], method="minhush"),
            lambda: whorl.words.segment(["渔港"], mode="words"),
        ]
        for ask in requests:
            with pytest.raises(NotFoundError, match=r"not found|there is no") as caught:
                ask()
            assert isinstance(caught.value, UsageError)
            assert caught.value.hint
