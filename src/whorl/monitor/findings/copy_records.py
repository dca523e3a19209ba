"""Copies of protected articles by article and site, from the library, its cases, and the findings of a watch.

The library has the matches, the decisions and the permissions of now. A case has the verdict, the removals and the
times of a copy at an address, on every machine, and precedes what would be derived from the match. The watch has what
only its own machine knows: findings from before there were cases. All are merged by article and document.

An article counts once for each site: addresses of one site, such as a print version, are one copy. Of several editions
of an article that a document matches, only the one with the largest share counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from whorl._internal.frozen import frozen
from whorl.library.permission import JudgedPage, permission_of, rights_of
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.monitor.findings.judging import Judge
from whorl.monitor.findings.records import Finding
from whorl.types.copies import CopyRecord
from whorl.types.library import Document, Match, moment

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.reviews.copies import ArticleCopy
    from whorl.monitor.settings.sites import WatchedSite
    from whorl.types.cases import Case

_BLOCK = 500
"""Documents that are read at once."""
SYNDICATED = "own"
"""Collection of what the owner publishes."""
WORKS = ("work", "works", "作品", "书名", "book", "专栏", "column")
"""Metadata columns that name the work of an article, the first one with a value counts."""
_VERDICTS = ("copy", "undetermined", "reprint", "syndication")
"""Verdicts of one copy at several addresses: the first of these that occurs counts."""
_MOBILE = ("www.", "m.", "wap.", "mobile.")


@frozen
class CopyPlace:
    """A copy of an article at one address.

    Attributes:
        article: the article.
        characters: its length.
        document: id of the document of the copy.
        url: address of the copy, or the id of its document.
        site: name of the site.
        relation: relation of the copy to the article.
        share: copied share of the article.
        similarity: similarity of both texts.
        verdict: as in ``CopyRecord``.
        is_confirmed: True if a reviewer confirmed it.
        found_at: when it was found.
        gone_at: when it was gone; None while it is there.
    """

    article: Document
    characters: int
    document: str
    url: str
    site: str
    relation: str
    share: float
    similarity: float
    verdict: str
    is_confirmed: bool
    found_at: datetime
    gone_at: datetime | None


class _Rights(NamedTuple):
    """Permissions and classifier, which decide the verdict of a copy.

    Attributes:
        library: the library.
        judge: classifier of matches.
        domains: domains with a permission, or of authorised sites.
    """

    library: Library
    judge: Judge
    domains: frozenset[str]

    def permission(self, copy: Document, url: str, seen_at: datetime) -> str:
        """Return the permission of a page, as `whorl.library.permission` does; most domains have none."""
        if self.domains.isdisjoint(domains_above(domain_of(url))):
            return "none"
        return permission_of(self.library, copy, url, seen_at)


def copy_records(
    library: Library,
    collection: str,
    findings: Iterable[Finding],
    sites: Iterable[WatchedSite],
    zone: tzinfo,
    now: datetime,
) -> list[CopyRecord]:
    """Return all copies of the articles of a collection, in order of finding.

    Args:
        library: the library.
        collection: collection of the articles.
        findings: findings of a watch; empty without a watch.
        sites: watched sites, which name addresses in their scope.
        zone: time zone of the times.
        now: the current time.
    """
    places = _copy_places(library, collection, findings, sites, now)
    of_copy: dict[tuple[str, str], list[CopyPlace]] = {}
    for place in places:
        of_copy.setdefault((place.article.id, place.site), []).append(place)
    return sorted(
        (_record(places_of, zone) for places_of in of_copy.values()),
        key=lambda record: (record.found_at, record.article, record.site),
    )


def _copy_places(
    library: Library,
    collection: str,
    findings: Iterable[Finding],
    sites: Iterable[WatchedSite],
    now: datetime,
) -> list[CopyPlace]:
    """Return all copies of the articles of a collection by article and address.

    Args:
        library: the library.
        collection: collection of the articles.
        findings: as for ``copy_records``.
        sites: as for ``copy_records``.
        now: the current time.
    """
    judge = Judge(library, collection, "", 0, lambda: now)
    domains = {permission.domain for permission in library.permissions} | {
        site.domain for site in library.sites if site.authorised
    }
    rights = _Rights(library, judge, frozenset(domains))
    observed = {(finding.article, finding.document): finding for finding in findings}
    called = _site_names(library, tuple(sites), observed.values())
    matches = _editions(library.reviews.copies(collection), library.rules.similarity)
    matched = {(match.article.id, match.copy.id) for match in matches}
    cases = {(case.article, case.url): case for case in library.cases}
    places = [
        place if case is None else _as_in_case(place, case)
        for match in matches
        for place in _places(match, rights, observed, called)
        if (case := cases.get((match.article.id, place.url))) is None or case.verdict != "rejected"
    ]
    unmatched = [case for case in cases.values() if (case.article, case.document) not in matched]
    places += _places_of_cases(rights, collection, unmatched, called)
    places += _removed_texts(
        rights,
        collection,
        (
            finding
            for key, finding in observed.items()
            if key not in matched and (finding.article, finding.url) not in cases
        ),
        called,
    )
    return places


def work_of(article: Document) -> str:
    """Return the name of the work of an article from its metadata; empty for none."""
    values = (article.metadata.get(column) for column in WORKS)
    return next((str(value).strip() for value in values if value and not isinstance(value, (list, dict))), "")


def _editions(matches: Iterable[ArticleCopy], similarity: float) -> list[ArticleCopy]:
    """Keep the matches that count: one edition of an article per document, and no round-up beside its own story."""
    best: dict[tuple[int, str], ArticleCopy] = {}
    for match in matches:
        key = (match.edition, match.copy.id)
        if match.review.state != "rejected" and (key not in best or match.share > best[key].share):
            best[key] = match
    whole = {copy for (_, copy), match in best.items() if match.share >= similarity}
    return [match for (_, copy), match in best.items() if not (_is_own_roundup(match) and copy in whole)]


def _is_own_roundup(match: ArticleCopy) -> bool:
    """Return True if the article is a compilation that contains the other document."""
    return match.relation == "compilation" and match.share < match.share_of_copy


def _places(
    match: ArticleCopy, rights: _Rights, observed: Mapping[tuple[str, str], Finding], called: Callable[[str], str]
) -> Iterator[CopyPlace]:
    """Yield the addresses of a copy, without those of protected articles."""
    finding = observed.get((match.article.id, match.copy.id))
    since = moment(match.since)
    until = None if match.until is None else moment(match.until)
    if finding is not None:
        since, until = min(finding.fetched_at, since), finding.gone_at or until
    first = match.copy.url or ""
    for url, found_at in {first: since, **{url: moment(at) for url, at in match.elsewhere.items()}}.items():
        if url and rights.judge.is_own(url):
            continue
        seen_at = max(found_at, since)
        yield CopyPlace(
            article=match.article,
            characters=match.characters,
            document=match.copy.id,
            url=url or match.copy.id,
            site=called(url) or match.copy.source or "",
            relation=match.relation,
            share=match.share,
            similarity=match.similarity,
            verdict=_verdict(match, rights, url, seen_at),
            is_confirmed=match.review.state == "confirmed",
            found_at=seen_at,
            gone_at=until,
        )


def _as_in_case(place: CopyPlace, case: Case) -> CopyPlace:
    """Return a place with what its case has recorded.

    A case that was opened by hand, and whose page was never requested since, does not know removals.
    """
    return replace(
        place,
        relation=case.relation or place.relation,
        verdict=place.verdict if place.verdict == "syndication" else _known_verdict(case.verdict),
        is_confirmed=case.decision == "confirmed",
        found_at=min(place.found_at, case.opened_at or case.since),
        gone_at=place.gone_at if case.checked_at is None else case.removed_at,
    )


def _places_of_cases(
    rights: _Rights, collection: str, cases: Iterable[Case], called: Callable[[str], str]
) -> Iterator[CopyPlace]:
    """Yield cases without a match: the copy was removed from its page, or its document from the library."""
    chosen = [case for case in cases if case.verdict != "rejected" and not rights.judge.is_own(case.url)]
    copies = _headers(rights.library, (case.document for case in chosen))
    chosen = [case for case in chosen if case.document not in copies or case.removed_at is not None]
    articles = _articles(rights.library, collection, (case.article for case in chosen))
    for case in chosen:
        article, copy = articles.get(case.article), copies.get(case.document)
        if article is None:
            continue
        is_syndicated = copy is not None and copy.collection == SYNDICATED
        yield CopyPlace(
            article=article.document,
            characters=article.characters,
            document=case.document,
            url=case.url,
            site=called(case.url) or case.site,
            relation=case.relation,
            share=case.share,
            similarity=case.share,
            verdict="syndication" if is_syndicated else _known_verdict(case.verdict),
            is_confirmed=case.decision == "confirmed",
            found_at=case.opened_at or case.since,
            gone_at=case.removed_at,
        )


def _known_verdict(verdict: str) -> str:
    return verdict if verdict in _VERDICTS else "undetermined"


def _verdict(match: ArticleCopy, rights: _Rights, url: str, seen_at: datetime) -> str:
    if match.copy.collection == SYNDICATED:
        return "syndication"
    result = rights.judge.verdict(
        match.copy,
        match.article,
        Match(
            id=match.article.id,
            title=match.article.title,
            similarity=match.similarity,
            this_in_other=match.share_of_copy,
            other_in_this=match.share,
            relation=match.relation,
            direction=None,
            changes=None,
            passages=(),
            joins=match.joins,
            review=match.review,
            recipe="",
        ),
        match.share,
        seen_at,
        permission=rights.permission(match.copy, url or match.copy.id, seen_at),
    )
    return _known_verdict(result)


def _removed_texts(
    rights: _Rights, collection: str, findings: Iterable[Finding], called: Callable[[str], str]
) -> Iterator[CopyPlace]:
    """Yield findings without a match: pages that no longer have the text."""
    chosen = [finding for finding in findings if finding.gone_at is not None]
    copies = _headers(rights.library, (finding.document for finding in chosen))
    articles = _articles(rights.library, collection, (finding.article for finding in chosen))
    chosen = [finding for finding in chosen if finding.document in copies and finding.article in articles]
    pages = [JudgedPage(copies[finding.document], finding.url, finding.fetched_at) for finding in chosen]
    reviews = rights.library.reviews.now_each((finding.article, finding.document) for finding in chosen)
    for finding, allowed in zip(chosen, rights_of(rights.library, pages), strict=True):
        article, review = articles[finding.article], reviews[finding.article, finding.document]
        if review.state == "rejected":
            continue
        is_permitted = allowed.permission == "given"
        verdict = "reprint" if is_permitted or review.state == "authorised" else finding.verdict
        yield CopyPlace(
            article=article.document,
            characters=article.characters,
            document=finding.document,
            url=finding.url,
            site=called(finding.url) or finding.site,
            relation=finding.kind,
            share=finding.share,
            similarity=finding.similarity,
            verdict=_known_verdict(verdict),
            is_confirmed=review.state == "confirmed",
            found_at=finding.fetched_at,
            gone_at=finding.gone_at,
        )


class _MeasuredArticle(NamedTuple):
    """An article without its text, and the length of the text."""

    document: Document
    characters: int


def _articles(library: Library, collection: str, ids: Iterable[str]) -> dict[str, _MeasuredArticle]:
    """Return the articles of a collection among documents, by id."""
    measured = {}
    for block in _blocks(ids):
        for id, document in library.get_all(block).items():
            if document.collection == collection:
                measured[id] = _MeasuredArticle(replace(document, text="", links=()), len(document.text))
    return measured


def _headers(library: Library, ids: Iterable[str]) -> dict[str, Document]:
    """Return the documents that exist by id, without their texts."""
    documents: dict[str, Document] = {}
    for block in _blocks(ids):
        documents |= library.get_all(block, texts=False)
    return documents


def _blocks(ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield different ids in blocks."""
    different = iter(dict.fromkeys(ids))
    while block := list(islice(different, _BLOCK)):
        yield block


