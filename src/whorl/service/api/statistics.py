"""How many articles and copies there are, by site, author and day."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["statistics"])
