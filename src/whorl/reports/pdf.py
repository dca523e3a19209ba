"""Export of pages as PDF. Needs the extra ``print``, and Pango, which Python does not install."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

from whorl.errors import ResourceError
from whorl.language import say
from whorl.release import missing_package

PDF_MARK = b"% whorl report\n"
"""Mark at the end of every PDF."""

_HAN = re.compile("[\u4e00-\u9fff]")
_UNDRAWN = ".notdef glyph"


def as_pdf(page: str) -> bytes:
    """Return a page as PDF with embedded fonts, a bookmark for each heading, title and author.

    Args:
        page: HTML of this package; no external resource is fetched.

    Raises:
        UsageError: WeasyPrint is not installed.
        ResourceError: Pango is not installed, or no font covers the Chinese characters of the page.

    Cost: about 0.3 s and 2 MB a page.
    """
    weasyprint = _weasyprint()
    with _undrawn() as characters:
        pdf: bytes = weasyprint.HTML(
            string=page, url_fetcher=weasyprint.urls.URLFetcher(allowed_protocols=[])
        ).write_pdf()
    if any(map(_HAN.match, characters)):
        raise ResourceError(
            say("no installed font covers Chinese characters"),
            cure=say("install one: apt-get install fonts-noto-cjk, or another font with them"),
        )
    return pdf + PDF_MARK


def _weasyprint() -> Any:
    try:
        with redirect_stdout(StringIO()):  # WeasyPrint prints advice before it raises for a missing library
            import weasyprint
    except ImportError:
        raise missing_package(say("PDF reports need WeasyPrint"), "print") from None
    except OSError as error:
        raise ResourceError(
            say("PDF reports need Pango, which is not installed: {error}", error=error),
            cure=say(
                "install it: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; on macOS: "
                "brew install pango"
            ),
        ) from None
    return weasyprint


@contextmanager
def _undrawn() -> Iterator[set[str]]:
    """Collect the characters that no font covers during rendering."""
    characters: set[str] = set()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if str(record.msg).startswith(_UNDRAWN) and isinstance(record.args, tuple):
                characters.add(str(record.args[0]))

    logger, handler = logging.getLogger("weasyprint"), Handler()
    logger.addHandler(handler)
    try:
        yield characters
    finally:
        logger.removeHandler(handler)


__all__ = ["PDF_MARK", "as_pdf"]
