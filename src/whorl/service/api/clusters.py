"""Who has copied whom: matches, clusters, who was first, and what is reprinted most."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["clusters"])
