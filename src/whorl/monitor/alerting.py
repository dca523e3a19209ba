"""Alerts of a run: kept in the library as copies are found, and sent beside it, so that no receiver holds it up."""

from __future__ import annotations

from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from whorl.errors import WhorlError
from whorl.language import Message, say, speaking, spoken
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.settings import AlertSettings, load_alerts
from whorl.monitor.alerts.telling import queue_alerts, send_alerts
from whorl.monitor.records import Finding
from whorl.tasks.arguments import Place

if TYPE_CHECKING:
    from whorl.library import Library

_TOLD = ("copy", "undetermined")
_GATHER_SECONDS, _AGAIN_SECONDS = 0.3, 10.0


class Alerting:
    """Tells of copies while a run goes on; to be used in a ``with`` statement, at whose end all were tried once.

    Args:
        library: in whose outbox alerts are kept.
        settings: channels and rules, or the file that has them.
        collection: of the articles that are watched over.

    Attributes:
        problems: of each channel that could not be told, why; its alerts wait in the outbox.

    Raises:
        InputError: the settings cannot be read.
        UsageError: they have an unknown key or a value out of range.
    """

    def __init__(self, library: Library, settings: AlertSettings | Place, collection: str) -> None:
        self.problems: dict[str, str] = {}
        self._library = library
        self._settings = settings if isinstance(settings, AlertSettings) else load_alerts(settings)
        self._collection = collection
        self._queued, self._is_over = Event(), Event()
        self._language = spoken()
        self._sender = Thread(target=self._send, name="whorl-alerts", daemon=True)

    def tell(self, found: Finding) -> None:
        """Keep the alerts of what was found; they are on the disk when this returns, and sent soon."""
        if found.verdict in _TOLD and queue_alerts(self._library, self._settings, [self._copy(found)]):
            self._queued.set()

    def _copy(self, found: Finding) -> CopyFound:
        page, article = self._library.get(found.document), self._library.get(found.article)
        return CopyFound(
            document=found.document,
            original=found.article,
            share=found.share,
            length=found.length,
            kind=found.kind,
            url=found.url,
            title=(page and page.title) or "",
            original_title=(article and article.title) or "",
            original_url=(article and article.url) or "",
            review=self._library.reviews.now(found.document, found.article).state if page and article else "pending",
            collection=self._collection,
            found_at=found.found_at,
        )

    def _send(self) -> None:
        """Send what is new soon, together with what comes right after it, and what waits now and again."""
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
        """Say which channels could not be told."""
        return [say("alerts wait: {name}: {reason}", name=name, reason=why) for name, why in self.problems.items()]

    def __enter__(self) -> Self:
        self._queued.set()  # what waits from before
        self._sender.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._is_over.set()
        self._queued.set()
        self._sender.join()


__all__ = ["Alerting"]
