"""The real service on a free local port, in a thread of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn

import whorl
from tests.servers.shared import fresh
from tests.stores import SERVERS
from whorl.service.app import create_app
from whorl.service.serving import configuration, listening
from whorl.service.settings import Settings
from whorl.service.state import State, open_state


@contextmanager
def served(settings: Settings) -> Iterator[str]:
    """Run a service, and return its address."""
    with listening(settings) as listener:
        server = uvicorn.Server(configuration(settings, create_app(settings), log_level="warning"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://{settings.host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


STATES = ("sqlite", "postgresql", "mysql")
"""Where the state of a service may be: the scheme of an address."""


def settings_of(folder: Path, *names: str, kind: str = "sqlite", **more: object) -> Settings:
    """Return settings of a service over new libraries below a folder, with a state of a kind, on a free port."""
    addresses = {name: str(folder / name) for name in names}
    for address in addresses.values():
        whorl.open(address).close()
    files = folder / "state"
    state = fresh(SERVERS[kind]) if kind in SERVERS else str(files)
    return Settings(addresses, state, port=0, files=str(files), **more)


@contextmanager
def state_of(settings: Settings) -> Iterator[State]:
    """Return the state of a service, accessed directly."""
    state = open_state(settings.state)
    try:
        yield state
    finally:
        state.close()
