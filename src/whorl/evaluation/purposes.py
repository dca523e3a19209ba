"""What a corpus is for: which methods, copies and relations matter to a recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from whorl.errors import NotFoundError
from whorl.language import say
from whorl.matching.relation import REMOVED

USUAL_PRECISION = 0.97


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a recommendation goes by.

    Attributes:
        methods: methods and presets to try; none for all.
        kinds: of planted copies that matter, among ``whorl.evaluation.mutations.KINDS``; none for all.
        precision: minimum share of right pairs.
        remove: for which relations the recipe removes documents.
        right: the relations of pairs that are rightly reported.
        counts_links: whether a pair that stays and is linked by one of these relations counts as found.
    """

    methods: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    precision: float = USUAL_PRECISION
    remove: tuple[str, ...] = REMOVED
    right: tuple[str, ...] = REMOVED
    counts_links: bool = False


ANY_PURPOSE = Purpose()
PURPOSES: Mapping[str, Purpose] = MappingProxyType(
    {
        # Text to train on: whole texts that are repeated. Methods whose cost stays low at any size.
        "corpus": Purpose(
            methods=("exact", "minhash", "simhash", "winnowing", "corpus", "web"),
            kinds=(
                *("verbatim", "retitle", "boilerplate", "typo1", "typo5", "homophone3", "sent_shuffle"),
                *("para_shuffle", "drop20", "trad", "width_punct", "noise", "truncated", "short"),
            ),
        ),
        # Reprints, excerpts and mixtures of every kind; what must stay is linked, and counts as found.
        "news": Purpose(right=(*REMOVED, "version", "partial"), counts_links=True),
        # Copied parts of texts, which are to be reported, not removed.
        "theses": Purpose(
            methods=("winnowing", "news", "library", "web"),
            kinds=(
                *("excerpt20", "excerpt40", "excerpt60", "embed20", "embed50", "mix2", "mix3", "drop50"),
                *("synonym", "para_shuffle", "typo5", "homophone3", "combo"),
            ),
            remove=("exact",),
            right=(*REMOVED, "version", "partial"),
            counts_links=True,
        ),
        # Only what is the same document may go; excerpts and other versions are documents of their own.
        "archive": Purpose(
            methods=("exact", "bag", "minhash", "simhash", "shingles", "corpus"),
            kinds=("verbatim", "retitle", "typo1", "trad", "width_punct", "noise", "short"),
            precision=0.99,
            remove=("exact", "near_duplicate"),
            right=("exact", "near_duplicate"),
        ),
    }
)
"""Purposes by name."""


def purpose_of(name: str | None) -> Purpose:
    """Return the purpose of a name; the one without restrictions for None.

    Raises:
        NotFoundError: there is no such purpose.
    """
    if name is None:
        return ANY_PURPOSE
    if name not in PURPOSES:
        raise NotFoundError(
            say("{name} is {value!r}", name="purpose", value=name),
            cure=say("choose among: {known}", known=", ".join(PURPOSES)),
        )
    return PURPOSES[name]


__all__ = ["ANY_PURPOSE", "PURPOSES", "USUAL_PRECISION", "Purpose", "purpose_of"]
