"""Proxies: a round-robin one, one that can stop forwarding like a frozen machine, and one that counts round trips."""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from threading import Event, Thread
from urllib.parse import urlsplit

_PIECE = 2**16


@contextmanager
def round_robin(addresses: Sequence[str]) -> Iterator[str]:
    """Run a proxy before servers, and return its address; each connection goes to the next server that accepts it."""
    places = [(parts.hostname or "", parts.port or 0) for parts in map(urlsplit, addresses)]
    turns, is_flowing = count(), Event()
    is_flowing.set()

    def connected() -> socket.socket | None:
        first = next(turns)
        for attempt in range(len(places)):
            with suppress(OSError):
                return socket.create_connection(places[(first + attempt) % len(places)], timeout=5)
        return None

    with _forwarding(connected, is_flowing) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def stallable(port: int) -> Iterator[tuple[int, Event]]:
    """Run a proxy before a local server; return its port, and an event that is cleared to stall the server."""
    is_flowing = Event()
    is_flowing.set()
    with _forwarding(lambda: socket.create_connection(("127.0.0.1", port), timeout=60), is_flowing) as own_port:
        try:
            yield own_port, is_flowing
        finally:
            is_flowing.set()


@contextmanager
def counting(port: int) -> Iterator[tuple[int, list[int]]]:
    """Run a proxy before a local server; return its port, and a list that grows with each round trip."""
    trips: list[int] = []
    is_flowing = Event()
    is_flowing.set()
    with _forwarding(lambda: socket.create_connection(("127.0.0.1", port), timeout=60), is_flowing, trips) as own_port:
        yield own_port, trips


@contextmanager
def _forwarding(
    connect: Callable[[], socket.socket | None], is_flowing: Event, trips: list[int] | None = None
) -> Iterator[int]:
    turn = [False]  # whether the last bytes came from the client

    def note(*, is_client: bool) -> None:
        if trips is not None and is_client and not turn[0]:
            trips.append(len(trips))
        turn[0] = is_client

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            is_flowing.wait()
            behind = connect()
            if behind is None:
                return
            behind.settimeout(None)
            with behind:
                back = Thread(
                    target=_pipe, args=(behind, self.request, is_flowing, partial(note, is_client=False)), daemon=True
                )
                back.start()
                _pipe(self.request, behind, is_flowing, partial(note, is_client=True))
                back.join()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _pipe(source: socket.socket, target: socket.socket, is_flowing: Event, note: Callable[[], None]) -> None:
    with suppress(OSError):
        while piece := source.recv(_PIECE):
            is_flowing.wait()
            note()
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
