"""Evidence for and against each member of a cluster as the original: values with explanations.

Values of full strength are 1 and -1. Unknown facts, and facts that all members share, are 0 or cancel out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import log2, tanh

from whorl.language import Message, say, say_many
from whorl.matching.case import PERHAPS, Case, Evidence
from whorl.matching.chronology import by_impossible, by_published, by_seen, by_snapshot, by_timely
from whorl.matching.moments import earliest, shown, utc
from whorl.matching.witness import PROTECTED, Relation, Witness, host_of, page_of, plain

_YEAR_SECONDS = 365.25 * 86_400
_YEARS = 5.0
_FEW = 4.0


def _named(case: Case, found: Evidence) -> None:
    counts: Counter[int] = Counter()
    for place in range(len(case.members)):
        targets = case.followed(place)
        counts.update({target: 1 for target in targets if target != place})
    for place, count in counts.items():
        said = say_many("{count:,} member names it as the source", "{count:,} members name it as the source", count)
        found.note(place, log2(1 + count), said)
    outside = case.outside()
    name = max(outside, key=lambda name: (outside[name], name), default="")
    perhaps = [place for place in case.perhaps_called(name) if place not in counts] if name else []
    if perhaps:
        value = log2(1 + outside[name]) * PERHAPS / len(perhaps)
        for place in perhaps:
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
            found.note(place, -PERHAPS, said)
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
    """Record the mean over the relations of each member, with a message for each sign."""
    for place, relations in case.relations.items():
        mean = sum(map(value, relations)) / len(relations)
        if abs(mean) > 1e-9:
            found.note(place, mean, said[0] if mean > 0 else said[1])


def _balance(own: float, other: float) -> float:
    """Return a balance from -1 (only ``own``) to 1 (only ``other``), damped for small or similar numbers."""
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
    """Yield the known values minus their mean, so that common values cancel out."""
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
        if member.collection in PROTECTED:
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
        unsure = PERHAPS if case.perhaps_called(name) else 1.0
        found.note(
            -1, unsure * log2(1 + named[name]), say("{name} is named as the source, and is none of these", name=name)
        )


_KINDS: Mapping[str, Callable[[Case, Evidence], None]] = {
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


def evidence(case: Case) -> list[Evidence]:
    """Return all evidence, in the order of the weights. Linear in members and relations.

    Where the owner of the library has registered a member, what the pages of others claim may speak against them and
    for it, and never the other way round: an early date, links and source lines cost a copier nothing.
    """
    gathered = _gathered(case)
    registered = {place for place, member in enumerate(case.members) if member.collection in PROTECTED}
    if registered and len(registered) < len(case.members):
        for found, observed in zip(gathered, _gathered(case.hearing(registered)), strict=True):
            _restrain(found, observed, case, registered)
    return gathered


def _gathered(case: Case) -> list[Evidence]:
    gathered = []
    for name, gather in _KINDS.items():
        count = len(case.members) + 1
        found = Evidence(name, [0.0] * count, [None] * count)
        gather(case, found)
        gathered.append(found)
    return gathered


def _restrain(found: Evidence, observed: Evidence, case: Case, registered: Collection[int]) -> None:
    """Let claims of members that are not registered raise none of them, nor "elsewhere", nor lower a registered one."""
    for place, (value, other) in enumerate(zip(found.values, observed.values, strict=True)):
        if other > value if place in registered else other < value:
            found.note(place, other, observed.said[place])
            if found.name == "published" and place not in registered:
                found.said[place] = _unheard(case.members[place])


def _unheard(member: Witness) -> Message | None:
    if member.published_at is None:
        return None
    when = shown(member.published_at)
    return say("claims {when} UTC, which does not count against a registered article", when=when)


__all__ = ["evidence"]
