"""Check: a text or a file, held against a library, with its sources and passages."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
