"""What speaks for each member of a cluster to be the original, and against it: values and sentences.

Values are of full strength at 1 and -1. What is unknown, and what all members have alike, is 0 or cancels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2, tanh

from whorl.language import Message, say, say_many
from whorl.matching.moments import (
    Interval,
    claimed,
    earliest,
    is_backdated,
    is_impossible,
    is_whole_day,
    kept,
    lasting,
    orders,
    seen,
    shown,
    timely,
    utc,
)
from whorl.matching.statements import Statement
from whorl.matching.witness import Directory, Relation, Witness, host_of, page_of, plain

ORIGINS = ("source", "reprint", "first")
"""The kinds of statements that say where a text was before."""
_REGISTERED = ("own", "protected")
_YEAR_SECONDS = 365.25 * 86_400
_YEARS = 5.0
_FEW = 4.0
_PERHAPS = 0.5
_LEAST_CREDIT = 0.4


@dataclass(slots=True)
class Evidence:
    """One kind of evidence: for each member, and last for "elsewhere", its value and why."""

    name: str
    values: list[float]
    said: list[Message | None]

    def note(self, place: int, value: float, said: Message | None) -> None:
        """Set value and reason of a member."""
        self.values[place], self.said[place] = value, said


class Case:
    """Members of a cluster among which one may be the original, with what relates them.

    Args:
        members: the candidates.
        relations: between members; others are ignored.
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

    def _origin_of(self, place: int) -> tuple[Statement, list[int]] | None:
        """The first statement of a member that says where its text was before, and whom it means."""
        stated = [one for one in self.members[place].statements if one.kind in ORIGINS]
        meant = [(one, self.directory.meant(one.url, one.name)) for one in stated]
        return min(meant, key=lambda pair: (not pair[1], pair[0].kind == "source"), default=None)

    def followed(self, place: int) -> list[int]:
        """Return whom a member names in the end: where the one it names itself names another, that one."""
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
        found = self.named[place]
        return [] if found is None or place in found[1] else found[1]

    def may_be_itself(self, place: int, statement: Statement) -> bool:
        """Whether a name that means none of the members may be that of a member's own site, which is unknown."""
        return not statement.url and not self.members[place].publisher

    def outside(self) -> dict[str, float]:
        """Return who is named as the source and is none of the members, and how often; half where that is unsure."""
        found: dict[str, float] = {}
        for place, (member, stated) in enumerate(zip(self.members, self.named, strict=True)):
            if stated is not None and not stated[1]:
                name = plain(stated[0].name) or host_of(stated[0].url)
                found[name] = found.get(name, 0.0) + (_PERHAPS if self.may_be_itself(place, stated[0]) else 1.0)
            site = host_of(member.canonical)
            if site and site != member.domain and not self.directory.on(member.canonical):
                found[site] = found.get(site, 0.0) + 1.0
        return found

    def evidence(self) -> list[Evidence]:
        """Return all evidence, in the order of the weights. Linear in members and relations."""
        found = []
        for name, gather in _KINDS.items():
            count = len(self.members) + 1
            one = Evidence(name, [0.0] * count, [None] * count)
            gather(self, one)
            found.append(one)
        return found


def _seen(case: Case, found: Evidence) -> None:
    intervals = [seen(member) for member in case.members]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals), intervals, strict=True)):
        other = intervals[rival] if rival is not None else None
        if interval is not None and other is not None and rival is not None:
            found.note(place, value, _in_time(interval, other, case.members[rival].id, value))


def _in_time(own: Interval, other: Interval, rival: str, value: float) -> Message:
    gap = lasting(own.end - other.end)
    if abs(value) < 0.2:
        return say(
            "first seen {when} UTC; the visits to both sites do not tell whether {other} was earlier",
            when=shown(own.end),
            other=rival,
        )
    if value > 0:
        return say("first seen {when} UTC, {gap} before {other}", when=shown(own.end), gap=gap, other=rival)
    return say("first seen {when} UTC, {gap} after {other}", when=shown(own.end), gap=gap, other=rival)


