"""Output folder of text reuse: tables, graphs, the page and ``run.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from whorl._internal.atomic_folder import appearing_folder
from whorl.reports.cohort.tables import FORMULA
from whorl.reports.reuse.page import ShownReuse, render_reuse
from whorl.tasks.reuse.graphs import write_gexf, write_graphml
from whorl.types.reuse import TABLES, Reuse

if TYPE_CHECKING:
    from whorl.i18n import Language

RUN = "run.json"
_FORMULA = rf"\A([{re.escape(''.join(FORMULA))}])"


def write_outputs(
    out: Path,
    result: Reuse,
    strongest: Sequence[ShownReuse],
    *,
    title: str,
    language: Language | None,
    command: str,
) -> dict[str, Any]:
    """Write all files of a run, and return ``run.json`` with the digests of the files.

    Raises:
        UsageError: ``out`` is not free.
    """
    with appearing_folder(out) as folder:
        with ThreadPoolExecutor() as pool:
            writing = [
                *(pool.submit(_write_table, getattr(result, name), folder, name) for name in TABLES),
                pool.submit(write_gexf, result.graph, folder / "graph.gexf"),
                pool.submit(write_graphml, result.graph, folder / "graph.graphml"),
            ]
            for written in writing:
                written.result()
        page = render_reuse(result, strongest, title=title, language=language, command=command)
        (folder / "index.html").write_text(page, "utf-8", errors="replace")
        run = dict(result.run) | {"files": {path.name: _digest(path) for path in sorted(folder.iterdir())}}
        (folder / RUN).write_text(json.dumps(run, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return run


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write_table(table: pa.Table, folder: Path, name: str) -> None:
    pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    _write_csv(table, folder / f"{name}.csv")


def _write_csv(table: pa.Table, path: Path) -> None:
    """Write CSV with a byte order mark; text that a spreadsheet would take for a formula begins with an apostrophe."""
    columns = [
        pc.replace_substring_regex(column, _FORMULA, r"'\1") if _has_formula(column) else column
        for column in table.columns
    ]
    with path.open("wb") as file:
        file.write(b"\xef\xbb\xbf")
        pa_csv.write_csv(pa.table(columns, names=table.column_names), file)


def _has_formula(column: pa.ChunkedArray) -> bool:
    """Return True if a spreadsheet would evaluate a text of the column."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    return any(pc.any(pc.starts_with(column, start)).as_py() for start in FORMULA)


__all__ = ["RUN", "write_outputs"]
