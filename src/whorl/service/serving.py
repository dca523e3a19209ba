"""Start of the service: socket, worker processes, and the check for access control."""

from __future__ import annotations

import errno
import http.client
import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Self

import uvicorn
from uvicorn.supervisors import Multiprocess

from whorl.errors import ResourceError, UsageError, WhorlError
from whorl.i18n import say, translated
from whorl.service.beginning import create_first_key, create_libraries
from whorl.service.http.connections import Connection, most_connections, raise_limits
from whorl.service.logs import log_settings
from whorl.service.metrics import share_metrics
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.state import open_state
from whorl.stores import on_server

_LOG = logging.getLogger(__name__)
_BACKLOG = 2048
_IDLE = 15
_PARTING = 20
_HUNG = 60
"""Seconds after which an unresponsive worker process is replaced."""
_EVERYWHERE = ("0.0.0.0", "::")
_FEW_CONNECTIONS = 1000


def serve(
    settings: Settings,
    ready: Callable[[str], None] | None = None,
    *,
    create: bool = False,
    first_key: str | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish pending requests.

    Args:
        settings: settings of the service.
        ready: called with the address once the service responds; None writes it to standard error.
        create: create libraries that do not exist.
        first_key: secret of the first administrator's key, which is used only if there never was a key or a user.

    Raises:
        UsageError: the service would be reachable from other machines without a key or user, or the address does not
            belong to this machine.
        InputError: an address has no library, or a library is damaged.
        ResourceError: the state is not writable, or the port is in use or not permitted.
    """
    if create:
        create_libraries(settings.libraries.values())
    if first_key is not None:
        create_first_key(settings.state, first_key)
    demand_keys(settings)
    Service.open(settings).close()
    raise_limits()
    with listening(settings) as listener:
        chosen = replace(settings, port=listener.getsockname()[1])
        chosen.to_environment()
        config = configuration(chosen, "whorl.service.app:create_app", log_config=log_settings())
        if most_connections() < _FEW_CONNECTIONS:
            _LOG.warning("limited to %d concurrent connections: raise the limit of open files", most_connections())
        arguments = (_await, chosen, ready or _announce)
        Thread(target=copy_context().run, args=arguments, name="ready", daemon=True).start()
        try:
            if chosen.workers > 1:
                with _metrics_folder(chosen) as folder:
                    share_metrics(folder)
                    Multiprocess(config, [listener]).run()
            else:
                uvicorn.Server(config).run([listener])
        except KeyboardInterrupt:
            return


@contextmanager
def _metrics_folder(settings: Settings) -> Iterator[Path]:
    """Return a folder for the metrics of the workers of this replica: other replicas have their own."""
    if not on_server(settings.state):
        yield Path(settings.state)
        return
    with TemporaryDirectory(prefix="whorl-metrics-") as folder:
        yield Path(folder)


def configuration(settings: Settings, app: Any, **more: Any) -> uvicorn.Config:
    """Return the server configuration of an application.

    Args:
        settings: settings of the service.
        app: the application, or its factory as "module:function".
        more: further options of ``uvicorn.Config``.
    """
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=Connection,
        ws="none",
        lifespan="on",
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_PARTING,
        timeout_worker_healthcheck=_HUNG,
        server_header=False,
        access_log=False,
        **more,
    )


class _WorkersSocket(socket.socket):
    """A socket that keeps a port for worker processes, each of which binds and listens to it itself.

    The kernel then spreads connections over the workers. From one shared socket, one idle worker accepts nearly all of
    them, and keeps them as long as they stay open.
    """

    @classmethod
    def bound(cls, family: int, kind: int, address: Any) -> Self:
        """Return a socket that is bound to an address together with others."""
        opened = cls(family, kind)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        opened.bind(address)
        return opened

    def __reduce__(self) -> tuple[Any, ...]:
        """Bind another socket where this one is sent to."""
        return _WorkersSocket.bound, (self.family, self.type, self.getsockname())


def listening(settings: Settings) -> socket.socket:
    """Return a listening socket at the address and port of a service, or for several workers one that each binds anew.

    Raises:
        UsageError: the address does not belong to this machine.
        ResourceError: the port is in use or not permitted.
    """
    host, port = settings.host, settings.port
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise _unreachable(host, error) from None
    opened = socket.socket(family, kind)
    try:
        if os.name == "posix":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise _refused(host, port, error) from None
    if settings.workers == 1 or sys.platform != "linux":
        return opened
    address = opened.getsockname()
    opened.close()
    return _WorkersSocket.bound(family, kind, address)


def _refused(host: str, port: int, error: OSError) -> WhorlError:
    match error.errno:
        case errno.EADDRINUSE:
            return ResourceError(
                say("port {port} is in use", port=port),
                hint=say("stop the program that uses it, or choose another `port`; 0 selects a free one"),
            )
        case errno.EACCES | errno.EPERM:
            return ResourceError(
                say("permission denied for port {port}", port=port),
                hint=say("choose a `port` from 1024 up; a reverse proxy can listen on a lower one"),
            )
    return _unreachable(host, error)


def _unreachable(host: str, error: OSError) -> UsageError:
    return UsageError(
        say("cannot listen at {host}: {reason}", host=host, reason=error.strerror or str(error)),
        hint=say("choose an address of this machine: `host`"),
    )


def address_of(settings: Settings) -> str:
    """Return the address of a service for clients on this machine."""
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _await(settings: Settings, ready: Callable[[str], None]) -> None:
    """Report the address once the service responds."""
    address = address_of(settings)
    while True:
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=5)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == http.HTTPStatus.OK:
                ready(address)
                return
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            connection.close()


def _announce(address: str) -> None:
    message = say("whorl is running at {address} (press Ctrl+C to stop)", address=address)
    sys.stderr.write(f"{translated(message)}\n")
    sys.stderr.flush()


def demand_keys(settings: Settings) -> None:
    """Require a key or user if the service is reachable from other machines or is closed to anonymous callers.

    Raises:
        UsageError: there is no key and no user.
    """
    hint = say("create one first: `whorl key add`, or `whorl user add`")
    state = open_state(settings.state)
    try:
        if state.has_callers:
            return
        if not settings.is_local or settings.proxies:
            raise UsageError(
                say("{host} is reachable from other machines, but there is no key or user", host=settings.host),
                hint=hint,
            )
        if not state.is_open_to_all:
            raise UsageError(say("the last key or user was removed, so nobody could use the service"), hint=hint)
    finally:
        state.close()


__all__ = ["address_of", "configuration", "demand_keys", "listening", "serve"]
