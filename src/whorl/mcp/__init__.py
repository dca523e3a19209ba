"""Tools for coding assistants, over the Model Context Protocol. Needs the extra ``mcp``.

An assistant starts ``whorl mcp`` and talks to it on standard input and output. The tools only read, and only files
below one folder and the libraries that the user named; a single one writes, if the user allows it.
"""

from __future__ import annotations

from whorl.mcp.server import build_server
from whorl.mcp.settings import ToolSettings

__all__ = ["ToolSettings", "build_server"]
