"""Files of every format, damaged by seed, between two good ones.

Whatever a file contains, the good ones are read, every row is counted, and no exception but `WhorlError` is raised:
an `InputError` if the file was named, no error if it is in a folder.
"""

from __future__ import annotations

import faulthandler
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, jsonl
from tests.fuzz.mutations import mutated
from tests.fuzz.samples import SAMPLES
from tests.rounds import rounds
from tests.runs import duplicates, rejected, rows

from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError
from whorl.recipe import Recipe

CI = range(15)
SOAK = range(1000, 1400)
CROWDED = range(100_000, 100_000 + rounds(400))
CROWD = 50
REGRESSIONS = {"xlsx": [100_446], "parquet": [100_329], "snappy.parquet": [102_115], "tsv": [104_230]}
"""Seeds that once failed."""
GOOD = {
    "0.jsonl": jsonl([{"id": "first", "text": article(1)}, {"id": "copy", "text": edited(article(1), 1)}]),
    "z.csv": f"id,text\nlast,{article(2)}\nagain,{article(2)}\n".encode(),
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Skip fsync; a hanging test ends with a stack trace."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr("whorl._core.sync_files", lambda _: None)
    yield
    faulthandler.cancel_dump_traceback_later()


def run(folder: Path, damaged: dict[str, bytes], *, is_named: bool) -> dict[str, Any] | None:
    """Return the run over damaged files and the good ones; None if it is rejected, which only a named file may be."""
    inputs = folder / "in"
    inputs.mkdir(parents=True)
    for name, content in {**GOOD, **damaged}.items():
        (inputs / name).write_bytes(content)
    named = tuple(str(inputs / name) for name in (*GOOD, *damaged))
    job = DedupJob(named if is_named else (str(inputs),), folder / "out")
    if not is_named:
        return dedup_files(job)
    try:
        return dedup_files(job)
    except InputError as error:
        refused = error
    assert refused.hint, refused
    assert not (job.out / "run.json").exists()
    return None


def check(folder: Path, damaged: dict[str, bytes], *, is_named: bool) -> None:
    faulthandler.dump_traceback_later(900, exit=True)
    counted = run(folder, damaged, is_named=is_named)
    if counted is None:
        return
    out, counts = folder / "out", counted["counts"]
    assert json.loads((out / "run.json").read_text(encoding="utf-8"))["counts"] == counts
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    for name in GOOD:
        (line,) = [line for line in counted["inputs"] if line["file"] == name]
        assert (line["rows"], line["kept"], line["duplicates"], line["rejected"]) == (2, 1, 1, 0)
        assert (out / "kept" / name).is_file()
    removed = duplicates(out)
    assert {row["id"]: row["file"] for row in removed if row["file"] in GOOD} == {"first": "0.jsonl", "last": "z.csv"}
    assert (len(removed), len(rejected(out))) == (counts["duplicates"], counts["rejected"])
    assert len(rows(out / "clusters.parquet")) == counts["kept"] + counts["duplicates"]
    if counts["guessed_encodings"]:
        return  # the kept rows may look like another encoding
    again = dedup_files(DedupJob((str(out / "kept"),), folder / "again", Recipe(method="exact")))["counts"]
    assert (again["kept"], again["duplicates"]) == (counts["kept"], 0), "what was kept can be read again"


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_sound_file_is_read(tmp_path: Path, kind: str) -> None:
    counted = run(tmp_path, {f"b.{kind}": SAMPLES[kind]}, is_named=True)
    assert counted is not None
    (line,) = [line for line in counted["inputs"] if line["file"] == f"b.{kind}"]
    assert (line["rejected"], line["kept"] > 0) == (0, True)


@pytest.mark.parametrize("kind", SAMPLES)
def test_damage_ends_no_run_and_takes_no_row(tmp_path: Path, kind: str) -> None:
    attack(tmp_path, kind, [*CI, *REGRESSIONS.get(kind, [])])


@pytest.mark.soak
@pytest.mark.parametrize("kind", SAMPLES)
def test_much_damage_ends_no_run_and_takes_no_row(tmp_path: Path, kind: str) -> None:
    attack(tmp_path, kind, SOAK)


def attack(folder: Path, kind: str, seeds: Iterable[int]) -> None:
    failed = {}
    for seed in seeds:
        try:
            check(folder / str(seed), {f"b.{kind}": mutated(kind, SAMPLES[kind], seed)}, is_named=seed % 4 == 0)
        except Exception as error:
            failed[seed] = error
        shutil.rmtree(folder / str(seed), ignore_errors=True)
    if failed:
        raise ExceptionGroup(f"seeds {list(failed)} of {kind}", list(failed.values()))


@pytest.mark.soak
@pytest.mark.parametrize("kind", SAMPLES)
def test_a_crowd_of_damaged_files_ends_no_run_and_takes_no_row(tmp_path: Path, kind: str) -> None:
    for first in CROWDED[::CROWD]:
        seeds = range(first, first + CROWD)
        folder = tmp_path / str(first)
        try:
            check(folder, {f"b{seed}.{kind}": mutated(kind, SAMPLES[kind], seed) for seed in seeds}, is_named=False)
        except Exception:
            attack(tmp_path / "alone", kind, seeds)
            raise
        shutil.rmtree(folder)
