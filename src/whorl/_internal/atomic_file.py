"""Atomic replacement of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl._internal.disk import sync_folder


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of ``path``; on success it is flushed to disk and renamed to ``path``.

    On failure, an existing file stays unchanged. If ``path`` is a link, its target is replaced.

    Args:
        path: the final name; its folder exists.
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