def _published(case: Case, found: Evidence) -> None:
    intervals = [claimed(member) for member in case.members]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals), intervals, strict=True)):
        member = case.members[place]
        if member.published_at is None:
            continue
        when = shown(member.published_at)
        if interval is None and is_backdated(member):
            said = say("claims {when} UTC, but its site was visited since without it; that does not count", when=when)
            found.note(place, 0.0, said)
        if interval is None or rival is None:
            continue
        other = case.members[rival].id
        if is_whole_day(member.published_at):
            said = say("claims the day {day} without a time; the earliest other is {other}", day=when[:10], other=other)
        elif value > 0:
            said = say("claims {when} UTC, before {other}", when=when, other=other)
        elif value < 0:
            said = say("claims {when} UTC, after {other}", when=when, other=other)
        else:
            said = say("claims {when} UTC, as does {other}", when=when, other=other)
        found.note(place, value * _credit(member), said)


def _credit(member: Witness) -> float:
    """How far a claim counts: as much as the site is trusted, where that is known."""
    return 1.0 if member.trust is None else _LEAST_CREDIT + member.trust


def _timely(case: Case, found: Evidence) -> None:
    intervals = [timely(member) for member in case.members]
    for place, (value, rival) in enumerate(orders(intervals)):
        member = case.members[place]
        if rival is None or member.published_at is None:
            continue
        other = case.members[rival].id
        if value > 0:
            said = say("was seen soon after the time that it claims, which is before that of {other}", other=other)
        else:
            said = say("was seen soon after the time that it claims, but {other} was there before", other=other)
        found.note(place, value * _credit(member), said)


def _impossible(case: Case, found: Evidence) -> None:
    for place, member in enumerate(case.members):
        if is_impossible(member) and member.published_at:
            first = earliest(member)
            when = shown(member.published_at)
            if first is not None and utc(member.published_at) > first:
                said = say("claims {when} UTC, after it was seen; the claim does not count", when=when)
            else:
                said = say("claims {when} UTC, before its site was there; the claim does not count", when=when)
            found.note(place, -1.0, said)


def _snapshot(case: Case, found: Evidence) -> None:
    times: list[datetime] = [first for member in case.members if (first := earliest(member))]
    times += [utc(at) for member in case.members for at in member.snapshots]
    since = min(times, default=None)
    intervals = [kept(member, since) for member in case.members]
    pairs = zip(intervals, map(seen, case.members), strict=True)
    known = [min(filter(None, pair), key=lambda one: one.end, default=None) for pair in pairs]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals, known), intervals, strict=True)):
        if interval is None or rival is None:
            continue
        when, other = shown(interval.end), case.members[rival].id
        if value > 0:
            said = say("a snapshot of it is of {when} UTC, before {other} was seen", when=when, other=other)
        else:
            said = say("its first snapshot is of {when} UTC; {other} was seen or kept before", when=when, other=other)
        found.note(place, value, said)


def _named(case: Case, found: Evidence) -> None:
    counts: Counter[int] = Counter()
    for place in range(len(case.members)):
        targets = case.followed(place)
        counts.update({target: 1 for target in targets if target != place})
    for place, count in counts.items():
        said = say_many("{count:,} member names it as the source", "{count:,} members name it as the source", count)
        found.note(place, log2(1 + count), said)
    outside = case.outside()
    unnamed = [
        place
        for place, member in enumerate(case.members)
        if not member.publisher and case.named[place] is None and place not in counts
    ]
    if outside and unnamed:
        name = max(outside, key=lambda name: (outside[name], name))
        value = log2(1 + outside[name]) * _PERHAPS / len(unnamed)
        for place in unnamed:
            said = say("{name} is named as the source; that may be its site, whose name is unknown", name=name)
            found.note(place, value, said)


def _names(case: Case, found: Evidence) -> None:
    for place, stated in enumerate(case.named):
        if stated is None or place in stated[1]:
            continue
        statement, targets = stated
        name = statement.name or statement.url
        if targets:
            said = say("says that it is from {name}, which is {other}", name=name, other=case.members[targets[0]].id)
            found.note(place, -1.0, said)
        elif case.may_be_itself(place, statement):
            said = say("says that it is from {name}; what its own site is called is unknown", name=name)
            found.note(place, -_PERHAPS, said)
        else:
            said = say("says that it is from {name}, which is none of these", name=name)
            found.note(place, -1.0, said)


def _itself(case: Case, found: Evidence) -> None:
    for place, stated in enumerate(case.named):
        if stated is not None and place in stated[1]:
            name = stated[0].name or stated[0].url
            found.note(place, 1.0, say("names itself as the source: {name}", name=name))


