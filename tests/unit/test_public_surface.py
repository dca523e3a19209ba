"""What `import whorl` promises."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import whorl
from whorl.errors import InputError, ResourceError, UsageError, WhorlError

PUBLIC = [
    "Comparison",
    "Composition",
    "DedupResult",
    "Document",
    "Explanation",
    "HammingIndex",
    "InputError",
    "KeyIndex",
    "Library",
    "Passage",
    "Recipe",
    "ResourceError",
    "UsageError",
    "WhorlError",
    "__version__",
    "add_files",
    "check_files",
    "compare",
    "compare_against",
    "compare_files",
    "compare_many",
    "compare_sources",
    "dedup",
    "dedup_files",
    "describe_method",
    "evaluate",
    "explain",
    "explain_files",
    "fingerprint",
    "hot",
    "learn_boilerplate",
    "methods",
    "open",
    "recommend",
    "render_comparison",
    "sample",
    "score",
    "segment",
    "segment_files",
    "show",
    "train_idf",
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
    assert whorl.__version__ == version("whorl")


def test_importing_is_light() -> None:
    code = "import sys, whorl; print(sorted({'numpy', 'pyarrow', 'rich', 'typer', 'whorl._core'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("kind", "code"), [(UsageError, 2), (InputError, 3), (ResourceError, 4)])
def test_every_error_is_a_whorl_error_with_an_exit_code(kind: type[WhorlError], code: int) -> None:
    error = kind("the shelf is full", cure="buy another")
    assert isinstance(error, WhorlError)
    assert error.exit_code == code
    assert str(error) == "the shelf is full\n  cure: buy another"
    assert str(kind("the shelf is full")) == "the shelf is full"
