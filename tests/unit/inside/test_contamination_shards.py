"""A decontamination in shards writes the files of a run in one process, if shards are killed or run twice."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, jsonl, write_jsonl
from tests.killing import die_before
from tests.runs import files

import whorl
from whorl.errors import InputError, UsageError

STAGES = ("sketch", "write")
RIVER = "Which river flows through the old town of Vesterholm in the north of the country?"
FERRY = "小镇的码头每天有十二班渡船，冬季一周共有多少班渡船？"
FRUIT = "Maria bought 3 apples and 4 pears. How many pieces of fruit did she buy in all?"
SAYING = "The early bird catches the worm, but the second mouse gets the cheese."
QUIZ = [
    {"id": "river", "question": RIVER, "choices": ["the Aln", "the Orm"], "answer": "A"},
    {"id": "ferry", "question": FERRY, "answer": "84"},
    {"id": "fruit", "question": FRUIT},
    {"id": "saying", "question": SAYING},
]
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__, "whorl.tasks.decontaminate.shards"])


def rows() -> list[dict[str, Any]]:
    """Return articles with items; that some are forms or quotations shows only in the whole corpus."""
    texts = [article(number, 100) for number in range(60)]
    for number, (apples, name) in enumerate([(5, "Anna"), (9, "Vera"), (12, "Olga")]):
        texts[number * 20] += f"\n{FRUIT.replace('3', str(apples)).replace('Maria', name)}"
    for number in range(0, 60, 5):
        texts[number] += f" {SAYING} "
    texts[7] = f"Round three. {RIVER} The Aln. Round four."
    texts[33] = f"练习题：{FERRY}答案：84。"
    texts[51] = RIVER
    texts[58] = f"{texts[58]} {RIVER.replace('north', 'south')} {FERRY}\ud83d"
    return [
        {"id": f"{number:03}", "text": text, "meta": {"source": f"site {number % 3}"}}
        for number, text in enumerate(texts)
    ]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return files of several formats, and some that cannot be read; the benchmark is next to them."""
    write_jsonl(tmp_path / "quiz.jsonl", QUIZ)
    documents = rows()
    folder = tmp_path / "corpus"
    write_jsonl(folder / "a.jsonl", documents[:25])
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(jsonl([*documents[25:40], {"no": "text"}])))
    pq.write_table(pa.Table.from_pylist(documents[40:50]), folder / "c.parquet")
    (folder / "deeper").mkdir()
    lines = [*map(json.dumps, documents[50:]), '{"text": ']
    (folder / "deeper" / "rejected.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "torn.parquet").write_bytes(b"PAR1 and no more")
    return folder


def shard(corpus: Path, stage: Any, number: int, shards: int, **options: Any) -> Any:
    """Run one shard; benchmark, output and work folders are next to the corpus."""
    beside = corpus.parent
    options = {"against": [beside / "quiz.jsonl"], "by": "meta.source", "action": "cut", **options}
    return whorl.runs.decontaminate_shard(
        corpus, beside / "out", stage=stage, shard=f"{number}/{shards}", work=beside / "work", **options
    )


def stage(corpus: Path, name: str, shards: int, **options: Any) -> Any:
    """Run all shards of a stage, the last one first."""
    return [shard(corpus, name, number, shards, **options) for number in range(shards, 0, -1)][-1]


def result(out: Path) -> dict[str, Any]:
    """Return the result without times: rows of tables, bytes of files, and the run."""
    content: dict[str, Any] = files(out)
    content.pop("report.html")
    run = json.loads(content.pop("run.json"))
    for name in ("started", "seconds", "shards"):
        run.pop(name, None)
    return content | {"hits.parquet": pq.read_table(out / "hits.parquet").to_pylist(), "run": run}


def at_once(corpus: Path, **options: Any) -> dict[str, Any]:
    beside = corpus.parent
    options = {"against": [beside / "quiz.jsonl"], "by": "meta.source", "action": "cut", **options}
    whorl.decontaminate_files(corpus, beside / "local", **options)
    return result(beside / "local")


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("action", ["report", "tag", "cut", "drop"])
def test_the_files_are_those_of_one_process(corpus: Path, action: str, count: int) -> None:
    expected = at_once(corpus, action=action)
    for name in STAGES:
        done = stage(corpus, name, count, action=action)
    assert result(corpus.parent / "out") == expected
    assert {*expected["run"]["reasons"]} == {"verbatim", "edited", "template", "quotation"}
    assert expected["run"]["counts"]["rejected"] == 3
    assert done.cleaned.hits.to_pylist() == expected["hits.parquet"]
    assert done.cleaned.run["shards"] == {"count": count}
    assert (corpus.parent / "out" / "kept").exists() == (action != "report")


def test_options(corpus: Path) -> None:
    options = {"count": ["verbatim", "template"], "action": "tag", "column": "seen", "by": None, "id": "id"}
    expected = at_once(corpus, **options)
    for name in STAGES:
        stage(corpus, name, 3, **options)
    assert result(corpus.parent / "out") == expected


def test_rows_and_saved_indexes_are_the_same_benchmarks(corpus: Path) -> None:
    expected = at_once(corpus, save_index=corpus.parent / "index")
    stage(corpus, "sketch", 2, against={"quiz": QUIZ})
    stage(corpus, "write", 2, against=corpus.parent / "index")
    assert result(corpus.parent / "out") == expected


def test_shards_may_come_twice_and_after_the_end(corpus: Path) -> None:
    for name in STAGES:
        for number in (1, 2, 1):
            done = shard(corpus, name, number, 2)
    assert done.cleaned is not None
    whole = result(corpus.parent / "out")
    for name in STAGES:
        assert stage(corpus, name, 2).missing == ()
    assert result(corpus.parent / "out") == whole == at_once(corpus)


def test_writing_waits_for_the_scan(corpus: Path) -> None:
    done = shard(corpus, "sketch", 2, 3)
    assert (done.missing, done.then) == ((1, 3), "write")
    with pytest.raises(UsageError, match="sketch is not done: 2 of 3 shards are missing: 1, 3"):
        shard(corpus, "write", 1, 3)
    with pytest.raises(UsageError, match="unknown stage group") as error:
        shard(corpus, "group", 1, 3)
    assert error.value.hint == "choose one of: sketch, write"


def test_other_work_is_not_mixed_in(corpus: Path) -> None:
    stage(corpus, "sketch", 2)
    with pytest.raises(UsageError, match="contains the work of another job: action, column differ"):
        shard(corpus, "write", 1, 2, action="tag", column="seen")
    with pytest.raises(UsageError, match="contains the work of 2 shards"):
        shard(corpus, "write", 1, 3)
    write_jsonl(corpus.parent / "quiz.jsonl", QUIZ[:2])
    with pytest.raises(UsageError, match="contains the work of another job: benchmarks differ"):
        shard(corpus, "write", 1, 2)
    (corpus / "late.jsonl").write_text('{"text": "后来的一篇。"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"input has changed since the work in .* began: late\.jsonl"):
        shard(corpus, "write", 1, 2, against={"quiz": QUIZ})


@pytest.mark.parametrize("name", ["sketch/00002.npz", "sketch/00002/rejected.jsonl", "write/00002/rows.json"])
@pytest.mark.parametrize("is_short", [True, False])
def test_damaged_files_are_named_or_rebuilt(corpus: Path, name: str, is_short: bool) -> None:
    expected = at_once(corpus)
    stage(corpus, "sketch", 2)
    path = corpus.parent / "work" / name
    if name.startswith("write"):
        shard(corpus, "write", 2, 2)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + (b"" if is_short else bytes(len(data) - len(data) // 2)))
    if name.startswith("sketch"):
        with pytest.raises(InputError, match="is damaged") as error:
            stage(corpus, "write", 2)
        assert error.value.hint == "run it again: --stage sketch --shard 2/2"
        shard(corpus, "sketch", 2, 2)
    stage(corpus, "write", 2)
    assert result(corpus.parent / "out") == expected


@pytest.mark.parametrize(
    "content", [{"a.jsonl": b"{broken\n{broken\n", "b.jsonl": b"{broken\n"}, {"a.parquet": b"PAR1"}]
)
def test_inputs_without_a_document_are_refused(tmp_path: Path, content: dict[str, bytes]) -> None:
    write_jsonl(tmp_path / "quiz.jsonl", QUIZ)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, data in content.items():
        (corpus / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        at_once(corpus, by=None)
    stage(corpus, "sketch", 2, by=None)
    with pytest.raises(InputError) as in_shards:
        stage(corpus, "write", 2, by=None)
    assert str(in_shards.value) == str(error.value)
    shutil.rmtree(tmp_path / "work")
    expected = at_once(corpus, by=None, on_error="skip")
    for name in STAGES:
        stage(corpus, name, 2, by=None, on_error="skip")
    assert result(tmp_path / "out") == expected


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
    out = corpus.parent / "out"
    if out.exists():
        shutil.copytree(out, corpus.parent / "out-before")
    for change in range(0, 50, 5):
        process = PROCESSES.Process(target=die_before, args=(change, shard, corpus, name, 2, 2))
        process.start()
        process.join(60)
        assert process.exitcode in (0, -signal.SIGKILL)
        for later in STAGES[STAGES.index(name) :]:
            stage(corpus, later, 2)
        assert result(out) == expected
        for folder, copy in ((corpus.parent / "work", before), (out, corpus.parent / "out-before")):
            shutil.rmtree(folder)
            if copy.exists():
                shutil.copytree(copy, folder)


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
    assert result(corpus.parent / "out") == expected
