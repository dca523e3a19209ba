"""The review queue, derived from the matches of each document one by one."""

from __future__ import annotations

from collections.abc import Collection

from whorl.library import Library
from whorl.tasks.compare.sides import precedence
from whorl.tasks.review.run import ReviewVote
from whorl.types.library import Document
from whorl.types.review import WaitingMatch


def slow_queue(
    library: Library, collection: str | None, states: Collection[str]
) -> tuple[list[WaitingMatch], dict[str, int], int]:
    """Return pending matches, the number of decided ones by state, and the number of unlisted matches."""
    documents = {id: item for id in library if (item := library.get(id))}
    chosen = "protected" if collection is None and "protected" in library.collections() else collection
    result, decided, unlisted = {}, dict.fromkeys(("confirmed", "authorised", "rejected"), 0), 0
    for value in documents.values():
        if chosen in (None, value.collection):
            unlisted += library.report(value.id).unlisted
            for match in library.matches(value.id):
                result[frozenset((value.id, match.id))] = (value, documents[match.id], match)
    right, wrong = [0] * 5, [0] * 5
    for _, _, match in result.values():
        if match.review.state != "pending":
            decided[match.review.state] += 1
            band = band_of(max(match.this_in_other, match.other_in_this))
            (wrong if match.review.state == "rejected" else right)[band] += 1
    waiting = []
    for item, another, match in result.values():
        if match.review.state not in states:
            continue
        # The shares of a match are those of the document for which it was listed.
        original, copy = sorted((item, another), key=precedence)
        share, share_of_copy = match.this_in_other, match.other_in_this
        if original is another:
            share, share_of_copy = share_of_copy, share
        length, has_permission = round(share * len(original.text)), may_reprint(library, copy)
        weight = (1 if original.collection in ("protected", "own") else 0.25) * (0.1 if has_permission else 1)
        band = band_of(max(share, share_of_copy))
        count = right[band] + wrong[band]
        waiting.append(
            WaitingMatch(
                id=copy.id,
                other=original.id,
                title=copy.title or "",
                other_title=original.title or "",
                url=copy.url or "",
                other_url=original.url or "",
                author=copy.author or "",
                collection=original.collection,
                share=share,
                share_of_copy=share_of_copy,
                length=length,
                kind=match.relation,
                joins=match.joins,
                has_permission=has_permission,
                severity=round(max(share, share_of_copy) * length * weight, 3),
                probability=(right[band] + 0.5) / (count + 1) if count else None,
                decided_of=count,
                review=match.review,
                votes=votes(library, copy.id, original.id),
                first_seen_at=copy.first_seen_at,
            )
        )
    return sorted(waiting, key=lambda item: (-item.severity, item.id, item.other)), decided, unlisted


def band_of(share: float) -> int:
    """Return the fifth that contains a share."""
    return min(int(share * 5 + 1e-9), 4)


def may_reprint(library: Library, copy: Document) -> bool:
    """Return True if a site may reprint an article."""
    if not copy.url:
        return False
    site, at = library.sites.of(copy.url), copy.published_at or copy.first_seen_at
    permission = library.permissions.covering(copy.url, author=copy.author or "", at=at)
    return permission is not None or (site is not None and site.authorised)


def votes(library: Library, id: str, other: str) -> tuple[ReviewVote, ...]:
    """Return the last vote of each person about a match."""
    value = {}
    for record in library.reviews.of(id, other):
        if record.undone_at is None:
            value[record.by] = ReviewVote(record.by, record.state, record.at, record.note)
    return tuple(value.values())
