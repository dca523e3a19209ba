"""Sites, pages, reviews and alerts: read snapshot and write transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from whorl.errors import ResourceError
from whorl.i18n import say
from whorl.stores.mongodb.layout import (
    ALERTS,
    BODIES,
    DECISIONS,
    LEAVES,
    LEDGER,
    PROOFS,
    SITES,
    SNAPSHOTS,
)
from whorl.stores.mongodb.rows import MongoChangingRows, MongoRows, lists
from whorl.stores.records import (
    AlertRecord,
    AttestationRecord,
    BodyRecord,
    DecisionRecord,
    LedgerRecord,
    PermissionRecord,
    SiteRecord,
    SnapshotRecord,
)

_KEPT = {
    "sites": SITES,
    "leaves": LEAVES,
    "proofs": PROOFS,
    "snapshots": SNAPSHOTS,
    "bodies": BODIES,
    "noted": LEDGER,
    "decisions": DECISIONS,
    "alerts": ALERTS,
}


class MongoMonitoringReader(MongoRows):
    """Rows of a snapshot; implements `whorl.stores.monitoring.MonitoringReader`, which documents the methods."""

    def sites(self, domains: Iterable[str]) -> dict[str, SiteRecord]:
        """See the contract."""
        return self.among(SITES, "domain", domains)

    def all_sites(self) -> Iterator[SiteRecord]:
        """See the contract."""
        return iter(sorted(self.whole(SITES), key=lambda site: site.domain))

    def leaves(self, domains: Iterable[str]) -> dict[str, list[PermissionRecord]]:
        """See the contract."""
        return lists((leave.domain, leave) for leave in sorted(self.by(LEAVES, "domain", domains), key=_in_order))

    def all_leaves(self) -> Iterator[PermissionRecord]:
        """See the contract."""
        return iter(sorted(self.whole(LEAVES), key=_in_order))

    def proofs(self, documents: Iterable[int]) -> dict[int, list[AttestationRecord]]:
        """See the contract."""
        return lists((proof.document, proof) for proof in sorted(self.by(PROOFS, "document", documents), key=_at))

    def all_proofs(self) -> Iterator[AttestationRecord]:
        """See the contract."""
        return iter(sorted(map(PROOFS.record_of, self.scan(PROOFS)), key=lambda proof: (proof.document, *_at(proof))))

    def snapshots_of(self, documents: Iterable[int]) -> dict[int, list[SnapshotRecord]]:
        """See the contract."""
        return lists(
            (snapshot.document, snapshot)
            for snapshot in _in_time(self.by(SNAPSHOTS, "document", documents))
            if snapshot.document is not None
        )

    def snapshots_at(self, urls: Iterable[str]) -> dict[str, list[SnapshotRecord]]:
        """See the contract."""
        return lists((snapshot.url, snapshot) for snapshot in _in_time(self.by(SNAPSHOTS, "url", urls)))

    def snapshots_after(self, number: int, limit: int) -> list[SnapshotRecord]:
        """See the contract."""
        return self.after(SNAPSHOTS, number, limit)

    def latest_at(self, urls: Iterable[str], statuses: range) -> dict[str, SnapshotRecord]:
        """See the contract."""
        return {
            snapshot.url: snapshot
            for snapshot in _in_time(self.by(SNAPSHOTS, "url", urls))
            if snapshot.status in statuses
        }

    def latest_with(self, digests: Iterable[bytes]) -> dict[bytes, SnapshotRecord]:
        """See the contract."""
        return {snapshot.digest: snapshot for snapshot in _in_time(self.by(SNAPSHOTS, "digest", digests))}

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, BodyRecord]:
        """See the contract."""
        return self.among(BODIES, "digest", digests)

    def known_bodies(self, digests: Iterable[bytes]) -> set[bytes]:
        """See the contract."""
        return {bytes.fromhex(row["digest"]) for row in self.rows_by(BODIES, "digest", digests, ())}

    def bodies_after(self, digest: bytes, limit: int) -> list[bytes]:
        """See the contract."""
        return [bytes.fromhex(next_text) for next_text in self.next_texts(BODIES, digest.hex(), limit)]

    def noted(self, numbers: Iterable[int]) -> dict[int, LedgerRecord]:
        """See the contract."""
        return self.among(LEDGER, "number", numbers)

    def noted_after(self, number: int, limit: int) -> list[LedgerRecord]:
        """See the contract."""
        return self.after(LEDGER, number, limit)

    def last_noted(self) -> LedgerRecord | None:
        """See the contract."""
        last = self.bound(LEDGER)
        return self.noted([last]).get(last)

    def decisions(self, pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[DecisionRecord]]:
        """See the contract."""
        rows = sorted(self.by(DECISIONS, "low", (low for low, _ in pairs)))
        decisions_of = lists(((decision.low, decision.high), decision) for decision in rows)
        return {pair: decisions_of[pair] for pair in pairs if pair in decisions_of}

    def decisions_about(self, documents: Iterable[int]) -> list[DecisionRecord]:
        """See the contract."""
        query = list(documents)
        return sorted(
            {decision for side in ("low", "high") for decision in self.by(DECISIONS, side, query)},
            key=attrgetter("number"),
        )

    def decisions_after(self, number: int, limit: int) -> list[DecisionRecord]:
        """See the contract."""
        return self.after(DECISIONS, number, limit)

    def alerts(self, numbers: Iterable[int]) -> dict[int, AlertRecord]:
        """See the contract."""
        return self.among(ALERTS, "number", numbers)

    def alerts_about(self, keys: Iterable[str]) -> dict[str, AlertRecord]:
        """See the contract."""
        return self.among(ALERTS, "key", keys)

    def alerts_after(self, number: int, limit: int, state: str | None) -> list[AlertRecord]:
        """See the contract."""
        return self.after(ALERTS, number, limit, lambda alert: state is None or alert.state == state)

    def due(self, now: int, most: int) -> list[AlertRecord]:
        """See the contract."""
        waiting = sorted(self.by(ALERTS, "state", ["waiting"]), key=attrgetter("number"))
        return [alert for alert in waiting if alert.next_try is None or alert.next_try <= now][:most]

    def kept(self) -> dict[str, int]:
        """See the contract."""
        return {name: self.alive(kind) for name, kind in _KEPT.items()}


class MongoMonitoringWriter(MongoMonitoringReader, MongoChangingRows):
    """Rows of a turn; implements `whorl.stores.monitoring.MonitoringWriter`, which documents the methods."""

    def put_sites(self, sites: Sequence[SiteRecord]) -> None:
        """See the contract."""
        self.put(SITES, sites)

    def remove_sites(self, domains: Sequence[str]) -> None:
        """See the contract."""
        self.remove(SITES, ((domain,) for domain in domains))

    def put_leaves(self, leaves: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        self.put(LEAVES, leaves)

    def remove_leaves(self, leaves: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        self.remove(LEAVES, ((leave.domain, leave.path, leave.author, leave.since) for leave in leaves))

    def put_proofs(self, proofs: Sequence[AttestationRecord]) -> None:
        """See the contract."""
        self.put_new(PROOFS, proofs)

    def put_bodies(self, bodies: Sequence[BodyRecord]) -> None:
        """See the contract."""
        self.put_new(BODIES, bodies)

    def put_snapshots(self, snapshots: Sequence[SnapshotRecord]) -> None:
        """See the contract."""
        self.put(SNAPSHOTS, snapshots)

    def remove_snapshots(self, documents: Sequence[int]) -> None:
        """Remove the snapshots of documents, and the bodies that no other snapshot has."""
        snapshots = [snapshot for some in self.snapshots_of(documents).values() for snapshot in some]
        self.remove(SNAPSHOTS, ((snapshot.number,) for snapshot in snapshots))
        digests = {snapshot.digest for snapshot in snapshots}
        self.remove(BODIES, ((digest.hex(),) for digest in digests - self.latest_with(digests).keys()))

    def put_noted(self, entries: Sequence[LedgerRecord]) -> None:
        """See the contract."""
        if there := self.noted(entry.number for entry in entries):
            problem = say("the ledger already has an entry {number}", number=min(there))
            raise ResourceError(problem, hint=say("check the library with `whorl library verify`"))
        self.put(LEDGER, entries)

    def next_decision(self) -> int:
        """See the contract."""
        return self.bound(DECISIONS) + 1

    def put_decisions(self, decisions: Sequence[DecisionRecord]) -> None:
        """See the contract."""
        self.put(DECISIONS, decisions)

    def next_alert(self) -> int:
        """See the contract."""
        return self.bound(ALERTS) + 1

    def put_alerts(self, alerts: Sequence[AlertRecord]) -> None:
        """See the contract."""
        self.put(ALERTS, alerts)


def _in_order(leave: PermissionRecord) -> tuple[Any, ...]:
    since = leave.since
    return (leave.domain, leave.path, leave.author, since is not None, since or 0)


def _at(proof: AttestationRecord) -> tuple[Any, ...]:
    return (proof.at, proof.kind, proof.by, proof.note)


def _in_time(snapshots: Iterable[SnapshotRecord]) -> list[SnapshotRecord]:
    return sorted(snapshots, key=lambda snapshot: (snapshot.fetched_at, snapshot.number))


__all__ = ["MongoMonitoringReader", "MongoMonitoringWriter"]
