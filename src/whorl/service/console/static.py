"""Files that browsers keep for good: their names change with their content."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from whorl.errors import NotFoundError
from whorl.language import say
from whorl.service.console.pages import static_files

router = APIRouter()


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A style or a script."""
    if name not in static_files():
        raise NotFoundError(say("there is no file {name!r}", name=name), cure=say("load the page again"))
    media, content = static_files()[name]
    return Response(content, media_type=media, headers={"Cache-Control": "public, max-age=31536000, immutable"})
