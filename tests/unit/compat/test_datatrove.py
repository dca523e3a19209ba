"""Steps of datatrove pipelines, run by datatrove."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from tests.articles import article, edited

import whorl
from whorl.compat.datatrove import (
    ApplyDecontaminate,
    ApplyStrip,
    Decide,
    Decontaminate,
    DropCopies,
    SaveTexts,
    Strip,
)
from whorl.errors import InputError, UsageError

FILES = 4
TEXTS = [article(number) for number in range(6)] + [edited(article(number), 2) for number in (0, 3)] + [article(5)]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(FILES):
        rows = [{"id": f"d{row}", "text": text} for row, text in enumerate(TEXTS) if row % FILES == number]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{number}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def run(folder: Path, name: str, steps: list[Any], tasks: int = 1, workers: int = 1) -> Any:
    logs = str(folder / f"logs-{name}")
    return LocalPipelineExecutor(pipeline=steps, tasks=tasks, workers=workers, logging_dir=logs).run()


def cleaned(corpus: Path, work: Path, tasks: int, workers: int = 1, **options: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return the ids and texts of the kept documents, and the dropped documents."""
    save = [JsonlReader(str(corpus)), SaveTexts(work)]
    excluded = JsonlWriter(str(work / "dropped"))
    drop = [JsonlReader(str(corpus)), DropCopies(work, excluded), JsonlWriter(str(work / "out"))]
    run(work, "save", save, tasks, workers)
    run(work, "decide", [Decide(work, **options)])
    run(work, "drop", drop, tasks, workers)
    kept, dropped = (rows(work / name) for name in ("out", "dropped"))
    return {row["id"]: row["text"] for row in kept}, dropped


def rows(folder: Path) -> list[dict[str, Any]]:
    files = [gzip.decompress(path.read_bytes()).decode() for path in sorted(folder.glob("*.gz"))]
    return [json.loads(line) for text in files for line in text.splitlines()]


