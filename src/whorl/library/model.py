"""The data that a library takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from whorl.cards import NotebookCard
from whorl.errors import InputError
from whorl.language import say
from whorl.model import Changes, Passage, Plain

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Document(Plain):
    """An article.

    >>> import whorl
    >>> article = whorl.Document("a", "今天天气很好，适合出门散步。", title="晴")
    >>> article.title, article.revision
    ('晴', 1)

    Attributes:
        id: what its owner calls it: any text without NUL and halves of characters.
        text: what it says.
        title: its title, which is kept apart and never decides.
        url: where it was seen.
        source: who published it.
        author: who wrote it.
        published_at: when it says it was published; a time without a zone is UTC.
        first_seen_at: when it was first seen; None is now. Once kept, it never moves.
        metadata: what else is known, as JSON has it.
        links: the links out of it.
        collection: of which it is one, such as "protected" or "watched"; empty for none, or for that in which it is.
        revision: how often its text was new, from 1; decided by the library.
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


@dataclass(frozen=True, slots=True)
class Review:
    """What somebody decided about a match.

    >>> import whorl
    >>> from whorl.results import Review
    >>> Review().state
    'pending'

    Attributes:
        state: "pending", "confirmed", "rejected" or "authorised".
        by: who; None while it is pending.
        at: when.
        note: why.
    """

    state: str = "pending"
    by: str | None = None
    at: datetime | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Match(Plain):
    """Another document that shares text with this one.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     first = library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
    ...     [match] = library.check("渔港的冰厂今年夏天添了两台新机器，一天能出冰五十吨。").matches
    >>> match.id, match.relation, match.joins
    ('a', 'version', True)

    Attributes:
        id: of the other document.
        title: of the other document.
        similarity: the exact Jaccard similarity of both texts, in [0, 1].
        this_in_other: the share of this text that the other has, in [0, 1].
        other_in_this: the share of the other text that this one has, in [0, 1].
        relation: of the other (text a) and this one (text b), as of a comparison; or "compilation", where one of them
            holds the other among further articles of the library.
        direction: which of both derives from the other, as of a comparison; "b" where this is the compilation.
        changes: what distinguishes this text from the other, as of a comparison; None in a library that keeps no texts.
        passages: what they share, the other as text a, this as text b; empty in a library that keeps no texts.
        joins: whether it is strong enough that both are of one cluster.
        review: what somebody decided about it.
        recipe: by what it was found and judged.
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

    @property
    def kind(self) -> str:
        """The relation, under the name that it had before."""
        return self.relation


@dataclass(frozen=True, slots=True)
class Report(Plain):
    """What is known of a text.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "今天天气很好，适合出门散步。"})
    >>> report.state, report.revision, report.matches
    ('new', 1, ())

    Attributes:
        id: of the document; None for a text that was only checked.
        state: "new", "known" (the same text under the same id), "revised" (another text under it) or "checked".
        revision: how often its text was new, from 1; 0 for a text that was only checked.
        cluster_id: the cluster that it is in; for a text that was only checked, that it would join, or None.
        matches: the documents that share text with it, the best first.
        keys: different keys of the text; 0 where it was not looked up, since it is known.
        cut: of these the ones that were not looked up: too many documents have them, or they lie within boilerplate.
        unlisted: documents that were not compared or not listed, since there are too many.
    """

    id: str | None
    state: str
    revision: int
    cluster_id: int | None
    matches: tuple[Match, ...]
    keys: int
    cut: int
    unlisted: int


@dataclass(frozen=True, slots=True)
class Filled(Plain):
    """What became of some documents that a library was given.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     list(library.fill({"id": name, "text": "今天天气很好，适合出门散步。"} for name in "ab"))
    [Filled(new=2, known=0, revised=0, matched=2)]

    Attributes:
        new: articles that it did not have.
        known: articles that it had.
        revised: articles of which it had another text.
        matched: articles, of all these, that share text with another one.
    """

    new: int = 0
    known: int = 0
    revised: int = 0
    matched: int = 0


@dataclass(frozen=True, slots=True)
class Cluster(Plain):
    """Documents that are copies of each other.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     library.cluster(reports[0].cluster_id).documents
    ('a', 'b')

    Attributes:
        id: stable: it stays when others become part of it, and with the oldest member when it falls apart.
        aliases: the clusters that became part of it, each of which follows the oldest member that it had.
        size: how many documents.
        documents: the ids of all, in the order of adding.
    """

    id: int
    aliases: tuple[int, ...]
    size: int
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterSize(NotebookCard):
    """How large a cluster is.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     [cluster.size for cluster in library.clusters()]
    [2]

    Attributes:
        id: of the cluster.
        size: how many documents, of those asked for.
    """

    id: int
    size: int


@dataclass(frozen=True, slots=True)
class Traced(Plain):
    """A member of a cluster and what ties it to the ones before it.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    ...     days = ("2026-01-02", "2026-01-01")
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     [one.document.id for one in library.trace(reports[0].cluster_id)]
    ['2026-01-01', '2026-01-02']

    Attributes:
        document: without its text.
        at: when it was published, or first seen where it does not say.
        match: the strongest match to an earlier member; None for the first, and for one whose matches are all later.
    """

    document: Document
    at: datetime
    match: Match | None


@dataclass(frozen=True, slots=True)
class DocumentEntry(NotebookCard):
    """A document in a list: what is known of it but its text.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂", "title": "冰"})
    ...     [entry.title for entry in library.documents().items]
    ['冰']

    Attributes:
        id: what its owner calls it.
        title: its title.
        url: where it was first seen.
        source: who published it.
        author: who wrote it.
        published_at: when it says it was published.
        first_seen_at: when it was first seen.
        collection: of which it is one; empty for none.
        characters: code points of its text.
        revision: how often its text was new, from 1.
        cluster_id: the cluster that it is in.
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


