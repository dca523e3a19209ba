"""``--meaning-model`` in ``whorl cohort``, ``reuse`` and ``check``."""

import json
from pathlib import Path

import pytest
from tests.meaning import OTHER_PORT, REPORT, RETELLING, write_model
from tests.unit.cli.articles import Invoke

import whorl


@pytest.fixture
def model(tmp_path: Path) -> Path:
    pytest.importorskip("tokenizers", reason="needs the extra meaning-onnx")
    return write_model(tmp_path / "model")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in (("a.txt", REPORT), ("b.txt", RETELLING), ("c.txt", OTHER_PORT)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_class(invoke: Invoke, model: Path, texts: Path, tmp_path: Path) -> None:
    printed = invoke("cohort", texts, "-o", tmp_path / "out", "--meaning-model", model, "--json").stdout
    [pair] = json.loads(printed)["pairs"]
    assert (pair["relation"], pair["copied"], pair["same_content"]) == ("reworded", 0.0, 1.0)


def test_a_corpus(invoke: Invoke, model: Path, texts: Path, tmp_path: Path) -> None:
    printed = invoke("reuse", texts, "-o", tmp_path / "out", "--meaning-model", model, "--json").stdout
    run = json.loads(printed)
    assert (run["counts"]["same_content"], run["counts"]["pairs"]) == (1, 0)
    header = (tmp_path / "out" / "pairs.csv").read_text(encoding="utf-8-sig").partition("\n")[0]
    assert header.endswith('"same_content"')


def test_a_library(invoke: Invoke, model: Path, texts: Path, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", recipe="content") as library:
        library.add({"id": "port", "text": REPORT})
    checked = ("check", tmp_path / "library", texts / "b.txt", "--json")
    assert json.loads(invoke(*checked).stdout)["matches"] == []
    [match] = json.loads(invoke(*checked, "--meaning-model", model).stdout)["matches"]
    assert (match["id"], match["relation"], match["this_in_other"]) == ("port", "reworded", 0.0)
    assert "reworded" in invoke(*checked[:-1], "--meaning-model", model, "--lang", "en").stdout
