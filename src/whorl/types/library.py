"""Data classes that a library accepts and returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError, WhorlError
from whorl.i18n import say
from whorl.types.cards import NotebookCard
from whorl.types.comparison import Changes, Passage, Plain
from whorl.types.times import PublicationTime, publication_time

MAX_MATCH_TITLE = 500
"""Length of the title of a match in characters: a report has up to 32 matches."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@frozen
class Document(Plain):
    """An article.

    >>> import whorl
    >>> article = whorl.Document("a", "今天天气很好，适合出门散步。", title="晴")
    >>> article.title, article.revision
    ('晴', 1)

    Attributes:
        id: identifier chosen by the caller: any text without NUL and lone surrogates.
        text: full text.
        title: title; stored separately and never compared.
        url: address at which it was seen.
        source: publisher.
        author: author.
        published_at: claimed time of publication. To a library it may be passed as text, such as "2026-11-24". A
            stored one is the start of its day, hour or minute, in UTC; see ``publication``.
        first_seen_at: time of the first sighting; None is now. It never changes once stored.
        metadata: further fields, as JSON values.
        links: outgoing links.
        collection: name of its collection, such as "protected" or "watched"; empty for none, or to keep the current
            one.
        revision: number of its current text, from 1; assigned by the library.
        published_precision: how precisely the time of publication was written: "year", "month", "day", "hour", "minute"
            or "second"; None derives it from ``published_at``.
        published_zone: zone in which it was written: an IANA name, an offset such as "+08:00", or "unknown" if it was
            written without one; None derives it from ``published_at``, or is the default zone of the site or library.
        published_original: how it was written; None if that was not recorded.
    """

    id: str
    text: str
    title: str | None = None
    url: str | None = None
    source: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    first_seen_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    collection: str = ""
    revision: int = 1
    published_precision: str | None = None
    published_zone: str | None = None
    published_original: str | None = None

    @property
    def publication(self) -> PublicationTime | None:
        """The claimed time of publication with its zone and precision.

        >>> from datetime import datetime
        >>> import whorl
        >>> document = whorl.Document("a", "Rain tomorrow.", published_at=datetime(2026, 11, 24, 8))
        >>> str(document.publication)
        '2026-11-24 08:00'
        """
        if self.published_at is None:
            return None
        written = (self.published_precision, self.published_zone, self.published_original)
        return publication_time(self.published_at, *written)


@frozen
class Review:
    """The decision about a match that is in effect.

    >>> import whorl
    >>> from whorl.results import Review
    >>> Review().state
    'pending'

    Attributes:
        state: "pending", "confirmed", "rejected" or "authorised".
        by: reviewer; None while pending.
        at: time of the decision.
        note: reason.
    """

    state: str = "pending"
    by: str | None = None
    at: datetime | None = None
    note: str = ""


@frozen
class Match(Plain):
    """Another document that shares text with this one.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     first = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
    ...     [match] = library.check("渔港的冰厂今年夏天添了两台新机器，一天能出冰五十吨。").matches
    >>> match.id, match.relation, match.joins
    ('a', 'version', True)

    Attributes:
        id: id of the other document.
        title: title of the other document, its first `MAX_MATCH_TITLE` characters.
        similarity: the exact Jaccard similarity of both texts, in [0, 1].
        this_in_other: copied share of this text, in [0, 1]: word for word in the other, tricks undone, as in a
            comparison.
        other_in_this: copied share of the other text, in [0, 1].
        relation: relation of the other (text a) to this one (text b), as in a comparison; or "compilation" if one of
            them contains the other among further articles of the library.
        direction: which one derives from the other, as in a comparison; "b" if this is the compilation.
        changes: how this text differs from the other, as in a comparison; None in a library that keeps no texts.
        passages: text in common, with the other as text a and this as text b; empty in a library that keeps no texts.
        joins: whether the match is strong enough to put both into one cluster.
        review: decision about it.
        recipe: recipe that found and judged it.
        same_content: share of this text that has the same content as the other in other words or in another language,
            in [0, 1], if a check by meaning found nothing else in common; never a part of the copied shares.
    """

    id: str
    title: str | None
    similarity: float
    this_in_other: float
    other_in_this: float
    relation: str
    direction: str | None
    changes: Changes | None
    passages: tuple[Passage, ...]
    joins: bool
    review: Review
    recipe: str
    same_content: float = 0.0

    @property
    def kind(self) -> str:
        """The relation, under its former name."""
        return self.relation


