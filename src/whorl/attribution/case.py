"""Candidates for the original of a cluster, with their relations and the sources that they name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from whorl.attribution.member_facts import Directory, Relation, Witness, host_of, is_within, plain, silent
from whorl.attribution.statements import Statement
from whorl.i18n import Message

ORIGINS = ("source", "reprint", "first")
"""Kinds of statements that name an earlier publication."""
PERHAPS = 0.5
"""Weight of a name that may refer to the member's own site, because the name of its site is unknown."""


@dataclass(slots=True)
class EvidenceValues:
    """One kind of evidence: a value and a reason for each member and, last, for "elsewhere"."""

    name: str
    values: list[float]
    messages: list[Message | None]

    def note(self, place: int, value: float, message: Message | None) -> None:
        """Set the value and reason of a member."""
        self.values[place], self.messages[place] = value, message


class AttributionCase:
    """The candidates for the original of a strand, with their relations.

    Args:
        members: candidates.
        relations: relations between members; others are ignored.
    """

    def __init__(self, members: Sequence[Witness], relations: Sequence[Relation]) -> None:
        self.members = list(members)
        self.places = {member.id: place for place, member in enumerate(self.members)}
        self.directory = Directory(self.members)
        self.relations: dict[int, list[Relation]] = {}
        for relation in relations:
            if relation.a in self.places and relation.b in self.places:
                for id in (relation.a, relation.b):
                    self.relations.setdefault(self.places[id], []).append(relation.seen_from(id))
        self.named = [self._origin_of(place) for place in range(len(self.members))]

    def hearing(self, places: Collection[int]) -> AttributionCase:
        """Return the same members and relations, without what the others claim: only what was observed of them."""
        audible = AttributionCase(
            [member if place in places else silent(member) for place, member in enumerate(self.members)], []
        )
        # Which site usually has a text first was mostly learned from claimed dates.
        audible.relations = {
            place: [replace(relation, a_first=0, b_first=0) for relation in relations]
            for place, relations in self.relations.items()
        }
        return audible

    def _origin_of(self, place: int) -> tuple[Statement, list[int]] | None:
        """Return the first statement of a member about an earlier publication, with the members it refers to."""
        stated = [statement for statement in self.members[place].statements if statement.kind in ORIGINS]
        meant = [(statement, self.directory.meant(statement.url, statement.name)) for statement in stated]
        return min(meant, key=lambda pair: (not pair[1], pair[0].kind == "source"), default=None)

    def followed(self, place: int) -> list[int]:
        """Return the members that a member names as its source, following chains to their end."""
        passed = {place}
        targets = self._others_named(place)
        while len(targets) == 1 and targets[0] not in passed:
            passed.add(targets[0])
            further = self._others_named(targets[0])
            if not further or set(further) & passed:
                break
            targets = further
        return targets

    def _others_named(self, place: int) -> list[int]:
        named = self.named[place]
        return [] if named is None or place in named[1] else named[1]

    def on_one_site(self, place: int, other: int) -> bool:
        """Return True if two members are on one site, so that one speaks in favor of its own site by the other."""
        domains = self.members[place].domain, self.members[other].domain
        return bool(domains[0]) and is_within(*domains)

    def may_be_itself(self, place: int, statement: Statement) -> bool:
        """Return True if an unresolved name may be that of the member's own, unnamed site."""
        return not statement.url and not self.members[place].publisher

    def perhaps_called(self, name: str) -> list[int]:
        """Return the members whose site may have this name: its name is unknown, and they name no other site."""
        members = []
        for place, (member, stated) in enumerate(zip(self.members, self.named, strict=True)):
            names_another = stated is not None and (stated[1] or stated[0].url or plain(stated[0].name) != name)
            if not member.publisher and not names_another:
                members.append(place)
        return members

    def outside(self) -> dict[str, float]:
        """Return the outside sources that members name, with their counts; uncertain ones count half."""
        counts: dict[str, float] = {}
        for place, (member, stated) in enumerate(zip(self.members, self.named, strict=True)):
            if stated is not None and not stated[1]:
                name = plain(stated[0].name) or host_of(stated[0].url)
                counts[name] = counts.get(name, 0.0) + (PERHAPS if self.may_be_itself(place, stated[0]) else 1.0)
            site = host_of(member.canonical)
            if site and site != member.domain and not self.directory.on(member.canonical):
                counts[site] = counts.get(site, 0.0) + 1.0
        return counts


__all__ = ["ORIGINS", "PERHAPS", "AttributionCase", "EvidenceValues"]
