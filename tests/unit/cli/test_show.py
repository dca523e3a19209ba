import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import BRIDGE, Invoke


@pytest.fixture
def run(invoke: Invoke, corpus: Path, out: Path) -> Path:
    """Return the folder of a finished run."""
    assert invoke("dedup", corpus, "-o", out).exit_code == 0
    return out


@pytest.mark.parametrize("name", ["bridge-longer", "news.jsonl:4"])
def test_removed_article_is_shown_with_the_kept_one(invoke: Invoke, run: Path, name: str) -> None:
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


@pytest.mark.parametrize("name", ["bridge", "news.jsonl:1"])
def test_a_kept_article_has_a_list_of_what_was_removed_for_it(invoke: Invoke, run: Path, name: str) -> None:
    output = json.loads(invoke("show", run, name, "--json").stdout)
    assert (output["id"], output["file"], output["row"]) == ("bridge", "news.jsonl", 1)
    removed = {article["id"]: article for article in output["removed"]}
    longer = removed["bridge-longer"]
    assert (longer["file"], longer["row"]) == ("news.jsonl", 4)
    assert 0.8 <= longer["similarity"] < 1
    result = invoke("show", run, name)
    assert result.exit_code == 0
    assert f"{len(removed)} articles were removed for it" in result.stdout
    assert all(article in result.stdout for article in removed)


def test_a_kept_article_without_copies_has_an_empty_list(invoke: Invoke, run: Path) -> None:
    assert json.loads(invoke("show", run, "harbour", "--json").stdout)["removed"] == []
    assert "0 articles were removed for it" in invoke("show", run, "harbour").stdout


@pytest.mark.parametrize("name", ["no-such-article", "news.jsonl:99"])
def test_missing_article_is_an_input_error(invoke: Invoke, run: Path, name: str) -> None:
    result = invoke("show", run, name)
    assert (result.exit_code, result.stdout) == (3, "")
    assert name in result.stderr


@pytest.mark.parametrize("exists", [True, False], ids=["empty folder", "no folder"])
def test_a_folder_without_a_run_is_refused(invoke: Invoke, tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    if exists:
        folder.mkdir()
    result = invoke("show", folder, "bridge")
    assert result.exit_code in (2, 3)
    assert "elsewhere" in result.stderr
    assert "Traceback" not in result.stderr