@frozen
class Report(Plain):
    """Matches and cluster of a text.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "今天天气很好，适合出门散步。"})
    >>> report.state, report.revision, report.matches
    ('new', 1, ())

    Attributes:
        id: id of the document; None for a text that was only checked.
        state: "new", "known" (same text under the same id), "revised" (another text under the same id) or "checked".
        revision: number of its current text, from 1; 0 for a text that was only checked.
        cluster_id: its cluster; for a checked text, the cluster that it would join, or None.
        matches: the documents that share text with it, the best first.
        keys: number of distinct keys of the text; 0 for a known text, which is not looked up.
        cut: number of keys that were not looked up: too many documents have them, or they lie within boilerplate.
        unlisted: number of related documents that exceeded the limits on comparison and listing.
    """

    id: str | None
    state: str
    revision: int
    cluster_id: int | None
    matches: tuple[Match, ...]
    keys: int
    cut: int
    unlisted: int


@frozen
class AddCounts(Plain):
    """How many added documents were new, known, revised and matched.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     list(library.fill({"id": name, "text": "今天天气很好，适合出门散步。"} for name in "ab"))
    [AddCounts(new=2, known=0, revised=0, matched=2)]

    Attributes:
        new: number of articles that the library did not have.
        known: number of articles that it had.
        revised: number of articles that it had with another text.
        matched: number of all these that share text with another article.
    """

    new: int = 0
    known: int = 0
    revised: int = 0
    matched: int = 0


@frozen
class Cluster(Plain):
    """Documents that are copies of each other.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     library.cluster(reports[0].cluster_id).documents
    ('a', 'b')

    Attributes:
        id: stable id: it persists when others are merged into it, and stays with the oldest member after a split.
        aliases: ids of clusters that were merged into it; each follows the oldest member that it had.
        size: number of documents.
        documents: the ids of all documents, in the order of adding.
    """

    id: int
    aliases: tuple[int, ...]
    size: int
    documents: tuple[str, ...]


@frozen
class ClusterSize(NotebookCard):
    """Size of a cluster.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     [cluster.size for cluster in library.clusters()]
    [2]

    Attributes:
        id: id of the cluster.
        size: number of its documents that meet the filter.
    """

    id: int
    size: int


@frozen
class TraceStep(Plain):
    """A member of a cluster and its link to the earlier ones.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    ...     days = ("2026-01-02", "2026-01-01")
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     [one.document.id for one in library.trace(reports[0].cluster_id)]
    ['2026-01-01', '2026-01-02']

    Attributes:
        document: the document without its text.
        at: time of publication, or of the first sighting if that is unknown.
        match: strongest match to an earlier member; None for the first member, and if all matches are later.
    """

    document: Document
    at: datetime
    match: Match | None


@frozen
class DocumentEntry(NotebookCard):
    """A document in a list: all fields except its text.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂", "title": "冰"})
    ...     [entry.title for entry in library.documents().items]
    ['冰']

    Attributes:
        id: identifier chosen by the caller.
        title: its title.
        url: address of its first sighting.
        source: publisher.
        author: author.
        published_at: claimed time of publication.
        first_seen_at: time of its first sighting.
        collection: name of its collection; empty for none.
        characters: code points of its text.
        revision: number of its current text, from 1.
        cluster_id: its cluster.
        published_precision: how precisely the time of publication was written; see ``Document``.
        published_zone: zone in which it was written.
        published_original: how it was written; None if that was not recorded.
    """

    id: str
    title: str | None
    url: str | None
    source: str | None
    author: str | None
    published_at: datetime | None
    first_seen_at: datetime
    collection: str
    characters: int
    revision: int
    cluster_id: int
    published_precision: str | None = None
    published_zone: str | None = None
    published_original: str | None = None

    @property
    def publication(self) -> PublicationTime | None:
        """The claimed time of publication with its zone and precision."""
        if self.published_at is None:
            return None
        written = (self.published_precision, self.published_zone, self.published_original)
        return publication_time(self.published_at, *written)


