"""What people decide about matches."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["reviews"])
