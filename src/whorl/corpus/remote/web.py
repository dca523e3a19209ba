"""Download web files. Each needs its own address, since the web has no folders."""

from __future__ import annotations

import base64
import glob
import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import IO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote
from urllib.request import Request, urlopen

from whorl.corpus.remote.address import RemotePlace
from whorl.corpus.remote.systems import refusal
from whorl.errors import InputError, UsageError
from whorl.i18n import say

_SECONDS = 60
_SAFE = "/%:@!$&'()*+,;=~-._"
_PAGES = {"text/html": ".html", "application/xhtml+xml": ".html", "application/pdf": ".pdf"}


class WebResponse(NamedTuple):
    """An open download.

    Attributes:
        stream: its bytes.
        name: its local name: a page without a suffix gets one, and the query is part of the name.
        size: its stated size in bytes; None if it is not stated.
        modified: its stated modification time in nanoseconds since 1970; 0 if it is not stated.
    """

    stream: IO[bytes]
    name: str
    size: int | None
    modified: int


def demand_file(place: RemotePlace) -> None:
    """Refuse an address that cannot be a web file.

    Raises:
        UsageError: it is a folder or a pattern.
    """
    if place.path.endswith("/") or not place.path or glob.has_magic(place.path):
        hint = say("name each file by its own address")
        raise UsageError(say("{url} is not a file, and the web has no folders", url=place.url), hint=hint)


@contextmanager
def open_response(place: RemotePlace) -> Iterator[WebResponse]:
    """Request a file, and yield the response.

    Raises:
        InputError: the server refuses the request, is unreachable, or breaks off.
    """
    settings = f"?{place.settings}" if place.settings else ""
    address = f"{place.scheme}://{place.host}/{quote(place.path, safe=_SAFE)}{settings}"
    request = Request(address, headers={"User-Agent": "whorl"})
    if place.user:
        # Only for this server: the header is not sent along with redirects.
        secret = base64.b64encode(unquote(place.user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {secret}")
    try:
        with urlopen(request, timeout=_SECONDS) as answer:
            yield _answer(place, answer)
    except HTTPError as error:
        error.close()
        problem = say("{url} was refused: {status} {reason}", url=place.url, status=error.code, reason=error.reason)
        raise InputError(problem, hint=say("check the address, and whether it needs a password")) from None
    except (URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        raise refusal(place, error) from None


def _answer(place: RemotePlace, answer: http.client.HTTPResponse) -> WebResponse:
    name = PurePosixPath(unquote(place.path)).name or "index"
    suffix = _PAGES.get(answer.headers.get_content_type(), "")
    if place.settings:
        name = f"{sha256(place.settings.encode()).hexdigest()[:12]}-{name}"
    if suffix and not PurePosixPath(name).suffix:
        name += suffix
    length = answer.headers.get("Content-Length", "")
    try:
        modified = int(parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp() * 10**9)
    except (TypeError, ValueError):
        modified = 0
    return WebResponse(answer, name, int(length) if length.isdigit() else None, modified)


__all__ = ["WebResponse", "demand_file", "open_response"]
