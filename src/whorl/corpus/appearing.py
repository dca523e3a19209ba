"""Files that appear when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.disk import sync_folder


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Yield a place beside ``path`` to write to: what is written there takes the name at the end, down on the disk.

    If that fails, what was there before still is. A link stays one: what it leads to is replaced.

    Args:
        path: what the file will be called; its folder exists.
    """
    final = Path(os.path.realpath(path))
    temporary = final.with_name(f".whorl-{os.getpid()}{final.suffix}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(final)
        sync_folder(final.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


__all__ = ["appearing"]
