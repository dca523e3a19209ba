"""Pages of servers, read by processes with limits of time and memory, as files are."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from whorl.corpus.contract import Fetched, Source
from whorl.corpus.isolated import BrokenError, is_possible, told
from whorl.corpus.isolated.frames import written_source
from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.page import Page
from whorl.corpus.whole import UnreadableError
from whorl.language import heard, say

MOST_BYTES = 16 * 2**20


def extract_apart(body: bytes, *, url: str = "", content_type: str = "", fetched_at: datetime | None = None) -> Page:
    """Read a page as `extract` does, in another process with the budget of a file of HTML; safe from threads.

    Raises:
        UnreadableError: it is no page, is longer than ``MOST_BYTES``, or reading it takes too long or too much memory.
        UsageError: no parser of pages is installed.

    Cost: that of ``extract``, and a millisecond; the first page of a process about a second.
    """
    if len(body) > MOST_BYTES:
        raise UnreadableError(say("the page is longer than {most} bytes", most=MOST_BYTES))
    if not is_possible():
        return extract(body, url=url, content_type=content_type, fetched_at=fetched_at)
    with TemporaryDirectory(prefix="whorl-page-") as folder:
        path = Path(folder) / "page"
        path.write_bytes(body)
        source = Source(path, path.name, "html", fetched=Fetched(url, content_type, fetched_at))
        try:
            ((header, _),) = told(source, {"page": True, "source": written_source(source)})
        except BrokenError as broken:
            raise UnreadableError(broken.reason) from None
    if header["is"] == "unreadable":
        raise UnreadableError(heard(header["reason"]))
    return restored(header["page"])


def written(page: Page) -> dict[str, Any]:
    """A page as JSON has it."""
    parts = {part.name: getattr(page, part.name) for part in fields(page)}
    at = page.published_at
    return {**parts, "published_at": None if at is None else at.isoformat(), "notices": dict(page.notices)}


def restored(parts: dict[str, Any]) -> Page:
    """The page that `written` wrote."""
    at = parts["published_at"]
    return Page(
        **{**parts, "published_at": None if at is None else datetime.fromisoformat(at), "links": tuple(parts["links"])}
    )


__all__ = ["MOST_BYTES", "extract_apart", "restored", "written"]
