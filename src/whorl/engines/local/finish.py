"""Finish a run after the kept rows are written: tables, summary and report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whorl.corpus import Skipped
from whorl.engines.corpus import whole_files
from whorl.engines.decide import Decisions
from whorl.engines.job import DedupJob
from whorl.engines.local import write
from whorl.engines.local.cluster_list import write_cluster_list
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.seen import note_references
from whorl.engines.local.summary import (
    describe_inputs,
    describe_references,
    describe_skipped,
    sample_rejected,
)
from whorl.engines.local.unread import describe_unread
from whorl.engines.samples import sample_evidence
from whorl.engines.summary import RunOutcome, describe_run
from whorl.engines.tables import Tables
from whorl.reports.dedup import render_dedup_report

_FOLDERS = ("kept", "rejected")
_FILES = ("duplicates.parquet", "related.parquet", "clusters.parquet", "clusters.csv", "run.json", "report.html")


class Course(NamedTuple):
    """Timing and skipped files of a run.

    Attributes:
        started: start time.
        timings: seconds by stage.
        skipped: files in folders and globs that were not read.
    """

    started: datetime
    timings: Mapping[str, float]
    skipped: Sequence[Skipped]


def write_tables(tables: Tables, corpus: SegmentedCorpus, staging: Path) -> None:
    """Write rejected rows and the tables into ``staging``."""
    write.gather_rejected(corpus.input_segments, staging / "rejected")
    if corpus.references:
        copied = np.unique(tables.decisions.duplicate_of[~tables.decisions.kept])
        note_references(corpus, copied[copied < corpus.references], staging / "sketches")
    write.write_table(tables.duplicates(), staging / "duplicates.parquet")
    write.write_table(tables.related(), staging / "related.parquet")
    write.write_table(tables.clusters(), staging / "clusters.parquet")
    write_cluster_list(tables, staging / "clusters.csv")


def write_report(
    job: DedupJob, corpus: SegmentedCorpus, tables: Tables, course: Course, staging: Path
) -> dict[str, Any]:
    """Write the report into ``staging`` and return the run summary it shows."""
    outcome = RunOutcome(
        recipe=job.recipe,
        corpus=corpus,
        decisions=tables.decisions,
        compared=tables.compared,
        digests=corpus.column("digest"),
        lengths=corpus.column("length"),
        traits=corpus.traits,
        texts=corpus.texts(job.recipe.text),
        id_of=tables.label,
        repeated_ids=int(tables.repeated.sum()),
    )
    run = describe_run(outcome, course.started) | _describe_files(job, corpus, tables.decisions, course)
    page = render_dedup_report(run, sample_evidence(outcome, tables), sample_rejected(staging / "rejected"))
    (staging / "report.html").write_text(page, encoding="utf-8")
    return run


def _describe_files(job: DedupJob, corpus: SegmentedCorpus, decisions: Decisions, course: Course) -> dict[str, Any]:
    documents = np.arange(corpus.references, len(corpus.row))
    kept_files = np.bincount(corpus.file[documents[decisions.kept[documents]]], minlength=len(corpus.files))
    rows = Counter({name: int(count) for name, count in zip(corpus.files, kept_files, strict=True)})
    reasons: Counter[str] = Counter()
    for segment in corpus.input_segments:
        reasons.update(segment.reasons)
    references = corpus.segments[: len(corpus.segments) - len(corpus.input_segments)]
    return {
        "command": job.command,
        "inputs": describe_inputs(corpus.inputs, rows),
        "references": describe_references(whole_files(record for segment in references for record in segment.files)),
        "rejected_reasons": dict(reasons.most_common()),
        "unread": describe_unread(job.inputs, corpus.inputs),
        **describe_skipped(course.skipped),
        "timings": course.timings,
        "output": job.output,
        "outputs": {name: str(job.out / name) for name in _written(job)},
    }


def _written(job: DedupJob) -> Iterator[str]:
    """Return the names of the folders and files of a result."""
    return (name for name in (*_FOLDERS, *_FILES) if job.writes_rows or name != "kept")


__all__ = ["Course", "write_report", "write_tables"]
