import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke

from whorl.matching.verify import overlap


@pytest.fixture
def bridge(tmp_path: Path) -> Path:
    file = tmp_path / "bridge.txt"
    file.write_text(BRIDGE, encoding="utf-8")
    return file


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    file = tmp_path / "harbour.txt"
    file.write_text(HARBOUR, encoding="utf-8")
    return file


def test_copies_are_explained(invoke: Invoke, bridge: Path, corpus: Path) -> None:
    result = invoke("explain", bridge, f"{corpus}:4")
    figure = overlap(BRIDGE, f"{BRIDGE} Tolls are waived.")
    assert result.exit_code == 0
    assert f"{figure.shared} / {figure.united} = {figure.similarity:.4f}" in result.stdout
    output = " ".join(result.stdout.split())
    for text in ("required for a comparison", "estimate", "0.8, inclusive", "verdict a copy", "reaches the threshold"):
        assert text in output


def test_different_texts_are_explained(invoke: Invoke, bridge: Path, harbour: Path) -> None:
    result = invoke("explain", bridge, harbour)
    assert result.exit_code == 0
    assert "0 shared of" in result.stdout
    assert "not a copy" in result.stdout


def test_identical_texts_are_copies_by_any_method(invoke: Invoke, bridge: Path) -> None:
    for method in ("exact", "minhash"):
        output = json.loads(invoke("explain", bridge, bridge, "--method", method, "--json").stdout)
        assert (output["copies"], output["estimate"], output["figure"]["similarity"]) == (True, 1.0, 1.0)


def test_empty_text_is_no_copy_of_itself(invoke: Invoke, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    explanation = json.loads(invoke("explain", empty, empty, "--json").stdout)
    assert (explanation["copies"], explanation["keys_a"], explanation["figure"]["united"]) == (False, 0, 0)
    assert "has nothing to compare" in explanation["reason"]


@pytest.mark.parametrize(
    ("expected", "other", "code"),
    [("copy", "bridge", 1), ("copy", "harbour", 0), ("different", "bridge", 0), ("different", "harbour", 1)],
)
def test_exit_code_1_if_the_relation_matches(
    invoke: Invoke, bridge: Path, harbour: Path, expected: str, other: str, code: int
) -> None:
    second = bridge if other == "bridge" else harbour
    assert invoke("explain", bridge, second, "--fail-on", expected).exit_code == code


def test_threshold_and_recipe_decide(invoke: Invoke, bridge: Path, corpus: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("threshold = 1\n[parameters]\nshingle = 3\n", encoding="utf-8")
    places = (bridge, f"{corpus}:4")
    strict = json.loads(invoke("explain", *places, "--recipe", recipe, "--json").stdout)
    assert (strict["copies"], strict["verdict"]["threshold"], strict["verdict"]["shingle"]) == (False, 1.0, 3)
    eased = json.loads(invoke("explain", *places, "--recipe", recipe, "--threshold", "0.5", "--json").stdout)
    assert (eased["copies"], eased["verdict"]["threshold"]) == (True, 0.5)


def test_additional_verification_is_shown(invoke: Invoke, bridge: Path, corpus: Path) -> None:
    places = (bridge, f"{corpus}:4", "--method", "simhash")
    output = " ".join(invoke("explain", *places, "--verify", "edit", "--verify-threshold", "0.5").stdout.split())
    for text in ("edit of runs of 1 tokens", "0.5, inclusive", "the edit similarity", "reaches the threshold 0.5"):
        assert text in output
    options = ("--verify", "cosine", "--verify-over", "precise", "--verify-threshold", "1", "--json")
    result = json.loads(invoke("explain", *places, *options).stdout)
    assert (result["verification"]["measure"], result["verification"]["over"]) == ("cosine", "precise")
    assert not result["copies"]
    assert 0.5 < result["verified"]["similarity"] < 1
    refused = invoke("explain", *places, "--verify-over", "precise")
    assert (refused.exit_code, "verify has no measure" in refused.stderr) == (2, True)


def test_fields_are_explained_one_by_one(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('text = ["title", "text"]\n[fields.title]\nmethod = "exact"\n[fields.text]\n', encoding="utf-8")
    places = (f"{corpus}:1", f"{corpus}:1", "--recipe", recipe)
    output = json.loads(invoke("explain", *places, "--json").stdout)
    assert (output["copies"], set(output["fields"])) == (True, {"title", "text"})
    rendered = " ".join(invoke("explain", *places).stdout.split())
    for text in ("field title", "the folded texts are equal", "the Jaccard similarity", "verdict a copy"):
        assert text in rendered


def test_a_text_may_come_from_stdin(invoke: Invoke, bridge: Path) -> None:
    output = json.loads(invoke("explain", "-", bridge, "--json", stdin=BRIDGE.lower()).stdout)
    assert output["copies"]


def test_stdin_is_one_text_only(invoke: Invoke) -> None:
    result = invoke("explain", "-", "-", stdin=BRIDGE)
    assert result.exit_code == 2
    assert "stdin" in result.stderr


def test_text_columns_of_a_row_can_be_named(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    title = tmp_path / "title.txt"
    title.write_text("bridge to close", encoding="utf-8")
    output = json.loads(invoke("explain", f"{corpus}:1", title, "--text", "title", "--json").stdout)
    assert output["figure"]["similarity"] == 1.0


def test_a_name_that_looks_like_a_row_may_be_a_file(invoke: Invoke, bridge: Path, tmp_path: Path) -> None:
    odd = tmp_path / "minutes:12"
    odd.write_text(BRIDGE, encoding="utf-8")
    assert json.loads(invoke("explain", odd, bridge, "--json").stdout)["copies"]


def test_gbk_is_recognised(invoke: Invoke, harbour: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.txt"
    old.write_bytes(HARBOUR.encode("gb18030"))
    assert json.loads(invoke("explain", old, harbour, "--json").stdout)["figure"]["similarity"] == 1.0


def test_unreadable_input_is_named(invoke: Invoke, bridge: Path, corpus: Path, tmp_path: Path) -> None:
    with corpus.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    for place, code, value in (
        (tmp_path / "gone.txt", 3, "does not exist"),
        (tmp_path, 3, "is a folder"),
        (corpus, 2, "news.jsonl:1"),
        (f"{corpus}:99", 3, "no readable row 99"),
        (f"{corpus}:5", 3, "no readable row 5"),
    ):
        result = invoke("explain", bridge, place)
        assert (result.exit_code, result.stdout) == (code, "")
        assert value in result.stderr


def test_bad_row_has_a_reason(invoke: Invoke, bridge: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": 7}\n{"text": "x"}\n', encoding="utf-8")
    assert "column 'text' is a number" in invoke("explain", bridge, f"{rows}:1").stderr
