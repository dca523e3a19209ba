"""Documents come in: what is new is kept, matched and put into its cluster, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from time import time_ns
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.batches import Batch
from whorl.library.claims import claim, judge_again, moved_by
from whorl.library.clusters import Joining
from whorl.library.core import Core
from whorl.library.evidence import Evidence
from whorl.library.finder import NOTHING, Asked, Candidate, Looked, candidates, look_up, pair_of, paired
from whorl.library.foreseen import Foreseen
from whorl.library.history import Exported, restore
from whorl.library.keys import Keys
from whorl.library.model import microseconds
from whorl.library.notices import Taught, judged_without, reconsider, renewed
from whorl.library.placing import KNOWN, NEW, Placed, Placing
from whorl.library.reporting import Said, Unreported
from whorl.library.settling import Moving, moving, settle
from whorl.library.windows import holding
from whorl.stores.records import Content, Pair, Seen, Sketch

if TYPE_CHECKING:
    from whorl.fingerprints import Fingerprints
    from whorl.stores import Writer

Known = dict[tuple[str, int], Evidence]


def add_batches(
    core: Core, batches: Sequence[Batch], demand: Callable[[Writer], None] | None = None
) -> list[Unreported]:
    """Add documents in one transaction, earlier batches first: all of them are kept, or none.

    Args:
        core: the library.
        batches: the documents.
        demand: looks at what is kept before, within the transaction; where it raises, none are.
    """
    with core.turn, core.notices.learning():
        try:
            with core.store.writing() as writer:
                if demand is not None:
                    demand(writer)
                with core.index.inserting(writer):
                    added = [_add(core, writer, batch) for batch in batches]
        except BaseException:
            core.index.take_back()
            raise
        core.index.committed()
    core.upkeep.after(sum(len(batch.documents) for batch in batches))
    return added


def _add(core: Core, writer: Writer, batch: Batch) -> Unreported:
    placing = Placing(core, writer, batch.digests, time_ns() // 1000)
    placed = placing.place(batch.documents)
    moves = moved_by(writer, placed)
    _put_documents(writer, placed, batch.packed)
    new = ((one.document, one.entry.number) for one in placed if one.state == NEW)
    restore(writer, new, texts=core.making.rules.texts)
    moved = _moving(writer, placed)
    placing.settle()
    keys = Keys.of(batch.prints, list(placing.fresh.values()))
    asked = _asked(core, placing, placed, batch.prints)
    if not core.making.rules.texts:
        rows = zip(asked, keys.packed(), strict=True)
        writer.put_sketches([Sketch(one.content or 0, packed, one.code) for one, packed in rows])
    periods = [placing.changed[number].period for number in placing.fresh]
    told = keys.with_digests(zip((one.digest for one in asked), periods, strict=True))
    core.index.insert(list(placing.fresh), told, periods, writer)
    claimed = claim(core, writer, moves)
    looked = look_up(core, writer, asked, keys)
    judgement = _judgement(core, writer, asked, looked, keys, placing.changed, batch.foreseen)
    contents = _clustered(core, writer, placing, judgement.pairs)
    writer.put_contents(contents)
    writer.put_pairs(judgement.pairs)
    if judgement.taught.runs:
        reconsider(core, writer, judgement.taught, judgement.questions)
    judge_again(core, writer, claimed)
    settle(core, writer, moved)
    if judgement.taught.runs or claimed.runs or moved.contents:
        contents = renewed(writer, contents)
    said = _said(writer, placed, dict(zip(placing.fresh, looked, strict=True)), judgement.pairs, contents)
    if batch.is_counted and core.making.rules.span is None:
        return Unreported.counted(placed, said)
    return Unreported.read(core, writer, placed, said, judgement.known)


def _put_documents(writer: Writer, placed: Sequence[Placed], packed: Sequence[bytes]) -> None:
    writer.put_entries([one.entry for one in placed if one.entry != one.before])
    if packed:
        writer.put_texts({one.entry.number: packed[one.row] for one in placed if one.state != KNOWN})
    writer.put_links({one.entry.number: one.document.links for one in placed if one.document.links})
    again = [one for one in placed if one.state != NEW]
    before = writer.seen(one.entry.number for one in again)
    writer.put_seen([seen for one in again for seen in _sightings(one, before.get(one.entry.number, ()))])


def _moving(writer: Writer, placed: Sequence[Placed]) -> Moving:
    """What depends on decisions about documents that say something else now, or that come with decisions."""
    moves: list[tuple[int, int | None, int | None]] = []
    for one in placed:
        before, now = one.before, one.entry.content
        if before is None and isinstance(one.document, Exported):
            moves.append((one.entry.number, None, now))
        elif before is not None and before.content != now:
            moves.append((one.entry.number, before.content, now))
    return moving(writer, moves)


def _sightings(one: Placed, before: Sequence[Seen]) -> list[Seen]:
    """When and where a known document was seen again; nothing where the same was told before."""
    at, entry, url = one.document.first_seen_at, one.entry, one.document.url
    urls = {entry.url, *(seen.url for seen in before)}
    if at is None and (url is None or url in urls):
        return []
    moment = time_ns() // 1000 if at is None else microseconds(at)
    return [] if (moment, url) == (entry.first_seen_at, entry.url) else [Seen(entry.number, url, moment)]


def _asked(core: Core, placing: Placing, placed: Sequence[Placed], prints: Fingerprints) -> list[Asked]:
    """The new contents, of which copies are sought; ``row`` counts them."""
    codes = prints.codes.tobytes()
    width = prints.codes.shape[1]
    return [
        Asked(
            number,
            placing.digests[row],
            placed[row].document.text,
            core.when(placed[row].entry),
            position,
            codes[row * width : (row + 1) * width],
        )
        for position, (number, row) in enumerate(placing.fresh.items())
    ]


class _Judgement(NamedTuple):
    """What became of the new contents of a batch.

    Attributes:
        pairs: those that are matches.
        known: all that was compared, for the reports.
        questions: what was asked for it.
        taught: boilerplate that is new.
    """

    pairs: list[Pair]
    known: Known
    questions: list[tuple[Asked, Candidate]]
    taught: Taught


def _judgement(
    core: Core,
    writer: Writer,
    asked: Sequence[Asked],
    looked: Sequence[Looked],
    keys: Keys,
    changed: dict[int, Content],
    foreseen: Foreseen,
) -> _Judgement:
    questions = paired(asked, candidates(core, writer, asked, looked, fresh=changed))
    evidence, taught = judged_without(core, writer, questions, keys, foreseen)
    pairs, known = [], {}
    for (one, candidate), own in zip(questions, evidence, strict=True):
        known[one.text, candidate.witness.number] = own
        if own.counts(core.making.rules):
            pairs.append(pair_of(one.content or 0, candidate.content.number, own, core))
    return _Judgement(pairs, known, questions, taught)


def _clustered(core: Core, writer: Writer, placing: Placing, pairs: Sequence[Pair]) -> list[Content]:
    """The changed contents with the clusters that the new ones begin, join or bridge."""
    partners: dict[int, list[int]] = defaultdict(list)
    for pair in holding(core, writer, pairs, placing.changed, placing.fresh):
        partners[pair.high].append(pair.low)
    bridges = _bridges(core, writer, placing)
    joining = Joining()
    numbers = {low for lows in partners.values() for low in lows} | placing.changed.keys() | set(chain(*bridges))
    known = writer.contents(numbers - placing.fresh.keys())
    cluster_of = {number: content.cluster for number, content in known.items()}
    founded = iter(writer.next_clusters(sum(not partners[number] for number in placing.fresh)))
    for number in placing.fresh:
        found = joining.join(cluster_of[low] for low in partners[number])
        cluster_of[number] = next(founded) if found is None else found
    for both in bridges:
        joining.join(cluster_of[number] for number in both)
    writer.merge_clusters(joining.joined())
    return [content._replace(cluster=joining.now(cluster_of[number])) for number, content in placing.changed.items()]


def _bridges(core: Core, writer: Writer, placing: Placing) -> list[tuple[int, int]]:
    """The pairs of known contents that hold since one of them has a document more; only a window makes them wait."""
    if core.making.rules.span is None:
        return []
    known = placing.changed.keys() - placing.fresh.keys()
    pairs = set(chain(*writer.pairs(known).values()))
    return [(pair.low, pair.high) for pair in holding(core, writer, sorted(pairs), placing.changed)]


def _said(
    writer: Writer,
    placed: Sequence[Placed],
    looked: dict[int, Looked],
    pairs: Sequence[Pair],
    contents: Sequence[Content],
) -> dict[int, Said]:
    """What is known of each content that one of the documents says."""
    of: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        of[pair.low].append(pair)
        of[pair.high].append(pair)
    rows = {content.number: content for content in contents}
    rows |= writer.contents({one.entry.content for one in placed} - rows.keys())
    kept = writer.pairs(rows.keys() - looked.keys())
    return {
        number: Said(content, of[number], looked[number])
        if number in looked
        else Said(content, kept.get(number, []), NOTHING)
        for number, content in rows.items()
    }


__all__ = ["add_batches"]
