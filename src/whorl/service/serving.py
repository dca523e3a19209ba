"""Starting the service: its socket, its worker processes, and when it may be reached from elsewhere."""

from __future__ import annotations

import uvicorn

from whorl.errors import UsageError
from whorl.language import say
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.state import open_state

_BACKLOG = 2048
_IDLE = 15
_PARTING = 20


def serve(settings: Settings) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM), and then answer what was asked.

    Raises:
        UsageError: it would be reached from other machines, and there is neither a key nor a user.
        InputError: there is no library at an address, or one is damaged.
        ResourceError: the state cannot be written.
    """
    demand_keys(settings)
    Service.open(settings).close()
    settings.tell()
    uvicorn.run(
        "whorl.service.app:create_app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_PARTING,
        server_header=False,
        access_log=False,
        log_level="warning",
    )


def demand_keys(settings: Settings) -> None:
    """Refuse to be reached from other machines without a key or a user.

    Raises:
        UsageError: it would.
    """
    if settings.is_local:
        return
    state = open_state(settings.state)
    try:
        if state.is_open_to_all:
            raise UsageError(
                say("{host} can be reached from other machines, and there is no key", host=settings.host),
                cure=say("make one first: `whorl key add`, or `whorl user add`"),
            )
    finally:
        state.close()


__all__ = ["demand_keys", "serve"]
