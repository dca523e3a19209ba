"""What is told of documents that were added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whorl.library.core import Core
from whorl.library.evidence import Evidence
from whorl.library.finder import Looked
from whorl.library.listing import Own, Related, listed, matches
from whorl.library.model import Match, Report
from whorl.library.placing import NEW, Placed
from whorl.stores import Reader
from whorl.stores.records import Content, Pair


class Said(NamedTuple):
    """A content that a document says.

    Attributes:
        content: its row.
        pairs: with what it shares text.
        looked: what the index said of it.
    """

    content: Content
    pairs: Sequence[Pair]
    looked: Looked

    def related(self) -> list[Related]:
        """What has matches of a document that says it."""
        number = self.content.number
        same = [Related.same(number)] if self.content.members > 1 else []
        return same + [Related.by(pair, number) for pair in self.pairs]


def reports(
    core: Core,
    reader: Reader,
    placed: Sequence[Placed],
    said: Mapping[int, Said],
    known: Mapping[tuple[str, int], Evidence],
) -> list[Report]:
    """Return the reports of documents, in their order.

    Args:
        core: the library.
        reader: the truth.
        placed: the documents.
        said: what is known of the content of each, by its number.
        known: what was compared already, by the text and the number of the other document.
    """
    owns = [
        (
            Own(one.document.text, core.when(one.entry), one.entry.number, one.entry.content, one.state == NEW),
            said[one.entry.content],
        )
        for one in placed
    ]
    found = listed(core, reader, [(own, known_of.related()) for own, known_of in owns])
    some = [(own, documents) for (own, _), (documents, _) in zip(owns, found, strict=True)]
    return [
        _report(one, known_of, own_matches, left)
        for one, (_, known_of), (_, left), own_matches in zip(
            placed, owns, found, matches(core, reader, some, known), strict=True
        )
    ]


def _report(one: Placed, said: Said, own_matches: tuple[Match, ...], left: int) -> Report:
    return Report(
        id=one.entry.id,
        state=one.state,
        revision=one.entry.revision,
        cluster_id=said.content.cluster,
        matches=own_matches,
        keys=said.looked.keys,
        cut=said.looked.cut,
        unlisted=said.looked.unlisted + left,
    )


__all__ = ["Said", "reports"]
