"""Stripping in stages and shards writes the files of a run on one machine, if shards are killed or run twice."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import shutil
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, jsonl, write_jsonl
from tests.killing import die_before
from tests.runs import files

import whorl
from whorl.corpus import cutting
from whorl.engines.local import read
from whorl.errors import InputError, UsageError
from whorl.inside import index
from whorl.inside.shards import sketching

STAGES = ("sketch", "group", "decide", "write")
NOTICE = "本网站所有内容未经书面授权，不得以任何形式转载、复制或者建立镜像，违者必究，本网站保留追究其法律责任的权利。"
ASIDE = "Reproduction of this article without the written consent of the publisher is prohibited, and so are mirrors."
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__, "whorl.tasks.strip_shards"])


def rows() -> list[dict[str, str]]:
    """Return articles that take over parts of earlier ones, which are partly taken over themselves."""
    texts: list[str] = []
    for number in range(60):
        text = article(number, 300)
        if number % 3 == 1:
            text = f"{text}\n{texts[number - 1][100:260]}\n{NOTICE}"
        if number % 3 == 2:
            text = f"{text[:150]}\n{texts[number - 1][-230:]}\n{ASIDE}\n{text[150:]}\n{NOTICE}"
        texts.append(text)
    texts += [texts[3], NOTICE, f"{NOTICE}\n{ASIDE}\n{NOTICE}"]
    return [
        {"id": f"{number:03}", "text": text, "site": f"https://{'ab'[number % 2]}.example/{number}"}
        for number, text in enumerate(texts)
    ]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return files of several formats, and some that cannot be read."""
    documents = rows()
    folder = tmp_path / "corpus"
    write_jsonl(folder / "a.jsonl", documents[:25])
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(jsonl([*documents[25:40], {"no": "text"}])))
    pq.write_table(pa.Table.from_pylist(documents[40:50]), folder / "c.parquet")
    write_jsonl(folder / "deeper" / "d.jsonl", documents[50:])
    (folder / "note.txt").write_text(f"一篇单独的短文。\n{NOTICE}\n", encoding="utf-8")
    (folder / "torn.parquet").write_bytes(b"PAR1 and no more")
    return folder


def shard(corpus: Path, stage: Any, number: int, count: int, **options: Any) -> Any:
    """Run one shard; output and work folders are next to the corpus."""
    beside = corpus.parent
    return whorl.runs.strip_shard(
        corpus, beside / "out", stage=stage, shard=f"{number}/{count}", work=beside / "work", **options
    )


def stage(corpus: Path, name: str, count: int, **options: Any) -> Any:
    """Run all shards of a stage, the last one first."""
    return [shard(corpus, name, number, count, **options) for number in range(count, 0, -1)][-1]


def result(out: Path) -> dict[str, Any]:
    """Return the result without times and the process: rows of tables, bytes of files, and the run."""
    content: dict[str, Any] = files(out)
    content.pop("report.html")
    run = json.loads(content.pop("run.json"))
    for name in ("started", "timings", "outputs", "command", "inputs", "shards"):
        run.pop(name, None)
    tables = {name: pq.read_table(out / name).to_pylist() for name in content if name.endswith(".parquet")}
    return content | {name: table for name, table in tables.items() if "/" not in name} | {"run": run}


def in_shards(corpus: Path, count: int, **options: Any) -> dict[str, Any]:
    """Run all stages; return the result."""
    done = [stage(corpus, name, count, **options) for name in STAGES][-1]
    assert done.cleaned is not None
    assert done.cleaned.run["counts"]["changed"]
    return result(corpus.parent / "out")


def at_once(corpus: Path, **options: Any) -> dict[str, Any]:
    whorl.strip_files(corpus, corpus.parent / "local", **options)
    return result(corpus.parent / "local")


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("inside", ["lines", "sentences", "paragraphs", "passages"])
def test_the_files_are_those_of_one_machine(
    corpus: Path, inside: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"inside": inside, "least": 40, "on_error": "skip"}
    expected = at_once(corpus, **options)
    monkeypatch.setattr(read, "SEGMENT_BYTES", 5_000)
    assert in_shards(corpus, count, **options) == expected


