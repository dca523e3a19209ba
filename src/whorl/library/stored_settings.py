"""Settings of the watch and of alerts that are stored with a library, so that all machines have the same.

A library stores them as JSON without interpreting them: `whorl.monitor` validates them with the code that reads
`sites.toml` and `alerts.toml`. Each is one setting of the store, which needs no table of its own in any store.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from whorl.library.core import Core


class StoredSettings:
    """A table of settings in a library.

    >>> import whorl
    >>> with whorl.open("ours") as library:
    ...     changed = library.watch_settings.change(lambda table: {**table, "contact": "https://paper.example/watch"})
    ...     library.watch_settings.read()
    {'contact': 'https://paper.example/watch'}

    Args:
        core: the library.
        name: name of the setting of the store.
    """

    def __init__(self, core: Core, name: str) -> None:
        self._core = core
        self._name = name

    def read(self) -> dict[str, Any]:
        """Return the table; empty if nothing was stored."""
        return dict(json.loads(self._stored()))

    def change(self, revise: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Replace the table by what a function returns for it; reading and writing are atomic.

        Args:
            revise: called with the table; if it raises, nothing changes, and the error propagates.

        Returns:
            The new table.

        Raises:
            ResourceError: another process writes for too long, or the store is not writable.
        """
        with self._core.turn, self._core.store.writing() as writer:
            before = self._stored()
            after = revise(dict(json.loads(before)))
            text = json.dumps(after, ensure_ascii=False, separators=(",", ":"))
            if text != before:
                writer.put_settings({self._name: text})
        return after

    def _stored(self) -> str:
        return self._core.store.settings().get(self._name) or "{}"


__all__ = ["StoredSettings"]
