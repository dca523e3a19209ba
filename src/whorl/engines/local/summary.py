"""Parts of the run summary specific to files: the files, and samples of unreadable ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whorl.corpus import Skipped
from whorl.engines.corpus import FileRecord
from whorl.reports.evidence import RejectedSample

_REJECTED_SHOWN = 50
_EXCERPT_BYTES = 300
_UNSHOWN = frozenset((
    ".gz", ".zst", ".parquet", ".xlsx", ".docx", ".docm", ".odt", ".ott", ".epub", ".pdf", ".doc", ".dot", ".wps",
    ".wpt", ".pages",
))  # fmt: skip
"""Suffixes of binary files whose bytes are not shown."""
_SKIPPED_SHOWN = 1000


def describe_inputs(files: Sequence[FileRecord], rows: Counter[str]) -> list[dict[str, Any]]:
    """Return a line for each input file; ``rows`` counts the kept rows by file."""
    return [
        {
            "file": record.name,
            "path": record.address or record.path,
            "format": record.format,
            "compression": record.compression,
            "bytes": record.bytes,
            "modified": record.modified,
            "rows": record.documents + record.rejected,
            "kept": rows[record.name],
            "duplicates": record.documents - rows[record.name],
            "rejected": record.rejected,
            "fault": record.fault,
            **({"notices": record.notices} if record.notices else {}),
        }
        for record in files
    ]


def describe_references(files: Sequence[FileRecord]) -> list[dict[str, Any]]:
    """Return the path of each reference file."""
    return [
        {
            "file": record.name,
            "path": record.address or record.path,
            "format": record.format,
            "compression": record.compression,
        }
        for record in files
    ]


def describe_skipped(skipped: Sequence[Skipped]) -> dict[str, Any]:
    """Return the skipped files of folders and globs, counted by reason, with the first ones."""
    reasons = Counter(item.reason for item in skipped)
    first = [{"path": item.path, "reason": item.reason} for item in skipped[:_SKIPPED_SHOWN]]
    return {"skipped": {"count": len(skipped), "reasons": dict(reasons.most_common()), "first": first}}


def sample_rejected(folder: Path) -> list[RejectedSample]:
    """Return the first rejected rows with the beginning of their bytes, for uncompressed files."""
    samples = []
    positions: Counter[str] = Counter()
    with (folder / "rejected.jsonl").open(encoding="utf-8") as listing:
        for line, _ in zip(listing, range(_REJECTED_SHOWN), strict=False):
            entry = json.loads(line)
            excerpt = _excerpt(folder / entry["file"], positions[entry["file"]], entry["bytes"])
            positions[entry["file"]] += entry["bytes"] + 1
            samples.append(RejectedSample(entry["file"], entry["line"], entry["reason"], excerpt))
    return samples


def _excerpt(path: Path, position: int, size: int) -> str:
    if path.suffix in _UNSHOWN or not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(position)
        return file.read(min(size, _EXCERPT_BYTES)).decode("utf-8", errors="replace")


__all__ = ["describe_inputs", "describe_references", "describe_skipped", "sample_rejected"]
