"""Work that takes longer than a request."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from pydantic import Field
from starlette.types import Receive, Scope, Send

from whorl.language import as_message, say, translated
from whorl.service.access import Caller, Reads, Writes, library_for, may, service_of, still_may
from whorl.service.jobs import KINDS, Desk, Job, scope_of
from whorl.service.jobs.kinds import (
    AddJob,
    BackupJob,
    EvaluateJob,
    EvidenceJob,
    ExportJob,
    ReindexJob,
    ReportJob,
    VerifyJob,
    WatchJob,
    upload_name,
)
from whorl.service.limits import TooManyError
from whorl.service.paging import MOST, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.repeating import Repeatable
from whorl.service.running import Service
from whorl.service.state.jobs import JobState, absent, position

router = APIRouter(tags=["jobs"], route_class=Repeatable)
_LOOK, _QUIET = 0.5, 15.0
"""Seconds between two looks at a job, and after which a stream without news shows that it is there."""

JobId = Annotated[str, Path(description="Of the job.", examples=["9f0c2a526f0e4a3e"])]
JobRequest = Annotated[
    ExportJob | VerifyJob | ReindexJob | BackupJob | WatchJob | EvidenceJob | ReportJob | EvaluateJob,
    Field(discriminator="kind"),
]


@router.post("/libraries/{library}/jobs", status_code=202, dependencies=[Depends(library_for("read"))])
def begin(asked: JobRequest, request: Request, answer: Response, caller: Reads) -> Job:
    """Ask for work that takes longer than a request. Its address is in `Location`."""
    given = asked.model_dump(exclude={"kind"})
    may(scope_of(asked.kind, given))(request)
    return _begun(service_of(request).jobs.submit(asked.kind, _name(request), given, caller.who), answer)


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
    collection: Annotated[str | None, Query(description="The collection of all; what each says, unless given.")] = None,
) -> Job:
    """Ask for many articles to be added: the body is JSON Lines. The result is a line for each article."""
    desk = service_of(request).jobs
    id = await run_in_threadpool(desk.new_id)
    try:
        await _spool(request, desk, id)
        given = AddJob(collection=collection).model_dump(exclude={"kind"})
        job = await run_in_threadpool(desk.submit, "add", _name(request), given, caller.who, id=id)
    except BaseException:
        shutil.rmtree(desk.folder(id), ignore_errors=True)
        raise
    return _begun(job, answer)


@router.get("/jobs")
def list_jobs(
    request: Request,
    caller: Reads,
    library: Annotated[str | None, Query(description="Only its own.")] = None,
    kind: Annotated[str | None, Query(description="Only such.")] = None,
    state: Annotated[JobState | None, Query(description="Only such as are in it.")] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Job]:
    """The jobs of the libraries that the caller may see, the newest first."""
    found = service_of(request).jobs.list(
        library=library,
        libraries=caller.libraries,
        kind=kind,
        state=state,
        before=position_of(cursor, str),
        most=limit + 1,
    )
    items = [_said(job) for job in found[:limit]]
    return Page(items=items, next=cursor_of(position(items[-1]) if len(found) > limit else None))


@router.get("/jobs/{id}")
def get_job(id: JobId, request: Request, caller: Reads) -> Job:
    """How a job is."""
    return _said(_seen(service_of(request).jobs, id, caller))


@router.get("/jobs/{id}/events", response_class=StreamingResponse)
async def follow_job(id: JobId, request: Request, caller: Reads) -> StreamingResponse:
    """How a job is, again with each change of it until it has ended, as `text/event-stream`."""
    service = service_of(request)
    await run_in_threadpool(_seen, service.jobs, id, caller)
    if not service.streams.acquire(blocking=False):
        raise TooManyError(say("too many streams are open"), cure=say("ask for the job itself now and then"))
    return _Stream(service, id, request)


@router.get("/jobs/{id}/result")
def get_result(id: JobId, request: Request, caller: Reads) -> Response:
    """What came of a job: the file that it has made; its result as JSON where it has made none."""
    desk = service_of(request).jobs
    job = _seen(desk, id, caller)
    may(KINDS[job.kind].scope)(request)
    if job.state == "done" and "file" not in (job.result or {}):
        return JSONResponse(job.result)
    path = desk.result(job)
    return FileResponse(path, filename=f"{job.kind}-{job.id}{path.name[path.name.index('.') :]}")


@router.delete("/jobs/{id}", status_code=202)
def cancel_job(id: JobId, request: Request, caller: Reads) -> Job:
    """End a job: at once while it waits, at its next step where it runs. Whoever asked for it may, and admins."""
    desk = service_of(request).jobs
    if _seen(desk, id, caller).by != caller.who:
        may("admin")(request)
    return _said(desk.cancel(id))


class _Stream(StreamingResponse):
    """Tells of a job until it has ended, its reader has gone or may no longer read, or the service stops."""

    def __init__(self, service: Service, id: str, request: Request) -> None:
        super().__init__(self._events(service, id, request), media_type="text/event-stream")
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; then let another one follow."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._service.streams.release()

    @staticmethod
    async def _events(service: Service, id: str, request: Request) -> AsyncIterator[str]:
        told, quiet = "", 0.0
        while not service.stopping.is_set():
            job = await run_in_threadpool(service.jobs.get, id)
            if not await run_in_threadpool(still_may, request, "read", job.library):
                return
            event = json.dumps(_said(job).to_dict(), ensure_ascii=False)
            if event != told:
                yield f"event: {'end' if job.has_ended else 'progress'}\ndata: {event}\n\n"
                told, quiet = event, 0.0
            elif quiet >= _QUIET:
                yield ":\n\n"
                quiet = 0.0
            if job.has_ended:
                return
            await asyncio.sleep(_LOOK)
            quiet += _LOOK


async def _spool(request: Request, desk: Desk, id: str) -> None:
    """Put the body of a request on the disk."""
    with (desk.folder(id) / upload_name(id)).open("wb") as file:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)
        file.flush()
        await run_in_threadpool(os.fsync, file.fileno())


def _begun(job: Job, answer: Response) -> Job:
    answer.headers["Location"] = f"/v1/jobs/{job.id}"
    return _said(job)


def _name(request: Request) -> str:
    return str(request.path_params["library"])


def _seen(desk: Desk, id: str, caller: Caller) -> Job:
    """A job that a caller may see.

    Raises:
        NotFoundError: there is none, as also of a library that the caller may not see.
    """
    job = desk.get(id)
    if not caller.sees(job.library):
        raise absent(id)
    return job


def _said(job: Job) -> Job:
    """A job whose problem and notes are in the language that is spoken."""
    problem = job.problem and {name: translated(as_message(said)) for name, said in job.problem.items()}
    result = job.result
    if result and result.get("notes"):
        result = {**result, "notes": [translated(as_message(note)) for note in result["notes"]]}
    return replace(job, problem=problem, result=result)
