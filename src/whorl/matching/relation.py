"""The relations of two texts, and what a run does by them."""

from __future__ import annotations

from dataclasses import dataclass

from whorl import _core
from whorl.errors import UsageError
from whorl.language import say

RELATIONS: tuple[str, ...] = tuple(_core.RELATIONS)
"""The relations of a pair by their number in a column, the closest last."""
REMOVED = ("exact", "near_duplicate", "excerpt")
"""The relations for which a run removes documents unless it is told otherwise."""
LINKS: int = _core.LINKS
"""So many links a document, unless a run is told otherwise."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What may be done with a document of which another one is kept.

    Attributes:
        relation: one of ``RELATIONS``.
        direction: which of both derives from the other: "a" the kept one, "b" the document; None where neither does.
        confidence: how sure the relation is, in [0.5, 1].
        copied: the copied share of the kept document and of the document, in [0, 1].
        reworded: the reworded share of both.
        is_removable: whether the document may be removed: for its relation, and because next to nothing in it is new.
    """

    relation: str
    direction: str | None
    confidence: float
    copied: tuple[float, float]
    reworded: tuple[float, float]
    is_removable: bool


def ruling(kept: str, document: str, remove: tuple[str, ...] = REMOVED) -> Ruling:
    """Rule on a document of which another one is kept, as a run does, but without boilerplate.

    >>> from whorl.matching.relation import ruling
    >>> ruling("今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!").is_removable
    True

    Args:
        kept: the text that stays.
        document: the other text.
        remove: for which relations documents are removed.

    Cost: linear in both texts.
    """
    return Ruling(*_core.ruling(kept, document, list(remove)))


def check_directed(relations: tuple[str, ...], links: int) -> None:
    """Check for which relations documents are removed, and how many links one may have.

    Raises:
        UsageError: a relation is unknown or "unrelated", "exact" is missing, or ``links`` is below 0.
    """
    if isinstance(links, bool) or links < 0:
        raise UsageError(say("{name} is {value}", name="links", value=links), cure=say("give a number such as 8, or 0"))
    known = [name for name in reversed(RELATIONS) if name != "unrelated"]
    unknown = next((name for name in relations if name not in known), None)
    if unknown is not None:
        raise UsageError(
            say("{name} is {value!r}", name="remove", value=unknown),
            cure=say("choose among: {known}", known=", ".join(known)),
        )
    if "exact" not in relations:
        raise UsageError(
            say("remove lacks 'exact'"), cure=say("exact duplicates are always removed: add 'exact' to the list")
        )


__all__ = ["LINKS", "RELATIONS", "REMOVED", "Ruling", "check_directed", "ruling"]
