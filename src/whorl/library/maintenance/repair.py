"""Restore missing matches, for example from a time when the index belonged to another library."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import chain

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.library.clusters.components import regroup
from whorl.library.clusters.regrouping import join
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.compilations import keep_pairs
from whorl.library.search.finder import CopyQuery, candidates, judged, look_up, pair_of, paired
from whorl.library.search.keys import TextKeys
from whorl.stores import Writer
from whorl.stores.records import Content, PairRecord

_BLOCK = 1000
_LOG = logging.getLogger("whorl.library")


def repair(core: Core) -> int:
    """Look up every content again and store missing matches; return how many there were.

    Afterwards every cluster is a connected component of its matches.

    Work done before an interruption is kept.

    Raises:
        UsageError: the library keeps no texts.
        ResourceError: it is not writable.

    Cost: adding all documents again.
    """
    if not core.making.rules.texts:
        raise UsageError(
            say("matches cannot be recomputed without texts"), hint=say("add the articles to a new library")
        )
    count = last = 0
    while True:
        with core.turn, core.store.writing() as writer:
            core.index.catch_up(writer)
            contents = writer.contents_after(last, _BLOCK)
            if not contents:
                regroup(core, writer)
                return count
            pairs = missing(core, writer, contents)
            keep_pairs(core, writer, pairs)
            kept = writer.pairs(content.number for content in contents)
            join(core, writer, sorted(set(chain.from_iterable(kept.values()))))
        count, last = count + len(pairs), contents[-1].number
        _LOG.info("repaired: matches that were missing among contents up to %d: %d", last, len(pairs))


def missing(core: Core, writer: Writer, contents: Sequence[Content]) -> list[PairRecord]:
    """Return the matches of contents that are missing from the store."""
    members = writer.members([content.number for content in contents], 1)
    firsts = [(content, members[content.number][0]) for content in contents if content.number in members]
    texts = unpacked(writer.texts(entry.number for _, entry in firsts))
    own_texts = [texts.get(entry.number, "") for _, entry in firsts]
    prints = core.making.fingerprint(own_texts)
    keys = TextKeys(prints.keys, prints.counts)
    queries = [
        CopyQuery(content.number, content.digest, text, core.when(entry), row, prints.codes[row].tobytes())
        for row, ((content, entry), text) in enumerate(zip(firsts, own_texts, strict=True))
    ]
    looked = look_up(core, writer, queries, keys)
    kept = writer.pairs(query.content or 0 for query in queries)
    stored_pairs = {(pair.low, pair.high) for pairs in kept.values() for pair in pairs}
    questions = paired(queries, candidates(core, writer, queries, looked), stored_pairs)
    evidence = judged(core, writer, questions, keys)
    return [
        pair_of(query.content or 0, candidate.content.number, pair_evidence, core)
        for (query, candidate), pair_evidence in zip(questions, evidence, strict=True)
        if pair_evidence.counts(core.making.rules)
    ]


__all__ = ["missing", "repair"]
