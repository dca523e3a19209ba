"""Numbers that are never reused, and the kinds of changes in the change log."""

from __future__ import annotations

COUNTED = ("document", "content", "cluster", "removal", "change", "notice", "decision", "alert")
"""Kinds of rows whose last number every store keeps."""

ADDED, REVISED, REMOVED, PAIR, VERDICT = range(5)
"""Kinds of a change; a change of a document has its number as the lower one, and no higher one."""

__all__ = ["ADDED", "COUNTED", "PAIR", "REMOVED", "REVISED", "VERDICT"]
