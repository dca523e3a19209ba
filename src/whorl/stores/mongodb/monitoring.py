"""Sites, pages, reviews and alerts: read snapshot and write transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from whorl.errors import ResourceError
from whorl.i18n import say
from whorl.stores.mongodb.layout import (
    ALERTS,
    ATTESTATIONS,
    BODIES,
    CASE_EVENTS,
    CASES,
    DECISIONS,
    LEDGER,
    PERMISSIONS,
    SITES,
    SNAPSHOTS,
)
from whorl.stores.mongodb.rows import MongoChangingRows, MongoRows, lists
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

_KEPT = {
    "sites": SITES,
    "permissions": PERMISSIONS,
    "attestations": ATTESTATIONS,
    "snapshots": SNAPSHOTS,
    "bodies": BODIES,
    "noted": LEDGER,
    "decisions": DECISIONS,
    "alerts": ALERTS,
    "cases": CASES,
    "case_events": CASE_EVENTS,
}
_FEWEST_CASES, _CASES_AT_ONCE = 200, 1000
_FEW_CASES = 2000
"""Maximum number of cases that are read by their states, rather than block by block."""

_COUNTED = f"{CASES.name}:"
"""Precedes a state in the names of counters."""


class MongoMonitoringReader(MongoRows):
    """Rows of a snapshot; implements `whorl.stores.monitoring.MonitoringReader`, which documents the methods."""

    def sites(self, domains: Iterable[str]) -> dict[str, SiteRecord]:
        """See the contract."""
        return self.by_unique(SITES, "domain", domains)

    def all_sites(self) -> Iterator[SiteRecord]:
        """See the contract."""
        return iter(sorted(self.whole(SITES), key=lambda site: site.domain))

    def permissions(self, domains: Iterable[str]) -> dict[str, list[PermissionRecord]]:
        """See the contract."""
        return lists(
            (permission.domain, permission)
            for permission in sorted(self.by(PERMISSIONS, "domain", domains), key=_in_order)
        )

    def all_permissions(self) -> Iterator[PermissionRecord]:
        """See the contract."""
        return iter(sorted(self.whole(PERMISSIONS), key=_in_order))

    def attestations(self, documents: Iterable[int]) -> dict[int, list[AttestationRecord]]:
        """See the contract."""
        return lists(
            (attestation.document, attestation)
            for attestation in sorted(self.by(ATTESTATIONS, "document", documents), key=_at)
        )

    def all_attestations(self) -> Iterator[AttestationRecord]:
        """See the contract."""
        return iter(
            sorted(
                map(ATTESTATIONS.record_of, self.scan(ATTESTATIONS)),
                key=lambda attestation: (attestation.document, *_at(attestation)),
            )
        )

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
        return self.by_unique(BODIES, "digest", digests)

    def known_bodies(self, digests: Iterable[bytes]) -> set[bytes]:
        """See the contract."""
        return {bytes.fromhex(row["digest"]) for row in self.rows_by(BODIES, "digest", digests, ())}

    def bodies_after(self, digest: bytes, limit: int) -> list[bytes]:
        """See the contract."""
        return [bytes.fromhex(next_text) for next_text in self.next_texts(BODIES, digest.hex(), limit)]

    def ledger_records(self, numbers: Iterable[int]) -> dict[int, LedgerRecord]:
        """See the contract."""
        return self.by_unique(LEDGER, "number", numbers)

    def ledger_records_after(self, number: int, limit: int) -> list[LedgerRecord]:
        """See the contract."""
        return self.after(LEDGER, number, limit)

    def last_ledger_record(self) -> LedgerRecord | None:
        """See the contract."""
        last = self.bound(LEDGER)
        return self.ledger_records([last]).get(last)

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
        return self.by_unique(ALERTS, "number", numbers)

    def alerts_about(self, keys: Iterable[str]) -> dict[str, AlertRecord]:
        """See the contract."""
        return self.by_unique(ALERTS, "key", keys)

    def alerts_after(self, number: int, limit: int, state: str | None) -> list[AlertRecord]:
        """See the contract."""
        return self.after(ALERTS, number, limit, lambda alert: state is None or alert.state == state)

    def due(self, now: int, limit: int) -> list[AlertRecord]:
        """See the contract."""
        waiting = sorted(self.by(ALERTS, "state", ["waiting"]), key=attrgetter("number"))
        return [alert for alert in waiting if alert.next_try is None or alert.next_try <= now][:limit]

    def cases(self, numbers: Iterable[int]) -> dict[int, CaseRecord]:
        """See the contract."""
        return self.by_unique(CASES, "number", numbers)

    def cases_at(self, urls: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """See the contract."""
        return lists((case.url, case) for case in sorted(self.by(CASES, "url", urls)))

    def cases_about(self, documents: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """See the contract."""
        return lists((case.document, case) for case in sorted(self.by(CASES, "document", documents)))

    def cases_after(
        self, chosen: CaseFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> list[CaseRecord]:
        """See the contract."""
        filters = {"article": chosen.article, "site": chosen.site}
        field, value = next(((name, text) for name, text in filters.items() if text is not None), ("", ""))
        if field:
            cases: Iterable[CaseRecord] = sorted(self.by(CASES, field, [value]), reverse=newest)
        elif chosen.states is not None and self._count_cases(chosen.states) <= _FEW_CASES:
            cases = sorted(self.by(CASES, "state", chosen.states), reverse=newest)
        else:
            block = min(max(2 * limit, _FEWEST_CASES), _CASES_AT_ONCE)
            cases = map(CASES.record_of, self._case_rows(after, block, newest=newest))
        return list(islice((case for case in cases if _is_selected(case, chosen, after, newest=newest)), limit))

    def _case_rows(self, after: int | None, block: int, *, newest: bool) -> Iterator[dict[str, Any]]:
        """Yield the rows of cases after a number, ascending or ``newest`` first, in blocks."""
        last = self.bound(CASES)
        if not newest:
            yield from self.scan(CASES, after=after or 0, page=block)
            return
        last = last if after is None else min(last, after - 1)
        while last > 0:
            yield from reversed(self.between(CASES, max(1, last - block + 1), last))
            last -= block

    def case_states(self) -> dict[str, int]:
        """See the contract."""
        counts = {key.removeprefix(_COUNTED): count for key, count in self._state.alive.items() if _COUNTED in key}
        return {state: count for state, count in counts.items() if count}

    def _count_cases(self, states: Iterable[str]) -> int:
        """Return the number of cases in some states."""
        counts = self.case_states()
        return sum(counts.get(state, 0) for state in states)

    def case_events(self, cases: Iterable[int]) -> dict[int, list[CaseEventRecord]]:
        """See the contract."""
        return lists((event.case_number, event) for event in sorted(self.by(CASE_EVENTS, "case_number", cases)))

    def case_events_after(self, number: int, limit: int) -> list[CaseEventRecord]:
        """See the contract."""
        return self.after(CASE_EVENTS, number, limit)

    def last_case(self) -> int:
        """See the contract."""
        return self.bound(CASES)

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

    def put_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        self.put(PERMISSIONS, permissions)

    def remove_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        self.remove(
            PERMISSIONS,
            ((permission.domain, permission.path, permission.author, permission.since) for permission in permissions),
        )

    def put_attestations(self, attestations: Sequence[AttestationRecord]) -> None:
        """See the contract."""
        self.put_new(ATTESTATIONS, attestations)

    def put_bodies(self, bodies: Sequence[BodyRecord]) -> None:
        """See the contract."""
        self.put_new(BODIES, bodies)

    def put_snapshots(self, snapshots: Sequence[SnapshotRecord]) -> None:
        """See the contract."""
        self.put(SNAPSHOTS, snapshots)

    def remove_snapshots(self, documents: Sequence[int]) -> None:
        """Remove the snapshots of documents, and the bodies that no other snapshot has."""
        self._remove_snapshots([snapshot for some in self.snapshots_of(documents).values() for snapshot in some])

    def remove_snapshots_numbered(self, numbers: Sequence[int]) -> None:
        """See the contract."""
        self._remove_snapshots(self.by(SNAPSHOTS, "number", numbers))

    def _remove_snapshots(self, snapshots: Sequence[SnapshotRecord]) -> None:
        self.remove(SNAPSHOTS, ((snapshot.number,) for snapshot in snapshots))
        digests = {snapshot.digest for snapshot in snapshots}
        self.remove(BODIES, ((digest.hex(),) for digest in digests - self.latest_with(digests).keys()))

    def put_case_events(self, events: Sequence[CaseEventRecord]) -> None:
        """See the contract."""
        if there := self.by(CASE_EVENTS, "number", [event.number for event in events]):
            problem = say("event {number} already exists", number=min(there).number)
            raise ResourceError(problem, hint=say("check the library with `whorl library verify`"))
        self.put(CASE_EVENTS, events)

    def put_cases(self, cases: Sequence[CaseRecord]) -> None:
        """See the contract."""
        self._recount(self.cases(case.number for case in cases).values(), cases)
        self.put(CASES, cases)

    def remove_cases(self, numbers: Sequence[int]) -> None:
        """See the contract."""
        self._recount(self.cases(numbers).values(), ())
        self.remove(CASES, ((number,) for number in numbers))

    def _recount(self, before: Iterable[CaseRecord], after: Iterable[CaseRecord]) -> None:
        """Count the cases of each state in the state of the library, so that a count needs no pass over them."""
        counts = self._state.alive
        for cases, step in ((before, -1), (after, 1)):
            for case in cases:
                key = f"{_COUNTED}{case.state}"
                counts[key] = counts.get(key, 0) + step

    def put_ledger_records(self, entries: Sequence[LedgerRecord]) -> None:
        """See the contract."""
        if there := self.ledger_records(entry.number for entry in entries):
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


def _is_selected(case: CaseRecord, chosen: CaseFilter, after: int | None, *, newest: bool) -> bool:
    return (
        (chosen.states is None or case.state in chosen.states)
        and chosen.article in (None, case.article)
        and chosen.site in (None, case.site)
        and (after is None or (case.number < after if newest else case.number > after))
    )


def _in_order(permission: PermissionRecord) -> tuple[Any, ...]:
    since = permission.since
    return (permission.domain, permission.path, permission.author, since is not None, since or 0)


def _at(attestation: AttestationRecord) -> tuple[Any, ...]:
    return (attestation.at, attestation.kind, attestation.by, attestation.note)


def _in_time(snapshots: Iterable[SnapshotRecord]) -> list[SnapshotRecord]:
    return sorted(snapshots, key=lambda snapshot: (snapshot.fetched_at, snapshot.number))


__all__ = ["MongoMonitoringReader", "MongoMonitoringWriter"]
