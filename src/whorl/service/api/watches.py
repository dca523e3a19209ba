"""What watched sites have of protected articles, and who was told."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["watch"])
