"""What operators and their programs ask: whether the process lives, whether it is ready, and its figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from whorl.errors import WhorlError
from whorl.service.access import overseer, service_of
from whorl.service.metrics import MEDIA
from whorl.service.running import Service

router = APIRouter()


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """Whether the process answers."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(request: Request) -> JSONResponse:
    """Whether requests may be sent here: the state and the libraries can be read, and the service is not stopping.

    Anybody may ask, so that what was found is answered again for a second, whoever asks.
    """
    service = service_of(request)
    answers = await service.readiness.get(lambda: _answers(service))
    status = "stopping" if service.stopping.is_set() else "ready" if answers else "failing"
    return JSONResponse({"status": status}, 200 if status == "ready" else 503)


@router.get("/metrics", dependencies=[Depends(overseer)])
def metrics(service: Annotated[Service, Depends(service_of)]) -> Response:
    """The figures, for Prometheus. Whoever asks has the scope `admin` for all libraries."""
    return Response(service.metrics.text(service.state, service.shelf), media_type=MEDIA)


def _answers(service: Service) -> bool:
    try:
        service.state.jobs.ids()
        for library in service.shelf.values():
            library.collections()
    except WhorlError:
        return False
    return True


__all__ = ["router"]
