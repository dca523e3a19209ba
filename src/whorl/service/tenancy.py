"""Where the libraries of tenants are: folders in a folder, schemas of a PostgreSQL database, or databases on MySQL."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from whorl.errors import UsageError, WhorlError
from whorl.i18n import say
from whorl.library import Library
from whorl.library import open as open_library
from whorl.service.state.tenants import Tenant
from whorl.stores import create_namespace, has_namespaces, in_namespace, masked, on_server, remove_namespace

_LOG = logging.getLogger(__name__)


class TenantPlace:
    """The place of the libraries of tenants.

    Args:
        place: a folder, or the address of a database on PostgreSQL or MySQL, without a schema.

    Raises:
        UsageError: the address is that of another server, or names a schema.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._is_database = on_server(place)
        if self._is_database and not has_namespaces(place):
            raise UsageError(
                say("{library} cannot hold the libraries of tenants", library=masked(place)),
                hint=say("choose a folder, or the address of a PostgreSQL or MySQL database without `schema`"),
            )

    def open(self, tenant: Tenant) -> Library:
        """Open the library of a tenant, or create it.

        Raises:
            ResourceError: the database cannot be reached, or its user may not create libraries.
        """
        address = self._address(tenant)
        if self._is_database:
            create_namespace(self._place, _namespace(tenant))
        return open_library(address, tenant.recipe or None, zone=tenant.zone or None)

    def remove(self, tenant: Tenant) -> None:
        """Delete the library of a tenant, as far as possible: nobody can reach it any more."""
        if not self._is_database:
            shutil.rmtree(self._address(tenant), ignore_errors=True)
            return
        try:
            remove_namespace(self._place, _namespace(tenant))
        except WhorlError as error:
            _LOG.warning("%s of a deleted library was not removed: %s", _namespace(tenant), error)

    def _address(self, tenant: Tenant) -> str:
        if self._is_database:
            return in_namespace(self._place, _namespace(tenant))
        return str(Path(self._place) / tenant.folder)


def _namespace(tenant: Tenant) -> str:
    return f"tenant_{tenant.folder}"


__all__ = ["TenantPlace"]
