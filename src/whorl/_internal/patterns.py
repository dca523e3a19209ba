"""Regular expressions that are compiled when they are first used.

Compiling a long pattern takes milliseconds, and Python does it when it imports the module. The patterns for statements
and dates took 60 ms, in every command that opens a library and every process that parses pages, and most of them
search few texts.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern like ``re.compile``, which is compiled when one of its methods is first used.

    It has the methods and attributes of a compiled pattern, but cannot be passed to functions of ``re``.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


class _LazyPattern:
    """A pattern whose attributes are those of the compiled one, kept from their first use on."""

    def __init__(self, source: str, flags: int) -> None:
        self._arguments = source, flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(*self._arguments), name)
        setattr(self, name, attribute)
        return attribute


__all__ = ["lazy_pattern"]