@frozen
class DocumentPage(Plain):
    """A page of a list of documents.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": "渔港的冰厂"} for name in "ab")
    ...     page = library.documents(limit=1)
    ...     [entry.id for entry in library.documents(after=page.mark).items]
    ['b']

    Attributes:
        items: the documents.
        mark: pass it as ``after`` for the next page; None for the last page.
    """

    items: tuple[DocumentEntry, ...]
    mark: int | None


@frozen
class Sighting(NotebookCard):
    """Place and time at which a document was seen.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂", "url": "https://a.example"})
    ...     [sighting.url for sighting in library.sightings("a")]
    ['https://a.example']

    Attributes:
        url: address; None if unknown.
        at: time.
    """

    url: str | None
    at: datetime


@frozen
class IntegrityReport(Plain):
    """Result of ``verify``.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     library.verify()
    IntegrityReport(documents=0, faults=(), healed=(), repaired=0)

    Attributes:
        documents: number of documents that were read back.
        faults: a sentence for each fault of the store; these need ``repair`` or a backup.
        healed: a sentence for each fault of the index, which was rebuilt.
        repaired: number of missing matches that were restored.
    """

    documents: int
    faults: tuple[str, ...]
    healed: tuple[str, ...]
    repaired: int = 0


def moment(time: int) -> datetime:
    """Convert microseconds since 1970, as a library stores them, to a datetime in UTC.

    Raises:
        InputError: the number is out of range, since the library is damaged.
    """
    try:
        return _EPOCH + timedelta(microseconds=time)
    except OverflowError:
        hint = say("see `whorl library verify`, and take a backup")
        raise InputError(say("the library is damaged: {time} is no time", time=time), hint=hint) from None


def microseconds(time: datetime) -> int:
    """Convert a datetime to microseconds since 1970; without a zone it is UTC."""
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


@frozen
class AddedLine(Plain):
    """Result of a line.

    Attributes:
        line: its number, from 1; 0 if none of the following lines were read.
        state: "new", "known", "revised", "refused", or "stopped": this line and all following ones are not stored.
        id: id of the article; None if the line was not read.
        revision: number of different texts so far, from 1; 0 if not stored.
        cluster_id: its cluster; None if not stored.
        matches: number of articles that share text with it.
        copies: number of those that are in its cluster because of the match.
        problem: why it was not stored, or an empty string.
        hint: how to fix that.
    """

    line: int
    state: str
    id: str | None = None
    revision: int = 0
    cluster_id: int | None = None
    matches: int = 0
    copies: int = 0
    problem: str = ""
    hint: str = ""

    @classmethod
    def kept(cls, line: int, report: Report) -> AddedLine:
        """Return the result of a line whose article is on disk."""
        copies = sum(match.joins for match in report.matches)
        identity = (report.id, report.revision, report.cluster_id)
        return cls(line, report.state, *identity, len(report.matches), copies)

    @classmethod
    def failed(cls, line: int, state: str, error: WhorlError) -> AddedLine:
        """Return the result of a line that is not stored."""
        return cls(line, state, problem=error.message, hint=error.hint)


__all__ = [
    "MAX_MATCH_TITLE",
    "AddCounts",
    "AddedLine",
    "Cluster",
    "ClusterSize",
    "Document",
    "DocumentEntry",
    "DocumentPage",
    "IntegrityReport",
    "Match",
    "Report",
    "Review",
    "Sighting",
    "TraceStep",
    "microseconds",
    "moment",
]
