"""The open libraries of a process: those named at the start, and tenants, which are opened on first use.

Another process may create or delete a tenant at any time. Therefore its row in the state is read at each access, which
costs some ten microseconds; libraries named at the start cost a dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import Lock
from time import monotonic

from whorl.errors import UsageError, WhorlError
from whorl.i18n import say
from whorl.library import Library
from whorl.service.state import State
from whorl.service.state.tenants import Tenant
from whorl.service.tenancy import TenantPlace

_RETIRED_SECONDS = 60.0
"""Time for requests that still use a deleted library."""


class Shelf(Mapping[str, Library]):
    """Open libraries by name. Thread-safe.

    Args:
        fixed: libraries named at the start; the caller closes them.
        state: the state with the tenants.
        place: place of the libraries of tenants; None if there are none.
    """

    def __init__(self, fixed: Mapping[str, Library], state: State, place: TenantPlace | None) -> None:
        self._fixed = fixed
        self._tenants = state.tenants
        self._place = place
        self._opened: dict[str, tuple[Tenant, Library]] = {}
        self._retired: list[tuple[float, Library]] = []
        self._lock = Lock()

    def __getitem__(self, name: str) -> Library:
        """Return a library; a tenant is opened on first use."""
        if name in self._fixed:
            return self._fixed[name]
        tenant = None if self._place is None else self._tenants.find(name)
        with self._lock:
            opened = self._opened.get(name)
            if opened is not None and opened[0] != tenant:
                self._retire(name)
                opened = None
            if tenant is None or self._place is None:
                raise KeyError(name)
            if opened is None:
                self._opened[name] = opened = tenant, self._place.open(tenant)
        return opened[1]

    def __contains__(self, name: object) -> bool:
        """Return True if there is a library with a name, without opening it."""
        if name in self._fixed:
            return True
        return self._place is not None and isinstance(name, str) and self._tenants.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self._fixed
        if self._place is not None:
            yield from self._tenants.names()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def opened(self) -> dict[str, Library]:
        """Return the libraries that are open in this process; tenants that were not used yet are missing."""
        existing = set(self)
        with self._lock:
            for name in self._opened.keys() - existing:
                self._retire(name)
            return {**self._fixed, **{name: library for name, (_, library) in self._opened.items()}}

    def create(self, name: str, recipe: str, zone: str) -> tuple[Library, bool]:
        """Create a tenant; return its library, and True if it is new.

        Raises:
            UsageError: there are no tenants, the name belongs to a library named at the start or to a deleted one, or
                the tenant has another recipe.
        """
        if self._place is None:
            raise UsageError(say("this service does not create libraries"), hint=say("start it with `--tenants`"))
        if name in self._fixed:
            raise UsageError(
                say("library {name!r} was named at the start of the service", name=name),
                hint=say("choose another name"),
            )
        is_new = self._tenants.find(name) is None
        tenant = self._tenants.register(name, recipe, zone)
        if (recipe, zone) != (tenant.recipe, tenant.zone):
            raise UsageError(
                say("library {name!r} exists with another recipe or zone", name=name), hint=say("choose another name")
            )
        try:
            return self[name], is_new
        except WhorlError:
            if is_new:
                self._tenants.forget(name)
            raise

    def delete(self, name: str) -> None:
        """Delete a tenant with everything in it.

        Raises:
            UsageError: it was named at the start.
            NotFoundError: it does not exist.
        """
        if name in self._fixed:
            raise UsageError(
                say("library {name!r} was named at the start of the service", name=name),
                hint=say("only libraries that were created over HTTP can be deleted over HTTP"),
            )
        tenant = self._tenants.remove(name)
        with self._lock:
            self._retire(name)
        if self._place is not None:
            self._place.remove(tenant)

    def close(self) -> None:
        """Close all tenants."""
        with self._lock:
            libraries = [library for _, library in self._opened.values()]
            libraries += [library for _, library in self._retired]
            self._opened, self._retired = {}, []
        for library in libraries:
            with suppress(WhorlError, OSError):
                library.close()

    def _retire(self, name: str) -> None:
        """Close a deleted library once no request uses it any more."""
        opened = self._opened.pop(name, None)
        if opened is not None:
            self._retired.append((monotonic(), opened[1]))
        ready = [entry for entry in self._retired if monotonic() - entry[0] >= _RETIRED_SECONDS]
        for entry in ready:
            self._retired.remove(entry)
            with suppress(WhorlError, OSError):
                entry[1].close()


__all__ = ["Shelf"]
