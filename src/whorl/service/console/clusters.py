"""Clusters: when their members appeared, who copied whom, and which is probably the original."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
