"""A killed run leaves no partial result, and the same command completes it with the same result.

The runs of this file are processes killed with SIGKILL: before every change they make to the file system, and in every
pass."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute  # noqa: F401 - a process that is forked from this module starts at once
import pytest
from tests.articles import small_corpus, write_jsonl
from tests.rounds import stride
from tests.runs import RecordedProgress, assert_nothing_half_written, files, result

from whorl.engines.job import DedupJob
from whorl.engines.local import read
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError, UsageError
from whorl.recipe import Recipe

SEGMENT_BYTES = 20_000
"""Small, so that a small corpus has several segments."""
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir"}
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [__name__, "pandas", "whorl.corpus.formats.json.jsonl", "whorl.corpus.formats.text.plain"]
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a matter of POSIX")


@dataclass
class Killer:
    """Kills its process at a progress message, or before change number ``change`` to the file system."""

    moment: tuple[str, str] | None = None
    change: int | None = None
    stage_name: str = ""

    def stage(self, name: str, *_: object) -> None:
        self.stage_name = name
        self._at("begins")

    def advance(self, *_: object) -> None:
        self._at("advances")

    def note(self, message: str) -> None:
        pass

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
        if self.change is not None and (writes or event in CHANGES):
            self.change -= 1
            if self.change < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def _at(self, what: str) -> None:
        if self.moment == (self.stage_name, what):
            os.kill(os.getpid(), signal.SIGKILL)


def _work(job: DedupJob, killer: Killer) -> None:
    read.SEGMENT_BYTES = SEGMENT_BYTES
    sys.addaudithook(killer.watch)
    dedup_files(job, killer)


def killed(job: DedupJob, killer: Killer) -> bool:
    """Run ``job`` in a separate process; return True if ``killer`` struck before it was done."""
    process = PROCESSES.Process(target=_work, args=(job, killer))
    process.start()
    process.join(60)
    assert process.exitcode in (0, -signal.SIGKILL), "the run failed in its own way"
    return process.exitcode != 0


@pytest.fixture(autouse=True)
def _several_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SEGMENT_BYTES", SEGMENT_BYTES)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder whose files make several segments, with one rejected row."""
    documents = small_corpus()
    folder = tmp_path / "corpus"
    write_jsonl(folder / "a.jsonl", documents[:50])
    write_jsonl(folder / "deeper" / "b.jsonl", [*documents[50:], {"no": "text"}])
    (folder / "note.txt").write_text("一篇单独的短文。", encoding="utf-8")
    return folder


@pytest.fixture
def whole(corpus: Path, tmp_path: Path) -> dict[str, Any]:
    """Return the result of an undisturbed run."""
    return finished(DedupJob((str(corpus),), tmp_path / "undisturbed"))


def finished(job: DedupJob) -> dict[str, Any]:
    """Run ``job`` to its end, and return its result."""
    dedup_files(job)
    assert not (job.out / ".whorl").exists()
    return result(job.out)


def is_published(out: Path) -> bool:
    return (out / "run.json").exists()


def test_killed_before_any_change_to_the_file_system(corpus: Path, tmp_path: Path, whole: dict[str, Any]) -> None:
    before = files(corpus)
    job = DedupJob((str(corpus),), tmp_path / "out")
    change = 0
    while killed(job, Killer(change=change)):
        assert_nothing_half_written(job.out, whole)
        if is_published(job.out):
            if (job.out / ".whorl" / "job.json").exists():
                dedup_files(job)
            else:
                with pytest.raises(UsageError, match="contains an earlier run"):
                    dedup_files(job)
                shutil.rmtree(job.out / ".whorl", ignore_errors=True)
            assert not (job.out / ".whorl").exists()
            assert result(job.out) == whole
        else:
            assert finished(job) == whole, f"killed before change {change}"
        shutil.rmtree(job.out)
        change += stride(9)
    assert change > 40, "the changes are seen"
    assert files(corpus) == before


def test_killed_while_it_replaces_what_another_recipe_began_to_publish(corpus: Path, tmp_path: Path) -> None:
    job, other = (DedupJob((str(corpus),), tmp_path / "out", Recipe(threshold=threshold)) for threshold in (0.8, 0.5))
    whole = finished(DedupJob((str(corpus),), tmp_path / "undisturbed", other.recipe))

    def has_published(change: int) -> bool:
        shutil.rmtree(job.out, ignore_errors=True)
        killed(job, Killer(change=change))
        return (job.out / "kept").exists()

    change = bisect_left(range(300), True, key=has_published)
    assert has_published(change)
    assert not is_published(job.out)
    stale = {f"kept/{name}": data for name, data in files(job.out / "kept").items()}
    shutil.copytree(job.out, tmp_path / "begun")
    while killed(other, Killer(change=change)):
        if (job.out / "kept").exists():
            assert _below(files(job.out), "kept") in (stale, _below(whole, "kept"))
        shutil.rmtree(job.out)
        shutil.copytree(tmp_path / "begun", job.out)
        change += stride(11)
    assert result(job.out) == whole


def _below(actual: dict[str, Any], folder: str) -> dict[str, Any]:
    return {name: data for name, data in actual.items() if name.startswith(f"{folder}/")}


@pytest.mark.parametrize(
    ("stage", "what"),
    [(stage, what) for stage in ("read", "group", "probe", "write") for what in ("begins", "advances")]
    + [("rank", "begins")],
)
def test_killed_in_a_pass(corpus: Path, tmp_path: Path, whole: dict[str, Any], stage: str, what: str) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")
    assert killed(job, Killer((stage, what)))
    assert_nothing_half_written(job.out, whole)
    assert finished(job) == whole