def _record(places: list[CopyPlace], zone: tzinfo) -> CopyRecord:
    largest = max(places, key=lambda place: place.share)
    article = largest.article
    removals = [place.gone_at for place in places if place.gone_at is not None]
    return CopyRecord(
        article=article.id,
        title=article.title or article.id,
        author=article.author or "",
        work=work_of(article),
        site=largest.site,
        addresses=tuple(dict.fromkeys(place.url for place in places)),
        relation=largest.relation,
        share=largest.share,
        characters=round(largest.share * largest.characters),
        verdict=next(verdict for verdict in _VERDICTS if any(place.verdict == verdict for place in places)),
        is_confirmed=any(place.is_confirmed for place in places),
        found_at=min(place.found_at for place in places).astimezone(zone),
        removed_at=max(removals).astimezone(zone) if len(removals) == len(places) else None,
    )


def _site_names(library: Library, sites: tuple[WatchedSite, ...], findings: Iterable[Finding]) -> Callable[[str], str]:
    """Return a function from an address to the name of its site.

    The name is that of the settings, of the library, of the watch that found it, or the domain.
    """
    registered = {site.domain: site.name or site.domain for site in library.sites}
    observed = {domain_of(finding.url): finding.site for finding in findings}

    @cache
    def called(url: str) -> str:
        watched = next((site.name for site in sites if site.scope.has(url)), None)
        if watched is not None:
            return watched
        domain = domain_of(url)
        parent = next((name for name in domains_above(domain) if name in registered), None)
        if parent is not None:
            return registered[parent]
        if domain in observed:
            return observed[domain]
        return next((domain.removeprefix(prefix) for prefix in _MOBILE if domain.startswith(prefix)), domain)

    return called


__all__ = ["SYNDICATED", "WORKS", "CopyPlace", "copy_records", "work_of"]
