"""Python client of the HTTP service, synchronous and asynchronous, generated from one definition."""

from __future__ import annotations

from whorl.i18n import say
from whorl.release import missing_package

try:
    from whorl.client.asynchronous import AsyncClient
    from whorl.client.synchronous import Client
except ModuleNotFoundError as error:
    raise missing_package(say("the client needs {package}", package=error.name), "client") from error

__all__ = ["AsyncClient", "Client"]
