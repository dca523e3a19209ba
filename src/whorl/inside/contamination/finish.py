"""Describe a decontamination, and write its tables and its report."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.i18n import say_many
from whorl.inside.contamination.hits import REASONS
from whorl.inside.contamination.index import ItemIndex
from whorl.inside.contamination.rewriting import WrittenRows
from whorl.release import __version__
from whorl.reports.contamination import render_contamination

if TYPE_CHECKING:
    import pyarrow as pa

_SAMPLES = 200


def describe_run(
    figures: dict[str, Any],
    index: ItemIndex,
    action: str,
    started: datetime,
    written: WrittenRows,
    *,
    rejected: int,
    counted: Iterable[str],
    command: str = "",
) -> dict[str, Any]:
    """Return the content of ``run.json``.

    Args:
        figures: those of ``summarize``.
        index: the items.
        action: what is done with contaminated documents.
        started: the start of the run.
        written: counts of the written rows.
        rejected: number of rejected rows.
        counted: the reasons that count as contamination.
        command: the command line.
    """
    documents = figures["documents"]
    counts = {
        "rows": documents + rejected,
        "rejected": rejected,
        "kept": written.kept,
        "dropped": written.dropped,
        "changed": written.changed,
        "removed_characters": written.removed,
    }
    warnings = []
    if index.too_short:
        message = say_many(
            "{count:,} question is too short to be found without its choices",
            "{count:,} questions are too short to be found without their choices",
            index.too_short,
        )
        warnings.append({"message": str(message)})
    return {
        "whorl": __version__,
        "command": command,
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(time.time() - started.timestamp(), 3),
        "action": action,
        "counted": [reason for reason in REASONS if reason in counted],
        "counts": counts,
        "items": len(index),
        **figures,
        "warnings": warnings,
    }


def render_report(run: Mapping[str, Any], hits: pa.Table) -> str:
    """Return the report as one self-contained HTML page."""
    return render_contamination(run, hits.slice(0, _SAMPLES).to_pylist())


def write_result(run: Mapping[str, Any], hits: pa.Table, folder: Path) -> None:
    """Write the tables and the report into a folder."""
    import pyarrow.parquet as pq

    with (folder / "hits.parquet").open("wb") as file:
        pq.write_table(hits, file, compression="zstd")
    with (folder / "hits.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
        for batch in hits.to_batches():
            lines.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in batch.to_pylist())
    (folder / "report.html").write_text(render_report(run, hits), encoding="utf-8")


__all__ = ["describe_run", "render_report", "write_result"]
