"""The evidence that the report of a run shows: pairs of articles with the passages they share, and unreadable rows."""

from dataclasses import dataclass
from typing import Any

from whorl.model import Comparison, Passage, plain


@dataclass(frozen=True, slots=True)
class Side:
    """One article of a pair.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> whorl.show("clean", "nr-024").kept.id
    'nr-088'
    """

    id: str
    file: str
    row: int
    title: str | None
    text: str

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.file}:{self.row}"

    @property
    def called(self) -> str:
        """Its id and where it stands, once where that is its id."""
        return self.id if self.id == self.place else f"{self.id} — {self.place}"


@dataclass(frozen=True, slots=True)
class Pair:
    """A removed article, the kept article it was compared with, and the figure that decided.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> pair = whorl.show("clean", "nr-024")
    >>> pair.removed.id, pair.kept.id, round(pair.similarity, 3)
    ('nr-024', 'nr-088', 0.978)

    `found` is what the removed article, as text b, has from the kept one, as text a. `keep` is the rule of the run by
    which one of several copies stays, empty where that is not known.
    """

    removed: Side
    kept: Side
    similarity: float
    measure: str
    found: Comparison
    keep: str = ""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What both have."""
        return self.found.passages

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON, with the passages, the kind and the changes."""
        data = plain(self)
        found = data.pop("found")
        return data | {name: found[name] for name in ("passages", "relation", "direction", "changes")}


@dataclass(frozen=True, slots=True)
class RemovedArticle:
    """An article that was removed, what it is to the kept one, and their similarity."""

    id: str
    file: str
    row: int
    relation: str
    similarity: float


@dataclass(frozen=True, slots=True)
class KeptArticle:
    """A kept article, and the articles that were removed in favor of it.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> [article.id for article in whorl.show("clean", "nr-088").removed]
    ['nr-024']
    """

    id: str
    file: str
    row: int
    removed: tuple[RemovedArticle, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return dict(plain(self))


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a cluster; `similarity` is to the kept one."""

    id: str
    file: str
    row: int
    similarity: float


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """One cluster.

    Attributes:
        cluster_id: what it is called.
        size: how many articles it has, the kept one included.
        pairs: some of its removed articles beside the kept one.
        kept: the kept one.
        removed: removed ones, the least alike first; of a large cluster not all.
    """

    cluster_id: str
    size: int
    pairs: tuple[Pair, ...]
    kept: Member
    removed: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report shows of the removals.

    Attributes:
        clusters: the largest clusters, the first of them with pairs.
        borderline: the removals that were nearest to the threshold, the nearest first.
    """

    clusters: tuple[ClusterSample, ...] = ()
    borderline: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class RejectedSample:
    """A row that could not be read, with the beginning of what stands there."""

    file: str
    line: int
    reason: str
    excerpt: str


__all__ = ["ClusterSample", "Evidence", "Member", "Pair", "RejectedSample", "Side"]
