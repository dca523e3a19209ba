"""Finish a run after the changed files are written: tables, summary and report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.engines.job import DedupJob
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.finish import Course
from whorl.engines.local.summary import describe_inputs, describe_skipped
from whorl.engines.local.unread import describe_unread
from whorl.engines.local.write import gather_rejected, write_table
from whorl.engines.ranking import keep_rule
from whorl.engines.summary import versions
from whorl.inside.edits import CorpusEdits
from whorl.inside.labels import Labels
from whorl.inside.search import Strip
from whorl.inside.searching import CorpusCuts
from whorl.inside.tables import UNITS, CutTables, DroppedDocuments
from whorl.inside.tally import CutTally
from whorl.release import __version__
from whorl.reports.strip import render_strip_report

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FILES = ("cuts.parquet", "dropped.parquet", "run.json", "report.html")
_FOLDERS = ("kept", "rejected")


@frozen(eq=False)
class StripOutcome:
    """What a run cut.

    Attributes:
        cuts: the repeated text.
        changes: what is changed in which document.
        tables: the names of the documents.
        labels: the source of each document; None is its file.
    """

    cuts: CorpusCuts
    changes: CorpusEdits
    tables: CutTables
    labels: Labels | None


def write_tables(cuts: CorpusCuts, strip: Strip, dropped: DroppedDocuments, staging: Path) -> CutTables:
    """Write rejected rows and the tables into ``staging``."""
    tables = CutTables(cuts.corpus, cuts.order, UNITS[strip.inside], is_listed=strip.approved is not None)
    write_table(tables.cuts(cuts.blocks()), staging / "cuts.parquet")
    write_table(iter([tables.dropped(dropped)]), staging / "dropped.parquet")
    if cuts.repetitions is not None:
        write_table(iter([tables.repetition(cuts.repetitions)]), staging / "repetition.parquet")
    gather_rejected(cuts.corpus.input_segments, staging / "rejected")
    return tables


def write_report(run: dict[str, Any], staging: Path) -> None:
    """Write the report of a run into ``staging``."""
    (staging / "report.html").write_text(render_strip_report(run), encoding="utf-8")


def describe_strip(job: DedupJob, strip: Strip, outcome: StripOutcome, course: Course) -> dict[str, Any]:
    """Return the contents of ``run.json``."""
    cuts, changes = outcome.cuts, outcome.changes
    corpus = cuts.corpus
    tally = CutTally(outcome.tables, _by_file(corpus) if outcome.labels is None else outcome.labels)
    for block in cuts.blocks():
        tally.add(block)
    dropped = np.zeros(len(corpus.row), np.bool_)
    dropped[changes.dropped.documents] = True
    rows = Counter(dict(zip(corpus.files, _by_number(corpus.file[~dropped], len(corpus.files)), strict=True)))
    rejected = sum(record.rejected for record in corpus.inputs)
    letters = int(corpus.column("length").sum(dtype=np.int64))
    reasons: Counter[str] = Counter()
    for segment in corpus.input_segments:
        reasons.update(segment.reasons)
    return {
        "whorl": __version__,
        "started": course.started.isoformat(timespec="seconds"),
        "versions": versions(),
        "command": job.command,
        "strip": strip.as_dict(),
        "keep": keep_rule(job.recipe, corpus.traits) if strip.keeps else "none",
        "text": list(job.recipe.text),
        "counts": {
            "files": len(corpus.inputs),
            "rows": len(corpus.row) + rejected,
            "kept": len(corpus.row) - int(dropped.sum()),
            "changed": len(changes.documents) - changes.dropped.short,
            "dropped": len(changes.dropped.documents),
            "repetitive": len(changes.dropped.documents) - changes.dropped.short,
            "rejected": rejected,
            "letters": letters,
        },
        **tally.as_dict(letters),
        **({} if strip.approved is None else {"approved": tally.approved(strip.approved)}),
        "hot_keys": {"count": cuts.hot.keys, "places": cuts.hot.places},
        "refuted": cuts.refuted,
        "warnings": [],
        "hint": None,
        "inputs": describe_inputs(corpus.inputs, rows),
        "rejected_reasons": dict(reasons.most_common()),
        "unread": describe_unread(job.inputs, corpus.inputs),
        **describe_skipped(course.skipped),
        "timings": course.timings,
        "outputs": {name: str(job.out / name) for name in (*_FOLDERS, *_files(strip))},
    }


def _files(strip: Strip) -> tuple[str, ...]:
    return _FILES if strip.repetition is None else (*_FILES, "repetition.parquet")


def _by_file(corpus: SegmentedCorpus) -> Labels:
    """Return the file of each document as its source."""
    return Labels(corpus.file.astype(np.uint32) + np.uint32(1), ("", *corpus.files))


def _by_number(numbers: NDArray[np.uint32], count: int) -> list[int]:
    counted: list[int] = np.bincount(numbers, minlength=count).tolist()
    return counted


__all__ = ["StripOutcome", "describe_strip", "write_report", "write_tables"]
