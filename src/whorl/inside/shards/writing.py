"""The last stage: trace kept text, strip the documents of a shard, and publish the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.local.finish import Course
from whorl.engines.local.folder import OutputFolder
from whorl.engines.shards.sketching import ShardedRun, Sketched, own_segments, sketched
from whorl.engines.shards.work import STAGES
from whorl.engines.shards.writing import WrittenFiles, join_kept, stage_seconds
from whorl.engines.stages.columns import packed, unpacked
from whorl.inside.cuts import NOWHERE, CutBlock, cut_arrays, unchanged_texts
from whorl.inside.edits import CorpusEdits, KeptFiles, write_files
from whorl.inside.finish import StripOutcome, describe_strip, write_report, write_tables
from whorl.inside.index import HotPassages
from whorl.inside.search import Strip
from whorl.inside.searching import CorpusCuts
from whorl.inside.shards.deciding import OTHER, PIECE_NUMBERS, CorpusRanks, RankSelection, piece_readers, ranking_of
from whorl.inside.shards.parts import PartReader, PartWriter
from whorl.inside.shards.sketching import joined_repetitions, joined_sources

_TRACED = "traced"


@frozen
class ShardedStrip:
    """The result of stripping files in shards.

    Attributes:
        strip: what is stripped.
    """

    strip: Strip

    def read(self, run: ShardedRun) -> Sketched:
        """Return all documents after reading."""
        return sketched(run)

    def state(self, run: ShardedRun, sketches: Sketched) -> str:
        """Return a value that identifies the proposals."""
        return run.work.state("decide", run.work.state("group", sketches.state))

    def write_files(self, run: ShardedRun, sketches: Sketched, folder: OutputFolder, scratch: Path) -> WrittenFiles:
        """Write the files of this shard with their changes, and its cuts into the work folder."""
        strip, number, segments = self.strip, run.shard.number, own_segments(run)
        ranking = ranking_of(run, strip, sketches)
        _trace(run, strip, ranking, self.state(run, sketches))
        pieces = PartReader(run.work, _TRACED, 1, f"{_TRACED}/00001")
        run.progress.stage("decide", len(ranking.blocks), "parts")
        with PartWriter(run.work, _cuts_name(number), 1) as writer:
            for block in range(len(ranking.blocks)):
                of_shard = pieces.block(block, number - 1).view(np.uint32).reshape(-1, PIECE_NUMBERS)
                data = packed(_stripped(run, strip, sketches, ranking, of_shard)) if len(of_shard) else b""
                writer.append(data, np.array([0, len(data)], np.uint64))
                run.progress.advance(1)
        changes = CorpusEdits.of(_blocks(run, ranking, [number]), ranking.order, ranking.documents, strip)
        files = KeptFiles(folder.staging / "kept", folder.stretches, scratch)
        first = int(ranking.bounds[number - 1])
        write_files(segments, first, changes, run.job, strip, files, run.progress)
        records = (record for segment in segments for record in segment.files)
        return WrittenFiles((files.place_of(record, strip) for record in records), writer.sums)

    def finish(self, run: ShardedRun, sketches: Sketched, folder: OutputFolder) -> dict[str, Any]:
        """Write the tables and the report."""
        join_kept(sketches, folder)
        strip, work, staging = self.strip, run.work, folder.staging
        ranking = ranking_of(run, strip, sketches)
        numbers = range(1, run.shard.count + 1)

        def blocks() -> Iterator[CutBlock]:
            return _blocks(run, ranking, numbers)

        grouped, decided = ([work.manifest(stage, number) for number in numbers] for stage in ("group", "decide"))
        cuts = CorpusCuts(
            sketches.corpus,
            ranking.order,
            blocks,
            HotPassages(sum(part["hot_keys"] for part in grouped), sum(part["hot_places"] for part in grouped)),
            sum(part["refuted"] for part in decided),
            None if strip.repetition is None else joined_repetitions(work),
        )
        changes = CorpusEdits.of(blocks(), ranking.order, ranking.documents, strip)
        tables = write_tables(cuts, strip, changes.dropped, staging)
        outcome = StripOutcome(cuts, changes, tables, joined_sources(work) if strip.by else None)
        course = Course(work.began, stage_seconds(run, {stage: stage for stage in STAGES}), run.survey.skipped)
        described = describe_strip(run.job, strip, outcome, course) | {"shards": {"count": run.shard.count}}
        write_report(described, staging)
        return described


def _trace(run: ShardedRun, strip: Strip, ranking: CorpusRanks, of: str) -> None:
    """Trace the proposals of all shards in the order of rank, by shard of their documents; one process does it."""
    work, count = run.work, run.shard.count
    with work.claim(_TRACED):
        if work.is_done(_TRACED, 1, of):
            return
        approved = [] if ranking.approved is None else ranking.approved.texts
        keeps = strip.keeps or ranking.approved is not None
        nothing = np.empty(0, np.uint32)
        decider = _core.InsideDecider(strip.search, keeps, strip.action == "cut", nothing, nothing, approved)
        readers = piece_readers(run)
        first = ranking.approved_count
        with PartWriter(work, f"{_TRACED}/00001", count) as writer:
            for buckets in ranking.blocks:
                proposed = np.concatenate([readers[bucket % count].part(bucket) for bucket in buckets])
                traced = memoryview(decider.trace(proposed.view(np.uint32)))
                pieces = np.frombuffer(traced, np.uint32).reshape(-1, PIECE_NUMBERS)
                documents = ranking.order[pieces[:, 0] - np.uint32(first)]
                shards = np.searchsorted(ranking.bounds[1:], documents, side="right")
                by_shard = np.argsort(shards, kind="stable")
                bounds = np.searchsorted(shards[by_shard], np.arange(count + 1)).astype(np.uint64)
                size = np.uint64(PIECE_NUMBERS * pieces.itemsize)
                writer.append(memoryview(pieces[by_shard].tobytes()), bounds * size)
        work.record(_TRACED, 1, of, writer.sums)


def _stripped(
    run: ShardedRun, strip: Strip, sketches: Sketched, ranking: CorpusRanks, pieces: NDArray[np.uint32]
) -> dict[str, NDArray[Any]]:
    """Strip the documents of traced pieces; return the arrays of a ``CutBlock``."""
    kept = pieces[:, OTHER]
    selection = RankSelection(run, sketches, ranking, np.concatenate([pieces[:, 0], kept[kept != NOWHERE]]))
    for place in (0, OTHER):
        pieces[:, place] = selection.local(pieces[:, place])
    with unchanged_texts():
        columns = selection.ranked.decider(strip).strip(selection.ranked.texts, pieces.ravel())
    arrays = cut_arrays(columns, ranking.approved)
    del arrays["refuted"]
    return arrays | {name: selection.document_ranks(arrays[name]) for name in ("rank", "kept", "document")}


def _blocks(run: ShardedRun, ranking: CorpusRanks, shards: Sequence[int]) -> Iterator[CutBlock]:
    """Yield the cuts of some shards by rank."""
    readers = [PartReader(run.work, "write", number, _cuts_name(number)) for number in shards]
    for block in range(len(ranking.blocks)):
        stored = [data for reader in readers if len(data := reader.block(block, 0))]
        if stored:
            yield CutBlock.joined([CutBlock.of(dict(unpacked(data.tobytes()))) for data in stored])


def _cuts_name(number: int) -> str:
    return f"write/{number:05d}"


__all__ = ["ShardedStrip"]
