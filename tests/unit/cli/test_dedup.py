import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.quality.forms import forms
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl

from whorl.i18n import as_message, translated


def kept_ids(out: Path, file: str = "news.jsonl") -> list[str]:
    lines = (out / "kept" / file).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines]


def test_copies_are_removed_and_summarized(invoke: Invoke, corpus: Path, out: Path) -> None:
    result = invoke("dedup", corpus, "-o", out)
    assert result.exit_code == 0
    assert kept_ids(out) == ["bridge", "harbour"]
    assert "Of 4 articles, 2 (50.0%) were removed" in result.stdout
    assert "report.html" in result.stdout
    assert {path.name for path in out.iterdir()} >= {
        "kept", "rejected", "duplicates.parquet", "related.parquet", "clusters.parquet", "run.json", "report.html",
    }  # fmt: skip


def test_json_is_all_of_stdout_and_progress_is_on_stderr(invoke: Invoke, corpus: Path, out: Path) -> None:
    result = invoke("dedup", corpus, "-o", out, "--json")
    assert json.loads(result.stdout) == json.loads((out / "run.json").read_text(encoding="utf-8"))
    stages = [line.split(" … ")[0].split()[-1] for line in result.stderr.splitlines()]
    assert stages == ["read", "ranking", "group", "probe", "write"]


def test_quiet_suppresses_stderr(invoke: Invoke, corpus: Path, out: Path) -> None:
    result = invoke("dedup", corpus, "-o", out, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")


def test_method_warnings_are_reported(invoke: Invoke, out: Path, tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": f"{BRIDGE} {number}"} for number in range(40)]
    corpus = write_jsonl(tmp_path / "forms.jsonl", *rows)
    result = invoke("dedup", corpus, "-o", out, "--threshold", "0.3", "--json", "--quiet")
    (warning,) = json.loads(result.stdout)["warnings"]
    assert (warning["kind"], warning["count"], warning["of"]) == ("giant", 39, 39)
    assert result.stderr == f"warning: {warning['message']}\n"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert warning["message"] in page
    assert translated(as_message(warning["message"]), "zh") in page


def test_the_run_records_the_command_that_made_it(corpus: Path, out: Path) -> None:
    arguments = ["dedup", str(corpus), "-o", str(out), "--keep", "first", "--json"]
    done = subprocess.run([sys.executable, "-m", "whorl", *arguments], capture_output=True, check=True)
    assert json.loads(done.stdout)["command"] == shlex.join(["whorl", *arguments])


def test_stdin_is_jsonl(invoke: Invoke, corpus: Path, out: Path) -> None:
    assert invoke("dedup", "-", "-o", out, stdin=corpus.read_bytes()).exit_code == 0
    assert kept_ids(out, "stdin.jsonl") == ["bridge", "harbour"]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([], ["bridge", "harbour"]),
        (["--keep", "longest"], ["harbour", "bridge-longer"]),
        (["--keep", "best"], ["harbour", "bridge-longer"]),
        (["--keep", "first"], ["bridge", "harbour"]),
        (["--keep", "earliest", "--date", "published"], ["bridge", "harbour"]),
        (["--keep", "latest", "--date", "published"], ["harbour", "bridge-longer"]),
        (["--method", "exact", "--keep", "first"], ["bridge", "harbour", "bridge-longer"]),
        (["--threshold", "1", "--keep", "first"], ["bridge", "harbour", "bridge-longer"]),
        (["--text", "title", "--keep", "first"], ["bridge", "bridge-shouted", "harbour"]),
    ],
    ids=" ".join,
)
def test_options_decide_what_stays(
    invoke: Invoke, corpus: Path, out: Path, options: list[str], kept: list[str]
) -> None:
    assert invoke("dedup", corpus, "-o", out, *options).exit_code == 0
    assert kept_ids(out) == kept


@pytest.mark.parametrize("options", [["--text", "title,text"], ["--text", "title", "--text", "text"]], ids=" ".join)
def test_text_columns_come_by_comma_or_one_by_one(invoke: Invoke, corpus: Path, out: Path, options: list[str]) -> None:
    result = invoke("dedup", corpus, "-o", out, "--json", *options)
    assert json.loads(result.stdout)["recipe"]["text"] == ["title", "text"]


