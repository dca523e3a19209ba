"""Review: the matches that wait for people."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
