"""What a store keeps so that sites can be watched and matches reviewed; a part of the contract of `whorl.stores`.

Digests are the 32 bytes of a SHA-256.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from whorl.stores.records import Alert, Body, Decision, Leave, Noted, Proof, Site, Snapshot


class MonitoringReader(Protocol):
    """The truth at one moment about sites, pages, reviews and alerts."""

    def sites(self, domains: Iterable[str]) -> dict[str, Site]:
        """The sites of these domains; unknown ones are left out."""
        ...

    def all_sites(self) -> Iterator[Site]:
        """All sites, in the order of their domains."""
        ...

    def leaves(self, domains: Iterable[str]) -> dict[str, list[Leave]]:
        """Who may reprint on each domain; those without leave are left out."""
        ...

    def all_leaves(self) -> Iterator[Leave]:
        """All leaves, in the order of domain, path, author and beginning."""
        ...

    def proofs(self, documents: Iterable[int]) -> dict[int, list[Proof]]:
        """The proofs of each document, in order of time; documents without are left out."""
        ...

    def all_proofs(self) -> Iterator[Proof]:
        """All proofs, in the order of documents and of time."""
        ...

    def snapshots_of(self, documents: Iterable[int]) -> dict[int, list[Snapshot]]:
        """The snapshots of which each document was made, in order of time; documents without are left out."""
        ...

    def snapshots_at(self, urls: Iterable[str]) -> dict[str, list[Snapshot]]:
        """The snapshots of each address, in order of time; unknown addresses are left out."""
        ...

    def snapshots_after(self, number: int, most: int) -> list[Snapshot]:
        """The next ``most`` snapshots after a number, ascending."""
        ...

    def latest_at(self, urls: Iterable[str], statuses: range) -> dict[str, Snapshot]:
        """The latest snapshot of each address whose status is one of a range; addresses without are left out."""
        ...

    def latest_with(self, digests: Iterable[bytes]) -> dict[bytes, Snapshot]:
        """The latest snapshot that has each body; unknown bodies are left out."""
        ...

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]:
        """The bodies of these digests; unknown ones are left out."""
        ...

    def known_bodies(self, digests: Iterable[bytes]) -> set[bytes]:
        """Which of these bodies are kept; none is read."""
        ...

    def bodies_after(self, digest: bytes, most: int) -> list[bytes]:
        """The next ``most`` digests of bodies after one, ascending; the empty one is before all."""
        ...

    def noted(self, numbers: Iterable[int]) -> dict[int, Noted]:
        """The entries of the ledger of these numbers; unknown ones are left out."""
        ...

    def noted_after(self, number: int, most: int) -> list[Noted]:
        """The next ``most`` entries of the ledger after a number, ascending."""
        ...

    def last_noted(self) -> Noted | None:
        """The last entry of the ledger; None for an empty one."""
        ...

    def decisions(self, pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[Decision]]:
        """All decisions about each match, given by the lower and the higher number of its documents, oldest first."""
        ...

    def decisions_about(self, documents: Iterable[int]) -> list[Decision]:
        """All decisions about the matches of documents, oldest first."""
        ...

    def decisions_after(self, number: int, most: int) -> list[Decision]:
        """The next ``most`` decisions after a number, ascending."""
        ...

    def alerts(self, numbers: Iterable[int]) -> dict[int, Alert]:
        """The alerts of these numbers; unknown ones are left out."""
        ...

    def alerts_about(self, keys: Iterable[str]) -> dict[str, Alert]:
        """The alerts of these keys; unknown ones are left out."""
        ...

    def alerts_after(self, number: int, most: int, state: str | None) -> list[Alert]:
        """The next ``most`` alerts after a number, of a state or of all, ascending."""
        ...

    def due(self, now: int, most: int) -> list[Alert]:
        """The first ``most`` alerts that wait and are to be tried now, ascending."""
        ...

    def kept(self) -> dict[str, int]:
        """How many rows of each kind there are."""
        ...


class MonitoringWriter(MonitoringReader, Protocol):
    """One change of the truth about sites, pages, reviews and alerts."""

    def put_sites(self, sites: Sequence[Site]) -> None:
        """Keep sites, in the place of those known."""
        ...

    def remove_sites(self, domains: Sequence[str]) -> None:
        """Forget the sites of these domains."""
        ...

    def put_leaves(self, leaves: Sequence[Leave]) -> None:
        """Keep leaves, in the place of those of the same domain, path, author and beginning."""
        ...

    def remove_leaves(self, leaves: Sequence[Leave]) -> None:
        """Forget the leaves of the same domain, path, author and beginning."""
        ...

    def put_proofs(self, proofs: Sequence[Proof]) -> None:
        """Keep proofs; those that are known stay as they are."""
        ...

    def put_bodies(self, bodies: Sequence[Body]) -> None:
        """Keep bodies; those that are known stay as they are."""
        ...

    def put_snapshots(self, snapshots: Sequence[Snapshot]) -> None:
        """Keep new snapshots, and in the place of known ones what is given now."""
        ...

    def put_noted(self, noted: Sequence[Noted]) -> None:
        """Keep new entries of the ledger; none takes the place of another."""
        ...

    def next_decision(self) -> int:
        """The number that the next decision has."""
        ...

    def put_decisions(self, decisions: Sequence[Decision]) -> None:
        """Keep new decisions, and in the place of known ones what is given now."""
        ...

    def next_alert(self) -> int:
        """The number that the next alert has."""
        ...

    def put_alerts(self, alerts: Sequence[Alert]) -> None:
        """Keep new alerts, and in the place of known ones what is given now."""
        ...


__all__ = ["MonitoringReader", "MonitoringWriter"]
