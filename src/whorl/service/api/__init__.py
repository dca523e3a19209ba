"""The API: one file a resource. Answers are the frozen data of tasks and libraries, as ``--json`` prints them."""

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
    statistics,
    watches,
)

router = APIRouter()
for part in (libraries, checks, documents, clusters, statistics, kept, reviews, watches, evidence, jobs, keys):
    router.include_router(part.router)

__all__ = ["router"]
