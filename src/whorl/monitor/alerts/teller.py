"""Alerts while a watch runs: each copy is kept as an alert at once, and sent beside the watch, which never waits."""

from __future__ import annotations

from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from whorl.errors import WhorlError
from whorl.language import speaking, spoken
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.settings import AlertSettings
from whorl.monitor.alerts.telling import queue_alerts, send_alerts

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.monitor.frontier import Finding

_GATHER_SECONDS, _AGAIN_SECONDS = 0.3, 10.0
_REVIEWS = {"leave": "authorised"}


class Teller:
    """Is told of findings, and tells whom the rules say; used in a ``with`` statement.

    At the end what is due is sent once more. What cannot be sent waits in the library, as of ``whorl.alert``.

    Args:
        library: open.
        settings: channels and rules.
    """

    def __init__(self, library: Library, settings: AlertSettings) -> None:
        self._library, self._settings = library, settings
        self._language = spoken()
        self._is_new, self._is_over = Event(), Event()
        self._failure: WhorlError | None = None
        self._thread = Thread(target=self._send, name="whorl-alerts", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._is_new.set()
        self._thread.join()
        if error is None and self._failure is not None:
            raise self._failure

    def __call__(self, found: Finding) -> None:
        """Keep an alert of a finding for each channel that is to be told."""
        copy, article = self._library.get(found.document), self._library.get(found.article)
        review = self._library.reviews.now(found.document, found.article).state if copy and article else "pending"
        told = CopyFound(
            document=found.document,
            original=found.article,
            share=found.share,
            length=found.length,
            kind=found.kind,
            url=found.url,
            title=(copy.title if copy else None) or "",
            original_title=(article.title if article else None) or "",
            original_url=(article.url if article else None) or "",
            collection=article.collection if article else "",
            review=_REVIEWS.get(found.verdict, review),
            found_at=found.found_at,
        )
        if queue_alerts(self._library, self._settings, [told]):
            self._is_new.set()

    def _send(self) -> None:
        """Send what is new soon, together with what comes right after it, and what waits now and again."""
        with speaking(self._language):
            try:
                while not self._is_over.is_set():
                    if self._is_new.wait(_AGAIN_SECONDS):
                        self._is_over.wait(_GATHER_SECONDS)
                    self._is_new.clear()
                    send_alerts(self._library, self._settings)
                send_alerts(self._library, self._settings)
            except WhorlError as error:
                self._failure = error


__all__ = ["Teller"]
