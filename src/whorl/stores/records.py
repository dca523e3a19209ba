"""What a library keeps, row by row, in the order of the columns. Times are whole microseconds since 1970 in UTC."""

from __future__ import annotations

from typing import NamedTuple

PERIODS = 8
"""How many periods a window has: contents nearer than that have their documents within it, those farther none, and
those just so far perhaps."""


class Entry(NamedTuple):
    """A document, without its text.

    Attributes:
        number: what it is called within the library; never used again for another.
        id: what its owner calls it.
        content: the number of what its text says.
        revision: 1, and one more for each change of its text.
        characters: code points of its text.
        published_at: when it says it was published; None where it does not.
        first_seen_at: when it was first seen.
        title: its title.
        url: where it was first seen.
        source: who published it.
        author: who wrote it.
        metadata: a JSON object of what else is known; empty for nothing.
        origin: the file and row of which its id is made; None where its owner gave the id. No two have the same.
        collection: of which it is one; empty for none.
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

    @property
    def when(self) -> int:
        """When it was published, or first seen where it does not say."""
        return self.first_seen_at if self.published_at is None else self.published_at


class Brief(NamedTuple):
    """What of a document decides which of two is the original; the fields are as of an ``Entry``."""

    number: int
    id: str
    content: int
    characters: int
    published_at: int | None
    first_seen_at: int
    collection: str


class Chosen(NamedTuple):
    """Which documents are wanted; what is None chooses nothing.

    Attributes:
        collection: of this one.
        source: of this publisher.
        author: by this author.
        since: first seen at or after this time.
        title: with this in their titles, capital letters or not.
    """

    collection: str | None = None
    source: str | None = None
    author: str | None = None
    since: int | None = None
    title: str | None = None


class Former(NamedTuple):
    """What a document said before.

    Attributes:
        document: its number.
        revision: which text of it, from 1.
        until: when another one took its place.
        body: the text, packed.
    """

    document: int
    revision: int
    until: int
    body: bytes


class Content(NamedTuple):
    """What one or more documents say, up to the fold: letter case, width, punctuation, script.

    Attributes:
        number: what it is called; ascends with the order of adding, never used again.
        digest: of the folded text; None where nothing is left of it, which equals nothing.
        period: the stretch of time in which documents share it; 0 in a library without a window.
        members: how many documents say it.
        cluster: the cluster that it is in.
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
        low_in_high: the share of the lower one that the higher one has, in [0, 1].
        high_in_low: the reverse.
        kind: what the higher one is to the lower one.
        joins: whether it is strong enough for a cluster, if documents of both are within the window.
    """

    low: int
    high: int
    similarity: float
    low_in_high: float
    high_in_low: float
    kind: str
    joins: bool

    def other(self, content: int) -> int:
        """The one that is not ``content``."""
        return self.high if content == self.low else self.low


class Sketch(NamedTuple):
    """The fingerprint of a content, for libraries that keep no texts.

    Attributes:
        content: its number.
        keys: its keys, 8 bytes each, little-endian.
        code: by which its family estimates similarity; empty where it does so by keys.
    """

    content: int
    keys: bytes
    code: bytes


class Seen(NamedTuple):
    """A sighting of a document after the first.

    Attributes:
        document: its number.
        url: where; None where nobody said.
        at: when.
    """

    document: int
    url: str | None
    at: int


class Reviewed(NamedTuple):
    """A verdict about documents of two different contents.

    Attributes:
        low: the lower number of the two contents.
        high: the higher number.
        state: as of the verdict.
        at: when.
    """

    low: int
    high: int
    state: str
    at: int


class Verdict(NamedTuple):
    """What somebody decided about a match.

    Attributes:
        low: the lower number of the two documents.
        high: the higher number.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: who.
        at: when.
        note: why.
    """

    low: int
    high: int
    state: str
    by: str
    at: int
    note: str


class Decision(NamedTuple):
    """One of the decisions about a match; what counts is the last one that was not undone.

    Attributes:
        number: in the order of deciding, from 1; never used again.
        low: the lower number of the two documents.
        high: the higher number.
        state: as of a ``Verdict``.
        by: who.
        at: when.
        note: why.
        undone_by: who took it back; None where it stands.
        undone_at: when.
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


class Site(NamedTuple):
    """What is known of a site.

    Attributes:
        domain: its name, in lower case and ASCII, without a port; that of a part of it is another one.
        name: what people call it.
        trust: how far its dates and bylines are believed, in [0, 1]; None where nobody said.
        since: when it began; None where nobody knows.
        update_cycle: microseconds between its updates; None where nobody knows.
        authorised: whether it may reprint whatever it likes.
    """

    domain: str
    name: str
    trust: float | None
    since: int | None
    update_cycle: int | None
    authorised: bool


