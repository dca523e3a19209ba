"""``whorl decontaminate``."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import Invoke, write_jsonl

ITEM = "Which river flows through the old town of Vesterholm?"


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "quiz.jsonl", {"question": ITEM}, {"question": "How many geese?"})


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "texts.jsonl", {"text": "Rain tomorrow."}, {"text": f"Quiz. {ITEM}"})


def test_people_see_the_items_of_each_benchmark(invoke: Invoke, texts: Path, quiz: Path) -> None:
    result = invoke("decontaminate", texts, "--against", quiz)
    assert result.exit_code == 0
    assert " ".join(result.stdout.split()).startswith("1 of 2 items in 1 of 2 documents")
    assert "verbatim 1" in result.stdout
    assert "too short" in result.stderr


def test_programs_read_the_run(invoke: Invoke, texts: Path, quiz: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = invoke("decontaminate", texts, "--against", quiz, "-o", out, "--action", "drop", "--json", "--quiet")
    run = json.loads(result.stdout)
    assert run["counts"]["dropped"] == 1
    assert run == json.loads((out / "run.json").read_text(encoding="utf-8"))


def test_contamination_can_fail(invoke: Invoke, texts: Path, quiz: Path, tmp_path: Path) -> None:
    assert invoke("decontaminate", texts, "--against", quiz, "--fail", "-q").exit_code == 1
    clean = write_jsonl(tmp_path / "clean.jsonl", {"text": "Rain tomorrow."})
    assert invoke("decontaminate", clean, "--against", quiz, "--fail", "-q").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--action", "drop"], 2, "--out"),
        (["--against", "absent.jsonl"], 3, "absent.jsonl"),
        (["--count", "copied"], 2, "--count"),
    ],
)
def test_mistakes_have_hints(
    invoke: Invoke, texts: Path, quiz: Path, arguments: list[str], code: int, words: str
) -> None:
    result = invoke("decontaminate", texts, "--against", quiz, *arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""


def test_the_last_shard_prints_the_result(invoke: Invoke, texts: Path, quiz: Path, tmp_path: Path) -> None:
    common = ["decontaminate", texts, "--against", quiz, "-o", tmp_path / "out", "--work", tmp_path / "work", "--fail"]
    sketched = invoke(*common, "--stage", "sketch", "--shard", "1-2/2")
    assert (sketched.exit_code, sketched.stdout.strip()) == (0, "sketch is done; next: --stage write")
    written = invoke(*common, "--stage", "write", "--shard", "1/2", "--json", "--quiet")
    assert (written.exit_code, json.loads(written.stdout)["missing"]) == (0, [2])
    last = invoke(*common, "--stage", "write", "--shard", "2/2", "--json", "--quiet")
    assert last.exit_code == 1
    assert json.loads(last.stdout)["contaminated"] == 1
    assert invoke(*common, "--stage", "group", "--shard", "1/2").exit_code == 2
