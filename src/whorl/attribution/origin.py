"""Evidence for and against each member of a cluster as the original: values with explanations.

Values of full strength are 1 and -1. Unknown facts, and facts that all members share, are 0 or cancel out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import log2, tanh

from whorl.attribution.case import PERHAPS, AttributionCase, EvidenceValues
from whorl.attribution.chronology import by_impossible, by_published, by_seen, by_snapshot, by_timely, seen_late
from whorl.attribution.intervals import earliest, precise, utc
from whorl.attribution.member_facts import PROTECTED, Relation, Witness, host_of, page_of, plain
from whorl.attribution.precedence import log_odds
from whorl.i18n import Message, say, say_many
from whorl.types.times import PublicationTime

_YEAR_SECONDS = 365.25 * 86_400
_YEARS = 5.0
_FEW = 4.0


def _named(case: AttributionCase, evidence: EvidenceValues) -> None:
    counts: Counter[int] = Counter()
    for place in range(len(case.members)):
        targets = case.followed(place)
        counts.update({target: 1 for target in targets if target != place and not case.on_one_site(place, target)})
    for place, count in counts.items():
        message = say_many("{count:,} member names it as the source", "{count:,} members name it as the source", count)
        evidence.note(place, log2(1 + count), message)
    outside = case.outside()
    name = max(outside, key=lambda name: (outside[name], name), default="")
    perhaps = [place for place in case.perhaps_called(name) if place not in counts] if name else []
    if perhaps:
        value = log2(1 + outside[name]) * PERHAPS / len(perhaps)
        for place in perhaps:
            message = say("{name} is named as the source; that may be its site, whose name is unknown", name=name)
            evidence.note(place, value, message)


def _names(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, stated in enumerate(case.named):
        if stated is None or place in stated[1]:
            continue
        statement, targets = stated
        name = statement.name or statement.url
        if targets:
            message = say("names {name} as its source, which is {other}", name=name, other=case.members[targets[0]].id)
            evidence.note(place, -1.0, message)
        elif case.may_be_itself(place, statement):
            message = say("names {name} as its source; the name of its own site is unknown", name=name)
            evidence.note(place, -PERHAPS, message)
        else:
            message = say("names {name} as its source, which is not a member", name=name)
            evidence.note(place, -1.0, message)


def _itself(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, stated in enumerate(case.named):
        if stated is not None and place in stated[1]:
            name = stated[0].name or stated[0].url
            evidence.note(place, 1.0, say("names itself as the source: {name}", name=name))


def _dateline(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, member in enumerate(case.members):
        stated = next((statement for statement in member.statements if statement.kind == "dateline"), None)
        if stated is None:
            continue
        if place in case.directory.called(stated.name):
            evidence.note(place, 1.0, say("carries the dateline of its own newsroom: {name}", name=stated.name))
        elif not case.may_be_itself(place, stated):
            evidence.note(place, -1.0, say("carries the dateline of {name}", name=stated.name))


def _canonical(case: AttributionCase, evidence: EvidenceValues) -> None:
    pointed: Counter[int] = Counter()
    for place, member in enumerate(case.members):
        if not member.canonical or page_of(member.canonical) == page_of(member.url):
            continue
        targets = [target for target in case.directory.at(member.canonical) if target != place]
        pointed.update(target for target in targets if not case.on_one_site(place, target))
        if targets or host_of(member.canonical) != member.domain:
            message = say("its page calls another address the original: {url}", url=member.canonical)
            evidence.note(place, -1.0, message)
    for place, count in pointed.items():
        message = say_many(
            "the page of {count:,} member calls its address the original",
            "the pages of {count:,} members call its address the original",
            count,
        )
        evidence.note(place, evidence.values[place] + log2(1 + count), message)


def _links(case: AttributionCase, evidence: EvidenceValues) -> None:
    into: Counter[int] = Counter()
    out: Counter[int] = Counter()
    for place, member in enumerate(case.members):
        targets = {target for link in member.links for target in case.directory.at(link)} - {place}
        into.update(target for target in targets if not case.on_one_site(place, target))
        out[place] = len(targets)
    for place in range(len(case.members)):
        if into[place] or out[place]:
            value = (into[place] - out[place]) / (into[place] + out[place])
            message = say("{into:,} members link to it, and it links to {out:,}", into=into[place], out=out[place])
            evidence.note(place, value, message)


def _title(case: AttributionCase, evidence: EvidenceValues) -> None:
    titles: dict[str, list[int]] = {}
    for place, member in enumerate(case.members):
        titles.setdefault(plain(member.title), []).append(place)
    for place, member in enumerate(case.members):
        stated = next((statement for statement in member.statements if statement.kind == "title"), None)
        if stated is None:
            continue
        evidence.note(place, -1.0, say("says that it had another title before: {title}", title=stated.name))
        for other in titles.get(plain(stated.name), []):
            if other != place and evidence.values[other] == 0:
                evidence.note(other, 1.0, say("has the title that others give as the former one"))


def _heading(case: AttributionCase, evidence: EvidenceValues) -> None:
    titles = [plain(member.title) for member in case.members]
    counts = Counter(title for title in titles if title)
    same = [counts[title] - 1 if title else None for title in titles]
    others = max(1, counts.total() - 1)
    for place, value in _apart([None if count is None else count / others for count in same]):
        count = same[place] or 0
        message = say_many("{count:,} other member has its title", "{count:,} other members have its title", count)
        evidence.note(place, value, message)


def _between(
    case: AttributionCase, evidence: EvidenceValues, value: Callable[[Relation], float], messages: Sequence[Message]
) -> None:
    """Record the mean over the relations of each member, with a message for each sign."""
    for place, relations in case.relations.items():
        mean = sum(map(value, relations)) / len(relations)
        if abs(mean) > 1e-9:
            evidence.note(place, mean, messages[0] if mean > 0 else messages[1])


def _balance(first: float, second: float) -> float:
    """Return a balance from -1 (only ``first``) to 1 (only ``second``), damped for small or similar numbers."""
    return (second - first) / (first + second + _FEW) if first + second else 0.0


def _whole(case: AttributionCase, evidence: EvidenceValues) -> None:
    messages = say("contains more of the others than they contain of it"), say("is contained in others")
    _between(case, evidence, lambda pair: pair.b_in_a - pair.a_in_b, messages)


def _added(case: AttributionCase, evidence: EvidenceValues) -> None:
    messages = say("others have boilerplate around its text"), say("has boilerplate around the text that others lack")
    _between(case, evidence, lambda pair: _balance(pair.a_added, pair.b_added), messages)


def _tricks(case: AttributionCase, evidence: EvidenceValues) -> None:
    messages = say("others disguise its text by tricks"), say("disguises the text by tricks that others lack")
    _between(case, evidence, lambda pair: _balance(pair.a_tricks, pair.b_tricks), messages)


def _repairs(case: AttributionCase, evidence: EvidenceValues) -> None:
    messages = say("others correct its errors"), say("corrects errors of others")
    _between(case, evidence, lambda pair: _balance(pair.a_repairs, pair.b_repairs), messages)


def _habit(case: AttributionCase, evidence: EvidenceValues) -> None:
    messages = (
        say("its site usually has the texts that both sites have first"),
        say("its site usually has the texts that both sites have later"),
    )
    _between(case, evidence, lambda pair: log_odds(pair.a_first, pair.b_first) / 2, messages)


def _byline(case: AttributionCase, evidence: EvidenceValues) -> None:
    authors = [plain(member.author) for member in case.members]
    counts = Counter(author for author in authors if author)
    agreed = [counts[author] / counts.total() if author else 0.0 for author in authors]
    for place, value in _apart(agreed):
        author = case.members[place].author
        message = say("names its author: {author}", author=author) if author else say("names no author, as others do")
        evidence.note(place, value, message if counts else None)


def _mark(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, value in _apart([float(member.is_original) for member in case.members]):
        if value > 0:
            evidence.note(place, value, say("its page is marked as original"))
        elif value < 0:
            evidence.note(place, value, say("its page lacks the mark of originality that others have"))


def _apart(values: Sequence[float | None]) -> Iterator[tuple[int, float]]:
    """Yield the known values minus their mean, so that common values cancel out."""
    present = [value for value in values if value is not None]
    mean = sum(present) / len(present) if present else 0.0
    return ((place, value - mean) for place, value in enumerate(values) if value is not None)


def _trust(case: AttributionCase, evidence: EvidenceValues) -> None:
    trusts = [member.trust for member in case.members]
    for place, value in _apart(trusts):
        message = say("the trust in its site is {trust:.2f}", trust=trusts[place])
        evidence.note(place, 2 * value, message)


def _age(case: AttributionCase, evidence: EvidenceValues) -> None:
    years = [utc(member.since).timestamp() / _YEAR_SECONDS if member.since else None for member in case.members]
    for place, value in _apart(years):
        since = case.members[place].since
        evidence.note(place, -tanh(value / _YEARS), say("its site exists since {since}", since=str(since)[:10]))


def _registered(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, member in enumerate(case.members):
        if member.collection in PROTECTED:
            evidence.note(place, 1.0, say("is registered in the collection {name}", name=member.collection))


def _authorised(case: AttributionCase, evidence: EvidenceValues) -> None:
    for place, member in enumerate(case.members):
        if member.authorised:
            evidence.note(place, -1.0, say("its site has permission to reprint"))


def _same_attestation(kind: str, when: str, other: str) -> Message:
    return say("an attestation ({kind}) of {when}, the same time as that of {other}", kind=kind, when=when, other=other)


def _attestations(member: Witness) -> Iterator[tuple[str, PublicationTime]]:
    return ((kind, precise(at)) for kind, at in member.attestations)


def _attestation(case: AttributionCase, evidence: EvidenceValues) -> None:
    attestations = {
        place: min((time.bounds.end, time.bounds.start, kind, str(time)) for kind, time in _attestations(member))
        for place, member in enumerate(case.members)
        if member.attestations
    }
    if not attestations:
        return
    first = min(attestations, key=lambda place: (attestations[place], place))
    same = [place for place in attestations if place != first and attestations[place][1] < attestations[first][0]]
    seen_first = [
        (at, place) for place, member in enumerate(case.members) if place != first and (at := earliest(member))
    ]
    for place, (at, _, kind, when) in attestations.items():
        if place in same or (place == first and same):
            other = case.members[first if place in same else same[0]].id
            note = say(
                "an attestation ({kind}) of {when}, the same time as that of {other}", kind=kind, when=when, other=other
            )
            evidence.note(place, 0.0, note)
        elif place != first:
            evidence.note(place, 0.0, say("an attestation ({kind}) of {when} is not the first", kind=kind, when=when))
        elif seen_first and min(seen_first)[0] <= at:
            other = case.members[min(seen_first)[1]].id
            message = say(
                "an attestation ({kind}), but {other} was seen before {when}", kind=kind, when=when, other=other
            )
            evidence.note(place, 0.0, message)
        else:
            evidence.note(place, 1.0, say("an attestation ({kind}) shows that it existed {when}", kind=kind, when=when))


def _elsewhere(_: AttributionCase, evidence: EvidenceValues) -> None:
    evidence.note(-1, 1.0, None)


def _outside(case: AttributionCase, evidence: EvidenceValues) -> None:
    if named := case.outside():
        name = max(named, key=lambda name: (named[name], name))
        unsure = PERHAPS if case.perhaps_called(name) else 1.0
        evidence.note(
            -1, unsure * log2(1 + named[name]), say("{name} is named as the source, and is not a member", name=name)
        )


_KINDS: Mapping[str, Callable[[AttributionCase, EvidenceValues], None]] = {
    "seen": by_seen,
    "published": by_published,
    "timely": by_timely,
    "impossible": by_impossible,
    "snapshot": by_snapshot,
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
    "habit": _habit,
    "byline": _byline,
    "mark": _mark,
    "trust": _trust,
    "age": _age,
    "registered": _registered,
    "authorised": _authorised,
    "attestation": _attestation,
    "elsewhere": _elsewhere,
    "outside": _outside,
}


_OF_ITSELF = ("itself", "dateline", "byline", "mark")
"""Evidence that a page writes for itself; its claimed time is examined in `chronology`."""
_COMPARED = ("byline", "mark")
"""Evidence of these kinds that one member has counts against the others."""


def evidence(case: AttributionCase) -> list[EvidenceValues]:
    """Return all evidence, in the order of the weights. Linear in members and relations.

    Claims of other pages never count against members that the owner of the library has registered: an early date, links
    and source lines cost a copier nothing. They may count against the other pages, and for the registered members. What
    a page says for itself does not count either if another one was seen long before it.
    """
    evidence = _gather(case)
    late = seen_late(case.members)
    for item in evidence:
        if item.name in _OF_ITSELF and any(item.values[place] > 0 for place in late):
            _silence(item, late)
    registered = {place for place, member in enumerate(case.members) if member.collection in PROTECTED}
    if registered and len(registered) < len(case.members):
        for item, observed in zip(evidence, _gather(case.hearing(registered)), strict=True):
            _restrain(item, observed, case, registered)
    return evidence


def _silence(item: EvidenceValues, late: Collection[int]) -> None:
    """Drop what members that were seen late say for themselves, and what others lack in comparison with that."""
    for place, value in enumerate(item.values):
        if value > 0 if place in late else value < 0 and item.name in _COMPARED:
            item.note(place, 0.0, None)


def _gather(case: AttributionCase) -> list[EvidenceValues]:
    items = []
    for name, gather in _KINDS.items():
        count = len(case.members) + 1
        item = EvidenceValues(name, [0.0] * count, [None] * count)
        gather(case, item)
        items.append(item)
    return items


def _restrain(
    item: EvidenceValues, observed: EvidenceValues, case: AttributionCase, registered: Collection[int]
) -> None:
    """Drop what claims of unregistered members do for themselves, for "elsewhere", or against registered members.

    Args:
        item: the evidence with all claims; changed in place.
        observed: the evidence without claims of unregistered members.
        case: the members.
        registered: the places of registered members.
    """
    for place, (value, other) in enumerate(zip(item.values, observed.values, strict=True)):
        if other > value if place in registered else other < value:
            item.note(place, other, observed.messages[place])
            if item.name == "published" and place not in registered:
                item.messages[place] = _disregarded_date(case.members[place])


def _disregarded_date(member: Witness) -> Message | None:
    if member.published_at is None:
        return None
    when = precise(member.published_at)
    return say("claims {when}, which does not count against a registered article", when=when)


__all__ = ["evidence"]
