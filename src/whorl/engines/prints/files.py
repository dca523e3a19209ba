"""Read the documents of files, fingerprint them on all cores, and write a row for each.

One batch is read, one fingerprinted and one written at a time, as in the first pass of a deduplication. Only these
batches and one row group are in memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.atomic_file import appearing
from whorl._internal.frozen import frozen
from whorl._internal.overlap import Behind
from whorl.corpus import TEXT_COLUMN, Batch, Columns, ReadOptions, Rejects, Selection, Source, read_source
from whorl.corpus import sources_ahead as ahead
from whorl.corpus.discovery import survey
from whorl.corpus.rejects import OnError
from whorl.engines.prints.columns import (
    DIGEST_BYTES,
    byte_rows,
    demand_key_type,
    demand_signature,
    key_lists,
    signatures,
)
from whorl.engines.prints.outputs import demand_suffix, open_output
from whorl.engines.progress import Progress
from whorl.engines.summary import versions
from whorl.engines.workers import bounded
from whorl.errors import InputError, UsageError
from whorl.i18n import say, say_many
from whorl.recipe import Recipe
from whorl.text.iscc import demand_bits, text_codes

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.engines.prints.outputs import FingerprintOutput

_WAITING_BYTES = 4 * 2**20
_WAITING_BATCHES = 4096
METADATA = b"whorl"
"""Key of the Parquet metadata with the method and its parameters, as JSON."""


@frozen
class FingerprintJob:
    """What to fingerprint, and how to write it.

    Attributes:
        inputs: files, folders, globs, or ``-``.
        out: the output file.
        recipe: the method, and how documents are read.
        key_type: one of ``KEY_TYPES``.
        has_signature: True to write the signature of each document.
        iscc_bits: size of the ISCC of each document; None writes none.
        on_error: "auto", "skip" or "stop".
        selection: which files of folders and globs to read.
        workers: number of threads; None is one per core.
    """

    inputs: Sequence[str]
    out: Path
    recipe: Recipe
    key_type: str
    has_signature: bool
    iscc_bits: int | None
    on_error: OnError
    selection: Selection
    workers: int | None


@dataclass(slots=True)
class FingerprintCounts:
    """Number of documents, of their keys, and of documents without keys; width of a signature in bytes."""

    documents: int = 0
    keys: int = 0
    without_keys: int = 0
    signature_bytes: int = 0


def write_fingerprints(job: FingerprintJob, progress: Progress) -> tuple[FingerprintCounts, Mapping[str, int]]:
    """Write the fingerprints of all documents, and return counts and the number of rejected rows by reason.

    The output file appears when it is complete.

    Raises:
        UsageError: the output file exists or has an unknown suffix, the method has no signature, or the size of the
            ISCC is not supported.
        InputError: an input cannot be read as requested, or has no document.
    """
    demand_suffix(job.out)
    demand_key_type(job.key_type)
    if job.out.exists():
        raise UsageError(say("{path} already exists", path=job.out), hint=say("choose a new file"))
    maker = job.recipe.fingerprinter()
    if job.has_signature:
        demand_signature(maker)
    if job.iscc_bits is not None:
        demand_bits(job.iscc_bits)
    with bounded(job.workers):
        sources = survey(job.inputs, forbid=job.out, selection=job.selection, course=progress).sources
        rejects = Rejects(on_error=job.on_error)
        job.out.parent.mkdir(parents=True, exist_ok=True)
        with appearing(job.out) as path:
            run = _Run(job, path, progress)
            run.read(sources, rejects)
    return run.counts, rejects.reasons


class _Run:
    def __init__(self, job: FingerprintJob, path: Path, progress: Progress) -> None:
        self.counts = FingerprintCounts()
        self._job, self._path, self._progress = job, path, progress
        self._maker = job.recipe.fingerprinter()
        self._schema = _schema(job)
        self._columns = Columns(job.recipe.text, job.recipe.id)
        self._options = ReadOptions.of(job.recipe)
        self._waiting: list[tuple[Source, Batch]] = []
        self._waiting_bytes = 0
        self._guessed: Counter[str] = Counter()
        self._has_ids = False

    def read(self, sources: Sequence[Source], rejects: Rejects) -> None:
        """Read, fingerprint and write all files."""
        self._progress.stage("read", sum(source.size for source in sources), "bytes")
        with (
            open_output(self._path, self._job.out.name, self._schema) as output,
            Behind("whorl-write") as writing,
            Behind("whorl-fingerprint") as fingerprinting,
        ):
            for source in ahead(sources, self._columns, rejects, self._options):
                for batch in self._batches(source, rejects):
                    self._waiting.append((source, batch))
                    self._waiting_bytes += batch.texts.nbytes
                    if self._waiting_bytes >= _WAITING_BYTES or len(self._waiting) >= _WAITING_BATCHES:
                        fingerprinting.do(self._fingerprint, self._take(), output, writing)
            if self._waiting:
                fingerprinting.do(self._fingerprint, self._take(), output, writing)
        if not self.counts.documents:
            rejects.demand_readable()
        self._demand_ids()
        self._report_guesses()

    def _batches(self, source: Source, rejects: Rejects) -> Any:
        """Yield the batches of a file, and report the bytes that were read."""
        reported = 0 if source.span is None else source.span.start
        first, notices = reported, dict[str, str]()
        for batch in read_source(source, self._columns, rejects, self._options):
            notices.update(batch.notices)
            if len(batch):
                yield batch
            if batch.offsets is not None and len(batch):
                reached = int(batch.offsets[-1])
                self._progress.advance(reached - reported)
                reported = reached
        self._progress.advance(source.size - (reported - first))
        if TEXT_COLUMN in notices:
            self._guessed[notices[TEXT_COLUMN]] += 1

    def _take(self) -> list[tuple[Source, Batch]]:
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        return waiting

    def _fingerprint(self, waiting: Sequence[tuple[Source, Batch]], output: FingerprintOutput, writing: Behind) -> None:
        """Fingerprint some batches together and queue their rows for writing."""
        import pyarrow as pa

        texts = pa.concat_arrays([pa.array(batch.texts).cast(pa.large_string()) for _, batch in waiting])
        ids = pa.concat_arrays([pa.array(batch.ids).cast(pa.string()) for _, batch in waiting])
        names = pa.array([source.name for source, _ in waiting], pa.string())
        places = np.repeat(np.arange(len(waiting)), [len(batch) for _, batch in waiting])
        prints = self._maker.fingerprint(texts)
        columns = {
            "id": ids,
            "file": names.take(pa.array(places)),
            "row": pa.array(np.concatenate([batch.rows for _, batch in waiting]), pa.int64()),
            "digest": byte_rows(prints.digests, DIGEST_BYTES),
            "length": pa.array(prints.lengths, pa.uint32()),
            "keys": key_lists(prints, self._job.key_type),
        }
        if self._job.has_signature:
            columns["signature"] = signatures(self._maker, texts, prints)
            self.counts.signature_bytes = columns["signature"].type.byte_width
        if self._job.iscc_bits is not None:
            columns["iscc"] = pa.array(text_codes(texts, self._job.iscc_bits), pa.string())
        self._has_ids = self._has_ids or ids.null_count < len(ids)
        self.counts.documents += len(texts)
        self.counts.keys += len(prints.keys)
        self.counts.without_keys += int((prints.counts == 0).sum())
        writing.do(output.write, pa.RecordBatch.from_pydict(columns, schema=self._schema))

    def _demand_ids(self) -> None:
        name = self._job.recipe.id
        if name is not None and self.counts.documents and not self._has_ids:
            raise InputError(
                say("no row has a value in the id column {name!r}", name=name),
                hint=say("name another column, or omit it and use file and row"),
            )

    def _report_guesses(self) -> None:
        for name, count in self._guessed.items():
            message = say_many(
                "{count:,} file has no column 'text': using column {name!r}",
                "{count:,} files have no column 'text': using column {name!r}",
                count,
                name=name,
            )
            self._progress.note(message)


def _schema(job: FingerprintJob) -> pa.Schema:
    import pyarrow as pa

    key = {"uint64": pa.uint64(), "int64": pa.int64(), "hex": pa.string()}[job.key_type]
    fields = [
        ("id", pa.string()),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("digest", pa.binary(DIGEST_BYTES)),
        ("length", pa.uint32()),
        ("keys", pa.list_(key)),
    ]
    if job.has_signature:
        maker = job.recipe.fingerprinter()
        fields.append(("signature", signatures(maker, [""], maker.fingerprint([""])).type))
    if job.iscc_bits is not None:
        fields.append(("iscc", pa.string()))
    facts = described_method(job.recipe) | {"key_type": job.key_type, "versions": versions()}
    return pa.schema(fields, {METADATA: json.dumps(facts, ensure_ascii=False, default=str)})


def described_method(recipe: Recipe) -> dict[str, Any]:
    """Return the method with all parameters, and how many shared keys make two documents candidates."""
    described = recipe.as_dict()
    resolved = {name: described[name] for name in ("method", "parameters", "fields") if described.get(name)}
    return resolved | {"min_shared": min(judgement.family.min_shared for judgement in recipe.judgements())}


__all__ = ["METADATA", "FingerprintCounts", "FingerprintJob", "described_method", "write_fingerprints"]
