"""What is known of sites, leaves, proofs and collections."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["sites and rights"])