@pytest.mark.parametrize("options", [{}, {"method": "news", "keep": "longest"}], ids=["default", "news"])
def test_result_does_not_depend_on_task_count(corpus: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    documents = [{"id": f"d{row}", "text": text} for row, text in enumerate(TEXTS)]
    expected = {row["id"]: row["text"] for row in whorl.dedup(documents, **options).kept}
    for tasks in (1, 3, FILES):
        kept, dropped = cleaned(corpus, tmp_path / str(tasks), tasks, **options)
        assert kept == expected
        assert {row["id"] for row in dropped} == {row["id"] for row in documents} - set(expected)


def test_tasks_may_run_in_separate_processes(corpus: Path, tmp_path: Path) -> None:
    assert cleaned(corpus, tmp_path / "a", 3, workers=2)[0] == cleaned(corpus, tmp_path / "b", 1)[0]


def test_dropped_documents_have_evidence(corpus: Path, tmp_path: Path) -> None:
    kept, dropped = cleaned(corpus, tmp_path / "work", 2)
    for row in dropped:
        evidence = row["metadata"]["whorl"]
        assert evidence["duplicate_of"] in kept
        assert evidence["measure"] == "jaccard"
        assert evidence["similarity"] >= 0.8
    assert (tmp_path / "work/clean/report.html").exists()


def saved(work: Path, texts: list[str] = TEXTS) -> list[Document]:
    documents = [Document(text, str(number)) for number, text in enumerate(texts)]
    assert list(SaveTexts(work)(documents)) == documents
    return documents


@pytest.mark.parametrize("change", ["order", "fewer", "more", "text"])
def test_other_documents_than_those_that_were_saved_are_refused(tmp_path: Path, change: str) -> None:
    documents = saved(tmp_path)
    list(Decide(tmp_path)(None))
    others = {
        "order": documents[::-1],
        "fewer": documents[:-1],
        "more": [*documents, Document("more", "more")],
        "text": [Document(document.text + "!", document.id) for document in documents],
    }
    with pytest.raises(InputError, match=r"(?s)hint: .*same order"):
        list(DropCopies(tmp_path)(others[change]))


def test_a_decision_needs_the_texts_of_all_tasks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(?s)not contain the texts of all tasks.*hint: "):
        list(Decide(tmp_path)(None))
    list(SaveTexts(tmp_path)([Document("a", "a")], 0, 2))
    with pytest.raises(InputError, match="not contain the texts of all tasks"):
        list(Decide(tmp_path)(None))


def test_a_task_that_was_stopped_has_saved_nothing(tmp_path: Path) -> None:
    begun = SaveTexts(tmp_path)(Document(text, "x") for text in TEXTS)
    next(begun)
    begun.close()
    with pytest.raises(InputError, match="not contain the texts of all tasks"):
        list(Decide(tmp_path)(None))


def test_a_decision_by_parts_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    for data, tasks in ((None, 2), (iter([]), 1)):
        with pytest.raises(UsageError, match=r"(?s)documents of all tasks.*hint: .*with one task"):
            list(Decide(tmp_path)(data, 0, tasks))


def test_documents_are_dropped_only_after_the_decision(tmp_path: Path) -> None:
    documents = saved(tmp_path)
    with pytest.raises(InputError, match=r"(?s)no decisions.*hint: "):
        list(DropCopies(tmp_path)(documents))


def test_unreadable_documents_are_kept(tmp_path: Path) -> None:
    documents = saved(tmp_path, ["half a character \ud800", "", *TEXTS])
    list(Decide(tmp_path)(None))
    assert list(DropCopies(tmp_path)(documents))[:2] == documents[:2]


NOTICE = "本网站所有内容未经书面授权，不得以任何形式转载、复制或者建立镜像，违者必究。"
ITEM = {"question": "Which river flows through the old town of Vesterholm in the north?", "answer": "the Aln"}


def applied(corpus: Path, work: Path, tasks: int, decide: Any, apply: Any) -> tuple[dict[str, Any], set[str]]:
    """Return the documents that are left by id, and the ids of the dropped ones."""
    run(work, "save", [JsonlReader(str(corpus)), SaveTexts(work)], tasks)
    run(work, "decide", [decide(work)])
    excluded = JsonlWriter(str(work / "dropped"))
    run(work, "apply", [JsonlReader(str(corpus)), apply(work, excluded), JsonlWriter(str(work / "out"))], tasks)
    kept, dropped = (rows(work / name) for name in ("out", "dropped"))
    return {row["id"]: row for row in kept}, {row["id"] for row in dropped}


def written(folder: Path, texts: list[str]) -> Path:
    folder.mkdir()
    for number in range(FILES):
        lines = [{"id": f"d{row}", "text": text} for row, text in enumerate(texts) if row % FILES == number]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("action", ["cut", "mask", "tag"])
def test_repeated_text_is_stripped_in_every_task(tmp_path: Path, action: str) -> None:
    texts = [f"{article(row)}\n{NOTICE}" for row in range(5)] + [NOTICE]
    documents = [{"id": f"d{row}", "text": text} for row, text in enumerate(texts)]
    options = {"inside": "lines", "keep": "none", "action": action}
    expected = whorl.strip(documents, **options)
    folder = written(tmp_path / "in", texts)
    for tasks in (1, 3):
        kept, dropped = applied(folder, tmp_path / str(tasks), tasks, lambda work: Strip(work, **options), ApplyStrip)
        assert {id_: row["text"] for id_, row in kept.items()} == {row["id"]: row["text"] for row in expected.kept}
        assert dropped == ({"d5"} if action == "cut" else set())
        place = texts[0].index(NOTICE)
        assert kept["d0"]["metadata"]["whorl_cuts"] == [[place, place + len(NOTICE)]]


@pytest.mark.parametrize("action", ["drop", "cut", "tag"])
def test_items_of_benchmarks_are_removed_in_every_task(tmp_path: Path, action: str) -> None:
    texts = [
        *map(article, range(4)),
        f"A quiz. {ITEM['question']} It is the Aln. Rain follows tomorrow.",
        ITEM["question"],
    ]
    documents = [{"id": f"d{row}", "text": text} for row, text in enumerate(texts)]
    expected = whorl.decontaminate(documents, against={"quiz": [ITEM]}, action=action)
    folder, bench = written(tmp_path / "in", texts), tmp_path / "quiz.jsonl"
    bench.write_text(json.dumps(ITEM), encoding="utf-8")
    for tasks in (1, 3):
        kept, dropped = applied(
            folder,
            tmp_path / str(tasks),
            tasks,
            lambda work: Decontaminate(work, [f"quiz={bench}"], action),
            ApplyDecontaminate,
        )
        assert {id_: row["text"] for id_, row in kept.items()} == {row["id"]: row["text"] for row in expected.documents}
        assert dropped == {f"d{row}" for row in range(len(texts))} - set(kept)
        tagged = {id_ for id_, row in kept.items() if "contamination" in row["metadata"]}
        assert tagged == ({"d4", "d5"} if action == "tag" else set())


def test_a_step_that_changes_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"(?s)changes documents.*hint: "):
        Decontaminate(tmp_path, [], "report")


def test_nothing_is_changed_before_the_run(tmp_path: Path) -> None:
    documents = saved(tmp_path)
    for step in (ApplyStrip, ApplyDecontaminate):
        with pytest.raises(InputError, match="no decisions"):
            list(step(tmp_path)(documents))
