"""Export of pages as PDF. Needs the extra ``print``, and Pango, which Python does not install.

Each PDF is made by a process that ends with it. WeasyPrint leaves cycles of objects that hold memory of Pango and
HarfBuzz, about 75 MB a report, which the garbage collector of a service visits rarely; and a page that takes too long
or too much memory ends that process alone.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from math import ceil
from threading import BoundedSemaphore
from time import monotonic
from typing import Any

from whorl._internal.interruption import demand_interest
from whorl.errors import ResourceError, UsageError
from whorl.i18n import say
from whorl.release import missing_package

PDF_MARK = b"% whorl report\n"
"""Mark at the end of every PDF."""

FAILED = 3
"""Exit code of the process where it says why there is no PDF, as JSON."""

_SECONDS, _SECONDS_A_MEGABYTE = 60, 240
"""Processor time that a PDF may take, and more for each 2²⁰ characters of its page: ten times that of large reports."""
_PATIENCE = 5
"""Times its processor time that a PDF may take on a busy machine."""
_POLL_SECONDS = 0.2
"""Between two looks at whether the client still waits; the process is killed once it does not."""
_AT_ONCE = BoundedSemaphore(max(1, os.cpu_count() or 1))
_ENVIRONMENT = re.compile(
    "PATH|HOME|USERPROFILE|SYSTEMROOT|TEMP|TMP|TMPDIR|LANG|LC_.*|XDG_.*|FONTCONFIG_.*|LD_LIBRARY_PATH|DYLD_.*"
)
"""What the process needs of the environment, which may hold secrets."""
_HAN = re.compile("[\u4e00-\u9fff]")
_UNDRAWN = ".notdef glyph"
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", sys.maxsize)
"""Exit code of a process that used up its processor time."""


def as_pdf(page: str) -> bytes:
    """Return a page as PDF with embedded fonts, a bookmark for each heading, title and author.

    Args:
        page: HTML of this package; no external resource is fetched.

    Raises:
        UsageError: WeasyPrint is not installed.
        ResourceError: Pango is not installed, no font covers the Chinese characters of the page, or the PDF takes too
            long or too much memory.
        Interrupted: nobody waits for the result any longer (see `whorl._internal.interruption`); its process is killed.

    Cost: about 1 s, and 0.3 s and 2 MB a sheet, in a separate process; at most one for each core at a time.
    """
    if find_spec("weasyprint") is None:
        raise _missing()
    if not sys.executable or getattr(sys, "frozen", False):
        return render(page)  # a program that has Python inside is no interpreter
    seconds = _SECONDS + _SECONDS_A_MEGABYTE * len(page) / 2**20
    environment = {name: value for name, value in os.environ.items() if _ENVIRONMENT.fullmatch(name)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    hint = say("write the report as HTML, and print it with a browser")
    with _turn():
        process = subprocess.Popen(
            [sys.executable, "-m", "whorl.reports.pdf.process", f"{ceil(seconds)}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        output = _output(process, page.encode("utf-8", "replace"), _PATIENCE * seconds)
    if output is None or process.returncode == _OUT_OF_TIME:
        raise ResourceError(say("the PDF took longer than {seconds:,.0f} s", seconds=seconds), hint=hint)
    if process.returncode == FAILED:
        why = json.loads(output)
        raise (UsageError if why["is_usage"] else ResourceError)(why["message"], hint=why["hint"])
    if process.returncode or not output.endswith(PDF_MARK):
        raise ResourceError(
            say("the process that makes the PDF ended with {code}: it may lack memory", code=process.returncode),
            hint=hint,
        )
    return output


@contextmanager
def _turn() -> Iterator[None]:
    """Wait until a PDF may be made, as long as anybody waits for the result."""
    while not _AT_ONCE.acquire(timeout=_POLL_SECONDS):
        demand_interest()
    try:
        demand_interest()
        yield
    finally:
        _AT_ONCE.release()


def _output(process: subprocess.Popen[bytes], page: bytes, seconds: float) -> bytes | None:
    """Return the output of the process; None if it takes longer than allowed. The process has always ended.

    Raises:
        Interrupted: nobody waits for the result any longer.
    """
    end = monotonic() + seconds
    content: bytes | None = page
    with process:
        try:
            while (remaining := end - monotonic()) > 0:
                try:
                    return process.communicate(content, timeout=min(_POLL_SECONDS, remaining))[0]
                except subprocess.TimeoutExpired:
                    content = None  # the first call keeps what is not sent yet
                demand_interest()
            return None
        finally:
            process.kill()  # does nothing once the process has ended


def render(page: str) -> bytes:
    """Return a page as PDF, made in this process; see `as_pdf`."""
    weasyprint = _weasyprint()
    with _undrawn() as characters:
        pdf: bytes = weasyprint.HTML(
            string=page, url_fetcher=weasyprint.urls.URLFetcher(allowed_protocols=[])
        ).write_pdf()
    if any(map(_HAN.match, characters)):
        raise ResourceError(
            say("no installed font covers Chinese characters"),
            hint=say("install one: apt-get install fonts-noto-cjk, or another font with them"),
        )
    return pdf + PDF_MARK


def _weasyprint() -> Any:
    try:
        with redirect_stdout(StringIO()):  # WeasyPrint prints advice before it raises for a missing library
            import weasyprint
    except ImportError:
        raise _missing() from None
    except OSError as error:
        raise ResourceError(
            say("PDF reports need Pango, which is not installed: {error}", error=error),
            hint=say(
                "install it: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; on macOS: "
                "brew install pango"
            ),
        ) from None
    return weasyprint


def _missing() -> UsageError:
    return missing_package(say("PDF reports need WeasyPrint"), "print")


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


__all__ = ["FAILED", "PDF_MARK", "as_pdf", "render"]
