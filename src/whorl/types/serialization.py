"""Convert result types to plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from whorl.types.cards import NotebookCard


def plain(data: Any) -> dict[str, Any]:
    """Convert a dataclass to plain data for JSON, recursively; times become ISO 8601."""
    return {field.name: _plain(getattr(data, field.name)) for field in fields(data)}


class Plain(NotebookCard):
    """Base of dataclasses that convert to plain data and have a notebook card."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return plain(self)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value):
        return plain(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


__all__ = ["Plain", "plain"]
