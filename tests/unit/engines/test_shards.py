"""A run in stages and shards writes the files of a run on one machine, if shards are killed or run twice."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, large_file, mixed_dates, small_corpus, write_jsonl
from tests.killing import die_before
from tests.runs import RecordedProgress, assert_nothing_half_written, comparable, rejected, rows

import whorl
from whorl.corpus import cutting
from whorl.engines.local import read
from whorl.engines.local.finished import removed_pair
from whorl.errors import InputError, UsageError
from whorl.recipe import Recipe

STAGES = ("sketch", "group", "decide", "write")
NOTICE = "凡本网注明来源的作品均转载自其它媒体，转载目的在于传递更多信息，并不代表本网赞同其观点，如有侵权请联系删除。"
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__, "whorl.tasks.dedup.shards"])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return files of several formats and sizes, with copies in others, and unreadable files."""
    documents = small_corpus()
    folder = tmp_path / "corpus"
    write_jsonl(folder / "a.jsonl", documents[:50])
    write_jsonl(folder / "deeper" / "b.jsonl", [*documents[50:90], {"no": "text"}])
    write_jsonl(folder / "deeper" / "c.jsonl", documents[90:])
    (folder / "note.txt").write_text("一篇单独的短文。", encoding="utf-8")
    (folder / "torn.parquet").write_bytes(b"PAR1 and no more")
    return folder


def shard(corpus: Path, stage: Any, number: int, count: int, **options: Any) -> Any:
    """Run one shard; output and work folders are next to the corpus."""
    beside = corpus.parent
    return whorl.runs.dedup_shard(
        corpus, beside / "out", stage=stage, shard=f"{number}/{count}", work=beside / "work", **options
    )


def stage(corpus: Path, name: str, count: int, **options: Any) -> Any:
    """Run all shards of a stage, the last one first."""
    return [shard(corpus, name, number, count, **options) for number in range(count, 0, -1)][-1]


def in_shards(corpus: Path, count: int, **options: Any) -> dict[str, Any]:
    """Run all stages; return the result."""
    done = [stage(corpus, name, count, **options) for name in STAGES][-1]
    assert done.cleaned is not None
    return comparable(corpus.parent / "out")


def at_once(corpus: Path, **options: Any) -> dict[str, Any]:
    whorl.dedup_files(corpus, corpus.parent / "local", **options)
    return comparable(corpus.parent / "local")


