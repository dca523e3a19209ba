"""The part of the contract of `whorl.stores` for watching sites and reviewing matches.

Digests are the 32 bytes of a SHA-256.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from whorl.stores.monitoring_records import (
    AlertRecord,
    AttestationRecord,
    BodyRecord,
    CaseEventRecord,
    CaseFilter,
    CaseRecord,
    LedgerRecord,
    PermissionRecord,
    SiteRecord,
    SnapshotRecord,
)
from whorl.stores.records import DecisionRecord


class MonitoringReader(Protocol):
    """A read snapshot of sites, pages, reviews and alerts."""

    def sites(self, domains: Iterable[str]) -> dict[str, SiteRecord]:
        """Return the sites with these domains; unknown domains are omitted."""
        ...

    def all_sites(self) -> Iterator[SiteRecord]:
        """Yield all sites, in the order of their domains."""
        ...

    def permissions(self, domains: Iterable[str]) -> dict[str, list[PermissionRecord]]:
        """Return the permissions of each domain; domains without any are omitted."""
        ...

    def all_permissions(self) -> Iterator[PermissionRecord]:
        """Yield all permissions, in the order of domain, path, author and beginning."""
        ...

    def attestations(self, documents: Iterable[int]) -> dict[int, list[AttestationRecord]]:
        """Return the attestations of each document, in chronological order; documents without any are omitted."""
        ...

    def all_attestations(self) -> Iterator[AttestationRecord]:
        """Yield all attestations, ordered by document and time."""
        ...

    def snapshots_of(self, documents: Iterable[int]) -> dict[int, list[SnapshotRecord]]:
        """Return the snapshots that each document was extracted from, in chronological order; others are omitted."""
        ...

    def snapshots_at(self, urls: Iterable[str]) -> dict[str, list[SnapshotRecord]]:
        """Return the snapshots of each address, in chronological order; unknown addresses are omitted."""
        ...

    def snapshots_after(self, number: int, limit: int) -> list[SnapshotRecord]:
        """Return the next snapshots after a number in ascending order, up to a limit."""
        ...

    def latest_at(self, urls: Iterable[str], statuses: range) -> dict[str, SnapshotRecord]:
        """Return the latest snapshot of each address with a status in a range; addresses without one are omitted."""
        ...

    def latest_with(self, digests: Iterable[bytes]) -> dict[bytes, SnapshotRecord]:
        """Return the latest snapshot with each body; unknown bodies are omitted."""
        ...

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, BodyRecord]:
        """Return the bodies with these digests; unknown digests are omitted."""
        ...

    def known_bodies(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return which of these bodies are stored, without reading them."""
        ...

    def bodies_after(self, digest: bytes, limit: int) -> list[bytes]:
        """Return the next digests of bodies after one in ascending order, up to a limit; the empty one precedes all."""
        ...

    def ledger_records(self, numbers: Iterable[int]) -> dict[int, LedgerRecord]:
        """Return the ledger entries with these numbers; unknown numbers are omitted."""
        ...

    def ledger_records_after(self, number: int, limit: int) -> list[LedgerRecord]:
        """Return the next ledger entries after a number in ascending order, up to a limit."""
        ...

    def last_ledger_record(self) -> LedgerRecord | None:
        """Return the last ledger entry; None for an empty ledger."""
        ...

    def decisions(self, pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[DecisionRecord]]:
        """Return all decisions about each match, identified by lower and higher document number, oldest first."""
        ...

    def decisions_about(self, documents: Iterable[int]) -> list[DecisionRecord]:
        """Return all decisions about the matches of documents, oldest first."""
        ...

    def decisions_after(self, number: int, limit: int) -> list[DecisionRecord]:
        """Return the next decisions after a number in ascending order, up to a limit."""
        ...

    def alerts(self, numbers: Iterable[int]) -> dict[int, AlertRecord]:
        """Return the alerts with these numbers; unknown numbers are omitted."""
        ...

    def alerts_about(self, keys: Iterable[str]) -> dict[str, AlertRecord]:
        """Return the alerts with these keys; unknown keys are omitted."""
        ...

    def alerts_after(self, number: int, limit: int, state: str | None) -> list[AlertRecord]:
        """Return the next alerts after a number, in one state or in all, in ascending order, up to a limit."""
        ...

    def due(self, now: int, limit: int) -> list[AlertRecord]:
        """Return the first waiting alerts that are due, ascending, up to a limit."""
        ...

    def cases(self, numbers: Iterable[int]) -> dict[int, CaseRecord]:
        """Return the cases with these numbers; unknown numbers are omitted."""
        ...

    def cases_at(self, urls: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """Return the cases at each address, ascending; addresses without any are omitted."""
        ...

    def cases_about(self, documents: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """Return the cases whose copy is each document, ascending; documents without any are omitted."""
        ...

    def cases_after(
        self, chosen: CaseFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> list[CaseRecord]:
        """Return the next selected cases after a number, up to a limit; None starts at the beginning.

        They are ascending by number, or ``newest`` first.
        """
        ...

    def case_states(self) -> dict[str, int]:
        """Return the number of cases in each state; states without cases are omitted."""
        ...

    def case_events(self, cases: Iterable[int]) -> dict[int, list[CaseEventRecord]]:
        """Return the events of each case, oldest first; unknown cases are omitted."""
        ...

    def case_events_after(self, number: int, limit: int) -> list[CaseEventRecord]:
        """Return the next events after a number in ascending order, up to a limit."""
        ...

    def last_case(self) -> int:
        """Return the highest number of a case; 0 if there are no cases."""
        ...

    def kept(self) -> dict[str, int]:
        """Return the number of rows of each kind."""
        ...


class MonitoringWriter(MonitoringReader, Protocol):
    """A write transaction on sites, pages, reviews and alerts."""

    def put_sites(self, sites: Sequence[SiteRecord]) -> None:
        """Store sites, replacing existing ones."""
        ...

    def remove_sites(self, domains: Sequence[str]) -> None:
        """Remove the sites with these domains."""
        ...

    def put_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """Store permissions, replacing those with the same domain, path, author and beginning."""
        ...

    def remove_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """Remove the permissions with the same domain, path, author and beginning."""
        ...

    def put_attestations(self, attestations: Sequence[AttestationRecord]) -> None:
        """Store attestations; existing ones stay unchanged."""
        ...

    def put_bodies(self, bodies: Sequence[BodyRecord]) -> None:
        """Store bodies; existing ones stay unchanged."""
        ...

    def put_snapshots(self, snapshots: Sequence[SnapshotRecord]) -> None:
        """Store new snapshots, and replace existing ones."""
        ...

    def remove_snapshots_numbered(self, numbers: Sequence[int]) -> None:
        """Remove the snapshots with these numbers, and the bodies that no other snapshot has."""
        ...

    def put_case_events(self, events: Sequence[CaseEventRecord]) -> None:
        """Store new events, whose numbers must be unused."""
        ...

    def put_cases(self, cases: Sequence[CaseRecord]) -> None:
        """Store new cases, and replace existing ones."""
        ...

    def remove_cases(self, numbers: Sequence[int]) -> None:
        """Remove the cases with these numbers, but not their events."""
        ...

    def put_ledger_records(self, entries: Sequence[LedgerRecord]) -> None:
        """Store new ledger entries, whose numbers must be unused."""
        ...

    def next_decision(self) -> int:
        """Return the number of the next decision."""
        ...

    def put_decisions(self, decisions: Sequence[DecisionRecord]) -> None:
        """Store new decisions, and replace existing ones."""
        ...

    def next_alert(self) -> int:
        """Return the number of the next alert."""
        ...

    def put_alerts(self, alerts: Sequence[AlertRecord]) -> None:
        """Store new alerts, and replace existing ones."""
        ...


__all__ = ["MonitoringReader", "MonitoringWriter"]
