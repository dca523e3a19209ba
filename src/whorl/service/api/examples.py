"""What the description of the API shows as examples."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

ORIGINAL, COPY = "https://paper.example/ice", "https://copies.example/7"
REVIEW = {"state": "confirmed", "by": "mei", "at": "2026-03-06T09:00:00Z", "note": "the quotation is ours"}
MATCH = {
    "id": ORIGINAL,
    "title": "渔港添了两台制冰机",
    "similarity": 0.93,
    "this_in_other": 0.96,
    "other_in_this": 0.97,
    "kind": "near-duplicate",
    "changes": None,
    "passages": [],
    "joins": True,
    "review": REVIEW,
    "recipe": "library",
}


def shown(example: Any) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer by an example of it."""
    return {200: {"content": {"application/json": {"example": example}}}}


def page(*items: Any, more: str | None = None) -> dict[int | str, dict[str, Any]]:
    """Return the description of a page by examples of what is on it."""
    return shown({"items": list(items), "next": more})


Id = Annotated[str, Query(description="The id of an article.", examples=[COPY])]
Other = Annotated[str, Query(description="The id of another article.", examples=[ORIGINAL])]

__all__ = ["COPY", "MATCH", "ORIGINAL", "REVIEW", "Id", "Other", "page", "shown"]
