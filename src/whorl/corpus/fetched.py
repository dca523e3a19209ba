"""Pages as they were fetched, with their address, what the server said they are, and when. Needs the extra ``html``.

Such a file is made by a watch and read back at once; it is no format of users.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.html import demand_parser
from whorl.corpus.pages import Page, UnreadableError, extract
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import write

_MOST_LINKS = 1000


def hold(path: Path, body: bytes, *, url: str, content_type: str, at: datetime) -> Path:
    """Write a page for ``read``, and return where it is."""
    head = {"url": url, "content_type": content_type, "at": at.isoformat()}
    path.write_bytes(json.dumps(head).encode() + b"\n" + body)
    return path


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the article of the page as one document, with all that the page says of itself as further columns.

    Rejected: what is no page, or has no text.

    Raises:
        UsageError: trafilatura is not installed.

    Cost: that of ``whorl.corpus.pages.extract``.
    """
    demand_parser(source)
    head, _, body = Path(source.label).read_bytes().partition(b"\n")
    said = json.loads(head)
    at = datetime.fromisoformat(said["at"])
    try:
        page = extract(
            body, url=said["url"], content_type=said["content_type"], fetched_at=at, encoding=options.encoding
        )
    except UnreadableError as error:
        rejects.add(source, row=1, line=None, reason=error.reason, data=body)
        return
    yield Batch(
        pa.array([page.text], pa.string()),
        pa.nulls(1, pa.string()),
        None if columns.order is None else pa.nulls(1, pa.string()),
        np.array([1], np.int64),
        others=[_told(page)] if columns.others else None,
        notices=page.notices,
    )


def _told(page: Page) -> Mapping[str, Any]:
    return {
        "title": page.title,
        "author": page.author,
        "date": page.date,
        "origin": page.origin,
        "origin_url": page.origin_url,
        "editor": page.editor,
        "canonical": page.canonical,
        "next_page": page.next_page,
        "is_original": page.is_original,
        "links": "\n".join(page.links[:_MOST_LINKS]),
    }


__all__ = ["hold", "read", "write"]
