"""Watch: sites, runs, findings, alerts and takedowns."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
