"""Functions that Spark calls on its executors, and their answers as Arrow rows."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import whorl.errors
from whorl._internal.frozen import frozen
from whorl.engines.workers import bounded
from whorl.errors import WhorlError

if TYPE_CHECKING:
    import pyarrow as pa

ANSWER = "task long, seconds double, processor double, received long, value string, fault string"
"""The columns of a task's answer, as a Spark schema."""
POSTINGS = "partition long, postings binary"
"""The columns that tasks exchange."""
Gather = Callable[[int, Sequence[bytes]], Any]
"""Converts a partition and its bytes to a JSON value."""

_LASTING = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM))
"""Errors that a retry does not fix."""


class TaskAnswer(NamedTuple):
    """Answer of a task.

    Attributes:
        task: its number.
        seconds: wall-clock time.
        processor: CPU seconds.
        received: bytes received from other tasks.
        value: the result as JSON; None if the task failed.
        fault: the error as JSON; None if the task succeeded.
    """

    task: int
    seconds: float
    processor: float
    received: int
    value: str | None
    fault: str | None

    def demand_success(self) -> None:
        """Raise the error that ended the task, if one did."""
        if self.fault is None:
            return
        fault = json.loads(self.fault)
        if fault["kind"] == "OSError":
            raise OSError(*fault["arguments"])
        raise getattr(whorl.errors, fault["kind"])(fault["message"], hint=fault["hint"])


@frozen(slots=False)
class Tasks:
    """A stage of tasks without an exchange of data.

    Attributes:
        work: is called with one payload.
        payloads: one for each task.
        cores: maximum number of threads per task.
    """

    work: Callable[[Any], Any]
    payloads: Sequence[Any]
    cores: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Process the tasks with these numbers."""
        for number in _numbers(batches):
            yield _row(answered(number, 0, self.cores, partial(self.work, self.payloads[number])))


@frozen(slots=False)
class Emitting:
    """A stage of tasks that emit bytes for partitions.

    Attributes:
        emit: yields partitions and bytes for one payload.
        payloads: one for each task.
    """

    emit: Callable[[Any], Iterator[tuple[int, bytes]]]
    payloads: Sequence[Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Emit the data of the tasks with these numbers."""
        import pyarrow as pa

        for number in _numbers(batches):
            for partition, data in self.emit(self.payloads[number]):
                yield pa.record_batch([pa.array([partition], pa.int64()), pa.array([data], pa.binary())], _POSTINGS)


_POSTINGS = ["partition", "postings"]


def gathering(gather: Gather, cores: int) -> Callable[[pa.Table], pa.Table]:
    """Return the function that Spark calls with all data emitted for a partition."""

    def gathered(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        partition = table["partition"][0].as_py()
        pieces = [piece.as_py() for piece in table["postings"]]
        answer = answered(partition, sum(map(len, pieces)), cores, lambda: gather(partition, pieces))
        return pa.Table.from_batches([_row(answer)])

    return gathered


def _numbers(batches: Iterator[pa.RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def answered(number: int, received: int, cores: int | None, work: Callable[[], Any]) -> TaskAnswer:
    """Run a task and return its answer.

    Args:
        number: number of the task.
        received: bytes received from other tasks.
        cores: maximum number of threads; None is one per core.
        work: returns a JSON value.
    """
    begun, used = time.perf_counter(), time.process_time()
    value: str | None = None
    fault: dict[str, Any] | None = None
    try:
        with bounded(cores):
            value = json.dumps(work())
    except WhorlError as error:
        fault = {"kind": type(error).__name__, "message": str(error.message), "hint": str(error.hint)}
    except OSError as error:
        if error.errno not in _LASTING:
            raise
        fault = {"kind": "OSError", "arguments": [error.errno, error.strerror, str(error.filename or "")]}
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    return TaskAnswer(number, seconds, processor, received, value, None if fault is None else json.dumps(fault))


def _row(answer: TaskAnswer) -> pa.RecordBatch:
    import pyarrow as pa

    kinds = [pa.int64(), pa.float64(), pa.float64(), pa.int64(), pa.string(), pa.string()]
    columns = [pa.array([value], kind) for value, kind in zip(answer, kinds, strict=True)]
    return pa.record_batch(columns, list(TaskAnswer._fields))


__all__ = ["ANSWER", "POSTINGS", "Emitting", "Gather", "TaskAnswer", "Tasks", "answered", "gathering"]
