"""The first stage: read the files of a shard, and compute the passage records of their documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import IO, Self

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.corpus import Source
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.shards.sketching import ShardedRun, read_shard
from whorl.engines.shards.work import WorkFolder
from whorl.engines.stages.columns import packed, unpacked
from whorl.inside.index import RankedTexts, partition_bits
from whorl.inside.labels import Labels, read_labels
from whorl.inside.repetition import Repetitions
from whorl.inside.search import Strip
from whorl.inside.shards.parts import PartReader, PartWriter

_BITS = range(6, 13)
"""Number of leading bits of a key that select its partition: some partitions for each shard, and an index that is small
beside them."""
_DENSE = ("gz", "zst")
_EXPANSION = 4
"""Approximate size of compressed text after decompression, by its compressed size."""


def record_bits(sources: Sequence[Source]) -> int:
    """Return the number of bits of a key that select its partition.

    It follows from the sizes of the files, because every shard must choose the same before any text is read.
    """
    sizes = (
        source.size * (_EXPANSION if source.compression in _DENSE or source.format == "parquet" else 1)
        for source in sources
    )
    # Records of passages of the default length are about four thirds of UTF-8 text.
    bits = partition_bits(sum(sizes) * 4 // 3)
    return min(max(bits, _BITS.start), _BITS.stop - 1)


@frozen(eq=False)
class DocumentDetails:
    """What the documents of a shard have besides records.

    Attributes:
        scopes: the distinct values of ``Strip.per``.
        sources: the value of ``Strip.by`` of each document; of one label if there is no such column.
        repetition: the repetition within each document; empty if it is not requested.
    """

    scopes: Sequence[str]
    sources: Labels
    repetition: Repetitions

    def dumps(self) -> bytes:
        """Serialize the details."""
        return packed(
            {
                "scopes": _names_array(self.scopes),
                "sources": _names_array(self.sources.names),
                "numbers": self.sources.numbers,
                "repetition": self.repetition.values,
            }
        )

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Load the result of ``dumps``.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        sources = Labels(arrays["numbers"], json.loads(arrays["sources"].tobytes()))
        return cls(json.loads(arrays["scopes"].tobytes()), sources, Repetitions(arrays["repetition"]))


def sketch(run: ShardedRun, strip: Strip) -> None:
    """Read the files of this shard, and store the records of their documents by partition."""
    work, number = run.work, run.shard.number
    shard = read_shard(run)
    recorded = work.manifest("sketch", number).get("sums", {})
    is_same = all(recorded.get(name) == list(sums) for name, sums in shard.sums.items())
    if is_same and work.is_done("sketch", number, ""):
        return
    recipe = run.job.recipe
    corpus = SegmentedCorpus.joined(shard.segments, [])
    count = len(corpus.row)
    scopes, sources = (read_labels(corpus, recipe, column) for column in (strip.per, strip.by))
    order = np.arange(count, dtype=np.uint32)
    texts = corpus.texts(recipe.text)
    ranked = RankedTexts(texts, order, corpus.column("length"), scopes.scopes)
    repetition = Repetitions.none()
    if strip.repetition is not None:
        run.progress.stage("repetition", count, "documents")
        repetition = Repetitions.of_files(texts, ranked.blocks(), run.progress)
    details = _details_name(number)
    sums = {details: work.save(details, DocumentDetails(scopes.names, sources, repetition).dumps())}
    shard.record(work, {**sums, **_write_records(run, strip, ranked, scopes)})


def _write_records(run: ShardedRun, strip: Strip, ranked: RankedTexts, scopes: Labels) -> dict[str, Sequence[int]]:
    """Write the records of documents, with their numbers within the shard instead of ranks; return the checksums."""
    bits = record_bits(run.survey.sources)
    keys = None if strip.approved is None else strip.approved.scoped(scopes).records(strip.search, bits)[2]
    run.progress.stage("index", len(ranked), "documents")
    with PartWriter(run.work, _records_name(run.shard.number), 1 << bits) as writer:
        for documents, records, bounds in ranked.records(strip.search, bits, keys):
            writer.append(records, bounds)
            run.progress.advance(len(documents))
    return writer.sums


def record_reader(work: WorkFolder, number: int) -> PartReader:
    """Return a reader for the records of a shard."""
    return PartReader(work, "sketch", number, _records_name(number))


def _details(work: WorkFolder) -> Iterable[DocumentDetails]:
    """Yield the details of the documents of all shards."""
    for number in range(1, work.shard.count + 1):
        yield work.load("sketch", number, DocumentDetails.loads, _details_name(number))


def joined_scopes(work: WorkFolder) -> Labels:
    """Return the distinct values of ``Strip.per`` in all shards, without those of single documents."""
    names = dict.fromkeys(name for details in _details(work) for name in details.scopes)
    return Labels(np.empty(0, np.uint32), tuple(names))


def joined_sources(work: WorkFolder) -> Labels:
    """Return the value of ``Strip.by`` of each document of all shards."""
    places: dict[str, int] = {}
    numbers = [np.empty(0, np.uint32)]
    for details in _details(work):
        place_of = [places.setdefault(name, len(places)) for name in details.sources.names]
        numbers.append(np.array(place_of, np.uint32)[details.sources.numbers])
    return Labels(np.concatenate(numbers), tuple(places))


def joined_repetitions(work: WorkFolder) -> Repetitions:
    """Return the repetition within each document of all shards."""
    return Repetitions(np.concatenate([details.repetition.values for details in _details(work)]))


def _names_array(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(list(names)).encode(), np.uint8)


def _records_name(number: int) -> str:
    return f"sketch/{number:05d}/records"


def _details_name(number: int) -> str:
    return f"sketch/{number:05d}/details.npz"


__all__ = [
    "joined_repetitions",
    "joined_scopes",
    "joined_sources",
    "record_bits",
    "record_reader",
    "sketch",
]
