"""Articles: added, changed and removed, one or many at a time, each as it is and as it was."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["documents"])
