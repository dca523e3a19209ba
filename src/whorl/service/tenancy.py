"""Where the libraries of tenants are: folders in one folder, or schemas in one database of PostgreSQL."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from whorl.errors import UsageError, WhorlError
from whorl.i18n import say
from whorl.library import Library
from whorl.library import open as open_library
from whorl.service.state.tenants import Tenant
from whorl.stores import has_schemas, in_schema, masked, on_server, remove_schema

_LOG = logging.getLogger(__name__)


class TenantPlace:
    """The place of the libraries of tenants.

    Args:
        place: a folder, or the address of a database without a schema.

    Raises:
        UsageError: the address is that of a server without schemas, or names a schema.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._is_database = on_server(place)
        if self._is_database and (not has_schemas(place) or "schema" in parse_qs(urlsplit(place).query)):
            raise UsageError(
                say("{library} cannot hold the libraries of tenants", library=masked(place)),
                hint=say("choose a folder, or the address of a PostgreSQL database without `schema`"),
            )

    def open(self, tenant: Tenant) -> Library:
        """Open the library of a tenant, or create it."""
        return open_library(self._address(tenant), tenant.recipe or None, zone=tenant.zone or None)

    def remove(self, tenant: Tenant) -> None:
        """Delete the library of a tenant, as far as possible: nobody can reach it any more."""
        if not self._is_database:
            shutil.rmtree(self._address(tenant), ignore_errors=True)
            return
        try:
            remove_schema(self._place, _schema(tenant))
        except WhorlError as error:
            _LOG.warning("the schema %s of a deleted library was not removed: %s", _schema(tenant), error)

    def _address(self, tenant: Tenant) -> str:
        if self._is_database:
            return in_schema(self._place, _schema(tenant))
        return str(Path(self._place) / tenant.folder)


def _schema(tenant: Tenant) -> str:
    return f"tenant_{tenant.folder}"


__all__ = ["TenantPlace"]
