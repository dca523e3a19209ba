"""Relations of two texts, and their effect in a run."""

from __future__ import annotations

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say

RELATIONS: tuple[str, ...] = tuple(_core.RELATIONS)
"""Relations of a pair, indexed by their code in columns, the closest last."""
REMOVABLE = tuple(name for name in RELATIONS if name not in ("unrelated", "translation"))
"""Relations for which a recipe may remove documents."""
REMOVED = ("exact", "near_duplicate", "excerpt")
"""Relations for which a run removes documents by default."""
LINKS: int = _core.LINKS
"""Maximum number of links of a document by default."""


@frozen
class Ruling:
    """Decision about a document, given a related kept document.

    Attributes:
        relation: one of ``RELATIONS``.
        direction: the derived text: "a" the kept one, "b" the document; None if neither is.
        confidence: confidence of the relation, in [0.5, 1].
        copied: copied shares of the kept document and of the document, in [0, 1].
        reworded: reworded shares of both.
        is_removable: True if the document may be removed: its relation allows it, and it has hardly any new text.
    """

    relation: str
    direction: str | None
    confidence: float
    copied: tuple[float, float]
    reworded: tuple[float, float]
    is_removable: bool


def ruling(kept: str, document: str, remove: tuple[str, ...] = REMOVED) -> Ruling:
    """Decide about a document as a run does, but without learned boilerplate.

    >>> from whorl.matching.relation import ruling
    >>> ruling("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").is_removable
    True

    Args:
        kept: text of the kept document.
        document: text of the document.
        remove: relations for which documents are removed.

    Cost: linear in both texts.
    """
    return Ruling(*_core.ruling(kept, document, list(remove)))


def check_directed(relations: tuple[str, ...], links: int) -> None:
    """Validate the relations for which documents are removed, and the maximum number of links.

    Raises:
        UsageError: a relation is unknown, "unrelated" or "translation", "exact" is missing, or ``links`` is below 0.
    """
    if isinstance(links, bool) or links < 0:
        raise UsageError(say("{name} is {value}", name="links", value=links), hint=say("use a number such as 8, or 0"))
    names = [*reversed(REMOVABLE)]
    unknown = next((name for name in relations if name not in names), None)
    if unknown is not None:
        raise UsageError(
            say("{name} is {value!r}", name="remove", value=unknown),
            hint=say("choose among: {known}", known=", ".join(names)),
        )
    if "exact" not in relations:
        raise UsageError(
            say("remove lacks 'exact'"), hint=say("exact duplicates are always removed: add 'exact' to the list")
        )


__all__ = ["LINKS", "RELATIONS", "REMOVABLE", "REMOVED", "Ruling", "check_directed", "ruling"]
