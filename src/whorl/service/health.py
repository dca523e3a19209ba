"""Operational endpoints: liveness, readiness and metrics."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response

from whorl.errors import DiskFullError, WhorlError
from whorl.service.http.access import observer, service_of
from whorl.service.metrics import MEDIA
from whorl.service.running import Service
from whorl.service.state.database import demand_room

router = APIRouter()


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """Return 200 while the process responds."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(
    request: Request, purpose: Annotated[Literal["reads"] | None, Query(alias="for")] = None
) -> JSONResponse:
    """Report whether the process can serve requests.

    This requires that the state and the libraries are readable within seconds, that the service is not stopping, and,
    except with ``for=reads``, that the disks have space. The endpoint is public, so the result is cached for a second.
    """
    service = service_of(request)
    status = await service.readiness.get(lambda: _status(service)) or "failing"
    if status == "full" and purpose == "reads":
        status = "ready"
    if service.stopping.is_set():
        status = "stopping"
    return JSONResponse({"status": status}, 200 if status == "ready" else 503)


@router.get("/metrics", dependencies=[Depends(observer)])
def metrics(service: Annotated[Service, Depends(service_of)]) -> Response:
    """Return the metrics for Prometheus. Requires the scope `metrics` or `admin` for all libraries."""
    return Response(service.metrics.text(service.state, service.shelf.opened()), media_type=MEDIA)


def _status(service: Service) -> str:
    if not _answers(service):
        return "failing"
    return "ready" if _accepts_writes(service) else "full"


def _accepts_writes(service: Service) -> bool:
    try:
        for library in service.shelf.opened().values():
            if library.folder is not None:
                demand_room(library.folder)
    except DiskFullError:
        return False
    return service.state.database.accepts_writes()


def _answers(service: Service) -> bool:
    try:
        service.state.jobs.ids()
        for library in service.shelf.opened().values():
            library.collections()
    except WhorlError:
        return False
    return True


__all__ = ["router"]
