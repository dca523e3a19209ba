"""Remove old pages and audit entries, except for the evidence of open cases."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from whorl.library import Library
from whorl.service.state import State
from whorl.types.cases import OPEN_STATES


def apply_retention(state: State, libraries: Mapping[str, Library], keep_days: int, now: datetime) -> tuple[int, int]:
    """Remove pages and audit entries older than a number of days; return how many of each were removed.

    Pages of open cases are kept, and audit entries about evidence and cases of libraries with open cases.
    """
    before = now - timedelta(days=keep_days)
    pages = sum(library.pages.prune(before) for library in libraries.values())
    counts = {name: library.cases.counts() for name, library in libraries.items()}
    busy = [name for name, states in counts.items() if any(states[open_state] for open_state in OPEN_STATES)]
    return pages, state.audit.forget(before, busy)


__all__ = ["apply_retention"]
