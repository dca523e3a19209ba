import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import BRIDGE, Invoke


@pytest.fixture
def run(invoke: Invoke, corpus: Path, out: Path) -> Path:
    """The folder of a finished run."""
    assert invoke("dedup", corpus, "-o", out).exit_code == 0
    return out


@pytest.mark.parametrize("name", ["bridge-longer", "news.jsonl:4"])
def test_a_removed_article_stands_beside_the_one_kept_for_it(invoke: Invoke, run: Path, name: str) -> None:
    result = invoke("show", run, name)
    assert result.exit_code == 0
    assert "bridge — news.jsonl:1" in result.stdout
    assert "bridge-longer — news.jsonl:4" in result.stdout
    assert "kept" in result.stdout
    assert "removed" in result.stdout


def test_json_holds_both_texts_and_what_they_share(invoke: Invoke, run: Path) -> None:
    pair = json.loads(invoke("show", run, "bridge-longer", "--json").stdout)
    assert pair["kept"]["text"] == BRIDGE
    assert (pair["kept"]["id"], pair["removed"]["id"]) == ("bridge", "bridge-longer")
    assert 0.8 <= pair["similarity"] < 1
    passage, *_ = pair["passages"]
    removed = pair["removed"]["text"][passage["b_start"] : passage["b_end"]]
    assert removed.startswith("The old stone bridge")
    assert BRIDGE[passage["a_start"] : passage["a_end"]].startswith("The old stone bridge")


@pytest.mark.parametrize("name", ["harbour", "bridge", "no-such-article", "news.jsonl:99"])
def test_an_article_that_was_not_removed_is_an_input_error(invoke: Invoke, run: Path, name: str) -> None:
    result = invoke("show", run, name)
    assert (result.exit_code, result.stdout) == (3, "")
    assert name in result.stderr


@pytest.mark.parametrize("made", [True, False], ids=["empty folder", "no folder"])
def test_a_folder_without_a_run_is_refused(invoke: Invoke, tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "elsewhere"
    if made:
        folder.mkdir()
    result = invoke("show", folder, "bridge")
    assert result.exit_code in (2, 3)
    assert "elsewhere" in result.stderr
    assert "Traceback" not in result.stderr
