"""What operators and their programs ask: whether the process lives, whether it is ready, and its figures."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response

from whorl.errors import DiskFullError, WhorlError
from whorl.service.access import overseer, service_of
from whorl.service.metrics import MEDIA
from whorl.service.running import Service
from whorl.service.state.database import demand_room

router = APIRouter()


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """Whether the process answers."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(
    request: Request, purpose: Annotated[Literal["reads"] | None, Query(alias="for")] = None
) -> JSONResponse:
    """Return whether requests may be sent here.

    The state and the libraries can be read, the service is not stopping, and their disks have room, which is left out
    with ``for=reads``. Anybody may ask, so the answer is reused for a second.
    """
    service = service_of(request)
    status = await service.readiness.get(lambda: _status(service))
    if status == "full" and purpose == "reads":
        status = "ready"
    if service.stopping.is_set():
        status = "stopping"
    return JSONResponse({"status": status}, 200 if status == "ready" else 503)


@router.get("/metrics", dependencies=[Depends(overseer)])
def metrics(service: Annotated[Service, Depends(service_of)]) -> Response:
    """The figures, for Prometheus. Whoever asks has the scope `admin` for all libraries."""
    return Response(service.metrics.text(service.state, service.shelf), media_type=MEDIA)


def _status(service: Service) -> str:
    if not _answers(service):
        return "failing"
    return "ready" if _accepts_writes(service) else "full"


def _accepts_writes(service: Service) -> bool:
    try:
        for library in service.shelf.values():
            if library.folder is not None:
                demand_room(library.folder)
    except DiskFullError:
        return False
    return service.state.database.accepts_writes()


def _answers(service: Service) -> bool:
    try:
        service.state.jobs.ids()
        for library in service.shelf.values():
            library.collections()
    except WhorlError:
        return False
    return True


__all__ = ["router"]
