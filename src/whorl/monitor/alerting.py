"""Alerts during a run: stored in the outbox and sent in a separate thread, so receivers do not delay the run."""

from __future__ import annotations

from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from whorl.errors import WhorlError
from whorl.i18n import Message, say, speaking, spoken
from whorl.monitor.alerts.settings import AlertSettings, load_alerts
from whorl.monitor.alerts.telling import queue_cases, send_alerts
from whorl.tasks.library.arguments import Place
from whorl.types.cases import Case

if TYPE_CHECKING:
    from whorl.library import Library

_GATHER_SECONDS, _AGAIN_SECONDS = 0.3, 10.0


class Alerting:
    """Context manager that sends alerts during a run. On exit, every alert has been tried once.

    Args:
        library: library with the outbox.
        settings: channels and rules, or the file with them.
        collection: collection of the protected articles.

    Attributes:
        problems: error by channel that failed; its alerts wait in the outbox.

    Raises:
        InputError: the settings cannot be read.
        UsageError: the settings have an unknown key or a value out of range.
    """

    def __init__(self, library: Library, settings: AlertSettings | Place, collection: str) -> None:
        self.problems: dict[str, str] = {}
        self._library = library
        self._settings = settings if isinstance(settings, AlertSettings) else load_alerts(settings)
        self._collection = collection
        self._queued, self._is_over = Event(), Event()
        self._language = spoken()
        self._sender = Thread(target=self._send, name="whorl-alerts", daemon=True)

    def tell_case(self, case: Case) -> None:
        """Store the alerts of the last event of a case that causes some, unless that was done before."""
        if queue_cases(self._library, self._settings, [case], self._collection):
            self._queued.set()

    def _send(self) -> None:
        """Send new alerts in small batches, and retry waiting ones from time to time."""
        with speaking(self._language):
            is_last = False
            while not is_last:
                if self._queued.wait(_AGAIN_SECONDS):
                    self._is_over.wait(_GATHER_SECONDS)
                self._queued.clear()
                is_last = self._is_over.is_set()
                try:
                    self.problems = dict(send_alerts(self._library, self._settings).problems)
                except WhorlError as error:
                    self.problems = {"library": error.message}

    def remarks(self) -> list[Message]:
        """Return a message for each channel that failed."""
        return [say("alerts wait: {name}: {reason}", name=name, reason=why) for name, why in self.problems.items()]

    def __enter__(self) -> Self:
        self._queued.set()  # alerts from earlier runs
        self._sender.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._is_over.set()
        self._queued.set()
        self._sender.join()


__all__ = ["Alerting"]
