"""The rivals: one script each, run in a separate environment.

The arguments of a script are a corpus (JSON Lines), an output folder, the threshold and the number of cores. It writes
the files of `contract`, so that every rival does the same job as whorl: JSON Lines in, JSON Lines out.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from benchmarks.cache import cache
from benchmarks.measure import RunFailed

_SCRIPTS = Path(__file__).parent
_REQUIREMENTS = _SCRIPTS.parent / "requirements-rivals.txt"


@lru_cache
def python() -> Path:
    """Return the interpreter of the rivals' environment; the first call creates it, which takes minutes.

    Raises:
        CalledProcessError: a requirement cannot be installed.
    """
    version = hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()[:12]
    environment = cache("venvs") / version
    interpreter = environment / "bin" / "python"
    if not (environment / "complete").exists():
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        install: list[str | Path] = [interpreter, "-m", "pip", "install", "--quiet", "--requirement", _REQUIREMENTS]
        subprocess.run(install, check=True)
        (environment / "complete").touch()
    return interpreter


def command(script: str, *arguments: str | Path) -> list[str | Path]:
    """Return the command that runs a script of this folder.

    Raises:
        RunFailed: the rivals cannot be installed.
    """
    try:
        return [python(), _SCRIPTS / f"{script}.py", *arguments]
    except subprocess.CalledProcessError as error:
        raise RunFailed(f"the rivals cannot be installed: {error}") from error


def versions(*names: str) -> dict[str, str]:
    """Return the pinned version of every rival, or of the named ones."""
    lines = _REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pinned = dict(re.split(r"(?:\[.*\])?==", line) for line in lines if "==" in line)
    return {name: pinned[name] for name in names} if names else pinned
