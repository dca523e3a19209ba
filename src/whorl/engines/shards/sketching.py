"""The first stage: each shard reads and fingerprints a part of the files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.corpus import Source, Survey
from whorl.corpus.cutting import LineCounts, Stretch, counted
from whorl.engines.against import seeks
from whorl.engines.corpus import file_state
from whorl.engines.decide import Sought
from whorl.engines.job import DedupJob
from whorl.engines.local.against import Against, sought_of
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.durable import read_json
from whorl.engines.local.read import StoredSegment, load_segment, read_segments
from whorl.engines.local.reference import read_references
from whorl.engines.progress import Progress
from whorl.engines.shards.work import Shard, WorkFolder
from whorl.engines.stages.cutting import in_stretches

_REFERENCES = "references"
_STRETCHES_A_SHARD = 2


@frozen
class ShardedRun:
    """Context of one shard.

    Attributes:
        job: the deduplication.
        work: the folder that the shards share.
        survey: the input files and the skipped files.
        progress: receives the progress.
    """

    job: DedupJob
    work: WorkFolder
    survey: Survey
    progress: Progress

    @property
    def shard(self) -> Shard:
        """The shard of this process."""
        return self.work.shard


@frozen
class Sketched:
    """All documents of a run after reading.

    Attributes:
        segments: segments of the input, shard by shard.
        references: segments of the references, those of libraries last.
        state: value that identifies these sketches.
    """

    segments: list[StoredSegment]
    references: list[StoredSegment]
    state: str

    @property
    def corpus(self) -> SegmentedCorpus:
        """Return the numbered documents."""
        return SegmentedCorpus.joined(self.segments, self.references)

    def sought(self, job: DedupJob) -> Sought:
        """Return the candidates from indexes other than the groups."""
        return sought_of(self.segments, self.references, Against(job.sources, None))


@frozen
class ReadShard:
    """What a shard has read.

    Attributes:
        segments: segments of its files.
        sums: the checksums of their manifests, and of those of references in the first shard, by name.
        references: names of the segments of references.
    """

    segments: list[StoredSegment]
    sums: Mapping[str, Sequence[int]]
    references: list[str]

    def record(self, work: WorkFolder, sums: Mapping[str, Sequence[int]]) -> None:
        """Make the shard complete; ``sums`` are those of its other files."""
        work.record(
            "sketch",
            work.shard.number,
            "",
            {**self.sums, **sums},
            segments=len(self.segments),
            references=self.references,
        )


def sketch(run: ShardedRun) -> None:
    """Read and fingerprint the files of this shard, and the references if this shard needs them."""
    read_shard(run).record(run.work, {})


def read_shard(run: ShardedRun) -> ReadShard:
    """Read and fingerprint the files of this shard, or what of them an earlier process has not read."""
    job, work, number = run.job, run.work, run.shard.number
    references: list[StoredSegment] = []
    if number == 1 or seeks(job.recipe) is not None:
        with work.claim(_REFERENCES):
            references = _read_references(run)
    against = Against.of(job.recipe, references, job.sources)
    find = against.find if against.asks else None
    sources = divided(_in_stretches(run), run.shard.count)[number - 1]
    folder = work.folder("sketch", number)
    segments = read_segments(sources, folder, job.recipe, job.on_error, run.progress, find)
    recorded = [*segments, *(references if number == 1 else ())]
    sums = {
        segment.folder.relative_to(work.path).joinpath("segment.json").as_posix(): segment.identity
        for segment in recorded
    }
    aside = [segment.folder.relative_to(work.path).as_posix() for segment in references]
    return ReadShard(segments, sums, aside)


def _in_stretches(run: ShardedRun) -> list[Source]:
    """Return the files, with large ones split into parts."""
    sources = run.survey.sources
    size = sum(source.size for source in sources) // (run.shard.count * _STRETCHES_A_SHARD)
    return in_stretches(sources, size, run.job.recipe, partial(_count, run.work))


def _count(work: WorkFolder, stretches: Sequence[Stretch]) -> list[LineCounts]:
    """Count the lines of file parts; each shard counts its parts first, then waits for the others."""
    begin = work.shard.share(len(stretches)).start
    for number in (*range(begin, len(stretches)), *range(begin)):
        name = f"lines/{number:05d}"
        if not (work.path / name).exists():
            with work.claim(f"lines-{number}"):
                if not (work.path / name).exists():
                    work.save(name, json.dumps(asdict(counted(stretches[number]))).encode())
    return [LineCounts(**read_json(work.path / f"lines/{number:05d}")) for number in range(len(stretches))]


def _read_references(run: ShardedRun) -> list[StoredSegment]:
    job = run.job
    return read_references(job.against, run.work.reference, job.recipe, job.on_error, run.progress)


def divided(sources: Sequence[Source], count: int) -> list[list[Source]]:
    """Divide files into lists of similar total size; some are empty if there are few or large files."""
    sizes = np.array([max(source.size, 1) for source in sources], np.float64)
    middles = np.cumsum(sizes) - sizes / 2
    shard_of = np.minimum((middles * count / max(sizes.sum(), 1)).astype(np.int64), count - 1)
    return [
        [source for source, assigned in zip(sources, shard_of, strict=True) if assigned == shard]
        for shard in range(count)
    ]


def sketched(run: ShardedRun) -> Sketched:
    """Return all documents after reading.

    Raises:
        UsageError: a shard has not been sketched.
        InputError: the result of a shard is damaged.
    """
    work = run.work
    state = work.state("sketch", "")
    segments = [segment for number in range(1, run.shard.count + 1) for segment in _segments(work, number)]
    references = [_load(work, str(name), 1) for name in work.manifest("sketch", 1)["references"]]
    if run.job.sources:
        with work.claim(_REFERENCES):
            references += Against(run.job.sources, None).borrow(segments, work.reference)
    return Sketched(segments, references, state)


def own_segments(run: ShardedRun) -> list[StoredSegment]:
    """Return the segments that this shard has read."""
    return _segments(run.work, run.shard.number)


def shard_bounds(run: ShardedRun, sketches: Sketched) -> NDArray[np.int64]:
    """Return the number of the first document of each shard, followed by the total."""
    documents = np.cumsum([0, *(segment.documents for segment in [*sketches.references, *sketches.segments])])
    counts = [int(run.work.manifest("sketch", number)["segments"]) for number in range(1, run.shard.count + 1)]
    bounds: NDArray[np.int64] = documents[len(sketches.references) + np.cumsum([0, *counts])]
    return bounds


def _segments(work: WorkFolder, number: int) -> list[StoredSegment]:
    count = int(work.manifest("sketch", number)["segments"])
    folder = work.folder("sketch", number).relative_to(work.path)
    return [_load(work, f"{folder.as_posix()}/{segment:05d}", number) for segment in range(count)]


def _load(work: WorkFolder, name: str, number: int) -> StoredSegment:
    segment = load_segment(work.path / name)
    recorded = work.manifest("sketch", number)["sums"].get(f"{name}/segment.json")
    if segment is None or list(segment.identity) != recorded or not _has_all(segment):
        raise work.damaged(work.path / name, "sketch", number)
    return segment


def _has_all(segment: StoredSegment) -> bool:
    """Return True if every column still has the size that was written."""
    return all(file_state(segment.folder / name)[0] == size for name, (size, _) in segment.sums.items())


__all__ = [
    "ReadShard",
    "ShardedRun",
    "Sketched",
    "divided",
    "own_segments",
    "read_shard",
    "shard_bounds",
    "sketch",
    "sketched",
]
