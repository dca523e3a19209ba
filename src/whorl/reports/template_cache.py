"""Compiled templates, kept beside their sources as Python keeps compiled modules."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class TemplateCache(FileSystemBytecodeCache):
    """Compiled templates in the ``__pycache__`` folder of a folder of templates, if it is writable.

    Compiling the templates of a report takes longer than a small run. Whoever can write there can change the source of
    the package as well, so the files are trusted as much as compiled modules. Jinja ignores a file that was compiled
    from another source, by another Python or by another version of its own.
    """

    def __init__(self, templates: Path) -> None:
        """Create the cache of a folder of templates."""
        super().__init__(str(templates / "__pycache__"), f"%s.{sys.implementation.cache_tag}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is one."""
        with contextlib.suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                Path(self.directory).mkdir(exist_ok=True)
                super().dump_bytecode(bucket)


__all__ = ["TemplateCache"]
