"""Lab page: evaluate thresholds and methods on labeled articles and on review decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, BinaryIO, NamedTuple

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError, UsageError, WhorlError
from whorl.i18n import Message, as_message, say
from whorl.library import Library
from whorl.reports.drawing.charts import Plot
from whorl.reports.evaluation.page import ranked
from whorl.service.console.pages import page, path
from whorl.service.http.access import Reads, library_for, service_of
from whorl.service.http.callers import Caller
from whorl.service.http.problems import TITLES, code_of
from whorl.service.jobs import Job, JobQueue
from whorl.service.recent import RECENT
from whorl.service.throttling import TooManyError
from whorl.tasks.methods import methods
from whorl.tasks.review.lab import DecidedCurve, decided_curve

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]
Text = Annotated[str, Form()]

DECISIONS = "decisions"
USUAL = ("minhash", "news")
MOST_METHODS = 8
MOST_BYTES = 8 * 2**20
"""Maximum size of uploaded articles. Larger sets are evaluated as a separate library."""

_MOST_TRUTH = 2**20
_ENDINGS = (".jsonl", ".csv", ".tsv")
_SETS = 20
_MOST_WAITING = 8
_PARAMETERS = {"threshold": say("threshold"), "distance": say("distance")}


class Stop(NamedTuple):
    """A position of the slider.

    Attributes:
        at: threshold or distance.
        x: position in the chart.
        recall: value, interval and counts.
        precision: value, interval and counts; None if it is unknown.
        recall_y: position of the point for the recall; None if it has no value.
        precision_y: position of the point for the precision; None if it has no value.
    """

    at: float
    x: float
    recall: Mapping[str, Any]
    precision: Mapping[str, Any] | None
    recall_y: float | None
    precision_y: float | None


@frozen
class Slider:
    """An adjustable threshold or distance with its effect.

    Attributes:
        parameter: name of the parameter.
        plot: coordinates of the chart.
        stops: possible positions.
        chosen: current position.
    """

    parameter: Message
    plot: Plot
    stops: tuple[Stop, ...]
    chosen: Stop

    @property
    def step(self) -> float:
        """Distance between two positions."""
        return round(self.stops[1].at - self.stops[0].at, 4) if len(self.stops) > 1 else 1

    def line(self, figure: str) -> str:
        """Return a curve over the threshold as the points of a polyline."""
        return self.plot.line((stop.at, value) for stop, value in self._values(figure, "value"))

    def area(self, figure: str) -> str:
        """Return the 95% confidence band of a curve as the points of a polygon."""
        low = [(stop.at, value) for stop, value in self._values(figure, "low")]
        high = [(stop.at, value) for stop, value in self._values(figure, "high")]
        return self.plot.line([*low, *reversed(high)])

    def label_y(self, figure: str) -> float:
        """Return the position of a curve label, keeping the two labels apart."""
        ends = {name: self._end(name) for name in ("recall", "precision")}
        if abs(ends["recall"] - ends["precision"]) >= _APART:
            return ends[figure] + 4
        is_lower = ends[figure] > min(ends.values()) or (figure == "recall" and ends["recall"] == ends["precision"])
        return sum(ends.values()) / 2 + 4 + (_APART / 2 if is_lower else -_APART / 2)

    def _end(self, figure: str) -> float:
        values = [value for _, value in self._values(figure, "value")]
        return self.plot.y(values[-1]) if values else self.plot.bottom

    def _values(self, figure: str, part: str) -> Iterator[tuple[Stop, float]]:
        for stop in self.stops:
            share = getattr(stop, figure)
            if share is not None and share["value"] is not None:
                yield stop, share[part]

    @classmethod
    def of(cls, parameter: str, points: Sequence[Mapping[str, Any]], at: float | None) -> Slider:
        """Build a slider from points with the parameter, "recall" and "precision", set near ``at``."""
        first, last = points[0][parameter], points[-1][parameter]
        plot = Plot(
            left_edge=46, top=16, width=500, height=240, x_first=first, x_last=max(last, first + 0.01), y_last=1
        )
        stops = tuple(
            Stop(
                point[parameter],
                plot.x(point[parameter]),
                point["recall"],
                point["precision"],
                _y(plot, point["recall"]),
                _y(plot, point["precision"]),
            )
            for point in points
        )
        target = stops[len(stops) // 2].at if at is None else at
        chosen = min(stops, key=lambda stop: abs(stop.at - target))
        return cls(_PARAMETERS[parameter], plot, stops, chosen)


_APART = 18.0
"""Minimum distance of two labels in chart units."""


@router.get("/libraries/{library}/lab")
def show_lab(
    request: Request,
    library: str,
    opened: Opened,
    on: str = DECISIONS,
    method: str = "",
    at: float | None = None,
) -> Response:
    """Show the effect of thresholds and the recall of methods."""
    return _lab_page(request, library, opened, on=on, method=method, at=at)


@router.post("/libraries/{library}/lab")
def try_set(
    request: Request,
    library: str,
    opened: Opened,
    caller: Reads,
    documents: UploadFile,
    truth: UploadFile,
    chosen: Annotated[list[str], Form(alias="methods", default_factory=list)],
    is_complete: Annotated[bool, Form(alias="complete")] = False,
) -> Response:
    """Evaluate methods on uploaded articles and labels in a background job."""
    queue = service_of(request).jobs
    try:
        job = _submitted(queue, library, caller, documents, truth, chosen, is_complete=is_complete)
    except WhorlError as error:
        return _lab_page(request, library, opened, error=error)
    return RedirectResponse(f"{path(library, 'lab')}?on={job.id}", 303)


def _submitted(
    queue: JobQueue,
    library: str,
    caller: Caller,
    documents: UploadFile,
    truth: UploadFile,
    chosen: list[str],
    *,
    is_complete: bool,
) -> Job:
    """Save the uploads in the folder of a new job and submit it.

    Raises:
        UsageError: the choice of methods is invalid, or a file has an unsupported type.
        InputError: a file is empty or too large.
        TooManyError: too many jobs of the caller are queued.
    """
    names = {method.name for method in methods()}
    wrong = next((name for name in chosen if name not in names), None)
    if wrong is not None or not 1 <= len(chosen) <= MOST_METHODS:
        raise UsageError(
            say("unknown method {name!r:.60}", name=wrong)
            if wrong is not None
            else say("{count} methods are selected", count=len(chosen)),
            hint=say("select 1 to {most} methods", most=MOST_METHODS),
        )
    waiting = queue.list(library=library, kind="trial", state="queued")
    if sum(job.by == caller.who for job in waiting) >= _MOST_WAITING:
        raise TooManyError(
            say("too many trials are queued"), hint=say("submit it again when some of them have finished")
        )
    contents = {
        f"documents{_ending(documents)}": _read(documents, MOST_BYTES),
        f"truth{_ending(truth)}": _read(truth, _MOST_TRUTH),
    }
    id = queue.new_id()
    for name, content in contents.items():
        (queue.folder(id) / name).write_bytes(content)
    articles, known_copies = contents
    label = PurePosixPath((documents.filename or "").replace("\\", "/")).name[:100]
    parameters = {
        "name": label,
        "documents": articles,
        "truth": known_copies,
        "methods": chosen,
        "complete": is_complete,
    }
    return queue.submit("trial", library, parameters, by=caller.who, id=id)


def _ending(file: UploadFile) -> str:
    name = (file.filename or "").lower()
    ending = next((item for item in _ENDINGS if name.endswith(item)), None)
    if ending is None:
        raise UsageError(
            say("unsupported file type of {name!r:.90}", name=file.filename or ""),
            hint=say("use one of: {known}", known=", ".join(_ENDINGS)),
        )
    return ending


def _read(file: UploadFile, limit: int) -> bytes:
    sent: BinaryIO = file.file
    content = sent.read(limit + 1)
    if not content or len(content) > limit:
        raise InputError(
            say("{name!r:.90} is empty", name=file.filename or "")
            if not content
            else say("{name!r:.90} has more than {most:,} bytes", name=file.filename or "", most=limit),
            hint=say("use a sample, or run `whorl eval` on the machine with the files"),
        )
    return content


def _lab_page(
    request: Request,
    library: str,
    opened: Library,
    *,
    on: str = DECISIONS,
    method: str = "",
    at: float | None = None,
    error: WhorlError | None = None,
) -> Response:
    queue = service_of(request).jobs
    job = None if on == DECISIONS else _trial(queue, library, on)
    curve = RECENT.get(opened, "decided", lambda: decided_curve(opened)) if job is None else None
    evaluation = job.result if job is not None and job.state == "done" else None
    compared = ranked(evaluation) if evaluation else []
    swept = [row for row in compared if row["sweep"]]
    chosen = next((row for row in swept if row["name"] == method), swept[0] if swept else None)
    return page(
        request,
        "lab.html.j2",
        tab="lab",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        on=on,
        job=job,
        curve=curve,
        found=evaluation,
        compared=compared,
        swept=swept,
        chosen=chosen,
        slider=_slider(curve, chosen, at),
        sets=queue.list(library=library, kind="trial", limit=_SETS),
        offered=methods(),
        usual=USUAL,
        decisions=DECISIONS,
        endings=_ENDINGS,
        most_bytes=MOST_BYTES,
        as_message=as_message,
    )


def _slider(curve: DecidedCurve | None, chosen: Mapping[str, Any] | None, at: float | None) -> Slider | None:
    if curve is not None:
        points = [point.to_dict() for point in curve.points]
        return Slider.of("threshold", points, 0.5 if at is None else at) if curve.right else None
    if chosen is None:
        return None
    parameter = next(name for name in _PARAMETERS if name in chosen["sweep"][0])
    usual = chosen["recipe"]["threshold"] if parameter == "threshold" else chosen["recipe"]["parameters"]["distance"]
    return Slider.of(parameter, chosen["sweep"], usual if at is None else at)


def _trial(queue: JobQueue, library: str, id: str) -> Job:
    """Return a job of the lab.

    Raises:
        NotFoundError: the library has no such trial.
    """
    job = queue.get(id)
    if (job.kind, job.library) != ("trial", library):
        raise NotFoundError(say("job {id!r:.60} not found", id=id), hint=say("open the list of jobs"))
    return job


def _y(plot: Plot, share: Mapping[str, Any] | None) -> float | None:
    return None if share is None or share["value"] is None else plot.y(share["value"])


__all__ = ["router"]
