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

    @property
    def when(self) -> int:
        """When it was published, or first seen where it does not say."""
        return self.first_seen_at if self.published_at is None else self.published_at


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


class Verdict(NamedTuple):
    """What somebody decided about a match.

    Attributes:
        low: the lower number of the two documents.
        high: the higher number.
        state: "confirmed" or "rejected".
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


class Notice(NamedTuple):
    """Boilerplate that a library has learned.

    Attributes:
        number: in the order of learning, from 1; 0 before it has one.
        text: how the longest stretch of it begins in one of the documents.
        runs: the hashes of its runs of tokens, as `whorl.matching.boilerplate.Notices` packs them.
    """

    number: int
    text: str
    runs: bytes


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


__all__ = ["PERIODS", "Changes", "Content", "Entry", "Former", "Mark", "Notice", "Pair", "Seen", "Sketch", "Verdict"]
