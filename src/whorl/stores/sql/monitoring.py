"""Sites, pages, reviews and alerts: read snapshot and write transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

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
from whorl.stores.sql.dialect import insertion, quoted
from whorl.stores.sql.rows import SqlChangingRows, SqlRows, lists

_SITE, _PERMISSION, _ATTESTATION, _BODY, _SNAPSHOT, _LEDGER, _DECISION, _ALERT, _CASE, _EVENT = (
    quoted(record._fields)
    for record in (
        SiteRecord,
        PermissionRecord,
        AttestationRecord,
        BodyRecord,
        SnapshotRecord,
        LedgerRecord,
        DecisionRecord,
        AlertRecord,
        CaseRecord,
        CaseEventRecord,
    )
)
_TABLES = {
    "sites": "site",
    "permissions": "permission",
    "attestations": "attestation",
    "snapshots": "snapshot",
    "bodies": "body",
    "noted": "ledger",
    "decisions": "decision",
    "alerts": "alert",
    "cases": "case_file",
    "case_events": "case_event",
}
_IN_TIME = "ORDER BY fetched_at, number"
_HAS_KEY = """AND "key" <> ''"""


class SqlMonitoringReader(SqlRows):
    """Rows of a snapshot; implements `whorl.stores.monitoring.MonitoringReader`, which documents the methods."""

    def sites(self, domains: Iterable[str]) -> dict[str, SiteRecord]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_SITE} FROM site", "domain", domains)
        return {site.domain: site for site in map(_site, rows)}

    def all_sites(self) -> Iterator[SiteRecord]:
        """See the contract."""
        return map(_site, self.query(f"SELECT {_SITE} FROM site ORDER BY domain"))

    def permissions(self, domains: Iterable[str]) -> dict[str, list[PermissionRecord]]:
        """See the contract."""
        rows = self.select_texts(f'SELECT {_PERMISSION} FROM "permission"', "domain", domains)
        return lists(
            (permission.domain, permission)
            for permission in sorted(map(PermissionRecord._make, rows), key=_permission_order)
        )

    def all_permissions(self) -> Iterator[PermissionRecord]:
        """See the contract."""
        return iter(
            sorted(
                map(PermissionRecord._make, self.query(f'SELECT {_PERMISSION} FROM "permission"')),
                key=_permission_order,
            )
        )

    def attestations(self, documents: Iterable[int]) -> dict[int, list[AttestationRecord]]:
        """See the contract."""
        rows = self.select_in(
            f"SELECT {_ATTESTATION} FROM attestation", "document", documents, 'ORDER BY "at", kind, "by", note'
        )
        return lists((attestation.document, attestation) for attestation in map(AttestationRecord._make, rows))

    def all_attestations(self) -> Iterator[AttestationRecord]:
        """See the contract."""
        return map(
            AttestationRecord._make,
            self.query(f'SELECT {_ATTESTATION} FROM attestation ORDER BY document, "at", kind, "by", note'),
        )

    def snapshots_of(self, documents: Iterable[int]) -> dict[int, list[SnapshotRecord]]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_SNAPSHOT} FROM snapshot", "document", documents, _IN_TIME)
        return lists((snapshot.document or 0, snapshot) for snapshot in map(SnapshotRecord._make, rows))

    def snapshots_at(self, urls: Iterable[str]) -> dict[str, list[SnapshotRecord]]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_SNAPSHOT} FROM snapshot", "url", urls, _IN_TIME)
        return lists((snapshot.url, snapshot) for snapshot in map(SnapshotRecord._make, rows))

    def snapshots_after(self, number: int, limit: int) -> list[SnapshotRecord]:
        """See the contract."""
        statement = f"SELECT {_SNAPSHOT} FROM snapshot WHERE number > %s ORDER BY number LIMIT %s"
        return list(map(SnapshotRecord._make, self.query(statement, number, limit)))

    def latest_at(self, urls: Iterable[str], statuses: range) -> dict[str, SnapshotRecord]:
        """See the contract."""
        within = f"AND status BETWEEN {statuses.start:d} AND {statuses.stop - 1:d}"
        return {
            snapshot.url: snapshot
            for snapshot in self._latest(self._dialect.key("url"), self._dialect.keys(urls), within)
        }

    def latest_with(self, digests: Iterable[bytes]) -> dict[bytes, SnapshotRecord]:
        """See the contract."""
        return {snapshot.digest: snapshot for snapshot in self._latest("digest", digests, "")}

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, BodyRecord]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_BODY} FROM body", "digest", digests)
        return {body.digest: body for body in map(BodyRecord._make, rows)}

    def known_bodies(self, digests: Iterable[bytes]) -> set[bytes]:
        """See the contract."""
        return {digest for (digest,) in self.select_in("SELECT digest FROM body", "digest", digests)}

    def bodies_after(self, digest: bytes, limit: int) -> list[bytes]:
        """See the contract."""
        statement = "SELECT digest FROM body WHERE digest > %s ORDER BY digest LIMIT %s"
        return [digest_bytes for (digest_bytes,) in self.query(statement, digest, limit)]

    def ledger_records(self, numbers: Iterable[int]) -> dict[int, LedgerRecord]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_LEDGER} FROM ledger", "number", numbers)
        return {entry.number: entry for entry in map(LedgerRecord._make, rows)}

    def ledger_records_after(self, number: int, limit: int) -> list[LedgerRecord]:
        """See the contract."""
        statement = f"SELECT {_LEDGER} FROM ledger WHERE number > %s ORDER BY number LIMIT %s"
        return list(map(LedgerRecord._make, self.query(statement, number, limit)))

    def last_ledger_record(self) -> LedgerRecord | None:
        """See the contract."""
        rows = self.query(f"SELECT {_LEDGER} FROM ledger ORDER BY number DESC LIMIT 1")
        return next(map(LedgerRecord._make, rows), None)

    def decisions(self, pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], list[DecisionRecord]]:
        """See the contract."""
        rows: list[Any] = []
        for some in self.parts(pairs):
            condition = self._dialect.in_pairs("low", "high", some)
            statement = f"SELECT {_DECISION} FROM decision WHERE {condition.text} ORDER BY number"
            rows += self.query(statement, *condition.values)
        return lists(((decision.low, decision.high), decision) for decision in map(DecisionRecord._make, rows))

    def decisions_about(self, documents: Iterable[int]) -> list[DecisionRecord]:
        """See the contract."""
        query = list(documents)
        sides = (self.select_in(f"SELECT {_DECISION} FROM decision", side, query) for side in ("low", "high"))
        return sorted({DecisionRecord._make(row) for rows in sides for row in rows})

    def decisions_after(self, number: int, limit: int) -> list[DecisionRecord]:
        """See the contract."""
        statement = f"SELECT {_DECISION} FROM decision WHERE number > %s ORDER BY number LIMIT %s"
        return list(map(DecisionRecord._make, self.query(statement, number, limit)))

    def alerts(self, numbers: Iterable[int]) -> dict[int, AlertRecord]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_ALERT} FROM alert", "number", numbers)
        return {alert.number: alert for alert in map(AlertRecord._make, rows)}

    def alerts_about(self, keys: Iterable[str]) -> dict[str, AlertRecord]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_ALERT} FROM alert", "key", filter(None, keys), _HAS_KEY)
        return {alert.key: alert for alert in map(AlertRecord._make, rows)}

    def alerts_after(self, number: int, limit: int, state: str | None) -> list[AlertRecord]:
        """See the contract."""
        of_state, values = ("", ()) if state is None else ("AND state = %s", (state,))
        statement = f"SELECT {_ALERT} FROM alert WHERE number > %s {of_state} ORDER BY number LIMIT %s"
        return list(map(AlertRecord._make, self.query(statement, number, *values, limit)))

    def due(self, now: int, limit: int) -> list[AlertRecord]:
        """See the contract."""
        is_due = "state = 'waiting' AND (next_try IS NULL OR next_try <= %s)"
        statement = f"SELECT {_ALERT} FROM alert WHERE {is_due} ORDER BY number LIMIT %s"
        return list(map(AlertRecord._make, self.query(statement, now, limit)))

    def cases(self, numbers: Iterable[int]) -> dict[int, CaseRecord]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_CASE} FROM case_file", "number", numbers)
        return {case.number: case for case in map(CaseRecord._make, rows)}

    def cases_at(self, urls: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_CASE} FROM case_file", "url", urls, "ORDER BY number")
        return lists((case.url, case) for case in map(CaseRecord._make, rows))

    def cases_about(self, documents: Iterable[str]) -> dict[str, list[CaseRecord]]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_CASE} FROM case_file", "document", documents, "ORDER BY number")
        return lists((case.document, case) for case in map(CaseRecord._make, rows))

    def cases_after(
        self, chosen: CaseFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> list[CaseRecord]:
        """See the contract."""
        sign, order = ("<", "DESC") if newest else (">", "ASC")
        conditions = {f"number {sign} %s": after}
        for column, text in (("article", chosen.article), ("site", chosen.site)):
            conditions[f"{self._dialect.key(column)} = %s"] = None if text is None else self._dialect.key_of(text)
        values: list[Any] = [value for value in conditions.values() if value is not None]
        clauses = [condition for condition, value in conditions.items() if value is not None]
        if chosen.states is not None:
            clauses.append(f"{self._dialect.unindexed('state')} IN ({', '.join(['%s'] * len(chosen.states))})")
            values += chosen.states
        where = f"WHERE {' AND '.join(clauses)}" if clauses else ""
        statement = f"SELECT {_CASE} FROM case_file {where} ORDER BY number {order} LIMIT %s"
        return list(map(CaseRecord._make, self.query(statement, *values, limit)))

    def case_states(self) -> dict[str, int]:
        """See the contract."""
        return dict(self.query("SELECT state, count(*) FROM case_file GROUP BY state"))

    def case_events(self, cases: Iterable[int]) -> dict[int, list[CaseEventRecord]]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_EVENT} FROM case_event", "case_number", cases, "ORDER BY number")
        return lists((event.case_number, event) for event in map(CaseEventRecord._make, rows))

    def case_events_after(self, number: int, limit: int) -> list[CaseEventRecord]:
        """See the contract."""
        statement = f"SELECT {_EVENT} FROM case_event WHERE number > %s ORDER BY number LIMIT %s"
        return list(map(CaseEventRecord._make, self.query(statement, number, limit)))

    def last_case(self) -> int:
        """See the contract."""
        return self.number("SELECT max(number) FROM case_file")

    def kept(self) -> dict[str, int]:
        """See the contract."""
        return {name: self.number(f'SELECT count(*) FROM "{table}"') for name, table in _TABLES.items()}

    def _latest(self, column: str, values: Iterable[Any], rest: str) -> Iterator[SnapshotRecord]:
        """Yield the latest snapshot for each value of a column."""
        place = f"row_number() OVER (PARTITION BY {column} ORDER BY fetched_at DESC, number DESC) AS place"
        for some in self.parts(values):
            condition = self._dialect.in_list(column, some)
            placed = f"SELECT {_SNAPSHOT}, {place} FROM snapshot WHERE {condition.text} {rest}"
            rows = self.query(f"SELECT {_SNAPSHOT} FROM ({placed}) AS own WHERE place = 1", *condition.values)
            yield from map(SnapshotRecord._make, rows)


class SqlMonitoringWriter(SqlMonitoringReader, SqlChangingRows):
    """Rows of a transaction; implements `whorl.stores.monitoring.MonitoringWriter`, which documents the methods."""

    def put_sites(self, sites: Sequence[SiteRecord]) -> None:
        """See the contract."""
        self.put("site", sites)

    def remove_sites(self, domains: Sequence[str]) -> None:
        """See the contract."""
        self.delete("site", self._dialect.key("domain"), self._dialect.keys(domains))

    def put_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        self.put("permission", permissions)

    def remove_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        keys = (
            self._dialect.key_of(permission.domain, permission.path, permission.author, permission.since)
            for permission in permissions
        )
        self.delete("permission", self._dialect.key("permission"), keys)

    def put_attestations(self, attestations: Sequence[AttestationRecord]) -> None:
        """See the contract."""
        self.put_new("attestation", attestations)

    def put_bodies(self, bodies: Sequence[BodyRecord]) -> None:
        """See the contract."""
        self.put_new("body", bodies)

    def put_snapshots(self, snapshots: Sequence[SnapshotRecord]) -> None:
        """See the contract."""
        self.put("snapshot", snapshots)

    def remove_snapshots(self, documents: Sequence[int]) -> None:
        """Remove the snapshots of documents, and the bodies that no other snapshot has."""
        digests = {snapshot.digest for snapshots in self.snapshots_of(documents).values() for snapshot in snapshots}
        self.delete("snapshot", "document", documents)
        used = {digest for (digest,) in self.select_in("SELECT DISTINCT digest FROM snapshot", "digest", digests)}
        self.delete("body", "digest", digests - used)

    def remove_snapshots_numbered(self, numbers: Sequence[int]) -> None:
        """See the contract."""
        digests = {digest for (digest,) in self.select_in("SELECT digest FROM snapshot", "number", numbers)}
        self.delete("snapshot", "number", numbers)
        used = {digest for (digest,) in self.select_in("SELECT DISTINCT digest FROM snapshot", "digest", digests)}
        self.delete("body", "digest", digests - used)

    def put_case_events(self, events: Sequence[CaseEventRecord]) -> None:
        """See the contract."""
        self.run_many(insertion("case_event", CaseEventRecord._fields), events)

    def put_cases(self, cases: Sequence[CaseRecord]) -> None:
        """See the contract."""
        self.put("case_file", cases)

    def remove_cases(self, numbers: Sequence[int]) -> None:
        """See the contract."""
        self.delete("case_file", "number", numbers)

    def put_ledger_records(self, entries: Sequence[LedgerRecord]) -> None:
        """See the contract."""
        self.run_many(insertion("ledger", LedgerRecord._fields), entries)

    def next_decision(self) -> int:
        """See the contract."""
        return self.next_number("decision")

    def put_decisions(self, decisions: Sequence[DecisionRecord]) -> None:
        """See the contract."""
        self.put_numbered("decision", decisions)

    def next_alert(self) -> int:
        """See the contract."""
        return self.next_number("alert")

    def put_alerts(self, alerts: Sequence[AlertRecord]) -> None:
        """See the contract."""
        self.put_numbered("alert", alerts)


def _site(row: Any) -> SiteRecord:
    domain, name, trust, since, update_cycle, authorised, zone = row
    return SiteRecord(domain, name, trust, since, update_cycle, bool(authorised), zone or "")


def _permission_order(permission: PermissionRecord) -> tuple[str, str, str, bool, int]:
    return permission.domain, permission.path, permission.author, permission.since is not None, permission.since or 0


__all__ = ["SqlMonitoringReader", "SqlMonitoringWriter"]
