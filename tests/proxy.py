"""A plain round-robin proxy: each connection goes to the next server that accepts it."""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from threading import Thread
from urllib.parse import urlsplit

_PIECE = 2**16


@contextmanager
def round_robin(addresses: Sequence[str]) -> Iterator[str]:
    """Run a proxy before servers, and return its address."""
    places = [(parts.hostname, parts.port) for parts in map(urlsplit, addresses)]
    turns = count()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            first = next(turns)
            for attempt in range(len(places)):
                try:
                    behind = socket.create_connection(places[(first + attempt) % len(places)], timeout=5)
                except OSError:
                    continue
                behind.settimeout(None)
                with behind:
                    back = Thread(target=_pipe, args=(behind, self.request), daemon=True)
                    back.start()
                    _pipe(self.request, behind)
                    back.join()
                return

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(_PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
