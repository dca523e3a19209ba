"""Endpoints for evidence packs and the ledger."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Depends, File, Query, Request, UploadFile
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.errors import InputError
from whorl.i18n import Message
from whorl.library import Library
from whorl.library.ledger import LedgerEntry
from whorl.service.api.examples import CHECKED, COPY, LEDGER_ENTRY, ORIGINAL, example_response, page
from whorl.service.http.access import Reviews, library_for, may, service_of
from whorl.service.http.bodies import Bounded
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.http.responses import reply
from whorl.service.http.uploads import folder_of
from whorl.tasks.evidence.checks import CheckedEvidence, verify_evidence
from whorl.tasks.evidence.pack import pack_evidence

router = APIRouter(tags=["evidence"], route_class=Bounded)
_LARGEST = 2**63 - 1
_PACK, _STAMP, _TRUSTED = "pack.zip", "pack.tsr", "trusted.pem"


class EvidenceRequest(BaseModel):
    """A match to pack as evidence."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"id": COPY, "other": ORIGINAL, "zone": "Asia/Shanghai"}]},
    )

    id: str = Field(description="Id of the copy.")
    other: str = Field(description="Id of the original.")
    zone: str | None = Field(
        None, description="Time zone of local times; default: that of the service.", max_length=100
    )
    revision: int | None = Field(
        None, ge=1, description="Revision of the copy; default: the one with most of the original."
    )
    pdf: bool = Field(True, description="Add the report as PDF, if PDF support is installed.")


@router.post(
    "/libraries/{library}/evidence",
    response_class=Response,
    responses={
        200: {
            "description": "The pack.",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def pack(
    request: Request,
    library: Annotated[Library, Depends(library_for("review"))],
    caller: Reviews,
    body: EvidenceRequest,
) -> Response:
    """Create an evidence pack of a match in the language of the request; the ledger records its digest.

    It has both pages as fetched, the texts, the passages side by side, the report, decisions, and a manifest with the
    SHA-256 of each file. This takes seconds: for long articles, submit a job of the kind `evidence`.
    """

    def create() -> tuple[str, bytes]:
        with _folder(request) as folder:
            path = folder / _PACK
            packed = pack_evidence(
                library,
                body.id,
                body.other,
                path,
                zone=body.zone,
                pdf=body.pdf,
                revision=body.revision,
                operator=caller.signature,
            )
            return f"evidence-{packed.manifest[:12]}.zip", path.read_bytes()

    name, content = await service_of(request).slow.run(request, "reports", create)
    return Response(content, 200, {"Content-Disposition": f'attachment; filename="{name}"'}, "application/zip")


@router.post(
    "/evidence/verify",
    dependencies=[Depends(may("read"))],
    response_model=CheckedEvidence,
    responses=example_response(CHECKED),
)
def verify(
    request: Request,
    pack: Annotated[UploadFile, File(description="The evidence pack, a ZIP file.")],
    timestamp: Annotated[
        UploadFile | None, File(description="Response of a timestamp authority to manifest.tsq.")
    ] = None,
    trusted: Annotated[UploadFile | None, File(description="Certificates of timestamp authorities as PEM.")] = None,
    library: Annotated[
        str | None, Query(description="Library the pack was created from. Its ledger must contain the pack.")
    ] = None,
) -> Response:
    """Verify an evidence pack and report what it proves and what it does not, in the language of the request."""
    opened = None if library is None else library_for("read")(request, library)
    with _folder(request) as folder:
        stamp, certificates = (
            None if upload is None else _kept(upload, folder / name)
            for upload, name in ((timestamp, _STAMP), (trusted, _TRUSTED))
        )
        result = verify_evidence(_kept(pack, folder / _PACK), opened, timestamp=stamp, trusted=certificates)
        return reply(replace(result, faults=tuple(_named(fault, folder) for fault in result.faults)))


@router.get("/libraries/{library}/ledger", responses=page(LEDGER_ENTRY))
def list_ledger(
    library: Annotated[Library, Depends(library_for("read"))], cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[LedgerEntry]:
    """List the ledger, oldest entry first. Each entry is chained to the one before, and none is ever removed."""
    after = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    entries = library.ledger.after(after, limit + 1)
    return Page(items=entries[:limit], next=cursor_of(entries[limit - 1].number if len(entries) > limit else None))


@contextmanager
def _folder(request: Request) -> Iterator[Path]:
    """Create a temporary folder whose path is hidden from error messages.

    Raises:
        InputError: raised within the context, with file names instead of paths.
    """
    with TemporaryDirectory(dir=folder_of(service_of(request))) as name:
        folder = Path(name)
        try:
            yield folder
        except InputError as error:
            message = error.message
            raise InputError(
                _named(message, folder) if isinstance(message, Message) else message, hint=error.hint
            ) from None


def _named(message: Message, folder: Path) -> Message:
    """Replace paths in the folder by file names."""
    values = {
        name: Path(value).name if isinstance(value, str) and value.startswith(f"{folder}/") else value
        for name, value in message.values.items()
    }
    return Message(message.singular, message.plural, message.number, values)


def _kept(upload: UploadFile, path: Path) -> Path:
    """Save an upload to a file and return its path."""
    with path.open("wb") as file:
        shutil.copyfileobj(upload.file, file)
    return path
