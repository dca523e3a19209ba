"""Several workers over one library give the same result as a single worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.rounds import rounds
from tests.stores import SERVERS, place

import whorl
from whorl import Library
from whorl.library.ingest.adding import add_batches
from whorl.library.ingest.batches import DocumentBatch
from whorl.library.ingest.documents import document_of
from whorl.library.ingest.speculation import foresee
from whorl.stores import schemes
from whorl.types.library import Report

ROOT = Path(__file__).parents[2]
WORKERS, ARTICLES_PER_WORKER = 4, 24
NOTICE = "本页由青澜渔港编辑部整理，凡转用其中一字一句者，均须写信征得同意并注明出处；如有出入，概不负责。"
STORIES = [article(story, 120) for story in range(3)]
TEXTS = [
    *STORIES,
    *(edited(story, 2, seed=1) for story in STORIES),
    *(f"{article(100 + number, 40)}\n{NOTICE}" for number in range(12)),
    STORIES[0][:60] + STORIES[1][60:],
    f"{STORIES[2]}\n{NOTICE}",
    "",
]


class Step(NamedTuple):
    """A batch of a worker: it compares before several other batches are written, and is written last."""

    worker: int
    ahead: int
    documents: tuple[tuple[int, int], ...]

    def rows(self) -> list[dict[str, Any]]:
        protected = {True: "protected", False: ""}
        return [
            {"id": f"{id_}", "text": TEXTS[text], "collection": protected[id_ == 0]}
            for id_, text in dict(self.documents).items()
        ]


some = st.lists(st.tuples(st.integers(0, 5), st.integers(0, len(TEXTS) - 1)), min_size=1, max_size=6).map(tuple)
stubs = st.integers(0, 6).map(lambda first: tuple((20 + number, 6 + number) for number in range(first, first + 6)))
steps = st.builds(Step, st.integers(0, 2), st.integers(0, 4), some | stubs)


def state_of(library: Library) -> dict[str, Any]:
    """Return all information of a library about its documents, except when they were added."""
    return {
        "documents": {id_: library.get(id_).text for id_ in library},  # type: ignore[union-attr]
        "matches": {id_: [match.to_dict() for match in library.matches(id_)] for id_ in library},
        "clusters": [(cluster.id, library.cluster(cluster.id).documents) for cluster in library.clusters()],
        "notices": library.notices(),
    }


def foreseen(library: Library, rows: Iterable[dict[str, Any]]) -> DocumentBatch:
    """Return documents compared as far as is possible now."""
    core = library._core
    return foresee(core, DocumentBatch.of(core.making, [document_of(row) for row in rows]))


def written(library: Library, batch: DocumentBatch) -> list[Report]:
    """Return the reports of documents that were written in their turn."""
    (added,) = add_batches(library._core, [batch])
    return added.reports(library._core)


def written_by_several(libraries: Sequence[Library], order: Sequence[Step]) -> list[list[dict[str, Any]]]:
    """Let workers compare at different moments and write in this order; return their reports."""
    ready: dict[int, DocumentBatch] = {}
    reports = []
    for number, step in enumerate(order):
        for later, other in enumerate(order[number:], number):
            if later - other.ahead <= number and later not in ready:
                ready[later] = foreseen(libraries[other.worker], other.rows())
        reports.append([report.to_dict() for report in written(libraries[step.worker], ready.pop(number))])
    return reports


@pytest.mark.parametrize("scheme", schemes())
@pytest.mark.parametrize("window", [None, "3d"])
def test_workers_find_together_what_one_finds_alone(scheme: str, window: str | None) -> None:
    @settings(
        max_examples=rounds(2 if scheme in SERVERS else 8), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(st.lists(steps, min_size=2, max_size=8))
    def holds(order: list[Step]) -> None:
        with TemporaryDirectory() as folder:
            address = place(scheme, Path(folder), "several")
            workers = [whorl.open(address, window=window) for _ in range(3)]
            try:
                reports = written_by_several(workers, order)
                with whorl.open(place(scheme, Path(folder), "alone"), window=window) as alone:
                    assert reports == [[report.to_dict() for report in alone.add(step.rows())] for step in order]
                    assert [state_of(worker) for worker in workers] == [state_of(alone)] * len(workers)
                checkup = workers[0].verify()
                assert (checkup.faults, checkup.healed) == ((), ())
            finally:
                for worker in workers:
                    worker.close()

    holds()


def start(address: str, act: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.contracts.worker", address, act, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def begin(processes: Iterable[subprocess.Popen[str]]) -> None:
    """Start processes that are ready at the same moment."""
    waiting = list(processes)
    assert [line_of(process) for process in waiting] == ["ready"] * len(waiting)
    for process in waiting:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


@pytest.mark.parametrize("at_once", [1, ARTICLES_PER_WORKER])
@pytest.mark.parametrize("scheme", schemes())
def test_copies_that_come_at_the_same_moment_find_each_other(scheme: str, at_once: int, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    whorl.open(address).close()
    workers = [start(address, "copies", number, ARTICLES_PER_WORKER, at_once) for number in range(WORKERS)]
    begin(workers)
    acknowledged = [json.loads(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * WORKERS
    with whorl.open(address) as library:
        assert sorted(library) == sorted(id_ for ids in acknowledged for id_ in ids)
        for story in range(ARTICLES_PER_WORKER):
            copies = {f"{story}-{worker}" for worker in range(WORKERS)}
            assert all({match.id for match in library.matches(id_)} == copies - {id_} for id_ in copies)
            assert set(library.cluster(library.report(f"{story}-0").cluster_id).documents) == copies
        checkup = library.verify()
        assert (checkup.faults, checkup.healed) == ((), ())


@pytest.mark.parametrize("scheme", schemes())
def test_a_worker_that_dies_in_its_turn_holds_nobody_up(scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    with whorl.open(address) as library:
        library.add([{"id": f"{number}", "text": article(number)} for number in range(3)])
        dying = start(address, "turn")
        begin([dying])
        assert line_of(dying) == "its turn"
        waiting = start(address, "copies", 9, 3, 1)
        begin([waiting])
        dying.kill()
        dying.communicate()
        assert json.loads(waiting.communicate(timeout=120)[0]) == ["0-9", "1-9", "2-9"]
        assert sorted(library) == ["0", "0-9", "1", "1-9", "2", "2-9"]
        assert [match.id for match in library.check(article(0)).matches] == ["0", "0-9"]
        checkup = library.verify()
        assert (checkup.faults, checkup.healed) == ((), ())


def test_what_was_foreseen_of_a_text_that_was_revised_is_compared_again(tmp_path: Path) -> None:
    copy, mixed = edited(STORIES[0], 2), STORIES[0][:60] + STORIES[1][60:]
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": "a", "text": STORIES[0]})
        batch = foreseen(library, [{"id": "b", "text": copy}])
        library.add({"id": "a", "text": mixed})
        (report,) = written(library, batch)
        assert [match.similarity for match in report.matches] == [whorl.compare(mixed, copy).similarity]


def test_what_was_foreseen_before_a_notice_was_learned_is_compared_again(tmp_path: Path) -> None:
    stub = [{"id": f"{number}", "text": f"{article(number, 90)}\n{NOTICE}"} for number in range(20)]
    with whorl.open(tmp_path / "library") as library:
        library.add(stub[:2])
        batch = foreseen(library, stub[2:3])
        library.add(stub[3:])
        assert library.notices()
        (report,) = written(library, batch)
        assert report.matches == ()


def test_what_was_foreseen_is_not_compared_again(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": f"{number}", "text": text} for number, text in enumerate(STORIES))
        copies = [{"id": f"copy {number}", "text": edited(text, 2)} for number, text in enumerate(STORIES)]
        batch = foreseen(library, copies)
        mistold = {key: speculated._replace(relation="foreseen") for key, speculated in batch.foreseen.evidence.items()}
        batch = replace(batch, foreseen=replace(batch.foreseen, evidence=mistold))
        relations = [[(match.id, match.relation) for match in report.matches] for report in written(library, batch)]
        assert relations == [[(f"{number}", "foreseen")] for number in range(len(STORIES))]
