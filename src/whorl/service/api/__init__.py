"""The HTTP API, one module per resource. Responses have the same fields as the ``--json`` output."""

from fastapi import APIRouter

from whorl.service.api import (
    cases,
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
    stories,
    watches,
)

router = APIRouter()
_TEXTS = (libraries, checks, documents, seen, clusters, stories, statistics)
for part in (*_TEXTS, kept, reviews, watches, cases, evidence, jobs, keys):
    router.include_router(part.router)

__all__ = ["router"]