def test_killed_again_and_again(corpus: Path, tmp_path: Path, whole: dict[str, Any]) -> None:
    """Each attempt may get a few steps further than the previous one."""
    job = DedupJob((str(corpus),), tmp_path / "out")
    for change in range(3, 32, 4):
        assert killed(job, Killer(change=change))
        assert_nothing_half_written(job.out, whole)
    assert finished(job) == whole


def test_a_complete_pass_is_not_done_again(corpus: Path, tmp_path: Path) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")
    assert killed(job, Killer(("write", "begins")))
    done = [*(job.out / ".whorl" / "segments").rglob("segment.json"), job.out / ".whorl" / "decisions.npz"]
    written = [path.stat().st_mtime_ns for path in done]
    assert len(done) > 2
    assert killed(job, Killer(("write", "begins")))
    assert [path.stat().st_mtime_ns for path in done] == written


@pytest.mark.parametrize("stage", ["group", "write"])
@pytest.mark.parametrize("change", ["size", "time", "new file", "gone"])
def test_a_changed_input_starts_afresh(corpus: Path, tmp_path: Path, stage: str, change: str) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")
    assert killed(job, Killer((stage, "advances")))
    path = corpus / "a.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    if change == "size":
        path.write_bytes(b"".join(lines[7:]))
    elif change == "time":
        path.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    elif change == "new file":
        write_jsonl(corpus / "c.jsonl", small_corpus(originals=45)[-20:])
    else:
        path.unlink()
    assert finished(job) == finished(DedupJob((str(corpus),), tmp_path / "fresh"))


BY_FIELD = {"fields": {"title": {"method": "exact"}, "text": {"threshold": 0.5}}, "combine": "or"}


@pytest.mark.parametrize(
    "changes",
    [{"threshold": 0.5}, {"verify": "edit"}, {"verify": {"measure": "edit", "threshold": 0.95}}, BY_FIELD],
    ids=str,
)
def test_another_recipe_starts_afresh(corpus: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    assert killed(DedupJob((str(corpus),), tmp_path / "out"), Killer(("write", "begins")))
    other = Recipe(**changes)
    job, fresh = (DedupJob((str(corpus),), tmp_path / name, other) for name in ("out", "fresh"))
    assert finished(job) == finished(fresh)


@pytest.mark.parametrize("stage", ["group", "probe", "write"])
def test_a_run_by_fields_continues(corpus: Path, tmp_path: Path, stage: str) -> None:
    job, fresh = (DedupJob((str(corpus),), tmp_path / name, Recipe(**BY_FIELD)) for name in ("out", "fresh"))
    assert killed(job, Killer((stage, "begins")))
    assert finished(job) == finished(fresh)


@pytest.mark.parametrize("value", ["a file", "its folder"])
def test_a_changed_reference_starts_afresh(corpus: Path, tmp_path: Path, value: str) -> None:
    path = write_jsonl(tmp_path / "references" / "reference.jsonl", small_corpus(originals=5, copies=0))
    against = (str(path if value == "a file" else path.parent),)
    job, fresh = (DedupJob((str(corpus),), tmp_path / name, against=against) for name in ("out", "fresh"))
    assert killed(job, Killer(("write", "begins")))
    write_jsonl(path, small_corpus(originals=20, copies=0))
    assert finished(job) == finished(fresh)


def test_a_finished_run_is_never_overwritten(corpus: Path, tmp_path: Path) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")
    dedup_files(job)
    before = files(job.out)
    for again in (job, DedupJob(job.inputs, job.out, Recipe(threshold=0.5))):
        with pytest.raises(UsageError, match="contains an earlier run"):
            dedup_files(again)
    assert files(job.out) == before


class _Rival:
    """Progress that starts the same job again while it runs."""

    def __init__(self, job: DedupJob) -> None:
        self._job = job

    def stage(self, *_: object) -> None:
        with pytest.raises(UsageError, match="another run is using"):
            dedup_files(self._job)

    def advance(self, *_: object) -> None:
        pass

    def note(self, message: str) -> None:
        pass


def test_two_runs_never_work_in_one_folder(corpus: Path, tmp_path: Path, whole: dict[str, Any]) -> None:
    pytest.importorskip("fcntl")
    job = DedupJob((str(corpus),), tmp_path / "out")
    dedup_files(job, _Rival(job))
    assert result(job.out) == whole


def test_a_run_that_failed_can_be_repeated_in_the_same_process(corpus: Path, tmp_path: Path) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out", on_error="stop")
    with pytest.raises(InputError) as first:
        dedup_files(job)
    with pytest.raises(InputError) as second:
        dedup_files(job)
    assert str(first.value) == str(second.value)


def test_the_command_line_is_killed_and_continues(corpus: Path, tmp_path: Path) -> None:
    """The same through the command line, killed by ``kill -9`` at a random moment."""
    for number in range(40):
        shutil.copyfile(corpus / "a.jsonl", corpus / f"again-{number}.jsonl")
    whole = finished(DedupJob((str(corpus),), tmp_path / "undisturbed"))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "whorl", "dedup", str(corpus), "-o", str(out), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (out / ".whorl" / "segments").exists() and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.wait()
    assert_nothing_half_written(out, whole)
    if not is_published(out):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert {name for name in result(out) if not name.startswith("sketches/")} == {
        name for name in whole if not name.startswith("sketches/")
    }
    assert _below(result(out), "kept") == _below(whole, "kept")
    assert result(out)["duplicates.parquet"] == whole["duplicates.parquet"]
    assert result(out)["clusters.parquet"] == whole["clusters.parquet"]


def test_stages_are_reported_in_order(corpus: Path, tmp_path: Path) -> None:
    progress = RecordedProgress()
    dedup_files(DedupJob((str(corpus),), tmp_path / "out"), progress)
    assert progress.stages == ["read", "rank", "group", "probe", "write"]
