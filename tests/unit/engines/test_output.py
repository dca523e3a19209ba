"""A run that writes no kept rows: the same tables, and an error wherever rows are needed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.articles import jsonl, newsroom_articles, small_corpus, write_jsonl
from tests.runs import NAMES, clusters, comparable
from tests.runs import whorl as command

import whorl
from whorl.engines.local.finished import removed_pair
from whorl.errors import InputError, UsageError
from whorl.recipe import Recipe
from whorl.tasks.strip import Strip, dedup_and_strip

WITHOUT_ROWS = NAMES - {"kept"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    documents = small_corpus()
    write_jsonl(tmp_path / "corpus" / "a.jsonl", documents[:60])
    write_jsonl(tmp_path / "corpus" / "b.jsonl", [*documents[60:], {"no": "text"}])
    return tmp_path / "corpus"


def without_rows(content: dict[str, Any]) -> dict[str, Any]:
    """Return the comparable output of a run without the kept rows."""
    run = {name: value for name, value in content["run"].items() if name != "output"}
    files = {name: value for name, value in content.items() if name != "run" and not name.startswith("kept")}
    return files | {"run": run}


def kept_ids(folder: Path) -> list[tuple[str, str]]:
    """Return id and file of the documents that the table of clusters calls kept, sorted."""
    return sorted((row["id"], row["file"]) for row in clusters(folder) if row["role"] == "kept")


def test_the_tables_are_those_of_a_run_with_rows(corpus: Path, tmp_path: Path) -> None:
    whole = whorl.dedup_files(corpus, tmp_path / "whole")
    ids = whorl.dedup_files(corpus, tmp_path / "ids", output="ids")
    assert {place.name for place in (tmp_path / "ids").iterdir()} == WITHOUT_ROWS
    assert "kept" not in ids.run["outputs"]
    assert without_rows(comparable(tmp_path / "ids")) == without_rows(comparable(tmp_path / "whole"))
    kept = sorted((row["id"], row["file"]) for row in whole.kept.select(["id", "file"]).to_pylist())
    assert kept_ids(tmp_path / "ids") == kept
    assert ids.run["counts"]["kept"] == len(kept)


def test_shards_write_the_same(corpus: Path, tmp_path: Path) -> None:
    whorl.dedup_files(corpus, tmp_path / "ids", output="ids")
    for stage in ("sketch", "group", "decide", "write"):
        for shard in ("2/2", "1/2"):
            whorl.runs.dedup_shard(
                corpus, tmp_path / "out", stage=stage, shard=shard, work=tmp_path / "work", output="ids"
            )
    assert {place.name for place in (tmp_path / "out").iterdir()} == WITHOUT_ROWS
    whole, shards = (without_rows(comparable(tmp_path / name)) for name in ("ids", "out"))
    assert shards == whole


def test_a_run_without_rows_is_no_reference(corpus: Path, tmp_path: Path) -> None:
    cleaned = whorl.dedup_files(corpus, tmp_path / "ids", output="ids")
    with pytest.raises(InputError, match="has no kept rows"):
        whorl.dedup_files(corpus, tmp_path / "next", against=tmp_path / "ids")
    with pytest.raises(InputError, match="has no kept rows"):
        _ = cleaned.kept


def test_what_was_removed_is_shown_from_the_input(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "news.jsonl", newsroom_articles())
    cleaned = whorl.dedup_files(tmp_path / "news.jsonl", tmp_path / "ids", output="ids")
    removed = cleaned.duplicates.to_pylist()[0]
    pair = removed_pair(tmp_path / "ids", removed["id"])
    texts = {row["id"]: row["text"] for row in newsroom_articles()}
    assert (pair.removed.text, pair.kept.text) == (texts[removed["id"]], texts[removed["duplicate_of"]])


def test_repeated_text_is_not_removed_from_rows_that_are_not_written(corpus: Path, tmp_path: Path) -> None:
    strip = Strip.of("lines", None)
    with pytest.raises(UsageError, match="which are not written"):
        dedup_and_strip(str(corpus), tmp_path / "out", {"output": "ids", "recipe": Recipe()}, strip)
    assert not (tmp_path / "out").exists()


def test_another_output_is_another_run(corpus: Path, tmp_path: Path) -> None:
    whorl.dedup_files(corpus, tmp_path / "out", output="ids")
    with pytest.raises(UsageError, match="contains an earlier run"):
        whorl.dedup_files(corpus, tmp_path / "out")
    with pytest.raises(UsageError, match="output is 'both'"):
        whorl.dedup_files(corpus, tmp_path / "other", output="both")  # type: ignore[arg-type]


def test_a_file_that_changes_during_the_run_ends_it(corpus: Path, tmp_path: Path) -> None:
    class Meddler:
        """Progress that changes the input when the tables are due."""

        def stage(self, name: str, *_: object) -> None:
            if name == "probe":
                path = corpus / "a.jsonl"
                status = path.stat()
                path.write_bytes(jsonl([{"id": "0", "text": "别的"}]))
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

        def advance(self, amount: int) -> None: ...

        def note(self, message: str) -> None: ...

    with pytest.raises(InputError, match="changed"):
        whorl.dedup_files(corpus, tmp_path / "out", output="ids", progress=Meddler())
    assert not (tmp_path / "out" / "run.json").exists()


def test_the_command_names_what_it_wrote(corpus: Path, tmp_path: Path) -> None:
    done = command("dedup", corpus, "-o", tmp_path / "out", "--output", "ids", "--json")
    assert done.code == 0, done.error
    run = json.loads(done.out)
    assert run["output"] == "ids"
    assert not (tmp_path / "out" / "kept").exists()