def _dateline(case: Case, found: Evidence) -> None:
    for place, member in enumerate(case.members):
        stated = next((one for one in member.statements if one.kind == "dateline"), None)
        if stated is None:
            continue
        if place in case.directory.called(stated.name):
            found.note(place, 1.0, say("carries the dateline of its own newsroom: {name}", name=stated.name))
        elif not case.may_be_itself(place, stated):
            found.note(place, -1.0, say("carries the dateline of {name}", name=stated.name))


def _canonical(case: Case, found: Evidence) -> None:
    pointed: Counter[int] = Counter()
    for place, member in enumerate(case.members):
        if not member.canonical or page_of(member.canonical) == page_of(member.url):
            continue
        targets = [target for target in case.directory.at(member.canonical) if target != place]
        pointed.update(targets)
        if targets or host_of(member.canonical) != member.domain:
            said = say("its page calls another address the original: {url}", url=member.canonical)
            found.note(place, -1.0, said)
    for place, count in pointed.items():
        said = say_many(
            "the page of {count:,} member calls its address the original",
            "the pages of {count:,} members call its address the original",
            count,
        )
        found.note(place, found.values[place] + log2(1 + count), said)


def _links(case: Case, found: Evidence) -> None:
    into: Counter[int] = Counter()
    out: Counter[int] = Counter()
    for place, member in enumerate(case.members):
        targets = {target for link in member.links for target in case.directory.at(link)} - {place}
        into.update(targets)
        out[place] = len(targets)
    for place in range(len(case.members)):
        if into[place] or out[place]:
            value = (into[place] - out[place]) / (into[place] + out[place])
            said = say("{into:,} members link to it, and it links to {out:,}", into=into[place], out=out[place])
            found.note(place, value, said)


def _title(case: Case, found: Evidence) -> None:
    titles: dict[str, list[int]] = {}
    for place, member in enumerate(case.members):
        titles.setdefault(plain(member.title), []).append(place)
    for place, member in enumerate(case.members):
        stated = next((one for one in member.statements if one.kind == "title"), None)
        if stated is None:
            continue
        found.note(place, -1.0, say("says that it had another title before: {title}", title=stated.name))
        for other in titles.get(plain(stated.name), []):
            if other != place and found.values[other] == 0:
                found.note(other, 1.0, say("has the title that others give as the former one"))


def _heading(case: Case, found: Evidence) -> None:
    titles = [plain(member.title) for member in case.members]
    counts = Counter(title for title in titles if title)
    same = [counts[title] - 1 if title else None for title in titles]
    others = max(1, counts.total() - 1)
    for place, value in _apart([None if count is None else count / others for count in same]):
        count = same[place] or 0
        said = say_many("{count:,} other member has its title", "{count:,} other members have its title", count)
        found.note(place, value, said)


def _between(case: Case, found: Evidence, value: Callable[[Relation], float], said: Sequence[Message]) -> None:
    """The mean over the relations of a member; what is said where it speaks for it, and where against it."""
    for place, relations in case.relations.items():
        mean = sum(map(value, relations)) / len(relations)
        if abs(mean) > 1e-9:
            found.note(place, mean, said[0] if mean > 0 else said[1])


def _balance(own: float, other: float) -> float:
    """From -1, only it has some, to 1, only the other has; nearer to 0 where both have, or have few."""
    return (other - own) / (own + other + _FEW) if own + other else 0.0


def _whole(case: Case, found: Evidence) -> None:
    said = say("has more of the others than they have of it"), say("is contained in others")
    _between(case, found, lambda pair: pair.b_in_a - pair.a_in_b, said)


def _added(case: Case, found: Evidence) -> None:
    said = say("others have boilerplate around its text"), say("has boilerplate around the text that others lack")
    _between(case, found, lambda pair: _balance(pair.a_added, pair.b_added), said)


def _tricks(case: Case, found: Evidence) -> None:
    said = say("others disguise its text by tricks"), say("disguises the text by tricks that others lack")
    _between(case, found, lambda pair: _balance(pair.a_tricks, pair.b_tricks), said)


