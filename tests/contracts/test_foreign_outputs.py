"""Foreign output folders: nothing in them can make whorl open files elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.articles import article, edited, write_jsonl
from tests.runs import RecordedProgress, dedup, duplicates, kept_documents

from whorl.engines.job import DedupJob
from whorl.engines.local.durable import sum_of
from whorl.engines.local.finished import removed_pair
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError

SECRET = "这一行是别人不该看到的秘密，连同它的每一个字。"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "home" / "secret.jsonl", [{"id": str(n), "text": SECRET * 9} for n in range(1, 9)])


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """Return the output of a run against a reference, with a copy of each kind."""
    reference = write_jsonl(tmp_path / "old.jsonl", [{"id": "old", "text": article(5)}])
    documents = [{"id": f"o{n}", "text": article(n)} for n in (1, 2, 1, 5)]
    write_jsonl(tmp_path / "in" / "a.jsonl", [{**row, "id": f"{row['id']}-{n}"} for n, row in enumerate(documents)])
    dedup(tmp_path / "in", tmp_path / "theirs", against=(reference,))
    return tmp_path / "theirs"


def changed(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_what_the_run_read_is_shown(theirs: Path) -> None:
    assert removed_pair(theirs, "o1-2").kept.text == article(1)
    assert removed_pair(theirs, "o5-3").kept.text == article(5)


@pytest.mark.parametrize(("listed", "id_"), [("inputs", "o1-2"), ("references", "o5-3")])
def test_show_shows_nothing_of_a_file_that_the_run_did_not_read(
    theirs: Path, secret: Path, listed: str, id_: str
) -> None:
    changed(theirs / "run.json", lambda run: run[listed][0].update(path=str(secret)))
    with pytest.raises(InputError, match=r"row \d differs from the text") as refused:
        removed_pair(theirs, id_)
    assert SECRET[:5] not in str(refused.value)


def test_show_opens_no_pipe(theirs: Path) -> None:
    changed(theirs / "run.json", lambda run: run["inputs"][0].update(path="/dev/zero"))
    with pytest.raises(InputError, match="does not exist any more"):
        removed_pair(theirs, "o1-2")


@pytest.mark.parametrize("broken", [{"inputs": 3}, {"inputs": [{}]}, {"recipe": None}, {"references": None}])
def test_a_run_that_says_nonsense_is_an_error(theirs: Path, broken: dict[str, Any]) -> None:
    changed(theirs / "run.json", lambda run: run.update(broken))
    with pytest.raises(InputError, match="is damaged"):
        removed_pair(theirs, "o5-3")


def against(theirs: Path, tmp_path: Path) -> list[str]:
    news = write_jsonl(
        tmp_path / "news.jsonl", [{"id": "n", "text": edited(article(1), 2)}, {"id": "s", "text": SECRET * 9}]
    )
    progress = RecordedProgress()
    dedup_files(DedupJob((str(news),), tmp_path / "out", against=(str(theirs),)), progress)
    assert [row["id"] for row in kept_documents(tmp_path / "out")] == ["s"]
    assert [row["id"] for row in duplicates(tmp_path / "out")] == ["n"]
    return progress.notes


@pytest.mark.parametrize("name", ["../../home/secret.jsonl", "the absolute path"])
def test_a_segment_that_names_a_file_elsewhere_is_not_believed(
    theirs: Path, secret: Path, tmp_path: Path, name: str
) -> None:
    path = str(secret) if name == "the absolute path" else name
    manifest = theirs / "sketches" / "00000" / "segment.json"
    changed(manifest, lambda segment: segment["files"][0].update(name=path))
    changed(theirs / "run.json", lambda run: run["inputs"][0].update(file=path))
    status = secret.stat()
    changed(manifest.with_name("kept.json"), lambda kept: kept.update(states=[[status.st_size, status.st_mtime_ns]]))
    if name == "the absolute path":
        with pytest.raises(InputError, match="is missing: the run kept documents in it"):
            against(theirs, tmp_path)
    else:
        assert len(against(theirs, tmp_path)) == 1


@pytest.mark.parametrize("link", ["a file", "the folder"])
def test_a_link_that_leads_elsewhere_is_not_followed(theirs: Path, secret: Path, tmp_path: Path, link: str) -> None:
    if link == "a file":
        (theirs / "kept" / "b.jsonl").symlink_to(secret)
    else:
        (theirs / "kept" / "b").symlink_to(secret.parent)
    changed(theirs / "run.json", lambda run: run["recipe"].update(version=0))
    with pytest.raises(InputError, match="is outside"):
        against(theirs, tmp_path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("size", 2**32 - 1),
        ("kept_offset", 2**62),
        ("file", 7),
        ("id_end", -5),
        ("posting", 255),
        ("partition_end", 2**60),
    ],
)
def test_columns_that_lead_out_of_their_files_are_not_believed(
    theirs: Path, tmp_path: Path, column: str, value: int
) -> None:
    """The sums fit, since the author of the folder computed them too."""
    place = theirs / "sketches" / "00000"
    data = np.fromfile(place / column, {"size": "<u4", "file": "<u4", "posting": "u1"}.get(column, "<i8"))
    data[-3:] = value
    data.tofile(place / column)
    manifest = place / ("kept.json" if column == "kept_offset" else "segment.json")
    changed(manifest, lambda content: content["sums"].update({column: sum_of(place / column)}))
    assert len(against(theirs, tmp_path)) == 1
