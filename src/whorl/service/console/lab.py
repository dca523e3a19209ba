"""Lab: thresholds and recipes, held against known copies."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