def test_copies_of_references_are_removed(invoke: Invoke, corpus: Path, out: Path, tmp_path: Path) -> None:
    reference = write_jsonl(tmp_path / "old.jsonl", {"id": "old", "text": HARBOUR})
    assert invoke("dedup", corpus, "-o", out, "--against", reference).exit_code == 0
    assert kept_ids(out) == ["bridge"]
    assert len(reference.read_text(encoding="utf-8").splitlines()) == 1


def test_an_encoding_can_be_named(invoke: Invoke, out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    (folder / "a.txt").write_bytes(HARBOUR.encode("gb18030"))
    (folder / "b.txt").write_bytes(f"{HARBOUR}完。".encode("gb18030"))
    assert invoke("dedup", folder, "-o", out, "--encoding", "gb18030").exit_code == 0
    assert [path.name for path in (out / "kept").iterdir()] == ["b.txt"]


def test_an_id_column_can_be_named(invoke: Invoke, corpus: Path, out: Path) -> None:
    assert invoke("dedup", corpus, "-o", out, "--id", "published").exit_code == 0
    assert pq.read_table(out / "duplicates.parquet")["id"].to_pylist() == ["2021-03-01", "2021-03-02"]


def test_the_command_line_overrides_the_recipe_file(invoke: Invoke, corpus: Path, out: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('threshold = 0.6\nkeep = "first"\n[parameters]\nshingle = 4\n', encoding="utf-8")
    result = invoke("dedup", corpus, "-o", out, "--recipe", recipe, "--threshold", "0.7", "--json")
    used = json.loads(result.stdout)["recipe"]
    assert (used["threshold"], used["keep"], used["parameters"]["shingle"]) == (0.7, "first", 4)


def test_bad_rows_are_set_aside_or_stop_the_run(invoke: Invoke, corpus: Path, out: Path, tmp_path: Path) -> None:
    with corpus.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    assert invoke("dedup", corpus, "-o", out).exit_code == 0
    assert (out / "rejected" / "news.jsonl").read_text(encoding="utf-8") == "{broken\n"
    stopped = invoke("dedup", corpus, "-o", tmp_path / "strict", "--on-error", "stop")
    assert stopped.exit_code == 3
    assert "news.jsonl, line 5" in stopped.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "telepathy"], "no method 'telepathy'"),
        (["--threshold", "0"], "in (0, 1]"),
        (["--threshold", "1.5"], "in (0, 1]"),
        (["--threshold", "nan"], "in (0, 1]"),
        (["--keep", "earliest"], "--date"),
        (["--keep", "latest"], "--date"),
        (["--text", ","], "no text column"),
        (["--encoding", "klingon"], "klingon"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_request_that_makes_no_sense_is_a_usage_error(
    invoke: Invoke, corpus: Path, out: Path, options: list[str], message: str
) -> None:
    result = invoke("dedup", corpus, "-o", out, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "hint: " in result.stderr


@pytest.mark.parametrize(
    ("recipe", "code", "message"),
    [
        ("threshold = 2", 2, "in (0, 1]"),
        ("treshold = 0.5", 2, "unknown key 'treshold'"),
        ("[parameters]\nwidth = 5", 2, "no parameter 'width'"),
        ("text = 5", 2, "text"),
        ("parameters = 5", 2, "parameters"),
        ('[parameters]\nvalues = "many"', 2, "values"),
        ("threshold = ", 3, "not a TOML file"),
        (None, 3, "cannot read recipe"),
    ],
)
def test_a_bad_recipe_is_refused(
    invoke: Invoke, corpus: Path, out: Path, tmp_path: Path, recipe: str | None, code: int, message: str
) -> None:
    file = tmp_path / "recipe.toml"
    if recipe is not None:
        file.write_text(recipe, encoding="utf-8")
    result = invoke("dedup", corpus, "-o", out, "--recipe", file)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert not out.exists()


def test_a_recipe_file_may_leave_a_column_to_the_command_line(
    invoke: Invoke, corpus: Path, out: Path, tmp_path: Path
) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('keep = "earliest"\n', encoding="utf-8")
    assert invoke("dedup", corpus, "-o", out, "--recipe", recipe, "--date", "published").exit_code == 0
    assert kept_ids(out) == ["bridge", "harbour"]


def test_a_missing_input_is_an_input_error(invoke: Invoke, out: Path, tmp_path: Path) -> None:
    result = invoke("dedup", tmp_path / "nowhere.jsonl", "-o", out)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "nowhere.jsonl does not exist" in result.stderr
    assert not out.exists()


def test_missing_column_error_lists_columns(invoke: Invoke, corpus: Path, out: Path) -> None:
    result = invoke("dedup", corpus, "-o", out, "--text", "body")
    assert result.exit_code == 3
    assert "'body'" in result.stderr
    assert "--text text" in result.stderr


def test_a_folder_that_holds_something_else_is_left_alone(invoke: Invoke, corpus: Path, out: Path) -> None:
    out.mkdir()
    (out / "thesis.doc").write_text("years of work", encoding="utf-8")
    result = invoke("dedup", corpus, "-o", out)
    assert result.exit_code == 2
    assert [path.name for path in out.iterdir()] == ["thesis.doc"]


def test_the_output_cannot_hold_the_input(invoke: Invoke, corpus: Path) -> None:
    before = corpus.read_bytes()
    assert invoke("dedup", corpus, "-o", corpus.parent).exit_code == 2
    assert corpus.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with ulimit")
def test_a_disk_that_is_full_stops_the_run_which_then_continues(invoke: Invoke, corpus: Path, out: Path) -> None:
    with corpus.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": number, "text": f"{HARBOUR * 9}{number}"}) + "\n" for number in range(99))
    before = corpus.read_bytes()
    command = shlex.join([sys.executable, "-m", "whorl", "dedup", str(corpus), "-o", str(out)])
    done = subprocess.run(f"ulimit -f 4; {command}", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert "run the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in out.iterdir() if not path.name.startswith(".")} == set()
    assert corpus.read_bytes() == before
    assert invoke("dedup", corpus, "-o", out).exit_code == 0
    assert (out / "run.json").exists()


def test_an_empty_input_is_an_error_with_a_complete_result(invoke: Invoke, out: Path, tmp_path: Path) -> None:
    result = invoke("dedup", write_jsonl(tmp_path / "news.jsonl"), "-o", out)
    assert result.exit_code == 3
    assert "No articles were read." in result.stdout
    assert (out / "run.json").exists()


def test_unique_articles_all_stay(invoke: Invoke, out: Path, tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "news.jsonl", {"id": "a", "text": BRIDGE}, {"id": "b", "text": HARBOUR})
    result = invoke("dedup", corpus, "-o", out)
    assert "No duplicates were found among 2 articles." in result.stdout
    assert (out / "kept" / "news.jsonl").read_bytes() == corpus.read_bytes()


def test_unreadable_input_exits_with_3_unless_skipped(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": 1}\n{"text": 2}\n', encoding="utf-8")
    refused = invoke("dedup", tmp_path / "bad.jsonl", "-o", tmp_path / "a", "--json")
    assert refused.exit_code == 3
    assert json.loads(refused.stdout)["counts"]["rejected"] == 2
    assert "none of the 2 rows" in refused.stderr
    assert "--on-error skip" in refused.stderr
    skipped = invoke("dedup", tmp_path / "bad.jsonl", "-o", tmp_path / "b", "--on-error", "skip")
    assert skipped.exit_code == 0
    assert "None of 2 rows could be read." in skipped.stdout
    assert invoke("add", tmp_path / "library", tmp_path / "bad.jsonl").exit_code == 3


def test_unsuitable_method_is_reported_below_the_result(invoke: Invoke, tmp_path: Path) -> None:
    rows = write_jsonl(tmp_path / "forms.jsonl", *forms())
    result = invoke("dedup", rows, "-o", tmp_path / "news", "--method", "news")
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("warning: of ")]
    assert "the same form filled in with different facts" in line
    assert "--method corpus" in line
    assert "`" not in line
    assert result.output.index("run.json") < result.output.index(line)
    (warning,) = json.loads((tmp_path / "news" / "run.json").read_text(encoding="utf-8"))["warnings"]
    assert warning["kind"] == "forms"
