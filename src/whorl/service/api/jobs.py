"""Endpoints for background jobs."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from pydantic import Field
from starlette.types import Receive, Scope, Send

from whorl.i18n import as_message, say, translated
from whorl.service.http.access import Reads, Writes, library_for, may, model_for, service_of
from whorl.service.http.callers import Caller, still_may
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.jobs import KINDS, Job, JobQueue, scope_of
from whorl.service.jobs.kinds import (
    AddJob,
    BackupJob,
    CohortOptions,
    EvaluateJob,
    EvidenceJob,
    ExportJob,
    ReindexJob,
    ReportJob,
    VerifyJob,
    WatchJob,
    upload_name,
)
from whorl.service.running import Service
from whorl.service.state.jobs import absent, position
from whorl.service.throttling import TooManyError
from whorl.types.jobs import JobState

router = APIRouter(tags=["jobs"], route_class=Repeatable)
_LOOK, _QUIET = 0.5, 15.0
"""Seconds between polls of a job, and seconds without news after which a stream sends a keep-alive."""

JobId = Annotated[str, Path(description="Id of the job.", examples=["9f0c2a526f0e4a3e"])]
JobRequest = Annotated[
    ExportJob | VerifyJob | ReindexJob | BackupJob | WatchJob | EvidenceJob | ReportJob | EvaluateJob,
    Field(discriminator="kind"),
]


@router.post("/libraries/{library}/jobs", status_code=202, dependencies=[Depends(library_for("read"))])
def begin(body: JobRequest, request: Request, answer: Response, caller: Reads) -> Job:
    """Submit a job. Its address is in `Location`."""
    parameters = body.model_dump(exclude={"kind"})
    may(scope_of(body.kind, parameters))(request)
    return _begun(service_of(request).jobs.submit(body.kind, _name(request), parameters, caller.who), answer)


@router.post(
    "/libraries/{library}/jobs/add",
    status_code=202,
    dependencies=[Depends(library_for("write"))],
    openapi_extra={"requestBody": {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def begin_adding(
    request: Request,
    answer: Response,
    caller: Writes,
    collection: Annotated[
        str | None, Query(description="Collection for all articles; default: the one in each line.")
    ] = None,
) -> Job:
    """Submit a job that adds articles from JSON Lines in the body. The result has a line for each article.

    Only administrators may add an export whose `history` has decisions, attestations or cases.
    """
    queue = service_of(request).jobs
    id = await run_in_threadpool(queue.new_id)
    try:
        await _spool(request, queue.folder(id) / upload_name(id))
        chosen = AddJob(collection=collection, statements=caller.may("admin"))
        parameters = chosen.model_dump(exclude={"kind"})
        job = await run_in_threadpool(queue.submit, "add", _name(request), parameters, caller.who, id=id)
    except BaseException:
        shutil.rmtree(queue.folder(id), ignore_errors=True)
        raise
    return _begun(job, answer)


@router.post(
    "/libraries/{library}/jobs/cohort",
    status_code=202,
    dependencies=[Depends(library_for("read"))],
    openapi_extra={"requestBody": {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def begin_cohort(
    request: Request, answer: Response, caller: Reads, chosen: Annotated[CohortOptions, Query()]
) -> Job:
    """Submit a job that compares all manuscripts in a ZIP with each other and, if asked, with the library.

    The result is a ZIP with the class table, a page, and a report for each manuscript.
    """
    model_for(request, requested=chosen.meaning)
    queue = service_of(request).jobs
    if chosen.after:
        await run_in_threadpool(queue.finished_cohort, chosen.after, _name(request))
    id = await run_in_threadpool(queue.new_id)
    try:
        await _spool(request, queue.folder(id) / upload_name(id, "zip"))
        job = await run_in_threadpool(queue.submit, "cohort", _name(request), chosen.model_dump(), caller.who, id=id)
    except BaseException:
        shutil.rmtree(queue.folder(id), ignore_errors=True)
        raise
    return _begun(job, answer)


@router.get("/jobs")
def list_jobs(
    request: Request,
    caller: Reads,
    library: Annotated[str | None, Query(description="Only jobs of this library.")] = None,
    kind: Annotated[str | None, Query(description="Only jobs of this kind.")] = None,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Job]:
    """List the jobs of the libraries that the caller may see, the newest first."""
    jobs = service_of(request).jobs.list(
        library=library,
        libraries=caller.libraries,
        kind=kind,
        state=state,
        before=position_of(cursor, str),
        limit=limit + 1,
    )
    items = [_translated(job) for job in jobs[:limit]]
    return Page(items=items, next=cursor_of(position(items[-1]) if len(jobs) > limit else None))


@router.get("/jobs/{id}")
def get_job(id: JobId, request: Request, caller: Reads) -> Job:
    """Return the state of a job."""
    return _translated(_visible_job(service_of(request).jobs, id, caller))


@router.get("/jobs/{id}/events", response_class=StreamingResponse)
async def follow_job(id: JobId, request: Request, caller: Reads) -> StreamingResponse:
    """Stream the state of a job as `text/event-stream` until it ends: at first and after each change."""
    service = service_of(request)
    await run_in_threadpool(_visible_job, service.jobs, id, caller)
    if not service.streams.acquire(blocking=False):
        raise TooManyError(say("too many streams are open"), hint=say("poll the job instead"))
    return _Stream(service, id, request)


@router.get("/jobs/{id}/result")
def get_result(id: JobId, request: Request, caller: Reads) -> Response:
    """Download the result of a job: its file, or JSON if it has none."""
    queue = service_of(request).jobs
    job = _visible_job(queue, id, caller)
    may(KINDS[job.kind].scope)(request)
    if job.state == "done" and "file" not in (job.result or {}):
        return JSONResponse(job.result)
    path = queue.result(job)
    return FileResponse(path, filename=f"{job.kind}-{job.id}{path.name[path.name.index('.') :]}")


@router.delete("/jobs/{id}", status_code=202)
def cancel_job(id: JobId, request: Request, caller: Reads) -> Job:
    """Cancel a job, immediately while queued or at its next step. Allowed for its submitter and admins."""
    queue = service_of(request).jobs
    if _visible_job(queue, id, caller).by != caller.who:
        may("admin")(request)
    return _translated(queue.cancel(id))


class _Stream(StreamingResponse):
    """Event stream of a job. It ends with the job, the connection, the caller's permission, or the service."""

    def __init__(self, service: Service, id: str, request: Request) -> None:
        super().__init__(self._events(service, id, request), media_type="text/event-stream")
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, then release its slot."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._service.streams.release()

    @staticmethod
    async def _events(service: Service, id: str, request: Request) -> AsyncIterator[str]:
        last_event, quiet = "", 0.0
        while not service.stopping.is_set():
            job = await run_in_threadpool(service.jobs.get, id)
            if not await run_in_threadpool(still_may, request, "read", job.library):
                return
            event = json.dumps(_translated(job).to_dict(), ensure_ascii=False)
            if event != last_event:
                yield f"event: {'end' if job.has_ended else 'progress'}\ndata: {event}\n\n"
                last_event, quiet = event, 0.0
            elif quiet >= _QUIET:
                yield ":\n\n"
                quiet = 0.0
            if job.has_ended:
                return
            await asyncio.sleep(_LOOK)
            quiet += _LOOK


async def _spool(request: Request, place: FilePath) -> None:
    """Write the body of a request to disk."""
    with place.open("wb") as file:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)
        file.flush()
        await run_in_threadpool(os.fsync, file.fileno())


def _begun(job: Job, answer: Response) -> Job:
    answer.headers["Location"] = f"/v1/jobs/{job.id}"
    return _translated(job)


def _name(request: Request) -> str:
    return str(request.path_params["library"])


def _visible_job(queue: JobQueue, id: str, caller: Caller) -> Job:
    """Return a job that the caller may see.

    Raises:
        NotFoundError: the job does not exist or its library is hidden from the caller.
    """
    job = queue.get(id)
    if not caller.sees(job.library):
        raise absent(id)
    return job


def _translated(job: Job) -> Job:
    """Translate problem and notes of a job into the current language."""
    problem = job.problem and {name: translated(as_message(stated)) for name, stated in job.problem.items()}
    result = job.result
    if result and result.get("notes"):
        result = {**result, "notes": [translated(as_message(note)) for note in result["notes"]]}
    return replace(job, problem=problem, result=result)
