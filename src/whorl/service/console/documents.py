"""The articles of a library: a list that can be searched, and one page each."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
