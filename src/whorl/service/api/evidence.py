"""Evidence packs, and reports to hand in."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["evidence"])