@dataclass(frozen=True, slots=True)
class DocumentPage(Plain):
    """Some documents of many.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": "渔港的冰厂"} for name in "ab")
    ...     page = library.documents(most=1)
    ...     [entry.id for entry in library.documents(after=page.mark).items]
    ['b']

    Attributes:
        items: the documents.
        mark: after which the next ones come; None where there are no more.
    """

    items: tuple[DocumentEntry, ...]
    mark: int | None


@dataclass(frozen=True, slots=True)
class Sighting(NotebookCard):
    """Where and when a document was seen.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "渔港的冰厂", "url": "https://a.example"})
    ...     [sighting.url for sighting in library.sightings("a")]
    ['https://a.example']

    Attributes:
        url: where; None where nobody said.
        at: when.
    """

    url: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Checkup(Plain):
    """What ``verify`` found.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     library.verify()
    Checkup(documents=0, faults=(), healed=(), repaired=0)

    Attributes:
        documents: how many were read back.
        faults: a sentence for each fault of the truth; none of these heal by themselves.
        healed: a sentence for each fault of the index, which was built again.
        repaired: how many matches that were missing were found again.
    """

    documents: int
    faults: tuple[str, ...]
    healed: tuple[str, ...]
    repaired: int = 0


def moment(time: int) -> datetime:
    """Return a time in microseconds since 1970, as a library keeps it, as a date in UTC.

    Raises:
        InputError: there is no such date, since the library is damaged.
    """
    try:
        return _EPOCH + timedelta(microseconds=time)
    except OverflowError:
        cure = say("see `whorl library verify`, and take a backup")
        raise InputError(say("the library is damaged: {time} is no time", time=time), cure=cure) from None


def microseconds(time: datetime) -> int:
    """Return the microseconds since 1970 of a date; one without a zone is UTC."""
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


__all__ = [
    "Checkup",
    "Cluster",
    "ClusterSize",
    "Document",
    "DocumentEntry",
    "DocumentPage",
    "Filled",
    "Match",
    "Report",
    "Review",
    "Sighting",
    "Traced",
    "microseconds",
    "moment",
]
