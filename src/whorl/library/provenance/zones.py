"""Default zones: in which zone publication times without one are understood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from whorl.library.core import Core
from whorl.library.ingest.documents import publication_fields
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.types.library import Document
from whorl.types.times import UNKNOWN_ZONE, demand_zone

ZONE_SETTING = "zone"
"""Name of the setting of a library."""

_Document = TypeVar("_Document", bound=Document)


class DefaultZones:
    """Default zones of a library and its sites, read when the first time without a zone needs them.

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def zoned(self, documents: Iterable[_Document]) -> Iterator[_Document]:
        """Yield documents, with times of unknown zone placed in the zone of their site, else that of the library."""
        return map(self.placed, documents)

    def placed(self, document: _Document) -> _Document:
        """Return a document with its publication time in the default zone, if its own zone is unknown."""
        if document.published_zone != UNKNOWN_ZONE or document.publication is None:
            return document
        zone = self.of(document.url or "")
        return replace(document, **publication_fields(document.publication.in_zone(zone))) if zone else document

    def of(self, address: str) -> str:
        """Return the default zone of an address: that of its site, else that of the library, else an empty string."""
        domains = domains_above(domain_of(address)) if self._sites and address else ()
        return next((self._sites[domain] for domain in domains if domain in self._sites), self._library)

    @cached_property
    def _library(self) -> str:
        return library_zone(self._core)

    @cached_property
    def _sites(self) -> dict[str, str]:
        with self._core.store.reading() as reader:
            return {site.domain: site.zone for site in reader.all_sites() if site.zone}


def library_zone(core: Core) -> str:
    """Return the default zone of a library; empty without one."""
    return core.store.settings().get(ZONE_SETTING, "")


def set_library_zone(core: Core, zone: str | None) -> None:
    """Store the default zone of a library; None or an empty string removes it.

    Raises:
        UsageError: there is no such zone.
    """
    name = demand_zone(zone) if zone else ""
    if name != library_zone(core):
        with core.turn, core.store.writing() as writer:
            writer.put_settings({ZONE_SETTING: name})


__all__ = ["ZONE_SETTING", "DefaultZones", "library_zone", "set_library_zone"]
