import inspect

import pytest
from tests.unit.cli.articles import Invoke

from whorl.fingerprints import families, minhash
from whorl.recipe import PRESETS


@pytest.mark.parametrize("name", sorted(families()))
def test_every_method_is_listed_and_has_a_page(invoke: Invoke, name: str) -> None:
    assert name in invoke("methods").stdout
    page = invoke("methods", name)
    assert page.exit_code == 0
    for heading in ("Is", "Survives", "Blind to", "Cost", "Source"):
        assert heading in page.stdout.splitlines()


def test_the_page_is_the_docstring_of_the_module(invoke: Invoke) -> None:
    words = inspect.cleandoc(minhash.__doc__ or "").replace("``", "`").split()
    output = " ".join(invoke("methods", "minhash").stdout.split())
    assert " ".join(words[:7]) in output
    assert " ".join(words[7:]) in output


def test_minhash_shows_what_it_chose_for_the_threshold(invoke: Invoke) -> None:
    family = minhash.MinHash(threshold=0.65)
    lines = [line.split() for line in invoke("methods", "minhash", "--threshold", "0.65").stdout.splitlines()]
    assert ["threshold", "0.65"] in lines
    assert [line[1] for line in lines if line[:1] in (["bands"], ["rows"])] == [f"{family.bands},", f"{family.rows},"]
    (marked,) = (line for line in lines if line[-1:] == ["threshold"])
    assert marked[:2] == ["0.65", f"{family.recall(0.65):.4f}"]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_are_listed_with_their_parameters(invoke: Invoke, name: str) -> None:
    settings = [f"{parameter} {value}" for parameter, value in PRESETS[name].get("parameters", {}).items()]
    for item in (invoke("methods"), invoke("methods", name)):
        words = " ".join(item.stdout.split())
        assert f"Preset of {PRESETS[name]['method']}" in words
        assert all(setting in words for setting in settings if "(" not in setting)


@pytest.mark.parametrize(("wrong", "right"), [("minhsh", "minhash"), ("biadu1", "baidu1"), ("nsash", "nshash")])
@pytest.mark.parametrize("command", [["methods"], ["dedup", "-", "-o", "out", "--method"]])
def test_the_nearest_method_or_preset_is_suggested(invoke: Invoke, command: list[str], wrong: str, right: str) -> None:
    result = invoke(*command, wrong)
    assert result.exit_code == 2
    assert f"did you mean '{right}'?" in result.stderr
    assert all(name in result.stderr for name in (*families(), *PRESETS))


@pytest.mark.parametrize("arguments", [["telepathy"], ["minhash", "--threshold", "0"], ["minhash", "--threshold", "7"]])
def test_unknown_method_is_a_usage_error(invoke: Invoke, arguments: list[str]) -> None:
    result = invoke("methods", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "hint: " in result.stderr
