"""Recorded hash values, which are part of the package: `whorl selftest` compares an installation with them."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

FOLDER = files("whorl") / "vectors"


def recorded(name: str) -> Any:
    """Return the values of a file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
