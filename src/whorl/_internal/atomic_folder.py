"""Output folders that appear complete or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl._internal.disk import sync_folder
from whorl.errors import UsageError
from whorl.i18n import say


def demand_free(path: Path) -> None:
    """Refuse an output folder that is a file, or not empty.

    Raises:
        UsageError: the path is taken.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(say("{path} is a file", path=path), hint=say("name a new folder with -o"))
    if path.is_dir() and any(path.iterdir()):
        hint = say("choose a new folder with -o, or delete this one")
        if (path / "run.json").exists():
            raise UsageError(say("{path} contains an earlier run", path=path), hint=hint)
        name = min(item.name for item in path.iterdir())
        raise UsageError(say("{path} is not empty: it holds {name}", path=path, name=name), hint=hint)


@contextmanager
def appearing_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; on success its files are flushed and it is renamed to ``path``.

    On failure, nothing remains.

    Raises:
        UsageError: ``path`` is a file, or not empty.
    """
    demand_free(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.whorl-{os.getpid()}")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        yield temporary
        for file in filter(Path.is_file, temporary.rglob("*")):
            with file.open("rb+") as opened:
                os.fsync(opened.fileno())
        demand_free(path)
        if path.is_dir():
            path.rmdir()
        temporary.replace(path)
        sync_folder(path.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


__all__ = ["appearing_folder", "demand_free"]
