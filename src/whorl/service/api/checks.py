"""What is known of a text: from two texts, or from a library."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.library.model import Report
from whorl.service.access import library_for

router = APIRouter(tags=["checks"])


class CheckRequest(BaseModel):
    """A text that is held against a library."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"}]},
    )

    text: str = Field(description="What it says.")
    at: datetime | None = Field(None, description="When it was published; now, unless given.")
    among: str | None = Field(None, description="Only articles of this collection; all, unless given.")


@router.post("/libraries/{library}/check")
def check(asked: CheckRequest, library: Annotated[Library, Depends(library_for("read"))]) -> Report:
    """What adding a text would tell: the articles that share text with it, with the passages. Nothing is kept."""
    return library.check(asked.text, at=asked.at, among=asked.among)
