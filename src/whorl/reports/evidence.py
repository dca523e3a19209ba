"""Evidence in the report of a run: pairs of articles with their shared passages, and unreadable rows."""

from typing import Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.types.comparison import Comparison, Passage, plain


@frozen
class Side:
    """One article of a pair.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> whorl.runs.show("clean", "nr-024").kept.id
    'nr-088'
    """

    id: str
    file: str
    row: int
    title: str | None
    text: str

    @property
    def place(self) -> str:
        """The location of the article in the input."""
        return f"{self.file}:{self.row}"

    @property
    def called(self) -> str:
        """The id and location, without repetition if they are equal."""
        return self.id if self.id == self.place else f"{self.id} — {self.place}"


@frozen
class Pair:
    """A removed article, the kept article it was compared with, and the deciding score.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> pair = whorl.runs.show("clean", "nr-024")
    >>> pair.removed.id, pair.kept.id, round(pair.similarity, 3)
    ('nr-024', 'nr-088', 0.978)

    `comparison` compares the kept article (text a) with the removed one (text b). `keep` is the rule that
    decides which copy is kept; empty if unknown.
    """

    removed: Side
    kept: Side
    similarity: float
    measure: str
    comparison: Comparison
    keep: str = ""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages that both texts contain."""
        return self.comparison.passages

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with the passages, the kind and the changes."""
        data = plain(self)
        comparison = data.pop("comparison")
        return data | {name: comparison[name] for name in ("passages", "relation", "direction", "changes")}


@frozen
class RemovedArticle:
    """A removed article with its relation and similarity to the kept one."""

    id: str
    file: str
    row: int
    relation: str
    similarity: float


@frozen
class KeptArticle:
    """A kept article with the articles removed in favor of it.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> [article.id for article in whorl.runs.show("clean", "nr-088").removed]
    ['nr-024']
    """

    id: str
    file: str
    row: int
    removed: tuple[RemovedArticle, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return dict(plain(self))


class Member(NamedTuple):
    """An article of a cluster; `similarity` is measured against the kept article."""

    id: str
    file: str
    row: int
    similarity: float


class ClusterSample(NamedTuple):
    """A cluster of duplicates.

    Attributes:
        cluster_id: identifier of the cluster.
        size: number of articles, including the kept one.
        pairs: some removed articles, each beside the kept one.
        kept: the kept article.
        removed: removed articles, the least similar first; a large cluster lists only some.
    """

    cluster_id: str
    size: int
    pairs: tuple[Pair, ...]
    kept: Member
    removed: tuple[Member, ...]


class RemovalEvidence(NamedTuple):
    """The removals that a report shows.

    Attributes:
        clusters: the largest clusters; the first ones have pairs.
        borderline: the removals nearest to the threshold, the nearest first.
    """

    clusters: tuple[ClusterSample, ...] = ()
    borderline: tuple[Pair, ...] = ()


class RejectedSample(NamedTuple):
    """A row that could not be read, with the beginning of its content."""

    file: str
    line: int
    reason: str
    excerpt: str


__all__ = ["ClusterSample", "Member", "Pair", "RejectedSample", "RemovalEvidence", "Side"]
