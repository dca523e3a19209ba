"""Settings: keys, users, leaves, boilerplate and receivers of alerts."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
