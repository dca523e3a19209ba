"""Evidence of copying to hand on: a comparison as a page; evidence packs and their verification, also in ``whorl``."""

from __future__ import annotations

from whorl.reports.comparison.page import render_comparison
from whorl.tasks.evidence.checks import verify_evidence
from whorl.tasks.evidence.pack import pack_evidence

__all__ = ["pack_evidence", "render_comparison", "verify_evidence"]
