"""The stages between reading and writing: group, divide and decide."""

from __future__ import annotations

import numpy as np

from whorl import _core
from whorl.engines.decide import ProbeCandidates
from whorl.engines.local.begin import rank_corpus
from whorl.engines.local.grouping import group_documents
from whorl.engines.local.picked import Picked
from whorl.engines.local.read import PARTITIONS, demand_documents
from whorl.engines.progress import Silent
from whorl.engines.shards.sketching import ShardedRun, Sketched, sketched
from whorl.engines.shards.work import WorkFolder, file_name
from whorl.engines.stages.columns import packed, unpacked
from whorl.engines.stages.deciding import decide_part
from whorl.engines.stages.grouping import group_columns, joined_groups
from whorl.engines.stages.parting import DocumentPart, Learned, needs_codes, part_documents

_PARTS = "parts"
_LEARNED = file_name(_PARTS, 0)


def group(run: ShardedRun) -> None:
    """Find the documents that share the keys of this shard."""
    sketches = sketched(run)
    work, number = run.work, run.shard.number
    if work.is_done("group", number, sketches.state):
        return
    progress = run.progress if number == 1 else Silent()
    demand_documents(sketches.segments, run.job.recipe, run.job.on_error, progress)
    everything = [*sketches.references, *sketches.segments]
    numbers = np.arange(sum(segment.documents for segment in everything), dtype=np.uint32)
    groups = group_documents(everything, numbers, run.progress, run.shard.share(PARTITIONS))
    columns = group_columns(groups.columns())
    name = file_name("group", number)
    work.record("group", number, sketches.state, {name: work.save(name, packed(columns))})


def decide(run: ShardedRun) -> None:
    """Decide the parts of this shard."""
    sketches = sketched(run)
    work, number = run.work, run.shard.number
    grouped = work.state("group", sketches.state)
    with work.claim(_PARTS):
        if work.missing(_PARTS, grouped) or not work.is_done(_PARTS, number, grouped):
            _divide(run, sketches, grouped)
    of = work.state(_PARTS, grouped)
    if work.is_done("decide", number, of):
        return
    sums = {}
    if work.manifest(_PARTS, number)["documents"]:
        part, learned = work.load(_PARTS, number, DocumentPart.loads), learned_by(work)
        picked = Picked([*sketches.references, *sketches.segments], part.documents)
        recipe = run.job.recipe
        texts = picked.texts(recipe.text)
        done = decide_part(recipe, part, picked.prints(), texts, learned, run.progress)
        name = file_name("decide", number)
        sums[name] = work.save(name, done.dumps())
    work.record("decide", number, of, sums)


def _divide(run: ShardedRun, sketches: Sketched, grouped: str) -> None:
    """Divide all documents into parts; one process does this for all."""
    corpus, recipe, count = sketches.corpus, run.job.recipe, run.shard.count
    order = rank_corpus(recipe, corpus, run.progress)
    candidates = ProbeCandidates(corpus.prints(codes=needs_codes(recipe)), order, corpus.references)
    groups = _groups(run.work, candidates)
    parted = part_documents(recipe, candidates, groups, corpus.texts(recipe.text), sketches.sought(run.job), count)
    work = run.work
    learned = {_LEARNED: work.save(_LEARNED, parted.learned.dumps())}
    for number in range(1, count + 1):
        sums, documents = dict(learned), 0
        if number <= len(parted.parts):
            part = parted.parts[number - 1]
            sums[file_name(_PARTS, number)] = work.save(file_name(_PARTS, number), part.dumps())
            documents = len(part.documents)
        work.record(_PARTS, number, grouped, sums, documents=documents)


def _groups(work: WorkFolder, candidates: ProbeCandidates) -> _core.Groups:
    """Return the groups of documents that share a key, by rank, from the results of all shards."""
    numbers = range(1, work.shard.count + 1)
    return joined_groups((work.load("group", number, unpacked) for number in numbers), candidates.order)


def part_sizes(work: WorkFolder) -> list[int]:
    """Return the number of documents in each part."""
    return [int(work.manifest(_PARTS, number)["documents"]) for number in range(1, work.shard.count + 1)]


def learned_by(work: WorkFolder) -> Learned:
    """Return the boilerplate that was learned before any decision."""
    return work.load(_PARTS, 0, Learned.loads)


def decided_state(run: ShardedRun, sketches: Sketched) -> str:
    """Return a value that identifies the decisions.

    Raises:
        UsageError: a shard is missing.
    """
    grouped = run.work.state("group", sketches.state)
    return run.work.state("decide", run.work.state(_PARTS, grouped))


__all__ = ["decide", "decided_state", "group", "learned_by", "part_sizes"]
