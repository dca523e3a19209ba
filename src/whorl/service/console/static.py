"""Static files with versioned names, which browsers may cache indefinitely."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.service.console.pages import static_files

router = APIRouter()


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a style sheet or script."""
    if name not in static_files():
        raise NotFoundError(say("file {name!r} not found", name=name), hint=say("reload the page"))
    media, content = static_files()[name]
    return Response(content, media_type=media, headers={"Cache-Control": "public, max-age=31536000, immutable"})