@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_files_are_those_of_one_machine(corpus: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = at_once(corpus)
    monkeypatch.setattr(read, "SEGMENT_BYTES", 5_000)
    assert in_shards(corpus, count) == expected
    assert len(rejected(corpus.parent / "out")) == 2


FILES = ["a.jsonl", "large.jsonl", "z.jsonl"]


def told_of_inputs(out: Path) -> Any:
    return json.loads((out / "run.json").read_text(encoding="utf-8"))["inputs"]


@pytest.mark.parametrize("count", [2, 5])
def test_a_large_file_is_divided(tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_LEAST_BYTES", 1_000)
    corpus = large_file(tmp_path / "corpus")
    assert in_shards(corpus, count) == at_once(corpus)
    assert told_of_inputs(tmp_path / "out") == told_of_inputs(tmp_path / "local")
    places = [list((tmp_path / "work" / "sketch" / f"{n:05d}").glob("*")) for n in range(1, count + 1)]
    assert all(places)
    assert len(rejected(tmp_path / "out")) > 10
    later = write_jsonl(tmp_path / "later.jsonl", small_corpus(60)[::3])
    report = RecordedProgress()
    for name in ("out", "local"):
        whorl.dedup_files(later, tmp_path / f"after-{name}", against=tmp_path / name, progress=report)
    assert not report.notes  # their sketches were reused
    after = [comparable(tmp_path / f"after-{name}") for name in ("out", "local")]
    assert [[finding["file"] for finding in item["run"].pop("references")] for item in after] == [FILES, FILES]
    assert after[0] == after[1]
    finding = rows(tmp_path / "out" / "duplicates.parquet")[-1]
    pairs = [removed_pair(tmp_path / name, f"{finding['file']}:{finding['row']}") for name in ("out", "local")]
    assert pairs[0] == pairs[1]


RECIPES: dict[str, dict[str, Any]] = {
    "longest": {"method": "minhash", "changes": True},
    "passages": {"method": "winnowing"},
    "near codes": {"method": "simhash", "verify": "none"},
    "first": {"keep": "first"},
    "best": {"keep": "best"},
    "one key for all": {"method": "longest_sentence", "verify": "none"},
    "fields": {
        "recipe": Recipe(
            fields={"title": {"method": "exact"}, "text": {"method": "minhash"}}, text=("id", "text"), combine="or"
        )
    },
}


@pytest.mark.parametrize("name", RECIPES)
def test_global_decisions_are_the_same(tmp_path: Path, name: str) -> None:
    """A notice in most articles, a sentence shared by hundreds, and copies of copies."""
    texts = [article(number) + (NOTICE if number % 3 else "") for number in range(150)]
    texts += [edited(texts[number], 1 + number % 9, seed=number) for number in range(0, 150, 2)]
    texts += [f"{'渡口的早晨总是从第一班船的汽笛声里开始的' * 3}。{article(1000 + number, 60)}" for number in range(90)]
    rows = [{"id": f"{number:03}", "text": text} for number, text in enumerate(texts)]
    for part in range(3):
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", rows[part::3])
    corpus = tmp_path / "corpus"
    expected = at_once(corpus, **RECIPES[name])
    assert expected["run"]["counts"]["duplicates"]
    assert in_shards(corpus, 3, **RECIPES[name]) == expected


@pytest.mark.parametrize(("options", "rule"), [({}, "earliest"), ({"date": "date"}, "longest")])
def test_dates_choose_the_same_rule(tmp_path: Path, options: dict[str, Any], rule: str) -> None:
    dated = mixed_dates(random.Random(1), 60)
    dated += [row | {"id": f"{row['id']}d", "date": "2024-02-01"} for row in dated[:20]]
    for part in range(3):
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", dated[part::3])
    (tmp_path / "corpus" / "plain.txt").write_text(dated[0]["text"], encoding="utf-8")
    expected = at_once(tmp_path / "corpus", **options)
    assert expected["run"]["keeping"]["rule"] == rule
    assert 0 < expected["run"]["keeping"]["dated"] < 80
    assert in_shards(tmp_path / "corpus", 3, **options) == expected


def test_against_files_an_earlier_output_and_a_library(corpus: Path, tmp_path: Path) -> None:
    old = write_jsonl(
        tmp_path / "old.jsonl", [{"id": f"r{n}", "text": edited(article(n), 3, seed=5)} for n in range(9)]
    )
    whorl.dedup_files(write_jsonl(tmp_path / "earlier.jsonl", small_corpus(40)[-20:]), tmp_path / "earlier")
    assert in_shards(corpus, 3, against=[old, tmp_path / "earlier"]) == at_once(
        corpus, against=[old, tmp_path / "earlier"]
    )
    for folder in ("out", "work", "local"):
        shutil.rmtree(tmp_path / folder)
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": f"kept-{number}", "text": article(number)} for number in range(9))
    assert in_shards(corpus, 3, against=[str(tmp_path / "library")]) == at_once(
        corpus, against=[str(tmp_path / "library")]
    )


def test_references_that_are_sought_by_more_keys(tmp_path: Path) -> None:
    book = article(1, 3000)
    excerpts = [{"id": f"{first}", "text": book[first : first + 300]} for first in (407, 1013, 1989)]
    write_jsonl(tmp_path / "corpus" / "a.jsonl", excerpts[:2])
    write_jsonl(tmp_path / "corpus" / "b.jsonl", excerpts[2:])
    reference = write_jsonl(tmp_path / "book.jsonl", [{"id": "book", "text": book}])
    options = {"method": "pinyin", "against": reference}
    expected = at_once(tmp_path / "corpus", **options)
    assert expected["run"]["counts"]["duplicates"] == 3
    assert in_shards(tmp_path / "corpus", 2, **options) == expected


def test_the_output_serves_as_a_reference(corpus: Path, tmp_path: Path) -> None:
    in_shards(corpus, 3)
    again = whorl.dedup_files(corpus, tmp_path / "again", against=tmp_path / "out")
    assert again.run["counts"]["kept"] == 0


def test_shards_may_come_twice_and_after_the_end(corpus: Path) -> None:
    for name in STAGES:
        for number in (1, 2, 1):
            done = shard(corpus, name, number, 2)
    assert done.cleaned is not None
    whole = comparable(corpus.parent / "out")
    for name in STAGES:
        assert stage(corpus, name, 2).missing == ()
    assert comparable(corpus.parent / "out") == whole


def test_several_shards_in_one_process(corpus: Path) -> None:
    for name in STAGES:
        for some in ("1-2/5", "4/5", "3-3/5", "5-5/5"):
            done = whorl.runs.dedup_shard(
                corpus, corpus.parent / "out", stage=name, shard=some, work=corpus.parent / "work"
            )
    assert done.cleaned is not None
    assert comparable(corpus.parent / "out") == at_once(corpus)


def test_missing_shard_is_named(corpus: Path) -> None:
    done = shard(corpus, "sketch", 2, 3)
    assert (done.missing, done.then, done.cleaned) == ((1, 3), "group", None)
    assert done.to_dict() == {"stage": "sketch", "shard": "2/3", "missing": [1, 3], "then": "group"}


@pytest.mark.parametrize("name", STAGES[1:])
def test_a_stage_waits_for_the_one_before(corpus: Path, name: str) -> None:
    for earlier in STAGES[: STAGES.index(name) - 1]:
        stage(corpus, earlier, 3)
    before = STAGES[STAGES.index(name) - 1]
    shard(corpus, before, 2, 3)
    with pytest.raises(UsageError, match=f"{before} is not done: 2 of 3 shards are missing: 1, 3") as error:
        shard(corpus, name, 1, 3)
    assert error.value.hint == f"run them first: --stage {before} --shard 1/3"


def test_other_work_is_not_mixed_in(corpus: Path) -> None:
    stage(corpus, "sketch", 2)
    with pytest.raises(UsageError, match="contains the work of another job: recipe differ"):
        shard(corpus, "group", 1, 2, threshold=0.6)
    with pytest.raises(UsageError, match="contains the work of 2 shards"):
        shard(corpus, "group", 1, 3)
    (corpus / "late.jsonl").write_text('{"text": "后来的一篇。"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"input has changed since the work in .* began: late\.jsonl"):
        shard(corpus, "group", 1, 2)


def test_a_folder_that_holds_something_else(corpus: Path) -> None:
    (corpus.parent / "work").mkdir()
    (corpus.parent / "work" / "thesis.tex").touch()
    with pytest.raises(UsageError, match=r"is not empty: it holds thesis\.tex"):
        shard(corpus, "sketch", 1, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shard": "0/3"}, "shard 0/3 is out of range"),
        ({"shard": "4/3"}, "shard 4/3 is out of range"),
        ({"shard": "3-2/3"}, "shard 3-2/3 is out of range"),
        ({"shard": "1/10001"}, "shard 1/10001 is out of range"),
        ({"shard": "three"}, "expected a shard such as 3/8, got 'three'"),
        ({"stage": "probe"}, "unknown stage probe"),
        ({"inputs": "-"}, "standard input cannot be read in shards"),
        ({"inputs": "s3://bucket/news"}, "is not in a folder that all shards share"),
        ({"work": "corpus/work"}, "contain each other"),
    ],
)
def test_invalid_shard_arguments_are_refused(
    corpus: Path, change: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus.parent)
    body: dict[str, Any] = {"inputs": corpus.name, "out": "out", "stage": "sketch", "shard": "1/2", "work": "work"}
    with pytest.raises(UsageError, match=message) as error:
        whorl.runs.dedup_shard(**(body | change))
    assert error.value.hint


DAMAGES = {
    "sketch/00002/00000/digest": ("sketch", "group"),
    "sketch/00002/00000/segment.json": ("sketch", "group"),
    "group/00002.npz": ("group", "decide"),
    "decide/00002.npz": ("decide", "write"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_files_are_named_and_rebuilt(corpus: Path, name: str) -> None:
    expected = at_once(corpus)
    damage, arguments = DAMAGES[name]
    for earlier in STAGES[: STAGES.index(damage) + 1]:
        stage(corpus, earlier, 2)
    path = corpus.parent / "work" / name
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="is damaged") as error:
        stage(corpus, arguments, 2)
    assert error.value.hint == f"run it again: --stage {damage} --shard 2/2"
    shard(corpus, damage, 2, 2)
    for later in STAGES[STAGES.index(damage) + 1 :]:
        stage(corpus, later, 2)
    assert comparable(corpus.parent / "out") == expected


def test_files_that_cannot_be_read_at_all(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "corpus" / f"{name}.parquet").write_bytes(b"PAR1 and no more")
    stage(tmp_path / "corpus", "sketch", 2)
    with pytest.raises(InputError, match=r"a\.parquet"):
        shard(tmp_path / "corpus", "group", 1, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a matter of POSIX")
@pytest.mark.parametrize("name", STAGES)
def test_a_shard_that_is_killed_is_run_again(corpus: Path, name: str) -> None:
    """Before changes to the file system, evenly among all changes of the last shard of a stage."""
    expected = at_once(corpus)
    for earlier in STAGES[: STAGES.index(name)]:
        stage(corpus, earlier, 2)
    shard(corpus, name, 1, 2)
    before = corpus.parent / "before"
    shutil.copytree(corpus.parent / "work", before)
    for change in range(0, 60, 11):
        process = PROCESSES.Process(target=die_before, args=(change, shard, corpus, name, 2, 2))
        process.start()
        process.join(60)
        assert process.exitcode in (0, -signal.SIGKILL)
        assert_nothing_half_written(corpus.parent / "out", expected)
        for later in STAGES[STAGES.index(name) :]:
            stage(corpus, later, 2)
        assert comparable(corpus.parent / "out") == expected
        shutil.rmtree(corpus.parent / "work")
        shutil.copytree(before, corpus.parent / "work")
        shutil.rmtree(corpus.parent / "out")


def _do(corpus: Path, name: str, number: int) -> None:
    shard(corpus, name, number, 3)


def test_shards_at_the_same_time(corpus: Path) -> None:
    """Six processes per stage: every shard twice at the same time."""
    expected = at_once(corpus)
    for name in STAGES:
        processes = [PROCESSES.Process(target=_do, args=(corpus, name, number)) for number in (1, 1, 2, 2, 3, 3)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(120)
            assert process.exitcode == 0
    assert comparable(corpus.parent / "out") == expected
