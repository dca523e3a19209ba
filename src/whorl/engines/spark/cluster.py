"""Spark session and execution of stages. This is the only module that imports Spark."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from whorl.engines.spark.tasks import ANSWER, POSTINGS, Emitting, Gather, TaskAnswer, Tasks, answered, gathering
from whorl.errors import ResourceError
from whorl.i18n import say
from whorl.release import missing_package

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOCAL = "local"
"""Prefix of the addresses of masters with executors on this machine."""

_QUIET: dict[str, bool | float | int | str | None] = {
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_SUBMITTED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")
"""Environment variables of a program started by Spark or connected to a Spark server."""


class SparkCluster:
    """A Spark session with statistics of its stages.

    Args:
        session: the Spark session.

    Attributes:
        cores: maximum number of threads per task.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self.cores = int(session.conf.get("spark.task.cpus", "1") or 1)
        self._answered: dict[str, list[TaskAnswer]] = {}

    def run(
        self,
        stage: str,
        work: Callable[[Any], Any],
        payloads: Sequence[Any],
        *,
        here: int = 0,
        workers: int | None = None,
    ) -> list[Any]:
        """Call ``work`` for every payload, each in its own task, and return the results in order.

        Args:
            stage: name of the stage in the run summary.
            work: an importable function; it may be called more than once for a payload, even concurrently.
            payloads: its arguments.
            here: number of leading payloads that the driver processes while executors process the others.
            workers: threads of the driver; None is one per core.

        Raises:
            WhorlError: a task failed; if several did, the error of the first one.
            ResourceError: Spark failed.
        """
        if not payloads:
            return []
        others = payloads[here:]
        with ThreadPoolExecutor(1, "whorl-driver") as pool:
            local_answers = [
                pool.submit(answered, number - here, 0, workers, partial(work, payload))
                for number, payload in enumerate(payloads[:here])
            ]
            tasks = partial(self._tasks, Tasks(work, others, self.cores), len(others), ANSWER)
            return self._answers(stage, tasks if others else None, local_answers)

    def exchange(
        self, stage: str, emit: Callable[[Any], Iterator[tuple[int, bytes]]], payloads: Sequence[Any], gather: Gather
    ) -> list[Any]:
        """Let tasks emit bytes for partitions, collect them by partition, and return the results of ``gather``.

        Args:
            stage: name of the stage in the run summary.
            emit: yields partitions and bytes for them.
            payloads: its arguments, each in its own task.
            gather: receives a partition and all bytes emitted for it, in any order.

        Raises:
            WhorlError: a task failed.
            ResourceError: Spark failed.
        """

        def exchanged() -> DataFrame:
            emitted = self._tasks(Emitting(emit, payloads), len(payloads), POSTINGS)
            return emitted.groupBy("partition").applyInArrow(gathering(gather, self.cores), ANSWER)

        return self._answers(stage, exchanged)

    def describe(self) -> dict[str, Any]:
        """Return the cost of the stages, ready for JSON."""
        stages = {stage: _figures(answers) for stage, answers in self._answered.items()}
        return {"name": "spark", "version": self._session.version, "master": self._master(), "stages": stages}

    def _master(self) -> str:
        return str(self._session.conf.get("spark.master", "") or "")

    def _tasks(self, work: Any, count: int, schema: str) -> DataFrame:
        return self._session.range(0, count, 1, count).mapInArrow(work, schema)

    def _answers(
        self, stage: str, frame: Callable[[], DataFrame] | None, local_answers: Sequence[Future[TaskAnswer]] = ()
    ) -> list[Any]:
        """Return the answers of the tasks of a frame, and those of the driver, whose numbers are negative."""
        with _stage_faults(stage):
            rows = [] if frame is None else frame().collect()
        collected = [*(TaskAnswer(*row) for row in rows), *(answer.result() for answer in local_answers)]
        answers = sorted(collected, key=lambda answer: answer.task)
        for answer in answers:
            answer.demand_success()
        self._answered.setdefault(stage, []).extend(answers)
        return [json.loads(answer.value or "null") for answer in answers]


def _figures(answers: Sequence[TaskAnswer]) -> dict[str, Any]:
    """Return the duration of the tasks of a stage, their skew, and the amount of exchanged data."""
    seconds = sorted(answer.seconds for answer in answers)
    median = seconds[len(seconds) // 2] if seconds else 0.0
    figures = {
        "tasks": len(seconds),
        "seconds": round(sum(seconds), 3),
        "processor": round(sum(answer.processor for answer in answers), 3),
        "longest": round(max(seconds, default=0.0), 3),
        "skew": round(seconds[-1] / median, 2) if median else 0.0,
        "shuffle_bytes": sum(answer.received for answer in answers),
    }
    values = [json.loads(answer.value or "{}") for answer in answers]
    documents = [value["documents"] for value in values if isinstance(value, dict) and "documents" in value]
    return figures | ({"documents": sum(documents), "largest": max(documents)} if documents else {})


@contextmanager
def cluster_at(master: str | None) -> Iterator[SparkCluster]:
    """Connect to the cluster of a master, with the existing session or one that ends with the block.

    Args:
        master: the address of a master, such as ``yarn`` or ``local-cluster[2,1,2048]``; None uses that of the session,
            of `spark-submit`, or this machine.

    Raises:
        UsageError: PySpark is not installed.
        ResourceError: Spark cannot be started.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise missing_package(say("the engine {engine} needs PySpark", engine="spark"), "spark") from error
    active = SparkSession.getActiveSession()
    if active is not None:
        yield SparkCluster(active)
        return
    session = _begun(SparkSession, master)
    try:
        yield SparkCluster(session)
    finally:
        session.stop()


def _begun(kind: type[SparkSession], master: str | None) -> SparkSession:
    is_submitted = any(name in os.environ for name in _SUBMITTED)
    address = master or (None if is_submitted else f"{LOCAL}[*]")
    builder = kind.builder.appName("whorl dedup")
    if address is not None:
        builder = builder.master(address)
        if address.startswith(LOCAL):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = builder.config(map=_QUIET)
    with _stage_faults("start"):
        return builder.getOrCreate()


@contextmanager
def _stage_faults(stage: str) -> Iterator[None]:
    """Convert a Spark failure into an error of one sentence."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            # Warning from pandas, which Spark inspects but whorl does not use.
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except (PySparkException, Py4JError, FileNotFoundError, RuntimeError) as error:
        reason = next(
            (line.strip() for line in reversed(str(error).splitlines()) if _tells(line)), type(error).__name__
        )
        if stage == "start":
            hint = say("check the address of the master; Spark needs Java 17 or newer, see JAVA_HOME")
            raise ResourceError(say("Spark cannot be started: {reason}", reason=reason), hint=hint) from error
        hint = say("see the log of Spark; run the same command again to resume")
        raise ResourceError(
            say("Spark failed in stage {stage}: {reason}", stage=stage, reason=reason), hint=hint
        ) from error


def _tells(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("\t", " ")) and not line.startswith("Driver stacktrace")


__all__ = ["LOCAL", "SparkCluster", "cluster_at"]
