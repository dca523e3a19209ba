"""The stages between reading and writing: rank, group, and propose what is cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.engines.local.begin import rank_corpus
from whorl.engines.local.picked import Picked
from whorl.engines.local.read import demand_documents
from whorl.engines.progress import Silent
from whorl.engines.shards.sketching import ShardedRun, Sketched, shard_bounds, sketched
from whorl.engines.shards.work import file_name
from whorl.engines.stages.columns import packed, unpacked
from whorl.inside.approved import ScopedTexts
from whorl.inside.cuts import NOWHERE, unchanged_texts
from whorl.inside.index import UNRANKED, HotPassages, RankBuckets, RankedTexts, buckets_for, pairs_of
from whorl.inside.records import PAIR_NUMBERS, RECORD
from whorl.inside.search import Strip
from whorl.inside.shards.parts import PartReader, PartWriter
from whorl.inside.shards.sketching import joined_repetitions, joined_scopes, record_bits, record_reader

PIECE_NUMBERS = 9
"""Numbers of a piece: see ``InsideDecider.propose``."""
OTHER = 5
"""Place of the other document in a piece; the document itself is at 0."""
_RANKS = "ranks"
_MOST_BUCKETS = 1024
_MOST_BLOCKS = 256
_BUCKETS_A_SHARD = 4
"""Pairs of low ranks are fewer, so every shard decides several buckets all over the corpus."""


@frozen(eq=False)
class CorpusRanks:
    """The ranks of all documents of a run.

    Attributes:
        order: uint32 (m,), the document of each rank; documents that are left out have none.
        buckets: ranges of ranks that are decided together; those of approved texts come first.
        blocks: consecutive buckets whose cuts are in memory together in the last stage.
        approved: the approved texts; None if there is no list.
        bounds: int64 (shards + 1,), the number of the first document of each shard.
    """

    order: NDArray[np.uint32]
    buckets: RankBuckets
    blocks: Sequence[range]
    approved: ScopedTexts | None
    bounds: NDArray[np.int64]

    @property
    def approved_count(self) -> int:
        """Number of approved texts, which have the first ranks."""
        return 0 if self.approved is None else len(self.approved)

    @property
    def documents(self) -> int:
        """Number of all documents."""
        return int(self.bounds[-1])


def ranking_of(run: ShardedRun, strip: Strip, sketches: Sketched) -> CorpusRanks:
    """Return the ranks of all documents; one process computes them for all."""
    work = run.work
    with work.claim(_RANKS):
        if not work.is_done(_RANKS, 1, sketches.state):
            corpus = sketches.corpus
            order = rank_corpus(run.job.recipe, corpus, run.progress)
            if strip.repetition == "filter":
                order = order[~joined_repetitions(work).is_above[order]]
            length = np.array(corpus.column("length").sum(dtype=np.int64))
            name = file_name(_RANKS, 1)
            work.record(_RANKS, 1, sketches.state, {name: work.save(name, packed({"order": order, "length": length}))})
    arrays = work.load(_RANKS, 1, unpacked)
    approved = None if strip.approved is None else strip.approved.scoped(joined_scopes(work))
    order = arrays["order"]
    enough = buckets_for(int(arrays["length"]))
    count = min(_MOST_BUCKETS, max(enough, _BUCKETS_A_SHARD * run.shard.count))
    buckets = RankBuckets.of(len(order) + (0 if approved is None else len(approved)), count)
    ends = np.linspace(0, buckets.count, min(_MOST_BLOCKS, enough, buckets.count) + 1).astype(int).tolist()
    blocks = [range(start, end) for start, end in pairwise(ends)]
    return CorpusRanks(order, buckets, blocks, approved, shard_bounds(run, sketches))


def group(run: ShardedRun, strip: Strip) -> None:
    """Find the pairs of equal places by the keys of this shard."""
    sketches = sketched(run)
    work, number = run.work, run.shard.number
    if work.is_done("group", number, sketches.state):
        return
    progress = run.progress if number == 1 else Silent()
    demand_documents(sketches.segments, run.job.recipe, run.job.on_error, progress)
    ranking = ranking_of(run, strip, sketches)
    partitions = run.shard.share(1 << record_bits(run.survey.sources))
    hot = HotPassages()
    run.progress.stage("group", len(partitions), "partitions")
    with PartWriter(work, _name("group", number), ranking.buckets.count) as writer:
        records = _RankedRecords(run, strip, ranking)
        for partition in partitions:
            pairs, bounds, more = pairs_of(
                records.of_partition(partition), strip, ranking.buckets, ranking.approved_count
            )
            writer.append(pairs, bounds)
            hot = HotPassages(hot.keys + more.keys, hot.places + more.places)
            run.progress.advance(1)
    work.record("group", number, sketches.state, writer.sums, hot_keys=hot.keys, hot_places=hot.places)


class _RankedRecords:
    """The records of all shards with the ranks of their documents."""

    def __init__(self, run: ShardedRun, strip: Strip, ranking: CorpusRanks) -> None:
        ranks = np.full(ranking.documents, UNRANKED)
        first = np.uint32(ranking.approved_count)
        ranks[ranking.order] = np.arange(len(ranking.order), dtype=np.uint32) + first
        self._ranks = [ranks[start:end] for start, end in pairwise(ranking.bounds.tolist())]
        self._readers = [record_reader(run.work, number) for number in range(1, run.shard.count + 1)]
        bits = record_bits(run.survey.sources)
        self._approved, self._bounds = memoryview(b""), np.zeros((1 << bits) + 1, np.uint64)
        if ranking.approved is not None:
            self._approved, self._bounds, _ = ranking.approved.records(strip.search, bits)

    def of_partition(self, partition: int) -> NDArray[np.uint8]:
        """Return the records of a partition, without those of documents that are left out."""
        start, end = self._bounds[partition : partition + 2].tolist()
        parts = [np.frombuffer(self._approved[start:end], np.uint8)]
        for reader, ranks in zip(self._readers, self._ranks, strict=True):
            records = reader.part(partition).view(RECORD)
            of_records = ranks[records["rank"]]
            is_ranked = of_records != UNRANKED
            records["rank"] = of_records
            parts.append((records if is_ranked.all() else records[is_ranked]).view(np.uint8))
        return np.concatenate(parts)


def decide(run: ShardedRun, strip: Strip) -> None:
    """Compare the texts of the pairs of this shard, and propose what is cut."""
    sketches = sketched(run)
    work, number = run.work, run.shard.number
    grouped = work.state("group", sketches.state)
    if work.is_done("decide", number, grouped):
        return
    ranking = ranking_of(run, strip, sketches)
    readers = [PartReader(work, "group", shard, _name("group", shard)) for shard in range(1, run.shard.count + 1)]
    buckets = range(number - 1, ranking.buckets.count, run.shard.count)
    refuted = 0
    run.progress.stage("decide", len(buckets), "parts")
    with PartWriter(work, _name("decide", number), ranking.buckets.count) as writer:
        for bucket in buckets:
            pairs = np.concatenate([reader.part(bucket) for reader in readers]).view(np.uint32)
            pieces, more = _proposed(run, strip, sketches, ranking, pairs.reshape(-1, PAIR_NUMBERS))
            bounds = np.zeros(ranking.buckets.count + 1, np.uint64)
            bounds[bucket + 1 :] = pieces.nbytes
            writer.append(memoryview(pieces.tobytes()), bounds)
            refuted += more
            run.progress.advance(1)
    work.record("decide", number, grouped, writer.sums, refuted=refuted)


def _proposed(
    run: ShardedRun, strip: Strip, sketches: Sketched, ranking: CorpusRanks, pairs: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], int]:
    if not len(pairs):
        return np.empty((0, PIECE_NUMBERS), np.uint32), 0
    selection = RankSelection(run, sketches, ranking, np.concatenate([pairs[:, 0], pairs[:, 2]]))
    for place in (0, 2):
        pairs[:, place] = selection.local(pairs[:, place])
    decider, texts = selection.ranked.decider(strip), selection.ranked.texts
    with unchanged_texts():
        proposed, refuted = decider.propose(texts, pairs.view(np.uint8).ravel())
    pieces = np.frombuffer(memoryview(proposed), np.uint32).reshape(-1, PIECE_NUMBERS).copy()
    for place in (0, OTHER):
        pieces[:, place] = selection.whole(pieces[:, place])
    return pieces, refuted


class RankSelection:
    """Documents that are read together, renumbered in the order of rank.

    Args:
        run: the run.
        sketches: all documents.
        ranking: their ranks.
        ranks: the ranks of the selected documents, in any order; those of approved texts come first.

    Attributes:
        ranked: the documents.
    """

    def __init__(self, run: ShardedRun, sketches: Sketched, ranking: CorpusRanks, ranks: NDArray[np.uint32]) -> None:
        count = ranking.approved_count
        self._ranks = np.union1d(np.arange(count, dtype=np.uint32), ranks)
        self._documents = self._ranks[count:] - np.uint32(count)
        picked = Picked(sketches.segments, ranking.order[self._documents])
        order = np.arange(len(self._documents), dtype=np.uint32)
        texts = picked.texts(run.job.recipe.text)
        nothing = np.empty(0, np.uint64)
        self.ranked = RankedTexts(texts, order, picked.column("length"), nothing, ranking.approved)

    def local(self, ranks: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the numbers of ranks in the selection; ``NOWHERE`` stays."""
        numbers = np.searchsorted(self._ranks, ranks).astype(np.uint32)
        return np.where(ranks == NOWHERE, NOWHERE, numbers)

    def whole(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the ranks of numbers in the selection; ``NOWHERE`` stays."""
        return _chosen(self._ranks, numbers)

    def document_ranks(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the ranks of documents, without approved texts before them; ``NOWHERE`` stays."""
        return _chosen(self._documents, numbers)


def _chosen(ranks: NDArray[np.uint32], numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    is_somewhere = numbers != NOWHERE
    return np.where(is_somewhere, ranks[np.where(is_somewhere, numbers, 0)] if len(ranks) else NOWHERE, NOWHERE)


def piece_readers(run: ShardedRun) -> list[PartReader]:
    """Return a reader for the proposals of each shard; those of a bucket are in one of them."""
    return [PartReader(run.work, "decide", number, _name("decide", number)) for number in range(1, run.shard.count + 1)]


def _name(stage: str, number: int) -> str:
    return f"{stage}/{number:05d}"


__all__ = ["OTHER", "PIECE_NUMBERS", "CorpusRanks", "RankSelection", "decide", "group", "piece_readers", "ranking_of"]
