"""Where the documents of the quality gates come from."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path | None:
    """The folder of real corpora that ``WHORL_DATA`` names."""
    named = os.environ.get("WHORL_DATA")
    return Path(named) if named else None
