"""Work of the tasks. Functions may run twice, even concurrently, and produce the same files under the same names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.corpus import ReadOptions, Source
from whorl.corpus.cutting import Stretch, counted
from whorl.engines.decide import POSTING
from whorl.engines.local.columns import read_column
from whorl.engines.local.corpus import SegmentedCorpus, stretched
from whorl.engines.local.picked import Picked
from whorl.engines.local.read import MANIFEST, StoredSegment, load_segment, read_segment
from whorl.engines.local.write import join_kept, mark_kept, write_kept
from whorl.engines.progress import Silent
from whorl.engines.stages.columns import packed
from whorl.engines.stages.deciding import decide_part
from whorl.engines.stages.grouping import group_columns
from whorl.engines.stages.parting import DocumentPart, Learned
from whorl.errors import InputError
from whorl.i18n import say
from whorl.recipe import Recipe


def count(stretch: Stretch) -> dict[str, Any]:
    """Count the lines of a part of a file, in the format of ``LineCounts``.

    Raises:
        InputError: the file cannot be read.
    """
    return asdict(counted(stretch))


@frozen(slots=False)
class SegmentFiles:
    """Files to read into a segment.

    Attributes:
        files: the files.
        place: path of the segment.
        scratch: folder for incomplete files.
        recipe: how documents are read and fingerprinted.
        on_error: "skip" or "stop".
    """

    files: Sequence[Source]
    place: Path
    scratch: Path
    recipe: Recipe
    on_error: str


def read(reading: SegmentFiles) -> dict[str, int]:
    """Read files into a segment, which gets its name when it is complete.

    Raises:
        InputError: a file cannot be read as requested.
    """
    aside = reading.scratch / uuid4().hex
    reading.scratch.mkdir(parents=True, exist_ok=True)
    try:
        segment = read_segment(reading.files, aside, reading.recipe, reading.on_error, Silent())
        try:
            aside.rename(reading.place)
        except OSError:
            # The same task has been completed elsewhere.
            if load_segment(reading.place) is None:
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return {"documents": segment.documents}


@frozen(slots=False)
class SegmentKeys:
    """The keys of a segment.

    Attributes:
        place: path of the segment.
        first: the number of its first document in the run.
        bits: number of leading key bits that select the partition.
        partitions: the requested partitions.
    """

    place: Path
    first: int
    bits: int
    partitions: frozenset[int]


def emit(keys: SegmentKeys) -> Iterator[tuple[int, bytes]]:
    """Yield the postings of a segment by partition, with document numbers of the run."""
    postings = read_column(keys.place, "posting")
    partition = (postings["key"] >> np.uint64(64 - keys.bits)).astype(np.uint16)
    order = np.argsort(partition, kind="stable")
    ends = np.cumsum(np.bincount(partition, minlength=1 << keys.bits))
    postings = postings[order]
    postings["document"] += np.uint32(keys.first)
    for number in sorted(keys.partitions):
        begin = int(ends[number - 1]) if number else 0
        if begin < ends[number]:
            yield number, postings[begin : int(ends[number])].tobytes()


@frozen(slots=False)
class Grouping:
    """Creates groups from the data emitted for a partition.

    Attributes:
        folder: folder of the groups.
    """

    folder: Path

    def __call__(self, partition: int, pieces: Sequence[bytes]) -> dict[str, int]:
        """Write the keys that two or more documents share, with these documents."""
        postings = np.frombuffer(b"".join(pieces), POSTING).copy()
        documents, postings["document"] = np.unique(postings["document"], return_inverse=True)
        groups = _core.Groups()
        groups.add_partition([(postings.tobytes(), 0)], len(postings), 0, documents)
        write_whole(packed(group_columns(groups.columns())), place_of(self.folder, partition))
        return {"partition": partition, "groups": len(groups), "postings": len(postings)}


@frozen(slots=False)
class RunDocuments:
    """The documents of a run, as tasks locate them.

    Attributes:
        places: paths of the segments, those of the references first.
        recipe: recipe of the run.
    """

    places: Sequence[Path]
    recipe: Recipe


@frozen(slots=False)
class Deciding:
    """A part to decide.

    Attributes:
        corpus: the documents of the run.
        part: path of the part.
        learned: path of the boilerplate learned from all documents.
        target: path of the decisions.
    """

    corpus: RunDocuments
    part: Path
    learned: Path
    target: Path


def decide(deciding: Deciding) -> dict[str, int]:
    """Decide a part, reading texts from the original files.

    Raises:
        InputError: a text has changed since it was read.
    """
    part, learned = DocumentPart.loads(deciding.part.read_bytes()), Learned.loads(deciding.learned.read_bytes())
    recipe = deciding.corpus.recipe
    picked = Picked([segment_at(place) for place in deciding.corpus.places], part.documents)
    decided = decide_part(recipe, part, picked.prints(), picked.texts(recipe.text), learned, Silent())
    write_whole(decided.dumps(), deciding.target)
    return {"documents": len(part.documents), "removed": len(decided.removed)}


def segment_at(place: Path) -> StoredSegment:
    """Load a complete segment.

    Raises:
        InputError: it does not exist.
    """
    try:
        status = (place / MANIFEST).stat()
        segment = _loaded(place, status.st_mtime_ns, status.st_ino)
    except FileNotFoundError:
        segment = None
    if segment is None:
        raise InputError(say("{path} is damaged", path=place), hint=say("delete it, and run again"))
    return segment


@lru_cache(1024)
def _loaded(place: Path, _modified: int, _number: int) -> StoredSegment | None:
    """Load a segment through its manifest, cached for the tasks of a process."""
    return load_segment(place)


@frozen(slots=False)
class Writing:
    """Kept rows of a segment to write.

    Attributes:
        place: path of the segment.
        kept: path of the flags of all kept documents of the run.
        first: the number of the first document of the segment.
        folder: folder of the kept files.
        stretches: folder of the kept files of file parts.
        scratch: folder for incomplete files.
        options: how the files were read.
    """

    place: Path
    kept: Path
    first: int
    folder: Path
    stretches: Path
    scratch: Path
    options: ReadOptions


def write(writing: Writing) -> dict[str, int]:
    """Write the kept rows of the files of a segment, and record them in it unless it is part of a file.

    Raises:
        InputError: a file changed since it was read.
    """
    segment = segment_at(writing.place)
    kept = np.fromfile(writing.kept, np.bool_, segment.documents, offset=writing.first)
    corpus = SegmentedCorpus.joined([segment], [])
    with _aside(writing.scratch) as aside:
        write_kept(corpus, kept, writing.folder, writing.stretches, aside, writing.options, Silent())
    if not stretched([segment]):
        mark_kept(corpus, kept, writing.folder)
    return {"kept": int(kept.sum())}


@frozen(slots=False)
class Joining:
    """Kept rows of the parts of a file to join.

    Attributes:
        stretches: how each part was written, in order.
    """

    stretches: Sequence[Writing]


def join(joining: Joining) -> dict[str, int]:
    """Join the kept rows of a file that was read in parts, and record them in its segments."""
    first = joining.stretches[0]
    segments = [segment_at(stretch.place) for stretch in joining.stretches]
    corpus = SegmentedCorpus.joined(segments, [])
    kept = np.fromfile(first.kept, np.bool_, len(corpus.row), offset=first.first)
    with _aside(first.scratch) as aside:
        join_kept([segment.files[0] for segment in segments], first.folder, first.stretches, aside)
    mark_kept(corpus, kept, first.folder)
    return {"kept": int(kept.sum())}


@contextmanager
def _aside(scratch: Path) -> Iterator[Path]:
    """Create a folder for incomplete files that no other task uses."""
    aside = scratch / uuid4().hex
    aside.mkdir(parents=True)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def place_of(folder: Path, number: int) -> Path:
    """Return the path of the file with a number."""
    return folder / f"{number:05d}"


def write_whole(data: bytes, target: Path) -> None:
    """Write a file atomically and durably."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


__all__ = [
    "Deciding",
    "Grouping",
    "Joining",
    "RunDocuments",
    "SegmentFiles",
    "SegmentKeys",
    "Writing",
    "count",
    "decide",
    "emit",
    "join",
    "place_of",
    "read",
    "segment_at",
    "write",
    "write_whole",
]
