"""Keys, users, and who did what."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["access"])
