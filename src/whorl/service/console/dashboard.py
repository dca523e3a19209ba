"""Dashboard: what a library is asked, and what it finds."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
