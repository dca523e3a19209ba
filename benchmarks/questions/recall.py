"""Whether real copies are found, and whether anything else is removed.

Every figure that whorl gives is computed once more without it; they may differ where a text has traditional characters,
or lines that name who wrote it.
Without WHORL_DATA the pairs come from mutations of the example's articles, made by `whorl.evaluation`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.labelled import Labelled, labelled_sets
from benchmarks.measure import run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup
from benchmarks.score import removals_of_whorl, shares_found, similarities

_ROUNDING = 1e-12


def ask(settings: Settings) -> Answer:
    """Clean every set at every threshold of the targets."""
    rows = []
    origins = []
    for labelled in labelled_sets(settings["sets"], settings["seed"]):
        origins.append(labelled.origin)
        with scratch() as folder:
            path = folder / "articles.jsonl"
            _write(labelled, path)
            similarity = similarities(path, labelled.pairs)
            for target in settings["targets"]:
                say(f"recall: {labelled.name} at {target['threshold']}")
                wanted = labelled.pairs[similarity >= target["pairs_from"]]
                out = folder / f"out-{target['threshold']}"
                run(whorl_dedup(path, out, target["threshold"], settings["cores"]))
                row = {"set": labelled.name, "documents": len(labelled.texts), "pairs": len(wanted)}
                rows.append(row | target | {"target": target["recall"]} | _findings(path, out, wanted, target))
    return {"data": origins, "rows": rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    head = (
        "| set | articles | threshold | pairs, of similarity | at most one kept (target) | in one cluster | removed "
        "| below the threshold | figure differs | rows in = kept + duplicates + rejected |"
    )
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    for row in answer["rows"]:
        cells = [
            row["set"],
            f"{row['documents']:,}",
            f"{row['threshold']}",
            f"{row['pairs']:,} ≥ {row['pairs_from']}",
            f"{row['at_most_one_kept']:.4f} ({row['target']})",
            f"{row['recall']:.4f}",
            f"{row['removed']:,}",
            f"{row['below']:,}",
            f"{row['other_figures']:,}",
            "yes" if row["complete"] else "NO",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _write(labelled: Labelled, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row, text in enumerate(labelled.texts):
            file.write(json.dumps({"id": str(row), "text": text}, ensure_ascii=False) + "\n")


def _findings(path: Path, out: Path, wanted: Any, target: Mapping[str, float]) -> dict[str, Any]:
    import numpy as np
    import pyarrow.parquet as pq

    removals = removals_of_whorl(out)
    claimed = pq.read_table(out / "duplicates.parquet", columns=["similarity"])["similarity"].to_numpy()
    exact = similarities(path, np.array(list(removals.items()), np.int64).reshape(-1, 2))
    counts = json.loads((out / "run.json").read_text(encoding="utf-8"))["counts"]
    recall, at_most_one_kept = shares_found(wanted, removals)
    return {
        "recall": recall,
        "at_most_one_kept": at_most_one_kept,
        "removed": len(removals),
        "below": int((claimed < target["threshold"]).sum()),
        "other_figures": int((np.abs(claimed - exact) > _ROUNDING).sum()),
        "complete": counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"],
    }
