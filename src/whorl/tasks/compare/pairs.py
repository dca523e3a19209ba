"""Compare two articles of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from whorl._internal.frozen import frozen
from whorl.tasks.compare.run import compare_documents
from whorl.tasks.library.arguments import Place, lent
from whorl.types.comparison import Comparison, Plain
from whorl.types.library import Document, Review

if TYPE_CHECKING:
    from whorl.library import Library


@frozen
class SideBySide(Plain):
    """Two articles with their common text.

    >>> import whorl
    >>> from whorl.tasks.compare.pairs import side_by_side
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": name, "text": text} for name in "ab")
    ...     side_by_side(library, "b", "a").found.relation
    'exact'

    Attributes:
        document: the examined article, text b of the comparison.
        other: its possible source, text a.
        sentence: summary in the current language.
        found: the passages and the changes.
        review: the decision about the two.
    """

    document: Document
    other: Document
    sentence: str
    found: Comparison
    review: Review


def side_by_side(library: Library | Place, id: str, other: str) -> SideBySide:
    """Compare an article of a library with its possible source.

    Args:
        library: its address, or an open library.
        id: id of the examined article.
        other: id of the possible source.

    Raises:
        NotFoundError: one of the articles does not exist.
        UsageError: the library keeps no texts.

    Cost: linear in both texts.
    """
    with lent(library) as opened:
        comparison = cast("Comparison", compare_documents(opened, id, other).result)
        documents = [cast("Document", opened.get(name)) for name in (id, other)]
        return SideBySide(documents[0], documents[1], comparison.describe(), comparison, opened.reviews.now(id, other))


__all__ = ["SideBySide", "side_by_side"]
