"""What a text has from the articles of a library: how much from each, and which of them was probably first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError, UsageError
from whorl.language import say
from whorl.library.model import Document, Match, Report
from whorl.matching.attribute import Attributed
from whorl.matching.compare import EXCLUDABLE, compare_sources
from whorl.model import Plain
from whorl.reports.comparison import Article, parts_of
from whorl.reports.comparison import Collection as Searched
from whorl.tasks.arguments import Place, lent
from whorl.tasks.attribution import trace
from whorl.tasks.compare import Compared

if TYPE_CHECKING:
    from whorl.library import Library

OWN = "own"
"""The collection of an author's own articles."""
AUTHORISED = "authorised"
LEFT_OUT = (*EXCLUDABLE, AUTHORISED)
"""What may be left out of a check."""
MOST_TRACED = 120
"""Of so many articles at most it is asked who was first; the clusters of the best matches come first."""
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TextSource(Plain):
    """An article of a library that shares text with one that was checked.

    Attributes:
        document: the article.
        match: what they share, each stretch of the text for every article that has it.
        share: of the text, in [0, 1], that comes from this one and no other.
        passages: of these stretches, how many.
        rank: what readers count it by, from 1; 0 where nothing comes from it.
        cluster: the one that it is in.
        origin: what it probably is among the articles of its cluster; None where it is alone there, or nobody asked.
        is_authorised: whether it is the author's own work, or its reprint is agreed.
        is_left_out: whether it was left out, by choice.
    """

    document: Document
    match: Match
    share: float
    passages: int
    rank: int
    cluster: int = 0
    origin: Attributed | None = None
    is_authorised: bool = False
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What a text has from a library.

    Attributes:
        report: what adding it would tell.
        compared: passages, shares and ratios, with the articles that were not left out.
        sources: all articles that share text with it; those that most comes from are first.
    """

    report: Report
    compared: Compared
    sources: tuple[TextSource, ...]

    @property
    def likeliest(self) -> tuple[TextSource, ...]:
        """Of each cluster that gives something the article that is most probably the original, of the largest first."""
        kept = [source for source in self.sources if not source.is_left_out]
        clusters = dict.fromkeys(source.cluster for source in kept if source.rank)
        of_each = ([source for source in kept if source.cluster == cluster] for cluster in clusters)
        return tuple(max(some, key=lambda one: one.origin.probability if one.origin else 1.0) for some in of_each)

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        own = {"report": self.report.to_dict(), "sources": [source.to_dict() for source in self.sources]}
        return {"compared": self.compared.to_dict(), **own}


def check_text(
    library: Library | Place,
    text: str,
    *,
    name: str = "",
    at: datetime | str | None = None,
    among: str | None = None,
    exclude: Sequence[str] = (),
    least: int = 0,
    authorised: Sequence[str] = (),
    without: Sequence[str] = (),
) -> CheckedText:
    """Say which articles of a library a text has something from, how much from each, and who was probably first.

    >>> import whorl
    >>> from whorl.tasks.checking import check_text
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     days = ("2026-03-07", "2026-03-05")
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     checked = check_text(library, "据悉，" + text)
    >>> [(source.document.id, round(source.share, 2)) for source in checked.sources]
    [('2026-03-05', 0.92), ('2026-03-07', 0.0)]

    What several articles have alike counts for the one that is most probably the original, and where that is not known
    for the earliest. The articles of the collection "own" are the author's own.

    Args:
        library: its address, or an open library.
        text: an article. Nothing of it is kept.
        name: what it is called.
        at: when it is from, where the library has a window; None is now.
        among: only articles of this collection; None for all.
        exclude: what is neither counted nor reported: "quotations", "references", "authorised" (articles).
        least: passages with fewer equal folded code points are not reported.
        authorised: the ids of articles whose reprint is agreed.
        without: the ids of articles that are no sources of this text.

    Raises:
        UsageError: a value is out of range.
        InputError: the library is damaged.

    Cost: that of a check, of a comparison with each of its matches, and of tracing at most `MOST_TRACED` articles:
        some hundredths of a second for an article of a thousand characters.
    """
    unknown = [one for one in exclude if one not in LEFT_OUT]
    if unknown:
        raise UsageError(
            say("{name!r} cannot be left out", name=unknown[0]),
            cure=say("name one of: {known}", known=", ".join(LEFT_OUT)),
        )
    with lent(library) as opened:
        report = opened.check(text, at=at, among=among)
        clusters = opened.clusters_of(match.id for match in report.matches)
        origins = _origins(opened, [clusters[match.id] for match in report.matches if match.id in clusters])
        known = _in_order(opened, clusters, origins)
        agreed = {one.id for one in known if one.collection == OWN} | set(authorised)
        dropped = set(without) | (agreed if AUTHORISED in exclude else set())
        articles = tuple(Article(one.url or one.id, one.text, one.id in agreed, one.id) for one in known)
        sources = tuple(article for article in articles if article.id not in dropped)
        chosen = [one for one in exclude if one in EXCLUDABLE]
        options = {"exclude": chosen, "least": least, "boilerplate": opened.notices()}
        leave = [number for number, source in enumerate(sources) if source.authorised]
        found = compare_sources([source.text for source in sources], text, authorised=leave, **options)
        searched = (Searched(opened.folder.name if opened.folder else "", 0, len(opened)),)
        compared = Compared(found, Article(name, text), sources, report.unlisted, 0, searched, options)
    listed = _listed(known, report.matches, compared, agreed)
    return CheckedText(
        report,
        compared,
        tuple(replace(one, cluster=clusters[one.document.id], origin=origins.get(one.document.id)) for one in listed),
    )


def _in_order(library: Library, ids: Iterable[str], origins: Mapping[str, Attributed]) -> list[Document]:
    """The articles of these ids, the probable originals first, and then the earliest."""
    found = [document for id in ids if (document := library.get(id)) is not None]

    def order(one: Document) -> tuple[float, datetime, str]:
        origin = origins.get(one.id)
        return (-origin.probability if origin else 0, one.published_at or one.first_seen_at or _LAST, one.id)

    return sorted(found, key=order)


def _listed(
    known: Sequence[Document],
    matches: Sequence[Match],
    compared: Compared,
    agreed: Collection[str],
) -> list[TextSource]:
    """All that shares text: what gave most, what others gave for it too, and last what was left out."""
    match_of = {match.id: match for match in matches}
    parts = {part.source.id: part for part in parts_of(compared.found, compared.sources)}
    compared_ids = {source.id for source in compared.sources}
    listed = []
    for document in known:
        part = parts.get(document.id)
        given = (part.share, len(part.comparison.passages), part.rank) if part else (0.0, 0, 0)
        listed.append(
            TextSource(
                document,
                match_of[document.id],
                *given,
                is_authorised=document.id in agreed,
                is_left_out=document.id not in compared_ids,
            )
        )
    return sorted(listed, key=lambda one: (one.is_left_out, not one.rank, one.rank, -one.match.this_in_other))


def _origins(library: Library, clusters: Iterable[int]) -> dict[str, Attributed]:
    """What the articles of clusters probably are, by their ids."""
    found: dict[str, Attributed] = {}
    room = MOST_TRACED
    for cluster in dict.fromkeys(clusters):
        with suppress(NotFoundError):  # another process may have removed it meanwhile
            size = library.cluster(cluster).size
            if 1 < size <= room:
                room -= size
                found |= {member.id: member for member in trace(library, cluster).attribution.members}
    return found


__all__ = ["AUTHORISED", "LEFT_OUT", "MOST_TRACED", "OWN", "CheckedText", "TextSource", "check_text"]
