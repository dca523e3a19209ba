"""The process that makes one PDF: reads the page on its standard input, and writes the PDF to its standard output.

Its argument is the processor time that it may take, in seconds.
"""

from __future__ import annotations

import json
import os
import sys

from whorl.errors import UsageError, WhorlError
from whorl.reports.pdf.printing import FAILED, render

_MEGABYTES, _MEGABYTES_A_MEGABYTE = 2048, 512
"""By which the process may grow, of 2²⁰ bytes, and besides for each 2²⁰ bytes of its page."""


def main() -> None:
    """Make the PDF."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries print advice
    data = sys.stdin.buffer.read()
    _bound(len(data), int(sys.argv[1]))
    try:
        answer, code = render(data.decode("utf-8")), 0
    except WhorlError as error:
        why = {"is_usage": isinstance(error, UsageError), "message": str(error.message), "hint": str(error.hint)}
        answer, code = json.dumps(why).encode(), FAILED
    answers.write(answer)
    answers.close()
    os._exit(code)  # nothing of the page needs to be cleared away


def _bound(size: int, seconds: int) -> None:
    """Bound the memory and the processor time of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limit = (_MEGABYTES << 20) + _MEGABYTES_A_MEGABYTE * size
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux" and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or seconds < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


if __name__ == "__main__":
    main()
