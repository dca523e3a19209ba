"""Jobs of a service."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")


@frozen
class Job(Plain):
    """A background job.

    Attributes:
        id: id of the job.
        kind: kind of the job.
        library: name of the library.
        by: submitter.
        state: "queued", "running", "done", "failed" or "cancelled".
        is_cancelled: True if cancellation was requested.
        stage: name of the current stage; empty before the start.
        done: completed units of the stage.
        total: total units of the stage; None if unknown.
        result: result; None before completion.
        problem: error as ``code``, ``detail`` and ``hint`` in English; None without error.
        tries: number of attempts.
        made_at: time of submission.
        begun_at: time of the first start; None before it.
        ended_at: time of the end; None before it.
    """

    id: str
    kind: str
    library: str
    by: str
    state: JobState
    is_cancelled: bool
    stage: str
    done: int
    total: int | None
    result: dict[str, Any] | None
    problem: dict[str, Any] | None
    tries: int
    made_at: datetime
    begun_at: datetime | None
    ended_at: datetime | None

    @property
    def has_ended(self) -> bool:
        """True in a final state."""
        return self.state in ENDED


__all__ = ["ENDED", "Job", "JobState"]