OPTIONS: dict[str, dict[str, Any]] = {
    "per site": {"inside": "lines", "per": "site"},
    "by site": {"by": "site"},
    "nothing is kept": {"keep": "none"},
    "sentences, nothing is kept": {"inside": "sentences", "keep": "none", "repeats": 3},
    "longest": {"keep": "longest", "least": "30 tokens"},
    "masked": {"action": "mask", "mask": "[cut]"},
    "tagged": {"action": "tag", "inside": "sentences"},
    "short ones dropped": {"drop_below": 500},
    "measured": {"repetition": "measure"},
    "filtered": {"repetition": "filter", "inside": "lines"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(tmp_path: Path, name: str) -> None:
    documents = rows()
    for part in range(3):
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", documents[part::3])
    corpus = tmp_path / "corpus"
    expected = at_once(corpus, **OPTIONS[name])
    assert in_shards(corpus, 3, **OPTIONS[name]) == expected


@pytest.mark.parametrize("inside", ["lines", "passages"])
def test_approved_texts(tmp_path: Path, inside: str) -> None:
    documents = rows()
    for part in range(2):
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", documents[part::2])
    approved = write_jsonl(
        tmp_path / "approved.jsonl",
        [
            {"decision": "cut", "text": NOTICE, "site": "a.example"},
            {"decision": "cut", "text": ASIDE},
            {"decision": "keep", "text": "延伸阅读"},
            {"decision": "cut", "text": "This text is on no page.", "site": "c.example"},
        ],
    )
    options = {"approved": approved, "per": "site", "inside": inside}
    expected = at_once(tmp_path / "corpus", **options)
    assert in_shards(tmp_path / "corpus", 2, **options) == expected
    assert expected["run"]["approved"]["absent_lines"] == [4]


@pytest.mark.parametrize("count", [2, 5])
def test_a_large_file_is_divided(tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_LEAST_BYTES", 1_000)
    documents = rows()
    corpus = write_jsonl(tmp_path / "corpus" / "a.jsonl", documents[:5]).parent
    lines = [json.dumps(row, ensure_ascii=False) for row in documents[5:-5]]
    lines[7::7] = [f'{line}\n{{"text": ' for line in lines[7::7]]
    (corpus / "large.jsonl").write_text("\n".join(lines), encoding="utf-8")
    write_jsonl(corpus / "z.jsonl", documents[-5:])
    options = {"least": 60, "drop_below": 400}
    assert in_shards(corpus, count, **options) == at_once(corpus, **options)
    places = [list((tmp_path / "work" / "sketch" / f"{n:05d}").glob("0*")) for n in range(1, count + 1)]
    assert all(places)


def test_shards_may_come_twice_and_after_the_end(corpus: Path) -> None:
    for name in STAGES:
        for number in (1, 2, 1):
            done = shard(corpus, name, number, 2)
    assert done.cleaned is not None
    whole = result(corpus.parent / "out")
    for name in STAGES:
        assert stage(corpus, name, 2).missing == ()
    assert result(corpus.parent / "out") == whole == at_once(corpus)


@pytest.mark.parametrize("name", STAGES[1:])
def test_a_stage_waits_for_the_one_before(corpus: Path, name: str) -> None:
    for earlier in STAGES[: STAGES.index(name) - 1]:
        stage(corpus, earlier, 3)
    before = STAGES[STAGES.index(name) - 1]
    done = shard(corpus, before, 2, 3)
    assert (done.missing, done.then) == ((1, 3), name)
    with pytest.raises(UsageError, match=f"{before} is not done: 2 of 3 shards are missing: 1, 3"):
        shard(corpus, name, 1, 3)


def test_other_work_is_not_mixed_in(corpus: Path) -> None:
    stage(corpus, "sketch", 2)
    with pytest.raises(UsageError, match="contains the work of another job: strip differ"):
        shard(corpus, "group", 1, 2, least=70)
    beside = corpus.parent
    with pytest.raises(UsageError, match="contains the work of another job: recipe, strip differ"):
        whorl.runs.dedup_shard(corpus, beside / "out", stage="group", shard="1/2", work=beside / "work")
    (corpus / "late.jsonl").write_text('{"text": "后来的一篇。"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"input has changed since the work in .* began: late\.jsonl"):
        shard(corpus, "group", 1, 2)


DAMAGES = {
    "sketch/00002/00000/segment.json": ("sketch", "group"),
    "sketch/00002/records.parts": ("sketch", "group"),
    "sketch/00002/records.npz": ("sketch", "group"),
    "sketch/00002/details.npz": ("sketch", "write"),
    "group/00002.parts": ("group", "decide"),
    "decide/00002.npz": ("decide", "write"),
    "decide/00002.parts": ("decide", "write"),
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("is_short", [True, False])
def test_damaged_files_are_named_and_rebuilt(corpus: Path, name: str, is_short: bool) -> None:
    options: dict[str, Any] = {"by": "site", "on_error": "skip"}
    (corpus / "note.txt").unlink()
    (corpus / "torn.parquet").unlink()
    expected = at_once(corpus, **options)
    damage, arguments = DAMAGES[name]
    for earlier in STAGES[: STAGES.index(arguments)]:
        stage(corpus, earlier, 2, **options)
    path = corpus.parent / "work" / name
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + (b"" if is_short else bytes(len(data) - len(data) // 2)))
    with pytest.raises(InputError, match="is damaged") as error:
        stage(corpus, arguments, 2, **options)
    assert error.value.hint == f"run it again: --stage {damage} --shard 2/2"
    shard(corpus, damage, 2, 2, **options)
    for later in STAGES[STAGES.index(damage) + 1 :]:
        stage(corpus, later, 2, **options)
    assert result(corpus.parent / "out") == expected


def test_more_partitions_and_blocks(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = at_once(corpus)
    monkeypatch.setattr(sketching, "_BITS", range(9, 10))
    monkeypatch.setattr(index, "_BUCKET_LENGTH", 1_000)
    assert in_shards(corpus, 2) == expected


SENTENCES = [f"{article(number, 20)}。" for number in range(8)]
TEXTS = st.lists(st.lists(st.sampled_from(SENTENCES), max_size=8).map("".join), min_size=4, max_size=20)


@settings(max_examples=10)
@given(
    texts=TEXTS, count=st.integers(1, 4), min_length=st.integers(12, 150), keep=st.sampled_from(["first", "longest"])
)
def test_copies_of_copies_are_traced_alike(texts: list[str], count: int, min_length: int, keep: str) -> None:
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        for part in range(2):
            write_jsonl(corpus / f"{part}.jsonl", [{"id": f"{part}", "text": text} for text in texts[part::2]])
        options = {"least": min_length, "keep": keep, "on_error": "skip"}
        expected = at_once(corpus, **options)
        done = [stage(corpus, name, count, **options) for name in STAGES][-1]
        assert done.cleaned is not None
        assert result(corpus.parent / "out") == expected


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
    for change in range(0, 66, 11):
        process = PROCESSES.Process(target=die_before, args=(change, shard, corpus, name, 2, 2))
        process.start()
        process.join(60)
        assert process.exitcode in (0, -signal.SIGKILL)
        for later in STAGES[STAGES.index(name) :]:
            stage(corpus, later, 2)
        assert result(corpus.parent / "out") == expected
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
    assert result(corpus.parent / "out") == expected
