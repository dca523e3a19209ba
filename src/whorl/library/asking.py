"""What is known of a text or a document; nothing is changed."""

from __future__ import annotations

from whorl.library.core import Core
from whorl.library.finder import Asked, candidates, judged, look_up
from whorl.library.index_cache import Keys
from whorl.library.listing import Own, Related, listed, matches
from whorl.library.model import Match, Report
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


__all__ = ["check", "matches_of"]
