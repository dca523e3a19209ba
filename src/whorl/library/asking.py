"""What is known of a text or a document; nothing is changed."""

from __future__ import annotations

from whorl.errors import UsageError
from whorl.library.core import Core
from whorl.library.documents import document_from
from whorl.library.finder import Asked, candidates, judged, look_up
from whorl.library.index_cache import Keys
from whorl.library.listing import Listed, Own, Related, listed, matches
from whorl.library.model import Cluster, Match, Report, Traced, moment
from whorl.stores import Reader
from whorl.stores.records import Entry


def check(core: Core, text: str, when: int) -> Report:
    """Return what adding a text would tell, at a time by the clock of the window."""
    prints = core.making.family.fingerprint([text])
    digest = prints.digests[0].tobytes() if prints.lengths[0] else None
    keys = Keys(prints.keys, prints.counts)
    period = core.period(when)
    with core.store.reading() as reader:
        core.index.catch_up(reader)
        same = [] if digest is None else reader.equal(digest, (period, period))
        asked = Asked(same[0].number if same else None, digest, text, when, 0)
        (looked,) = look_up(core, reader, [asked], keys)
        found = candidates(core, reader, asked, looked)
        evidence = judged(core, reader, [(asked, candidate) for candidate in found], keys)
        counted = [both for both in zip(found, evidence, strict=True) if both[1].counts(core.making.rules)]
        related = [Related.same(content.number) for content in same]
        related += [Related.found(candidate.content.number, own, core) for candidate, own in counted]
        known = {(text, candidate.witness.number): own for candidate, own in counted}
        own = Own(text, when)
        some, left = listed(core, reader, own, related)
        (own_matches,) = matches(core, reader, [(own, some)], known)
        clusters = reader.contents([one.content for one in related if one.joins])
    cluster = min((content.cluster for content in clusters.values()), default=None)
    return Report(None, "checked", 0, cluster, own_matches, looked.keys, looked.cut, looked.unlisted + left)


def matches_of(core: Core, reader: Reader, entry: Entry) -> tuple[Match, ...]:
    """Return the matches of a document, the best first."""
    text = reader.texts([entry.number]).get(entry.number, "")
    own = Own(text, core.when(entry), entry.number, entry.content)
    related = [Related.same(entry.content), *(Related.by(pair, entry.content) for pair in reader.pairs(entry.content))]
    some, _ = listed(core, reader, own, related)
    return matches(core, reader, [(own, some)], {})[0]


def cluster_of(reader: Reader, cluster: int) -> Cluster:
    """Return a cluster, or the one that it became part of.

    Raises:
        UsageError: there is none, or it has no documents left.
    """
    now = reader.cluster(cluster)
    documents = [entry.id for content in reader.in_cluster(now) for entry in reader.members(content.number)]
    if not documents:
        raise UsageError(f"there is no cluster {cluster}", cure="see `whorl library clusters`")
    return Cluster(now, tuple(reader.aliases(now)), len(documents), tuple(documents))


def trace(core: Core, reader: Reader, cluster: int) -> list[Traced]:
    """Return the members of a cluster in the order of time, each with its strongest match to an earlier one.

    Raises:
        UsageError: there is no such cluster.
    """
    contents = reader.in_cluster(reader.cluster(cluster))
    if not contents:
        raise UsageError(f"there is no cluster {cluster}", cure="see `whorl library clusters`")
    pairs: dict[int, list[Related]] = {content.number: [Related.same(content.number)] for content in contents}
    for pair in reader.joined(list(pairs)):
        pairs[pair.low].append(Related.by(pair, pair.low))
        pairs[pair.high].append(Related.by(pair, pair.high))
    members = [entry for content in contents for entry in reader.members(content.number)]
    texts = reader.texts(entry.number for entry in members)
    first: dict[int, Entry] = {}
    tied: list[tuple[Entry, Own, list[Listed]]] = []
    for entry in sorted(members, key=lambda entry: (entry.when, entry.number)):
        related = min((one for one in pairs[entry.content] if one.content in first), key=Related.order, default=None)
        own = Own(texts.get(entry.number, ""), core.when(entry), entry.number, entry.content)
        verdicts = reader.verdicts(entry.number) if related else {}
        other = first[related.content] if related else entry
        tied.append((entry, own, [Listed(related, other, verdicts.get(other.number))] if related else []))
        first.setdefault(entry.content, entry)
    found = matches(core, reader, [(own, some) for _, own, some in tied], {})
    return [
        Traced(document_from(entry, "", reader.links(entry.number)), moment(entry.when), match[0] if match else None)
        for (entry, _, _), match in zip(tied, found, strict=True)
    ]


__all__ = ["check", "cluster_of", "matches_of", "trace"]
