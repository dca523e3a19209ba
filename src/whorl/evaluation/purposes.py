"""Purposes of a corpus: the methods, kinds of copies and relations that matter for a recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.matching.relation import REMOVED

USUAL_PRECISION = 0.97


@frozen
class Purpose:
    """The criteria of a recommendation.

    Attributes:
        methods: methods and presets to try; empty for all.
        kinds: relevant kinds of planted copies, from ``whorl.evaluation.mutations.KINDS``; empty for all.
        precision: minimum precision.
        remove: relations for which the recipe removes documents.
        right: relations of correctly reported pairs.
        counts_links: count a kept pair linked by one of these relations as found.
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
        # Training data: repeated whole texts. Only methods whose cost stays low at any size.
        "corpus": Purpose(
            methods=("exact", "minhash", "simhash", "winnowing", "corpus", "web"),
            kinds=(
                *("verbatim", "retitle", "boilerplate", "typo1", "typo5", "homophone3", "sent_shuffle"),
                *("para_shuffle", "drop20", "trad", "width_punct", "noise", "truncated", "short"),
            ),
        ),
        # Reprints, excerpts and mixtures of every kind; related texts that are kept are linked and count as found.
        "news": Purpose(right=(*REMOVED, "version", "partial"), counts_links=True),
        # Copied parts of texts, which are reported and not removed.
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
        # Only copies of the same document may be removed; excerpts and versions are separate documents.
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
    """Return the purpose with a name; None has no restrictions.

    Raises:
        NotFoundError: the purpose does not exist.
    """
    if name is None:
        return ANY_PURPOSE
    if name not in PURPOSES:
        raise NotFoundError(
            say("{name} is {value!r}", name="purpose", value=name),
            hint=say("choose among: {known}", known=", ".join(PURPOSES)),
        )
    return PURPOSES[name]


__all__ = ["ANY_PURPOSE", "PURPOSES", "USUAL_PRECISION", "Purpose", "purpose_of"]
