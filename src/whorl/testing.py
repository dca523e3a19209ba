"""A service in memory, for the tests of programs that use the client.

>>> import whorl.testing
>>> with whorl.testing.FakeService("newsroom") as fake, fake.client() as client:
...     client.add({"id": "ice", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"}).state
'new'

It is the service itself, with its real judgment, over libraries at ``:memory:``; only the network is missing. It needs
the extras ``serve`` and ``client``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from whorl._internal.scratch import ScratchFolder
from whorl.client import AsyncClient, Client
from whorl.library import open as open_library
from whorl.library.memory import memory_folder
from whorl.service.app import create_app
from whorl.service.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

_ADDRESS = "http://127.0.0.1"
_Result = TypeVar("_Result")


class FakeService:
    """A service in memory without keys and users; its clients have all permissions.

    Args:
        names: names of its libraries, which are empty.
        recipe: preset or method of the libraries; None is the preset "library".
    """

    def __init__(self, *names: str, recipe: str | None = None) -> None:
        self._names = names or ("library",)
        self._recipe = recipe
        self._closing = ExitStack()
        self._loop: _Loop | None = None
        self._app: FastAPI | None = None

    def __enter__(self) -> Self:
        with ExitStack() as closing:
            scratch: ScratchFolder = memory_folder()
            folder = closing.enter_context(scratch)
            for name in self._names:
                open_library(folder / name, self._recipe).close()
            settings = Settings({name: str(folder / name) for name in self._names}, str(folder / "state"), port=80)
            self._app = create_app(settings)
            self._loop = closing.enter_context(_Loop(self._app))
            self._closing = closing.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()
        self._loop = self._app = None

    def client(self, *, library: str | None = None, **options: Any) -> Client:
        """Return a client of the service.

        Args:
            library: name of the library; None if there is only one.
            options: further options of `whorl.Client`.
        """
        return Client(_ADDRESS, library=library, transport=_Transport(*self._started()), **options)

    def async_client(self, *, library: str | None = None, **options: Any) -> AsyncClient:
        """Return an asynchronous client of the service, with the options of `client`."""
        return AsyncClient(_ADDRESS, library=library, transport=_AsyncTransport(*self._started()), **options)

    def _started(self) -> tuple[FastAPI, _Loop]:
        if self._app is None or self._loop is None:
            raise RuntimeError("use the service in a with statement")
        return self._app, self._loop


class _Loop(AbstractContextManager["_Loop"]):
    """An event loop in a thread, in which an application is started and stopped."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._started = Event()
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._loop.run_until_complete, args=(self._serve(),), name="whorl-testing")

    def submit(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        """Run a coroutine in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _serve(self) -> None:
        try:
            async with self._app.router.lifespan_context(self._app):
                self._started.set()
                await self._stopping.wait()
        except BaseException as error:
            self._failure = error
        finally:
            self._started.set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            self._loop.close()
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._loop.close()


class _Asgi:
    def __init__(self, app: FastAPI, loop: _Loop) -> None:
        self._asgi = httpx.ASGITransport(app)
        self._loop = loop

    def _answer(self, request: httpx.Request, body: bytes) -> Future[httpx.Response]:
        return self._loop.submit(
            self._answered(httpx.Request(request.method, request.url, headers=request.headers, content=body))
        )

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        answer = await self._asgi.handle_async_request(request)
        content = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


class _Transport(_Asgi, httpx.BaseTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        return self._answer(request, request.read()).result()


class _AsyncTransport(_Asgi, httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        return await asyncio.wrap_future(self._answer(request, await request.aread()))


__all__ = ["FakeService"]
