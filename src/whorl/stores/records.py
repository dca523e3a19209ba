"""Records of a library, with fields in the order of columns. Times are integer microseconds since 1970 in UTC."""

from __future__ import annotations

from typing import NamedTuple

PERIODS = 8
"""Periods per window. Documents of contents fewer periods apart are within the window, those further apart are not, and
exactly this far apart it depends on their times."""

REGISTERED = ("protected", "own")
"""Collections that the owner of a library registered: their documents are originals, whatever others claim."""
REGISTERED_FIRST = "CASE WHEN collection IN ('protected', 'own') THEN 0 ELSE 1 END"
"""SQL expression that orders registered documents first."""


class Entry(NamedTuple):
    """A document, without its text.

    Attributes:
        number: internal number; never reused.
        id: identifier chosen by the caller.
        content: number of its content.
        revision: 1, plus one for each change of its text.
        characters: code points of its text.
        published_at: claimed time of publication; None if unknown.
        first_seen_at: time of the first sighting.
        title: its title.
        url: address of the first sighting.
        source: publisher.
        author: author.
        metadata: further fields as a JSON object; empty for none.
        origin: file and row that its id is derived from; None for an explicit id. Unique.
        collection: name of its collection; empty for none.
        published_as: precision, zone and written form of ``published_at``, separated by spaces; None if they were not
            recorded.
    """

    number: int
    id: str
    content: int
    revision: int
    characters: int
    published_at: int | None
    first_seen_at: int
    title: str | None
    url: str | None
    source: str | None
    author: str | None
    metadata: str
    origin: str | None = None
    collection: str = ""
    published_as: str | None = None

    @property
    def when(self) -> int:
        """Return when it was published, or first seen if that is unknown."""
        return self.first_seen_at if self.published_at is None else self.published_at


class DocumentBrief(NamedTuple):
    """The fields of an ``Entry`` that determine which of two documents is the original."""

    number: int
    id: str
    content: int
    characters: int
    published_at: int | None
    first_seen_at: int
    collection: str


class DocumentFilter(NamedTuple):
    """Filter for documents; a field that is None does not restrict.

    Attributes:
        collection: of this collection.
        source: of this publisher.
        author: by this author.
        since: first seen at or after this time.
        title: with this text in their titles, ignoring case.
    """

    collection: str | None = None
    source: str | None = None
    author: str | None = None
    since: int | None = None
    title: str | None = None


class FormerText(NamedTuple):
    """A former text of a document.

    Attributes:
        document: number of the document.
        revision: number of the text, from 1.
        until: when it was replaced.
        body: the packed text.
    """

    document: int
    revision: int
    until: int
    body: bytes


class Content(NamedTuple):
    """Normalised text of one or more documents: letter case, width, punctuation and script are ignored.

    Attributes:
        number: ascends with the order of adding; never reused.
        digest: digest of the normalised text; None if that is empty, and equal to no other.
        period: stretch of time in which documents share it; 0 in a library without a window.
        members: number of its documents.
        cluster: its cluster.
    """

    number: int
    digest: bytes | None
    period: int
    members: int
    cluster: int


class Pair(NamedTuple):
    """Two contents that share text.

    Attributes:
        low: the lower number.
        high: the higher number.
        similarity: the exact Jaccard similarity, in [0, 1].
        low_in_high: copied share of the lower one, in [0, 1].
        high_in_low: copied share of the higher one, in [0, 1].
        kind: relation of the higher one to the lower one.
        joins: whether it is strong enough to join clusters, if documents of both are within the window.
    """

    low: int
    high: int
    similarity: float
    low_in_high: float
    high_in_low: float
    kind: str
    joins: bool

    def other(self, content: int) -> int:
        """Return the content that is not ``content``."""
        return self.high if content == self.low else self.low


class Sketch(NamedTuple):
    """The fingerprint of a content, for libraries that keep no texts.

    Attributes:
        content: number of the content.
        keys: its keys, 8 bytes each, little-endian.
        code: code from which its family estimates similarity; empty if it uses the keys.
    """

    content: int
    keys: bytes
    code: bytes


