"""Describe this installation: versions, optional dependencies, the sandbox of parsers, fonts, settings."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.corpus.sandbox.confinement import environment
from whorl.errors import WhorlError
from whorl.i18n import say
from whorl.release import packages_of
from whorl.reports.pdf.printing import as_pdf
from whorl.tasks.library.versions import Versions, versions
from whorl.types.comparison import Plain

EXTRAS = {
    "html": say("reads HTML, MHTML, EPUB and web archives"),
    "pdf": say("reads PDF files"),
    "ocr": say("recognizes the text of scanned pages and pictures"),
    "meaning": say("compares by meaning, with the model in the package"),
    "meaning-onnx": say("compares by meaning, with the model in a folder"),
    "xlsx": say("reads and writes Excel files"),
    "print": say("writes reports as PDF"),
    "plots": say("draws charts in reports"),
    "serve": say("runs the service and its console"),
    "client": say("calls a service from Python"),
    "mcp": say("offers tools to coding assistants"),
    "watch": say("watches web sites"),
    "timestamps": say("verifies time-stamps of evidence"),
    "postgresql": say("libraries in PostgreSQL"),
    "mysql": say("libraries in MySQL"),
    "mongodb": say("libraries in MongoDB"),
    "redis": say("a shared index in Redis"),
    "leveldb": say("nshash databases in LevelDB"),
    "spark": say("deduplication on Spark"),
}
"""Purpose of each optional dependency."""
_CONFINE = "from whorl.corpus.sandbox.confinement import confine; print(*confine())"
_PAGE = "<html><head><title>检查</title></head><body><p>whorl 检查字体</p></body></html>"
_SECONDS = 30


@frozen
class Extra(Plain):
    """An optional dependency.

    Attributes:
        name: name of the extra.
        purpose: what it adds.
        installed: True if all its packages are installed; None if the metadata of whorl is missing.
        missing: packages that are not installed.
    """

    name: str
    purpose: str
    installed: bool | None
    missing: tuple[str, ...]


@frozen
class PdfState(Plain):
    """Whether PDF reports can be written.

    Attributes:
        works: True if a page with Chinese characters became a PDF.
        problem: the reason if not, or an empty string.
        hint: the remedy, or an empty string.
    """

    works: bool
    problem: str
    hint: str


@frozen
class Diagnosis(Plain):
    """State of this installation.

    Attributes:
        versions: versions that results depend on.
        python: version of Python.
        system: operating system and processor.
        cores: number of cores that this process may use.
        core: path of the native module.
        sandbox: restrictions of the processes that parse files: `landlock`, `seccomp`, `limits`.
        extras: the optional dependencies.
        pdf: whether PDF reports can be written.
        settings: settings files that are read, the user's one first.
        environment: names of the variables WHORL_... that are set.
    """

    versions: Versions
    python: str
    system: str
    cores: int
    core: str
    sandbox: tuple[str, ...]
    extras: tuple[Extra, ...]
    pdf: PdfState
    settings: tuple[str, ...]
    environment: tuple[str, ...]


def diagnose(settings: Iterable[Path] = ()) -> Diagnosis:
    """Describe this installation; starts two short processes, one without privileges and one that writes a PDF.

    Args:
        settings: settings files in use.
    """
    return Diagnosis(
        versions(),
        platform.python_version(),
        f"{platform.system()} {platform.release()} {platform.machine()}",
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        str(_core.__file__),
        _sandbox(),
        tuple(_extras()),
        _pdf(),
        tuple(map(str, settings)),
        tuple(sorted(name for name in os.environ if name.startswith("WHORL_"))),
    )


def _extras() -> Iterator[Extra]:
    for name, purpose in EXTRAS.items():
        packages = packages_of(name)
        missing = tuple(package for package in packages if not _is_installed(package))
        yield Extra(name, purpose, not missing if packages else None, missing)


def _is_installed(requirement: str) -> bool:
    """Return whether a distribution is installed, in any version."""
    name = re.match(r"[\w.-]+", requirement)
    try:
        version(name[0] if name else requirement)
    except PackageNotFoundError:
        return False
    return True


def _sandbox() -> tuple[str, ...]:
    """Return the restrictions that a new process can put on itself."""
    command: list[Any] = [sys.executable, "-c", _CONFINE]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", env=environment(), timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(done.stdout.split())


def _pdf() -> PdfState:
    try:
        as_pdf(_PAGE)
    except WhorlError as error:
        return PdfState(False, error.message, error.hint)
    return PdfState(True, "", "")


__all__ = ["EXTRAS", "Diagnosis", "Extra", "PdfState", "diagnose"]
