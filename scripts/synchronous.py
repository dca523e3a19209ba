"""Generate the synchronous client from the asynchronous one: one definition, two kinds of call.

python scripts/synchronous.py [--check]
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "src" / "whorl" / "client"
SOURCE, TARGET = CLIENT / "asynchronous.py", CLIENT / "synchronous.py"
CHANGES = (
    ('"""The client that is awaited. ``synchronous.py`` is made from this file by ``make client``: change this one."""',
     '"""The client that waits. Made from ``asynchronous.py`` by ``make client``: change that one."""'),
    (r"from asyncio import sleep", "from time import sleep"),
    (r"from a coroutine; safe from tasks", "from any thread; safe from threads"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsyncBaseTransport\b", "BaseTransport"),
    (r"\bAsyncClient\b", "Client"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_lines\b", "iter_lines"),
)  # fmt: skip


def synchronous(source: str) -> str:
    """Return the synchronous client as source text."""
    for pattern, instead in CHANGES:
        source = source.replace(pattern, instead) if pattern.startswith('"') else re.sub(pattern, instead, source)
    ruff = [str(Path(sys.executable).parent / "ruff")]
    named = ["--stdin-filename", str(TARGET)]
    for step in (["check", "--fix", "--unsafe-fixes", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run([*ruff, *step, *named, "-"], input=source, capture_output=True, text=True, check=False)
        source = done.stdout
    return source


def main() -> None:
    """Write the file; with ``--check`` only report whether it is up to date."""
    source = synchronous(SOURCE.read_text("utf-8"))
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(source, "utf-8")
    elif not TARGET.exists() or TARGET.read_text("utf-8") != source:
        sys.exit(f"{TARGET.name} is out of date with {SOURCE.name}\nhint: run `make client`")


if __name__ == "__main__":
    main()