def _repairs(case: Case, found: Evidence) -> None:
    said = say("others have errors of it repaired"), say("has errors of others repaired")
    _between(case, found, lambda pair: _balance(pair.a_repairs, pair.b_repairs), said)


def _byline(case: Case, found: Evidence) -> None:
    authors = [plain(member.author) for member in case.members]
    counts = Counter(author for author in authors if author)
    agreed = [counts[author] / counts.total() if author else 0.0 for author in authors]
    for place, value in _apart(agreed):
        author = case.members[place].author
        said = say("names its author: {author}", author=author) if author else say("names no author, as others do")
        found.note(place, value, said if counts else None)


def _mark(case: Case, found: Evidence) -> None:
    for place, value in _apart([float(member.is_original) for member in case.members]):
        if value > 0:
            found.note(place, value, say("its page carries a mark that it is original"))
        elif value < 0:
            found.note(place, value, say("its page lacks the mark of others that it is original"))


def _apart(values: Sequence[float | None]) -> Iterator[tuple[int, float]]:
    """The values of those that have one, less their mean, so that what all have alike does not count."""
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if known else 0.0
    return ((place, value - mean) for place, value in enumerate(values) if value is not None)


def _trust(case: Case, found: Evidence) -> None:
    trusts = [member.trust for member in case.members]
    for place, value in _apart(trusts):
        said = say("the trust in its site is {trust:.2f}", trust=trusts[place])
        found.note(place, 2 * value, said)


def _age(case: Case, found: Evidence) -> None:
    years = [utc(member.since).timestamp() / _YEAR_SECONDS if member.since else None for member in case.members]
    for place, value in _apart(years):
        since = case.members[place].since
        found.note(place, -tanh(value / _YEARS), say("its site exists since {since}", since=str(since)[:10]))


def _registered(case: Case, found: Evidence) -> None:
    for place, member in enumerate(case.members):
        if member.collection in _REGISTERED:
            found.note(place, 1.0, say("is registered in the collection {name}", name=member.collection))


def _authorised(case: Case, found: Evidence) -> None:
    for place, member in enumerate(case.members):
        if member.authorised:
            found.note(place, -1.0, say("its site has leave to reprint"))


def _proof(case: Case, found: Evidence) -> None:
    proofs = {
        place: min((utc(at), kind) for kind, at in member.proofs)
        for place, member in enumerate(case.members)
        if member.proofs
    }
    if not proofs:
        return
    first = min(proofs, key=lambda place: (proofs[place], place))
    seen_first = [
        (at, place) for place, member in enumerate(case.members) if place != first and (at := earliest(member))
    ]
    for place, (at, kind) in proofs.items():
        when = shown(at)
        if place != first:
            found.note(place, 0.0, say("a proof ({kind}) of {when} UTC is not the first", kind=kind, when=when))
        elif seen_first and min(seen_first)[0] <= at:
            other = case.members[min(seen_first)[1]].id
            said = say("a proof ({kind}), but {other} was seen before {when} UTC", kind=kind, when=when, other=other)
            found.note(place, 0.0, said)
        else:
            found.note(place, 1.0, say("a proof ({kind}) shows that it was there {when} UTC", kind=kind, when=when))


def _elsewhere(_: Case, found: Evidence) -> None:
    found.note(-1, 1.0, None)


def _outside(case: Case, found: Evidence) -> None:
    if named := case.outside():
        name = max(named, key=lambda name: (named[name], name))
        found.note(-1, log2(1 + named[name]), say("{name} is named as the source, and is none of these", name=name))


_KINDS: Mapping[str, Callable[[Case, Evidence], None]] = {
    "seen": _seen,
    "published": _published,
    "timely": _timely,
    "impossible": _impossible,
    "snapshot": _snapshot,
    "named": _named,
    "names": _names,
    "itself": _itself,
    "dateline": _dateline,
    "canonical": _canonical,
    "links": _links,
    "title": _title,
    "heading": _heading,
    "whole": _whole,
    "added": _added,
    "tricks": _tricks,
    "repairs": _repairs,
    "byline": _byline,
    "mark": _mark,
    "trust": _trust,
    "age": _age,
    "registered": _registered,
    "authorised": _authorised,
    "proof": _proof,
    "elsewhere": _elsewhere,
    "outside": _outside,
}

__all__ = ["ORIGINS", "Case", "Evidence"]
