"""Cohort pages: compare all manuscripts of a class with each other, and record the decisions of the examiner."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from io import StringIO
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from whorl._internal.atomic_file import appearing
from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError, UsageError, WhorlError
from whorl.i18n import Message, as_message, say, spoken
from whorl.library import Library
from whorl.reports.cohort.tables import harmless
from whorl.reports.comparison.wording import RELATIONS
from whorl.service.console.pages import page, path
from whorl.service.http.access import Reads, library_for, model_for, service_of
from whorl.service.http.callers import Caller
from whorl.service.http.problems import TITLES, code_of
from whorl.service.jobs import Job, JobQueue
from whorl.service.jobs.cohorts import CLASS_TABLE, COHORT_FOLDER, DECISIONS, MANUSCRIPTS, decision_file
from whorl.service.jobs.kinds import MAX_EARLIER, upload_name
from whorl.tasks.cohort.reporting import FOLDER as REPORTS
from whorl.tasks.cohort.run import MIN_LENGTH
from whorl.tasks.cohort.uploads import MAX_FILES, keep_file

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]

CHOICES: dict[str, Message] = {
    "clear": say("no objection"),
    "discuss": say("to be discussed"),
    "revise": say("return for revision"),
    "copied": say("plagiarism"),
}
"""Decisions of an examiner about a manuscript."""

_SHOWN_ROWS = 500
_COHORTS = 20
_LONGEST_NOTE = 500
_MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".pdf": "application/pdf",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Policy of the generated pages: their styles are inside, and they have no scripts."""
_OPENED = (".html", ".pdf")
_FILES = ("*.*", f"{REPORTS}/*.html")


@frozen
class Decision:
    """Decision of an examiner about a manuscript.

    Attributes:
        manuscript: name of the manuscript.
        decision: one of `CHOICES`.
        note: note of the examiner.
        by: name of the examiner.
        at: time of the decision.
    """

    manuscript: str
    decision: str
    note: str
    by: str
    at: datetime


@router.get("/libraries/{library}/cohorts")
def show_cohorts(request: Request, library: str, opened: Opened, on: str = "") -> Response:
    """Show a cohort, the earlier ones, and the form for another."""
    return _cohort_page(request, library, opened, on=on)


@router.post("/libraries/{library}/cohorts")
async def begin_cohort(request: Request, library: str, opened: Opened, caller: Reads) -> Response:
    """Save the uploaded manuscripts and compare them in a background job."""
    queue = service_of(request).jobs
    id = await run_in_threadpool(queue.new_id)
    try:
        async with _form_of(request) as form:
            model_for(request, requested="meaning" in form)
            job = await run_in_threadpool(_submitted, queue, library, caller, form, id)
    except WhorlError as error:
        rmtree(queue.folder(id), ignore_errors=True)
        return await run_in_threadpool(_cohort_page, request, library, opened, error=error)
    except BaseException:
        rmtree(queue.folder(id), ignore_errors=True)
        raise
    return RedirectResponse(f"{path(library, 'cohorts')}?on={job.id}", 303)


@router.post("/libraries/{library}/cohorts/{id}/decisions", dependencies=[Depends(library_for("review"))])
def decide(
    request: Request,
    library: str,
    id: str,
    caller: Reads,
    manuscript: Annotated[str, Form(max_length=2000)],
    decision: Annotated[str, Form(max_length=20)] = "",
    note: Annotated[str, Form(max_length=_LONGEST_NOTE)] = "",
) -> Response:
    """Record the decision about a manuscript; an empty one withdraws it."""
    queue = service_of(request).jobs
    job = queue.finished_cohort(id, library)
    if decision not in ("", *CHOICES):
        raise UsageError(
            say("unknown decision {name!r:.60}", name=decision),
            hint=say("choose one of: {known}", known=", ".join(CHOICES)),
        )
    if manuscript not in {row["manuscript"]["name"] for row in _results(queue, job)["examinations"]}:
        raise NotFoundError(say("manuscript {name!r:.90} not found", name=manuscript), hint=say("open the class table"))
    place = decision_file(queue.folder(id), manuscript)
    if decision:
        place.parent.mkdir(exist_ok=True)
        stated = {"manuscript": manuscript, "decision": decision, "note": note.strip(), "by": caller.signature}
        with appearing(place) as new:
            new.write_text(json.dumps({**stated, "at": datetime.now(UTC).isoformat()}, ensure_ascii=False), "utf-8")
    else:
        place.unlink(missing_ok=True)
    return RedirectResponse(f"{path(library, 'cohorts')}?on={job.id}#{_row_id(manuscript)}", 303)


@router.get("/libraries/{library}/cohorts/{id}/decisions.csv")
def export_decisions(request: Request, library: str, id: str, opened: Opened) -> Response:
    """Return the class table with the decisions as CSV."""
    del opened
    queue = service_of(request).jobs
    job = queue.finished_cohort(id, library)
    decisions = _decisions(queue, job)
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(("file", "title", "author", "copied", "top_source", "decision", "note", "by", "at"))
    for row in _results(queue, job)["examinations"]:
        manuscript, decision = row["manuscript"], decisions.get(row["manuscript"]["name"])
        stated = (decision.decision, decision.note, decision.by, decision.at.isoformat()) if decision else ("",) * 4
        values = (
            manuscript["name"],
            manuscript["title"],
            manuscript["author"],
            row["ratios"]["copied"],
            row["top_source"],
        )
        writer.writerow([harmless(value) for value in (*values, *stated)])
    headers = {"Content-Disposition": f'attachment; filename="decisions-{job.id}.csv"'}
    return Response(file.getvalue().encode("utf-8-sig", "replace"), media_type=_MEDIA[".csv"], headers=headers)


