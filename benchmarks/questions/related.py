"""Every algorithm and preset on texts of one subject and style: recall of editions, and wrong removals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import whorl
from benchmarks.questions import Answer, Settings, say
from benchmarks.questions.kinds import methods, with_interval
from benchmarks.related import related_sets


def ask(settings: Settings) -> Answer:
    """Deduplicate every set by every algorithm and preset."""
    rows, origins = [], []
    for related in related_sets():
        twins, light = len(related.twins), len(related.lightly_edited)
        origins.append(f"{related.origin}, {twins} pairs of editions, {light} of them lightly edited")
        documents = [{"id": document_id, "text": text} for document_id, text in related.texts.items()]
        for method in settings.get("methods", methods()):
            say(f"related: {related.name}, {method}")
            result = whorl.dedup(documents, method=method)
            removals = {row["id"]: row["duplicate_of"] for row in result.duplicates.to_pylist()}
            warned = [warning["kind"] for warning in result.run["warnings"]]
            row = {"set": related.name, "method": method, "removed": len(removals), "warnings": warned}
            rows.append(row | related.judged(removals))
    return {"data": origins, "rows": rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown, one table per set."""
    sets = dict.fromkeys(row["set"] for row in answer["rows"])
    parts = [_table(name, [row for row in answer["rows"] if row["set"] == name]) for name in sets]
    notes = (
        "Found are editions in one cluster. Lightly edited are those of which one has half of the smaller one's "
        "distinct runs of eight tokens. Some pages are near-copies of another one. A removal is wrong if both are of "
        "different pages, and the kept one has less than a tenth of the removed one's distinct runs of five tokens. "
        "Brackets hold 95% intervals."
    )
    return "\n\n".join([*parts, notes])


def _table(name: str, rows: list[Mapping[str, Any]]) -> str:
    head = (
        "| | removed | for another page | wrong | precision | editions found | lightly edited ones found | warned of |"
    )
    lines = [f"**{name}**", "", head, "|---|--:|--:|--:|--:|--:|--:|---|"]
    for row in rows:
        shares = " | ".join(with_interval(row[figure]) for figure in ("precision", "twins", "lightly_edited"))
        warned = ", ".join(row["warnings"]) or "–"
        counts = " | ".join(f"{row[figure]:,}" for figure in ("removed", "other_pages", "wrong"))
        lines.append(f"| {row['method']} | {counts} | {shares} | {warned} |")
    return "\n".join(lines)