class Leave(NamedTuple):
    """Who may reprint. No two have the same domain, path, author and beginning.

    Attributes:
        domain: of the site.
        path: how the paths of the pages begin, without a slash at its end; empty for all.
        author: who publishes there; empty for everybody.
        since: from when; None for always.
        until: when it ends; None for never.
        note: on what it rests.
    """

    domain: str
    path: str
    author: str
    since: int | None
    until: int | None
    note: str


class Proof(NamedTuple):
    """What somebody knows about when a document was there. No two are the same.

    Attributes:
        document: its number.
        kind: of proof, such as "server-log".
        at: the time that it proves.
        note: what it is, and where.
        by: who says so.
    """

    document: int
    kind: str
    at: int
    note: str
    by: str


class Body(NamedTuple):
    """The bytes of a page as they were fetched.

    Attributes:
        digest: their SHA-256.
        size: how many they are.
        packed: themselves, packed.
    """

    digest: bytes
    size: int
    packed: bytes


class Snapshot(NamedTuple):
    """A fetch of a page.

    Attributes:
        number: of the entry of the ledger that tells of it.
        url: the address.
        fetched_at: when.
        digest: of its body.
        size: how many bytes that has.
        status: what the server said, as HTTP has it.
        headers: a JSON list of names and values, in their order.
        document: the number of the document that was made of it; None for none.
    """

    number: int
    url: str
    fetched_at: int
    digest: bytes
    size: int
    status: int
    headers: str
    document: int | None


class Noted(NamedTuple):
    """An entry of the ledger, which only grows.

    Attributes:
        number: from 1, without gaps.
        at: when it was written.
        kind: of what.
        digest: a SHA-256 of what it tells of.
        chain: a SHA-256 of the one of the entry before and of this entry.
    """

    number: int
    at: int
    kind: str
    digest: bytes
    chain: bytes


class Alert(NamedTuple):
    """A message that is to be sent.

    Attributes:
        number: in the order of making, from 1; never used again.
        key: what it is about; no two have the same, but the empty one.
        rule: by which it was made.
        payload: a JSON object.
        made_at: when.
        state: "waiting", "sent" or "dead".
        tries: how often it was tried in vain.
        next_try: not before this time; None for at once.
        error: why the last try failed; empty for nothing.
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


class Notice(NamedTuple):
    """Boilerplate that a library has learned.

    Attributes:
        number: in the order of learning, from 1; 0 before it has one.
        text: how the longest stretch of it begins in one of the documents.
        runs: the hashes of its runs of tokens, as `whorl.matching.boilerplate.Notices` packs them. Of notices with the
            same run the last one counts.
        holders: in how many unrelated protected articles they stand, as far as that was counted.
    """

    number: int
    text: str
    runs: bytes
    holders: int = 0


class Copies(NamedTuple):
    """How many documents of one name are copies of documents of another, or of the same.

    Attributes:
        name: of the copies.
        of: the name of the first documents of their clusters.
        exact: how many say what a document before them says.
        near: how many say something else.
    """

    name: str
    of: str
    exact: int
    near: int


class Mark(NamedTuple):
    """How far the truth has come. The numbers only grow.

    Attributes:
        content: the largest number of a content that ever was.
        removal: the number of the last removal of a content.
        change: the number of the last change of a document, a match or a review.
    """

    content: int
    removal: int
    change: int


class Counters(NamedTuple):
    """The last number of each kind that was ever given; 0 where there was none.

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


class Changes(NamedTuple):
    """What was changed after a mark, each kind in the order of the changes, and named once however often it was.

    What is named may be gone or be another by now: ask for it.

    Attributes:
        added: the numbers of new documents.
        revised: of documents whose text is another one, or of which something else is told.
        removed: of documents that were forgotten, their reviews with them.
        pairs: the matches that were written or forgotten, by the lower and the higher number of their contents; those
            of a content that went with its last document are not named.
        verdicts: the reviews, by the lower and the higher number of their documents.
        last: the number of the last of these changes; that asked with, where there is none.
    """

    added: list[int]
    revised: list[int]
    removed: list[int]
    pairs: list[tuple[int, int]]
    verdicts: list[tuple[int, int]]
    last: int


__all__ = [
    "PERIODS",
    "Alert",
    "Body",
    "Brief",
    "Changes",
    "Chosen",
    "Content",
    "Copies",
    "Counters",
    "Decision",
    "Entry",
    "Former",
    "Leave",
    "Mark",
    "Noted",
    "Notice",
    "Pair",
    "Proof",
    "Reviewed",
    "Seen",
    "Site",
    "Sketch",
    "Snapshot",
    "Verdict",
]
