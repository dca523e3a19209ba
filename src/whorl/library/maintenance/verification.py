"""Read everything back and check that contents are unchanged, and that index, clusters and store are consistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.clusters.components import faults_of_clusters
from whorl.library.core import Core
from whorl.library.ledger import faults_of_ledger
from whorl.library.maintenance.packing import readable
from whorl.library.provenance.pages import faults_of_pages
from whorl.library.search.keys import TextKeys
from whorl.stores import Reader
from whorl.stores.records import Content
from whorl.types.library import IntegrityReport

_BLOCK = 1000


def verify(core: Core) -> IntegrityReport:
    """Check every row, text, cluster and key; rebuild the index if it disagrees with the store."""
    faults = core.store.faults()
    with core.turn, core.store.reading() as reader:
        faults += [*faults_of_ledger(reader), *faults_of_pages(reader), *faults_of_clusters(core, reader)]
        core.index.catch_up(reader)
        disagrees = _damage(core)
        documents = 0
        for contents in _blocks(reader):
            documents += sum(content.members for content in contents)
            keys, damages = _read_back(core, reader, contents)
            faults += damages
            index_keys = keys.with_digests((content.digest, content.period) for content in contents)
            disagrees = disagrees or _disagreement(core, contents, index_keys)
        healed = [disagrees] if disagrees else []
        if disagrees:
            core.index.rebuild(reader, disagrees)
            core.index.save()
    return IntegrityReport(documents, tuple(faults), tuple(healed))


def _damage(core: Core) -> str:
    try:
        core.index.verify()
    except InputError as error:
        return error.message
    return ""


def _disagreement(core: Core, contents: Sequence[Content], keys: TextKeys) -> str:
    try:
        lacking = core.index.lacks([content.number for content in contents], keys)
    except InputError as error:
        return error.message
    if not lacking:
        return ""
    return say("the index lacks {lacking:,} of {count:,} contents", lacking=len(lacking), count=len(contents))


def _blocks(reader: Reader) -> Iterator[list[Content]]:
    last = 0
    while contents := reader.contents_after(last, _BLOCK):
        yield contents
        last = contents[-1].number


def _read_back(core: Core, reader: Reader, contents: Sequence[Content]) -> tuple[TextKeys, list[str]]:
    """Return the keys of contents from their first documents, and the faults of all their documents."""
    if not core.making.rules.texts:
        sketches = reader.sketches(content.number for content in contents)
        rows = [np.frombuffer(sketches[content.number].keys, "<u8") for content in contents]
        return TextKeys(np.concatenate(rows), np.array([len(row) for row in rows], np.uint32)), []
    faults: list[str] = []
    digests = {content.number: content.digest for content in contents}
    firsts: dict[int, str] = {}
    members = reader.members(digests)
    entries = [entry for number in digests for entry in members.get(number, ())]
    for start in range(0, len(entries), _BLOCK):
        some = entries[start : start + _BLOCK]
        packed = reader.texts(entry.number for entry in some)
        texts = dict(zip(packed, readable(list(packed.values())), strict=True))
        prints = core.making.fingerprint([texts.get(entry.number) or "" for entry in some])
        for entry, digest, length in zip(some, prints.digests, prints.lengths, strict=True):
            text = texts.get(entry.number)
            firsts.setdefault(entry.content, text or "")
            if text is None:
                faults.append(say("the text of {id!r} is damaged or missing", id=entry.id))
            elif (digest.tobytes() if length else None) != digests[entry.content] or len(text) != entry.characters:
                faults.append(say("the text of {id!r} differs from the one that was added", id=entry.id))
    prints = core.making.fingerprint([firsts.get(number, "") for number in digests])
    return TextKeys(prints.keys, prints.counts), faults


__all__ = ["verify"]
