"""Check a text against a library: the share from each article, and the probable original of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.matching.compare import EXCLUDABLE, compare_sources
from whorl.reports.comparison.summary import Article, parts_of
from whorl.reports.comparison.summary import Collection as Searched
from whorl.tasks.compare.run import Compared
from whorl.tasks.library.arguments import Place, lent
from whorl.tasks.library.attribution import trace
from whorl.types.attribution import Attributed
from whorl.types.comparison import Plain
from whorl.types.library import Document, Match, Report
from whorl.types.options import CompareOptions

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.matching.meaning import Model

OWN_COLLECTION = "own"
"""The collection of the author's own articles."""
AUTHORISED = "authorised"
LEFT_OUT = (*EXCLUDABLE, AUTHORISED)
"""Parts that a check may leave out."""
MOST_TRACED = 120
"""Maximum number of articles to trace; the clusters of the best matches come first."""
_LAST = datetime.max.replace(tzinfo=UTC)


@frozen
class TextSource(Plain):
    """An article of a library that shares text with the examined text.

    Attributes:
        document: the article.
        match: what they share: each passage of the text for every article that has it.
        share: share of the text credited to this article alone, in [0, 1].
        passages: number of these passages.
        rank: position in the report, from 1; 0 if no text is credited to it.
        cluster: its cluster.
        origin: its attribution within its cluster; None if it is alone or was not traced.
        is_authorised: True if it is the author's own work or its reprint is authorised.
        is_left_out: True if it was excluded by an option.
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


@frozen
class CheckedText:
    """Result of checking a text against a library.

    Attributes:
        report: the report that adding the text would give.
        compared: passages, shares and ratios for the articles that were not left out.
        sources: all articles that share text with it, sorted by credited share.
    """

    report: Report
    compared: Compared
    sources: tuple[TextSource, ...]

    @property
    def likeliest(self) -> tuple[TextSource, ...]:
        """Return the most probable original of each cluster that contributes text, the largest contribution first."""
        kept = [source for source in self.sources if not source.is_left_out]
        clusters = dict.fromkeys(source.cluster for source in kept if source.rank)
        of_each = ([source for source in kept if source.cluster == cluster] for cluster in clusters)
        return tuple(
            max(some, key=lambda candidate: candidate.origin.probability if candidate.origin else 1.0)
            for some in of_each
        )

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        report_data = {"report": self.report.to_dict(), "sources": [source.to_dict() for source in self.sources]}
        return {"compared": self.compared.to_dict(), **report_data}


def check_text(
    library: Library | Place,
    text: str,
    *,
    name: str = "",
    at: datetime | str | None = None,
    collection: str | None = None,
    exclude: Sequence[str] = (),
    least: int = 0,
    authorised: Sequence[str] = (),
    without: Sequence[str] = (),
    meaning: Model = False,
) -> CheckedText:
    """Check a text against a library: the sources of its text, their shares, and the probable original of each.

    >>> import whorl
    >>> from whorl.tasks.compare.check import check_text
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     days = ("2026-03-07", "2026-03-05")
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     checked = check_text(library, "据悉，" + text)
    >>> [(source.document.id, round(source.share, 2)) for source in checked.sources]
    [('2026-03-05', 0.92), ('2026-03-07', 0.0)]

    Text shared by several articles is credited to the most probable original, or to the earliest article if that is
    unknown. The articles of the collection "own" are the author's.

    Args:
        library: its address, or an open library.
        text: the examined text. It is not stored.
        name: its name in the report.
        at: its date, for a library with a window; None is now.
        collection: only articles of this collection; None for all.
        exclude: parts to leave out of the result: "quotations", "references", "authorised" (articles).
        least: minimum length of a passage in folded code points.
        authorised: the ids of articles that may be reprinted.
        without: the ids of articles to ignore as sources.
        meaning: also find the same content in other words or in another language, as `Library.check` does.

    Raises:
        UsageError: a value is out of range, an extra is not installed, or the library cannot be searched by meaning.
        InputError: the library is damaged, or ``meaning`` is a folder without a model.

    Cost: a check, a comparison with each match, and tracing at most `MOST_TRACED` articles: some hundredths of a second
        for an article of a thousand characters. With ``meaning``, also 30 ms of a core for each sentence.
    """
    unknown = [reason for reason in exclude if reason not in LEFT_OUT]
    if unknown:
        raise UsageError(
            say("{name!r} cannot be excluded", name=unknown[0]),
            hint=say("use one of: {known}", known=", ".join(LEFT_OUT)),
        )
    with lent(library) as opened:
        report = opened.check(text, at=at, collection=collection, meaning=meaning)
        clusters = opened.clusters_of(match.id for match in report.matches)
        origins = _origins(opened, [clusters[match.id] for match in report.matches if match.id in clusters])
        documents = _in_order(opened, clusters, origins)
        agreed = {document.id for document in documents if document.collection == OWN_COLLECTION} | set(authorised)
        dropped = set(without) | (agreed if AUTHORISED in exclude else set())
        articles = tuple(
            Article(document.url or document.id, document.text, document.id in agreed, document.id)
            for document in documents
        )
        sources = tuple(article for article in articles if article.id not in dropped)
        chosen = [reason for reason in exclude if reason in EXCLUDABLE]
        notices = opened.notices()
        options: CompareOptions = {"exclude": chosen, "least": least, "boilerplate": notices, "meaning": meaning}
        permitted = [number for number, source in enumerate(sources) if source.authorised]
        composition = compare_sources([source.text for source in sources], text, authorised=permitted, **options)
        searched = (Searched(opened.folder.name if opened.folder else "", 0, len(opened)),)
        compared = Compared(composition, Article(name, text), sources, report.unlisted, 0, searched, options)
    listed = _listed(documents, report.matches, compared, agreed)
    return CheckedText(
        report,
        compared,
        tuple(
            replace(source, cluster=clusters[source.document.id], origin=origins.get(source.document.id))
            for source in listed
        ),
    )


def _in_order(library: Library, ids: Iterable[str], origins: Mapping[str, Attributed]) -> list[Document]:
    """Return the articles with these ids, the probable originals first, then the earliest."""
    documents = [document for id in ids if (document := library.get(id)) is not None]

    def order(document: Document) -> tuple[float, datetime, str]:
        origin = origins.get(document.id)
        return (
            -origin.probability if origin else 0,
            document.published_at or document.first_seen_at or _LAST,
            document.id,
        )

    return sorted(documents, key=order)


def _listed(
    documents: Sequence[Document],
    matches: Sequence[Match],
    compared: Compared,
    agreed: Collection[str],
) -> list[TextSource]:
    """List all sources: by credited share, then uncredited ones, then those left out."""
    match_of = {match.id: match for match in matches}
    parts = {part.source.id: part for part in parts_of(compared.result, compared.sources)}
    compared_ids = {source.id for source in compared.sources}
    listed = []
    for document in documents:
        part = parts.get(document.id)
        figures = (part.share, len(part.comparison.passages), part.rank) if part else (0.0, 0, 0)
        listed.append(
            TextSource(
                document,
                match_of[document.id],
                *figures,
                is_authorised=document.id in agreed,
                is_left_out=document.id not in compared_ids,
            )
        )
    return sorted(
        listed,
        key=lambda text_source: (
            text_source.is_left_out,
            not text_source.rank,
            text_source.rank,
            -text_source.match.this_in_other,
        ),
    )


def _origins(library: Library, clusters: Iterable[int]) -> dict[str, Attributed]:
    """Return the attribution of the articles of clusters by id."""
    origins: dict[str, Attributed] = {}
    room = MOST_TRACED
    for cluster in dict.fromkeys(clusters):
        with suppress(NotFoundError):  # another process may have removed the cluster meanwhile
            size = library.cluster(cluster).size
            if 1 < size <= room:
                room -= size
                origins |= {member.id: member for member in trace(library, cluster).attribution.members}
    return origins


__all__ = ["AUTHORISED", "LEFT_OUT", "MOST_TRACED", "OWN_COLLECTION", "CheckedText", "TextSource", "check_text"]
