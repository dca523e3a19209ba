import inspect

import pytest
from tests.unit.cli.articles import Invoke

from whorl.fingerprints import families, minhash


@pytest.mark.parametrize("name", sorted(families()))
def test_every_method_is_listed_and_has_a_page(invoke: Invoke, name: str) -> None:
    assert name in invoke("methods").stdout
    page = invoke("methods", name)
    assert page.exit_code == 0
    for heading in ("Is", "Survives", "Blind to", "Cost", "Source"):
        assert heading in page.stdout.splitlines()


def test_the_page_is_the_docstring_of_the_module(invoke: Invoke) -> None:
    words = inspect.cleandoc(minhash.__doc__ or "").replace("``", "`").split()
    shown = " ".join(invoke("methods", "minhash").stdout.split())
    assert " ".join(words[:7]) in shown
    assert " ".join(words[7:]) in shown


def test_minhash_shows_what_it_chose_for_the_threshold(invoke: Invoke) -> None:
    family = minhash.MinHash(threshold=0.65)
    lines = [line.split() for line in invoke("methods", "minhash", "--threshold", "0.65").stdout.splitlines()]
    assert ["threshold", "0.65"] in lines
    assert [line[1] for line in lines if line[:1] in (["bands"], ["rows"])] == [f"{family.bands},", f"{family.rows},"]
    (marked,) = (line for line in lines if line[-1:] == ["threshold"])
    assert marked[:2] == ["0.65", f"{family.recall(0.65):.4f}"]


@pytest.mark.parametrize("arguments", [["telepathy"], ["minhash", "--threshold", "0"], ["minhash", "--threshold", "7"]])
def test_what_does_not_exist_is_a_usage_error(invoke: Invoke, arguments: list[str]) -> None:
    result = invoke("methods", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cure: " in result.stderr
