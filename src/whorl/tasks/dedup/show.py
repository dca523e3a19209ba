"""Show an article of a deduplication or of a library with its evidence."""

from __future__ import annotations

from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library import Library, exists
from whorl.reports.evidence import KeptArticle, Pair
from whorl.tasks.library.arguments import Place, lent
from whorl.types.cards import NotebookCard

if TYPE_CHECKING:
    from whorl.types.library import Document, Report


@frozen
class LibraryArticle(NotebookCard):
    """An article of a library with its matches.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "a", "text": "今天天气很好，适合出门散步。"})
    ...     whorl.runs.show(library, "a").document.text
    '今天天气很好，适合出门散步。'

    Attributes:
        document: the article.
        report: its matches and its cluster.
    """

    document: Document
    report: Report

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {"document": self.document.to_dict(), "report": self.report.to_dict()}


def show(place: Library | Place, id: str) -> Pair | KeptArticle | LibraryArticle:
    """Return an article of a run or of a library with its evidence.

    For a run, a removed article comes with its kept article, and a kept one with the list of those removed for it. For
    a library, an article comes with its matches.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     report = library.add({"id": "1", "text": "今天天气很好，适合出门散步。"})
    ...     whorl.runs.show(library, "1").document.id
    '1'

    Args:
        place: the output folder of a deduplication, or a library.
        id: id of the article, or ``FILE:ROW`` in a run.

    Returns:
        For a library a ``LibraryArticle``; for a run a ``Pair`` (removed article) or a ``KeptArticle``.

    Raises:
        UsageError: the folder is not a finished run, or the library has no such article.
        InputError: the run has no such article, a file is missing or has changed, or the folder is damaged.

    Cost: one pass over the two files with the articles; for a library milliseconds, and a comparison per match.
    """
    if isinstance(place, Library) or exists(place):
        return _library_article(place, id)
    from whorl.engines.local.finished import kept_article, removed_pair

    out = Path(fspath(place))
    return kept_article(out, id) or removed_pair(out, id)


def _library_article(place: Library | Place, id: str) -> LibraryArticle:
    with lent(place) as library:
        document = library.get(id)
        if document is None:
            raise NotFoundError(
                say("no article has the id {id!r}", id=id), hint=say("list them with `whorl library list`")
            )
        return LibraryArticle(document, library.report(id))


__all__ = ["KeptArticle", "LibraryArticle", "Pair", "show"]
