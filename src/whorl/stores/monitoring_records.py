"""Records of sites, pages, alerts and cases: what `whorl.stores.monitoring` reads and writes.

Fields are in the order of columns. Times are integer microseconds since 1970 in UTC.
"""

from __future__ import annotations

from typing import NamedTuple


class SiteRecord(NamedTuple):
    """A site.

    Attributes:
        domain: lower-case ASCII domain without a port; a subdomain is a separate site.
        name: display name.
        trust: how reliable its dates and bylines are, in [0, 1]; None if unknown.
        since: when it was launched; None if unknown.
        update_cycle: microseconds between its updates; None if unknown.
        authorised: whether it may reprint everything.
        zone: zone of times that it states without one; empty if unknown.
    """

    domain: str
    name: str
    trust: float | None
    since: int | None
    update_cycle: int | None
    authorised: bool
    zone: str = ""


class PermissionRecord(NamedTuple):
    """A permission to reprint, unique by domain, path, author and beginning.

    Attributes:
        domain: of the site.
        path: prefix of the paths of pages, without a trailing slash; empty for all.
        author: author of the pages; empty for all.
        since: beginning; None for unlimited.
        until: end; None for unlimited.
        note: basis of the permission.
    """

    domain: str
    path: str
    author: str
    since: int | None
    until: int | None
    note: str


class AttestationRecord(NamedTuple):
    """Evidence entered by hand that a document was published by some time. Unique in all fields.

    Attributes:
        document: number of the document.
        kind: kind of evidence, such as "server-log".
        at: attested time.
        note: description, and where the evidence is kept.
        by: person who entered it.
        at_as: precision, zone and written form of ``at``, as in an ``Entry``.
    """

    document: int
    kind: str
    at: int
    note: str
    by: str
    at_as: str | None = None


class BodyRecord(NamedTuple):
    """The bytes of a page as they were fetched.

    Attributes:
        digest: their SHA-256.
        size: their number.
        packed: the compressed bytes.
    """

    digest: bytes
    size: int
    packed: bytes


class SnapshotRecord(NamedTuple):
    """A fetch of a page.

    Attributes:
        number: number of its ledger entry.
        url: the address.
        fetched_at: time of the fetch.
        digest: digest of its body.
        size: size of the body in bytes.
        status: HTTP status.
        headers: a JSON list of names and values, in their order.
        document: number of the document extracted from it, or None.
    """

    number: int
    url: str
    fetched_at: int
    digest: bytes
    size: int
    status: int
    headers: str
    document: int | None


class LedgerRecord(NamedTuple):
    """An entry of the append-only ledger.

    Attributes:
        number: from 1, without gaps.
        at: when it was written.
        kind: kind of the recorded item.
        digest: SHA-256 of the recorded item.
        chain: SHA-256 of the previous chain and this entry.
    """

    number: int
    at: int
    kind: str
    digest: bytes
    chain: bytes


class AlertRecord(NamedTuple):
    """A message to be sent.

    Attributes:
        number: sequence number, from 1; never reused.
        key: deduplication key, unique unless empty.
        rule: alert rule that created it.
        payload: a JSON object.
        made_at: time of creation.
        state: "waiting", "sent" or "dead".
        tries: number of failed attempts.
        next_try: earliest time of the next attempt; None for immediately.
        error: error of the last attempt; empty without one.
    """

    number: int
    key: str
    rule: str
    payload: str
    made_at: int
    state: str
    tries: int
    next_try: int | None
    error: str


class CaseRecord(NamedTuple):
    """Current state of a case, computed from its events.

    Attributes:
        number: from 1; restored cases keep their numbers.
        article: id of the protected article.
        url: address of the copy.
        document: id of the document with the text of the copy.
        site: name of the site.
        state: state of the case.
        last: number of its last event.
        fields: all fields of the case, as a JSON object.
    """

    number: int
    article: str
    url: str
    document: str
    site: str
    state: str
    last: int
    fields: str


class CaseEventRecord(NamedTuple):
    """An event of a case.

    Attributes:
        number: number of its ledger entry.
        case_number: number of the case.
        kind: kind of event.
        at: when it happened.
        data: its details, as a JSON object.
    """

    number: int
    case_number: int
    kind: str
    at: int
    data: str


class CaseFilter(NamedTuple):
    """Filter for cases; a field that is None does not restrict.

    Attributes:
        states: in one of these states.
        article: of this protected article.
        site: on this site.
    """

    states: tuple[str, ...] | None = None
    article: str | None = None
    site: str | None = None


__all__ = [
    "AlertRecord",
    "AttestationRecord",
    "BodyRecord",
    "CaseEventRecord",
    "CaseFilter",
    "CaseRecord",
    "LedgerRecord",
    "PermissionRecord",
    "SiteRecord",
    "SnapshotRecord",
]
