"""Structured log: one JSON line per event on standard error, without article texts and secrets."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

REQUESTS = logging.getLogger("whorl.service.requests")
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_LONGEST = 300


class Lines(logging.Formatter):
    """Formats records as JSON. Exceptions are logged by type and frames, as their messages may contain article text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the JSON line of a record."""
        data: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        data |= {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            data["error"] = type(error).__name__
            frames = traceback.extract_tb(error.__traceback__)
            data["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(_clipped(data), ensure_ascii=False, default=str)


def _clipped(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _shortened(value) if isinstance(value, str) else value for name, value in data.items()}


def _shortened(text: str) -> str:
    """Leave out the middle of a long text: the error of a traceback is in its last line."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def log_settings() -> dict[str, Any]:
    """Return the logging configuration of a service process for ``logging.config.dictConfig``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": Lines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {"whorl.service": {"level": "INFO"}, "uvicorn": {"level": "WARNING"}},
    }


__all__ = ["REQUESTS", "Lines", "log_settings"]