@router.get("/libraries/{library}/cohorts/{id}/files/{name:path}")
def show_file(request: Request, library: str, id: str, name: str, opened: Opened) -> Response:
    """Return a page, table or PDF of a cohort."""
    del opened
    queue = service_of(request).jobs
    folder = _folder(queue, queue.finished_cohort(id, library))
    # The name is only compared with existing ones, never used as a path.
    files = {file.relative_to(folder).as_posix(): file for pattern in _FILES for file in folder.glob(pattern)}
    place = files.get(name)
    if place is None or place.suffix not in _MEDIA:
        raise NotFoundError(say("file {name!r:.90} not found", name=name), hint=say("open the class table"))
    headers = {"Content-Security-Policy": _POLICY} if place.suffix == ".html" else {}
    disposition = "inline" if place.suffix in _OPENED else "attachment"
    return FileResponse(
        place,
        media_type=_MEDIA[place.suffix],
        filename=place.name,
        content_disposition_type=disposition,
        headers=headers,
    )


@asynccontextmanager
async def _form_of(request: Request) -> AsyncIterator[FormData]:
    """Parse the form. Uploaded files stay open until they are saved.

    Raises:
        InputError: the form has too many files.
    """
    async with AsyncExitStack() as opened:
        try:
            form = await opened.enter_async_context(request.form(max_files=MAX_FILES, max_fields=20))
        except HTTPException as error:
            if error.status_code != HTTPStatus.BAD_REQUEST:
                raise
            raise InputError(
                say("the form has more than {most:,} files, or is malformed", most=MAX_FILES),
                hint=say("upload a ZIP, or run `whorl cohort` on a machine with the files"),
            ) from error
        yield form


def _submitted(queue: JobQueue, library: str, caller: Caller, form: FormData, id: str) -> Job:
    """Save the files in the folder of a new job and submit it.

    Raises:
        InputError: there is no file.
        UsageError: an option is invalid.
        NotFoundError: the cohort to which they are added does not exist.
    """
    uploads = [item for item in form.getlist("manuscripts") if isinstance(item, UploadFile) and item.filename]
    if not uploads:
        raise InputError(say("there are no manuscripts"), hint=say("choose files, or one ZIP of them"))
    folder = queue.folder(id) / MANUSCRIPTS
    folder.mkdir()
    if len(uploads) == 1 and (uploads[0].filename or "").lower().endswith(".zip"):
        keep_file(uploads[0].file, upload_name(id, "zip"), queue.folder(id))
    else:
        for upload in uploads:
            keep_file(upload.file, upload.filename or "", folder)
    after = str(form.get("after") or "")
    if after:
        queue.finished_cohort(after, library)
        return queue.submit("cohort", library, {"after": after}, by=caller.who, id=id)
    options: dict[str, Any] = {
        "title": str(form.get("title") or "").strip(),
        "examiner": str(form.get("examiner") or "").strip(),
        "earlier": "earlier" in form,
        "quotations": "quotations" in form,
        "reworded": "reworded" in form,
        "meaning": "meaning" in form,
        "pdf": "pdf" in form,
        "min_length": form.get("min_length") or MIN_LENGTH,
        "language": spoken(),
    }
    return queue.submit("cohort", library, options, by=caller.who, id=id)


def _cohort_page(
    request: Request, library: str, opened: Library, *, on: str = "", error: WhorlError | None = None
) -> Response:
    queue = service_of(request).jobs
    jobs = queue.list(library=library, kind="cohort", limit=_COHORTS)
    job = queue.cohort(on, library) if on else None
    results = _results(queue, job) if job is not None and job.state == "done" else None
    return page(
        request,
        "cohorts.html.j2",
        tab="cohorts",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        job=job,
        jobs=jobs,
        results=results,
        rows=[] if results is None else results["examinations"][:_SHOWN_ROWS],
        limit=_SHOWN_ROWS,
        decisions={} if job is None else _decisions(queue, job),
        choices=CHOICES,
        relations=RELATIONS,
        row_id=_row_id,
        has_pdf=results is not None and job is not None and (_folder(queue, job) / "cohort.pdf").is_file(),
        can_compare_earlier=0 < len(opened) <= MAX_EARLIER,
        documents=len(opened),
        min_length=MIN_LENGTH,
        can_compare_meaning=bool(service_of(request).settings.meaning),
        most_files=MAX_FILES,
        as_message=as_message,
    )


def _folder(queue: JobQueue, job: Job) -> Path:
    return queue.folder(job.id) / COHORT_FOLDER


def _results(queue: JobQueue, job: Job) -> dict[str, Any]:
    """Return the results of a finished cohort without its pairs.

    Raises:
        NotFoundError: its files were deleted.
    """
    try:
        results: dict[str, Any] = json.loads((queue.folder(job.id) / CLASS_TABLE).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFoundError(
            say("the files of the cohort were deleted"), hint=say("upload the manuscripts again")
        ) from error
    return results


def _row_id(manuscript: str) -> str:
    """Return the anchor of a row of the class table."""
    return f"m{sha256(manuscript.encode()).hexdigest()[:8]}"


def _decisions(queue: JobQueue, job: Job) -> Mapping[str, Decision]:
    """Return the decisions by manuscript."""
    decisions = {}
    for file in (queue.folder(job.id) / DECISIONS).glob("*.json"):
        stated = json.loads(file.read_text(encoding="utf-8"))
        decision = Decision(**{**stated, "at": datetime.fromisoformat(stated["at"])})
        decisions[decision.manuscript] = decision
    return decisions


__all__ = ["DECISIONS", "Decision", "router"]
