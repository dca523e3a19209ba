"""The asynchronous connection. ``make client`` generates ``connection.py`` from this file: edit only this one."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from whorl.client.answers import convert, delay_before, demand_answer, only, read
from whorl.client.questions import Question

_Answer = TypeVar("_Answer")
PAGE_SIZE = 1000
"""Maximum number of items per page."""


class AsyncConnection:
    """Connection of a client: it sends requests, repeats them where that is safe, and converts the responses.

    Args:
        address: as for ``AsyncClient``, like all others.
        key: API key.
        library: name of the library.
        language: language of error messages.
        timeout: seconds to wait for a response.
        tries: maximum number of attempts.
        transport: a transport of httpx.
    """

    def __init__(
        self,
        address: str,
        key: str | None = None,
        *,
        library: str | None = None,
        language: str | None = None,
        timeout: float = 30.0,
        tries: int = 3,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {"Accept": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        if language is not None:
            headers["Accept-Language"] = language
        self._http = httpx.AsyncClient(base_url=address, headers=headers, timeout=timeout, transport=transport)
        self._library = library
        self._tries = max(1, tries)

    async def libraries(self) -> list[str]:
        """Return the names of the libraries that the key can access.

        >>> await client.libraries()
        ['newsroom']
        """
        answer = await self._ask(dict[str, list[str]], Question("GET", "/v1/libraries"))
        return answer["libraries"]

    async def close(self) -> None:
        """Close the connections.

        >>> await client.close()
        """
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _of(self, method: str, *parts: str, **more: Any) -> Question:
        """Build a request about the library."""
        if self._library is None:
            self._library = only(await self.libraries())
        return Question.of_library(self._library, method, parts, **more)

    async def _paginate(self, kind: type[_Answer], *parts: str, params: Mapping[str, Any]) -> AsyncIterator[_Answer]:
        """Yield all items of a paginated list."""
        cursor = None
        while True:
            question = await self._of("GET", *parts, params={**params, "limit": PAGE_SIZE, "cursor": cursor})
            answer = await self._ask(dict[str, Any], question)
            for item in answer["items"]:
                yield convert(kind, item)
            cursor = answer["next"]
            if cursor is None:
                return

    async def _ask(self, kind: type[_Answer], question: Question) -> _Answer:
        return read(kind, await self._bytes(question))

    async def _bytes(self, question: Question) -> bytes:
        """Send a request and return the response body, with retries for repeatable requests."""
        tried = 0
        while True:
            tried += 1
            came: httpx.Response | httpx.TransportError
            try:
                came = await self._http.request(**question.plain())
            except httpx.TransportError as error:
                came = error
            delay = delay_before(came, question, tried, self._tries)
            if delay is None:
                return demand_answer(came).content
            await sleep(delay)


__all__ = ["PAGE_SIZE", "AsyncConnection"]
