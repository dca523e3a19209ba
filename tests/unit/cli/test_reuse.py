"""``whorl reuse``: all passages that texts share."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return articles of two newspapers."""
    return write_jsonl(
        tmp_path / "news.jsonl",
        {"id": "first", "text": HARBOUR, "paper": "晨报", "date": "2020-03-01"},
        {"id": "again", "text": f"{HARBOUR}本报记者摄。", "paper": "晨报", "date": "2020-03-02"},
        {"id": "copied", "text": f"另据报道，{HARBOUR}", "paper": "晚报", "date": "2020-03-03"},
        {"id": "bridge", "text": BRIDGE, "paper": "晚报", "date": "2020-03-04"},
    )


def test_a_run_is_summarized_and_written(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    result = invoke("reuse", corpus, "-o", tmp_path / "out", "--lang", "en")
    assert result.exit_code == 0
    assert "3 pairs of 4 documents" in result.stdout
    assert (tmp_path / "out" / "index.html").is_file()


def test_json_has_settings_and_counts(invoke: Invoke, corpus: Path) -> None:
    result = invoke("reuse", corpus, "--group", "paper", "--json")
    run = json.loads(result.stdout)
    assert (run["counts"]["pairs"], run["settings"]["group"]) == (2, "paper")


def test_two_corpora(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    other = write_jsonl(tmp_path / "old.jsonl", {"id": "old", "text": HARBOUR})
    result = invoke("reuse", corpus, "--against", other, "--json")
    assert json.loads(result.stdout)["counts"]["pairs"] == 3


def test_commentary_is_left_out(invoke: Invoke, tmp_path: Path) -> None:
    notes = ("【說、悅同。】", "【樂，音洛。】", "【慍，怒也。】")
    pieces = ("子曰：「學而時習之，不亦說乎？", "有朋自遠方來，不亦樂乎？", "人不知而不慍，不亦君子乎？」")
    edition = "".join(piece + note for piece, note in zip(pieces, notes, strict=True))
    books = write_jsonl(tmp_path / "books.jsonl", {"id": "a", "text": "".join(pieces)}, {"id": "b", "text": edition})
    result = invoke("reuse", books, "--layer", "text", "--lang", "en")
    assert "commentary recognized in 1 document: 21 characters" in result.stdout
    named = invoke("reuse", books, "--layer", "text", "--notes", "（）", "--json")
    assert json.loads(named.stdout)["counts"]["commentary"] == 0


@pytest.mark.parametrize("arguments", [("--least", "7"), ("--hot", "1"), ("--layer", "notes"), ("--notes", "【】")])
def test_wrong_values_are_usage_errors(invoke: Invoke, corpus: Path, arguments: tuple[str, str]) -> None:
    assert invoke("reuse", corpus, *arguments).exit_code == 2


def test_a_missing_column_has_a_hint(invoke: Invoke, corpus: Path) -> None:
    result = invoke("reuse", corpus, "--group", "author", "--lang", "en")
    assert result.exit_code != 0
    assert "no row has the group column 'author'" in result.stderr