class SightingRecord(NamedTuple):
    """A sighting of a document after the first.

    Attributes:
        document: number of the document.
        url: address; None if unknown.
        at: time.
    """

    document: int
    url: str | None
    at: int


class ContentReview(NamedTuple):
    """A decision about documents of two different contents.

    Attributes:
        low: the lower number of the two contents.
        high: the higher number.
        state: state of the decision.
        at: time of the decision.
    """

    low: int
    high: int
    state: str
    at: int


class ReviewRecord(NamedTuple):
    """The decision in effect about a match.

    Attributes:
        low: the lower number of the two documents.
        high: the higher number.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: reviewer.
        at: time.
        note: reason.
    """

    low: int
    high: int
    state: str
    by: str
    at: int
    note: str


class DecisionRecord(NamedTuple):
    """One of the decisions about a match; the last one that was not undone is in effect.

    Attributes:
        number: sequence number, from 1; never reused.
        low: the lower number of the two documents.
        high: the higher number.
        state: as in a ``ReviewRecord``.
        by: reviewer.
        at: time.
        note: reason.
        undone_by: person who took it back; None if it stands.
        undone_at: when it was taken back.
    """

    number: int
    low: int
    high: int
    state: str
    by: str
    at: int
    note: str
    undone_by: str | None = None
    undone_at: int | None = None


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


class BoilerplateRecord(NamedTuple):
    """Boilerplate that a library has learned.

    Attributes:
        number: sequence number, from 1; 0 before it is stored.
        text: beginning of its longest passage in one of the documents.
        runs: hashes of its runs of tokens, packed by `whorl.matching.boilerplate.Notices`. The last notice with a run
            applies to it.
        holders: number of unrelated protected articles that contain it, up to a limit.
    """

    number: int
    text: str
    runs: bytes
    holders: int = 0


class CopyCount(NamedTuple):
    """How many documents of one name are copies of documents of another name, or of the same.

    Attributes:
        name: name of the copies.
        of: name of the first documents of their clusters.
        exact: number with the text of an earlier document.
        near: number with another text.
    """

    name: str
    of: str
    exact: int
    near: int


class Mark(NamedTuple):
    """High-water marks of a store. The numbers only grow.

    Attributes:
        content: highest number of a content ever assigned.
        removal: number of the last removal of a content.
        change: number of the last change of a document, a match or a review.
    """

    content: int
    removal: int
    change: int


class Counters(NamedTuple):
    """Last number assigned to each kind; 0 before the first.

    Attributes:
        document: of documents.
        content: of contents.
        cluster: of clusters.
        notice: of boilerplate.
        decision: of decisions about matches.
        alert: of alerts.
        change: of changes; see ``Mark``.
    """

    document: int
    content: int
    cluster: int
    notice: int
    decision: int
    alert: int
    change: int


class ChangeSet(NamedTuple):
    """Changes after a mark, each kind in chronological order and each item once.

    Items may have been changed or removed since: read their current state.

    Attributes:
        added: numbers of new documents.
        revised: numbers of documents whose text or other fields changed.
        removed: numbers of removed documents; their reviews are removed with them.
        pairs: matches that were written or removed, by the lower and the higher number of their contents. Matches of a
            content that was removed with its last document are not listed.
        verdicts: reviews, by the lower and the higher number of their documents.
        last: number of the last of these changes; the requested mark if there are no changes.
    """

    added: list[int]
    revised: list[int]
    removed: list[int]
    pairs: list[tuple[int, int]]
    verdicts: list[tuple[int, int]]
    last: int


__all__ = [
    "PERIODS",
    "AlertRecord",
    "AttestationRecord",
    "BodyRecord",
    "BoilerplateRecord",
    "CaseEventRecord",
    "CaseFilter",
    "CaseRecord",
    "ChangeSet",
    "Content",
    "ContentReview",
    "CopyCount",
    "Counters",
    "DecisionRecord",
    "DocumentBrief",
    "DocumentFilter",
    "Entry",
    "FormerText",
    "LedgerRecord",
    "Mark",
    "Pair",
    "PermissionRecord",
    "ReviewRecord",
    "SightingRecord",
    "SiteRecord",
    "Sketch",
    "SnapshotRecord",
]
