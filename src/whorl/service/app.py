"""The ASGI application: API under ``/v1``, console, and operational endpoints."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from threading import Event

from anyio.to_thread import current_default_thread_limiter
from fastapi import APIRouter, Depends, FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.routing import BaseRoute

from whorl._internal.gc_policy import garbage_sought_seldom
from whorl.release import __version__
from whorl.service import api, console, health
from whorl.service.http.accounting import AccountingMiddleware, open_entry
from whorl.service.http.connections import Bodies
from whorl.service.http.limits import Authenticator
from whorl.service.http.middleware import Defects, Gate
from whorl.service.http.openapi import DescribedApp
from whorl.service.http.problems import add_problems, answering
from whorl.service.http.requests import Heads, demand_known_parameters
from whorl.service.jobs.runner import Runner
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.stopping import close_in_time, heed_signals

_THREADS = 6
"""Worker threads. More than cores, as some wait for the disk; few, as computing threads slow each other down."""

_ABOUT = """
Check texts against libraries, add articles, view the passages that they share, review matches, and attribute originals.
Callers authenticate with a key: `Authorization: Bearer whorl_…`. Errors are problem details (RFC 9457) in the language
of `Accept-Language`.
"""


def create_app(settings: Settings | None = None) -> FastAPI:
    """Create the application.

    Args:
        settings: settings of the service; None reads them from the environment that the parent process prepared.
    """
    chosen = settings or Settings.from_environment()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        stopping = Event()
        heed_signals(stopping)
        service = app.state.service = await run_in_threadpool(Service.open_worker, chosen, stopping)
        runner = Runner(service)
        runner.start()
        try:
            with _loaded_objects_excluded(), garbage_sought_seldom():
                yield
        finally:
            await run_in_threadpool(runner.stop)
            await run_in_threadpool(close_in_time, service)

    app = DescribedApp(
        title="whorl",
        version=__version__,
        summary="Find duplicate, near-duplicate and copied text",
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
    )
    answer = answering(console.show_problem)
    add_problems(app, answer)
    app.router.routes += _routes()
    app.add_middleware(Heads)
    app.add_middleware(Authenticator, settings=chosen, answer=answer)
    app.add_middleware(Defects, answer=answer)
    app.add_middleware(Gate, settings=chosen)
    app.add_middleware(Bodies, settings=chosen)
    app.add_middleware(AccountingMiddleware)
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes, which all applications of a process share.

    FastAPI resolves included routes when requests first get to them, again for each inclusion: .7 s for all of them.
    """
    router = APIRouter(dependencies=[Depends(open_entry)])
    router.include_router(api.router, prefix="/v1", dependencies=[Depends(demand_known_parameters)])
    router.include_router(console.router, include_in_schema=False)
    router.include_router(health.router, include_in_schema=False)
    return router.routes


@contextmanager
def _loaded_objects_excluded() -> Iterator[None]:
    """Exclude the objects that are already loaded from garbage collection: they live as long as the process."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


__all__ = ["create_app"]
