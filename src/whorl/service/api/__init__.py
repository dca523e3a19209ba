"""The HTTP API, one module per resource. Responses have the same fields as the ``--json`` output."""

from fastapi import APIRouter

from whorl.service.api import (
    checks,
    clusters,
    documents,
    evidence,
    jobs,
    kept,
    keys,
    libraries,
    reviews,
    seen,
    statistics,
    watches,
)

router = APIRouter()
for part in (libraries, checks, documents, seen, clusters, statistics, kept, reviews, watches, evidence, jobs, keys):
    router.include_router(part.router)

__all__ = ["router"]
