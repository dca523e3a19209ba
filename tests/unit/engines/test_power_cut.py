"""State after a power cut or a disk error: incomplete files are never used, of this run or of a reference."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, small_corpus, write_jsonl
from tests.runs import RecordedProgress, duplicates, files, kept_documents, result

from whorl import _core
from whorl.engines.job import DedupJob
from whorl.engines.local.finished import removed_pair
from whorl.engines.local.folder import OutputFolder
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError

DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: os.truncate(path, 0),
    "cut short": lambda path: os.truncate(path, path.stat().st_size // 2),
    "too long": lambda path: path.write_bytes(path.read_bytes() + b"\0" * 4096),
    "zeroed": lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    "one bit": lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 64]) + path.read_bytes()[1:]),
    "gone": lambda path: path.unlink(),
}
each_damage = pytest.mark.parametrize("damage", ["cut short", "one bit", "gone"])


class _PowerCut(Exception):
    """Exception that ends a run at some moment."""


class _Cut(RecordedProgress):
    def stage(self, name: str, *_: object) -> None:
        if name == "write":
            raise _PowerCut


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    write_jsonl(folder / "a.jsonl", [*small_corpus(originals=8), {"no": "text"}])
    (folder / "b.csv").write_text(f"id,text\nc,{article(1)}\nd,{article(99)}\n", encoding="utf-8")
    return folder


@pytest.fixture
def whole(corpus: Path, tmp_path: Path) -> dict[str, Any]:
    """Return the result of an undisturbed run."""
    job = DedupJob((str(corpus),), tmp_path / "undisturbed")
    dedup_files(job)
    return result(job.out)


def damaged_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]


@each_damage
def test_damaged_work_files_are_rebuilt(corpus: Path, tmp_path: Path, whole: dict[str, Any], damage: str) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")
    with pytest.raises(_PowerCut):
        dedup_files(job, _Cut())
    shutil.copytree(job.out, tmp_path / "begun")
    paths = [path.relative_to(job.out) for path in damaged_files(job.out)]
    assert {"segment.json", "digest", "text", "posting", "rejected.jsonl", "decisions.npz", "job.json"} <= {
        path.name for path in paths
    }
    for path in paths:
        shutil.rmtree(job.out)
        shutil.copytree(tmp_path / "begun", job.out)
        DAMAGE[damage](job.out / path)
        dedup_files(job)
        assert result(job.out) == whole, path


@pytest.mark.parametrize("damage", ["empty", "cut short", "too long", "gone"])
def test_lost_staged_results_are_rewritten(
    corpus: Path, tmp_path: Path, whole: dict[str, Any], damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = DedupJob((str(corpus),), tmp_path / "out")

    def cut(_: OutputFolder) -> None:
        raise _PowerCut

    with monkeypatch.context() as patched:
        patched.setattr(OutputFolder, "publish", cut)
        with pytest.raises(_PowerCut):
            dedup_files(job)
    shutil.copytree(job.out, tmp_path / "begun")
    for path in [path.relative_to(job.out) for path in damaged_files(job.out / ".whorl" / "staging")]:
        shutil.rmtree(job.out)
        shutil.copytree(tmp_path / "begun", job.out)
        DAMAGE[damage](job.out / path)
        dedup_files(job)
        assert result(job.out) == whole, path


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which file a descriptor is")
def test_files_are_synced_before_renaming(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync_one, sync_several = os.fsync, _core.sync_files

    def note(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        sync_one(descriptor)

    def note_several(paths: list[str]) -> None:
        synced.extend(paths)
        sync_several(paths)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(_core, "sync_files", note_several)
    job = DedupJob((str(corpus),), tmp_path / "out")
    dedup_files(job)
    work = job.out / ".whorl"
    [segment] = (job.out / "sketches").iterdir()
    manifest = json.loads((segment / "segment.json").read_text(encoding="utf-8"))
    named = [str(work / "segments" / "00000" / name) for name in manifest["sums"]]
    assert set(named) <= set(synced[: synced.index(str(work / "segments" / "00000" / "segment.json.part"))])
    staged = [str(work / "staging" / name) for name in files(job.out) if not name.startswith(("sketches/", "run.json"))]
    assert set(staged) <= set(synced[: synced.index(str(work / "run.json.part"))])
    named_in = [str(work / "staging" / name) for name in (".", "kept", "rejected", "sketches", "sketches/00000")]
    assert set(named_in) <= set(synced[: synced.index(str(job.out))])
    assert len(synced) == len({*synced}) + 1, "each file once, and OUT before and after its run.json"


# References


@pytest.fixture
def earlier(corpus: Path, tmp_path: Path) -> Path:
    dedup_files(DedupJob((str(corpus),), tmp_path / "earlier"))
    return tmp_path / "earlier"


@pytest.fixture
def news(tmp_path: Path) -> Path:
    documents = [{"id": f"n{n}", "text": edited(article(n), 3, seed=9)} for n in range(6)]
    return write_jsonl(tmp_path / "news.jsonl", [*documents, {"id": "new", "text": article(1000)}])


def against(earlier: Path, news: Path, out: Path) -> tuple[list[tuple[Any, ...]], list[str]]:
    progress = RecordedProgress()
    dedup_files(DedupJob((str(news),), out, against=(str(earlier),)), progress)
    assert [row["id"] for row in kept_documents(out)] == ["new"]
    return [(row["id"], row["duplicate_of"], row["similarity"]) for row in duplicates(out)], progress.notes


@each_damage
def test_damaged_sketches_of_a_reference_are_made_again(earlier: Path, news: Path, tmp_path: Path, damage: str) -> None:
    expected, notes = against(earlier, news, tmp_path / "sound")
    assert (len(expected), notes) == (6, [])
    paths = [path.relative_to(earlier) for path in damaged_files(earlier / "sketches")]
    assert {"segment.json", "kept.json", "digest", "posting", "kept", "kept_offset"} <= {path.name for path in paths}
    for number, path in enumerate(paths):
        broken = tmp_path / f"broken-{number}"
        shutil.copytree(earlier, broken)
        DAMAGE[damage](broken / path)
        result, notes = against(broken, news, tmp_path / f"out-{number}")
        assert (result, len(notes)) == (expected, 1), path
        assert "is damaged" in notes[0]


def test_a_reference_that_lacks_a_segment_is_read_again(earlier: Path, news: Path, tmp_path: Path) -> None:
    shutil.rmtree(earlier / "sketches" / "00000")
    result, notes = against(earlier, news, tmp_path / "out")
    assert (len(result), len(notes)) == (6, 1)


@pytest.mark.parametrize("damage", ["empty", "cut short", "zeroed", "one bit"])
def test_damaged_run_is_reported(earlier: Path, news: Path, tmp_path: Path, damage: str) -> None:
    DAMAGE[damage](earlier / "run.json")
    with pytest.raises(InputError, match=r"run\.json is damaged\n  hint"):
        against(earlier, news, tmp_path / "out")
    with pytest.raises(InputError, match=r"run\.json is damaged\n  hint"):
        removed_pair(earlier, "o001-0")


# Segments without documents


@pytest.mark.parametrize("reference", ["an empty file", "an output of nothing", "rejected rows alone"])
def test_a_segment_without_documents_may_come_first(news: Path, tmp_path: Path, reference: str) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    if reference == "rejected rows alone":
        write_jsonl(tmp_path / "bad" / "a.jsonl", [{"text": 5}])
        (tmp_path / "bad" / "b.txt").write_text(article(1), encoding="utf-8")
        empty = tmp_path / "bad"
    if reference == "an output of nothing":
        dedup_files(DedupJob((str(empty),), tmp_path / "nothing"))
        empty = tmp_path / "nothing"
    run = dedup_files(DedupJob((str(news),), tmp_path / "out", against=(str(empty), str(tmp_path / "news.jsonl"))))
    assert run["counts"]["kept"] == 0


def test_a_first_segment_of_rejected_rows_alone_is_followed_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whorl.engines.local.read.SEGMENT_BYTES", 1)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(b"\xff\n" * 10)
    write_jsonl(tmp_path / "in" / "b.jsonl", [{"text": article(1)}, {"text": article(1)}])
    counts = dedup_files(DedupJob((str(tmp_path / "in"),), tmp_path / "out"))["counts"]
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (1, 1, 10)
