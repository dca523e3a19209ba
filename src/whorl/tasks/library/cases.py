"""List, show and edit the cases of a library."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.library.provenance.hosts import domain_of
from whorl.library.provenance.times import time_of
from whorl.library.rules import span
from whorl.tasks.library.arguments import Place, lent
from whorl.types.cases import OPEN_STATES, Case, CaseEvent
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

_BLOCK = 1000


@frozen
class CaseFile(Plain):
    """A case with its events, and the names of what it is about.

    >>> import whorl
    >>> from whorl.tasks.library.cases import case_file
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text, "title": "冰厂"} for name in "ab")
    ...     case = library.cases.open("b", "a")
    ...     case_file(library, case.number).article_title
    '冰厂'

    Attributes:
        case: the case.
        events: its events, the oldest first.
        article_title: title of the protected article; its id without one.
        article_url: address of the protected article; empty without one.
        copy_title: title of the copy; empty if it is unknown.
        site_name: name of the site; its host if it has none.
    """

    case: Case
    events: tuple[CaseEvent, ...]
    article_title: str
    article_url: str
    copy_title: str
    site_name: str


def list_cases(
    library: Library | Place,
    *,
    states: Collection[str] | None = OPEN_STATES,
    article: str | None = None,
    site: str | None = None,
    top: int | None = None,
) -> Iterator[Case]:
    """Yield the cases of a library, the latest first. Exhaust the iterator or close it.

    Args:
        library: its address, or an open library.
        states: only cases in these states; None for all.
        article: only cases of this protected article.
        site: only cases on this site.
        top: maximum number; None for all.
    """
    with lent(library) as opened:
        mark, rest = None, top
        while rest is None or rest > 0:
            limit = _BLOCK if rest is None else min(_BLOCK, rest)
            page = opened.cases.page(states=states, article=article, site=site, after=mark, limit=limit)
            yield from page.items
            mark, rest = page.mark, None if rest is None else rest - len(page.items)
            if mark is None:
                return


def case_file(library: Library | Place, number: int) -> CaseFile:
    """Return a case with its events.

    Raises:
        NotFoundError: the case does not exist.
    """
    with lent(library) as opened:
        case = opened.cases.get(number)
        article, copy = opened.get(case.article), opened.get(case.document)
        site = opened.sites.of(case.url)
        return CaseFile(
            case,
            tuple(opened.cases.events(number)),
            (article and article.title) or case.article,
            (article and article.url) or "",
            (copy and copy.title) or "",
            (site and site.name) or case.site or domain_of(case.url) or case.url,
        )


def open_case(library: Library | Place, document: str, article: str, *, by: str = "", note: str = "") -> Case:
    """Open a case by hand; see `whorl.library.cases.cases.Cases.open`."""
    with lent(library) as opened:
        return opened.cases.open(document, article, by=by, note=note)


def record_event(library: Library | Place, number: int, kind: str, **details: Any) -> Case:
    """Record what a person did in a case; see `whorl.library.cases.cases.Cases.record`."""
    with lent(library) as opened:
        return opened.cases.record(number, kind, **details)


def rebuild_cases(library: Library | Place) -> int:
    """Compute the states of all cases again from their events; return the number of cases."""
    with lent(library) as opened:
        return opened.cases.rebuild()


def deadline_of(text: str | None, at: datetime | None = None) -> datetime | None:
    """Return the end of a period such as "7d" from a time on, or a time itself; None for None.

    Raises:
        InputError: it is neither a period nor a time.
    """
    if text is not None and text[-1:] in ("h", "d", "w") and text[:-1].isdigit():
        return (at or datetime.now(UTC)) + timedelta(microseconds=span(text))
    return time_of(text, "deadline")


__all__ = ["CaseFile", "case_file", "deadline_of", "list_cases", "open_case", "rebuild_cases", "record_event"]
