"""Background maintenance: merge and save index segments, truncate the log of the store."""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from whorl.errors import WhorlError
from whorl.i18n import say
from whorl.library.search.indexing import Index
from whorl.stores import Store

_EVERY = 1000
_LOG = logging.getLogger("whorl.library")


class Maintenance:
    """Background maintenance thread of a library. Thread-safe."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store, self._index = store, index
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="whorl-upkeep")
        self._running: Future[None] | None = None
        self._added = 0

    def after(self, added: int) -> None:
        """Start maintenance if enough documents were added and it is not running; never blocks."""
        with self._lock:
            self._added += added
            if self._added >= _EVERY and (self._running is None or self._running.done()):
                self._added = 0
                self._running = self._worker.submit(self._run)

    def close(self) -> None:
        """Wait for running maintenance, and save changes."""
        self._worker.shutdown()
        if self._running is not None:
            self._running.result()
        self._index.close()

    def _run(self) -> None:
        try:
            self._store.tend()
            self._index.tend()
        except WhorlError as error:
            _LOG.warning(say("maintenance of the library failed: {reason}", reason=error))


__all__ = ["Maintenance"]
