"""Learn boilerplate: a list of the text that many documents of a site share, for a person to review."""

from __future__ import annotations

import csv
import json
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.atomic_file import appearing
from whorl.engines.job import DedupJob
from whorl.engines.local.begin import survey_inputs
from whorl.engines.local.cluster_list import ROWS
from whorl.engines.local.folder import OutputFolder, fetched_beside
from whorl.engines.local.unread import demand_read, describe_unread
from whorl.engines.progress import Progress, Silent
from whorl.engines.workers import bounded
from whorl.inside.approved import FORMULAS, LIST_COLUMNS
from whorl.inside.cuts import CutBlock
from whorl.inside.labels import Labels, read_labels
from whorl.inside.search import Strip
from whorl.inside.searching import describe_search, search_corpus
from whorl.inside.tables import UNITS, CutTables
from whorl.release import __version__

if TYPE_CHECKING:
    pass

_LOG = logging.getLogger("whorl.inside")
_EXAMPLES = 3
_MAX_CHARACTERS = 30_000
"""Spreadsheets cut cells of more than 32,767 characters, and a text that is cut off would not be found again."""


@dataclass(slots=True)
class _Text:
    """A repeated text of a site."""

    site: int
    digest: bytes
    text: str
    documents: int = 0
    occurrences: int = 0
    examples: list[int] = field(default_factory=list)


class BoilerplateTally:
    """Counts in how many documents of each site each text is.

    Args:
        tables: the names of the documents.
        scopes: the site of each document; the same for all if sites are not told apart.
        sites: the sites that are counted.
    """

    def __init__(self, tables: CutTables, scopes: Labels, sites: Labels) -> None:
        self._tables = tables
        self._scopes = scopes
        self._scope_of = scopes.scopes
        self._sites = sites
        self._texts: dict[int, _Text] = {}
        self._sites_of: dict[bytes, set[int]] = {}
        self.too_long = 0

    def add(self, block: CutBlock) -> None:
        """Count the repeated text of a block of documents; blocks ascend by rank."""
        columns = block.columns
        if not len(columns["rank"]):
            return
        texts = block.texts
        documents, _, _ = self._tables.documents(block)
        scopes, sites = self._scopes.numbers[documents], self._sites.numbers[documents]
        digests = np.frombuffer(memoryview(_core.exact(texts)[0]), np.uint8).reshape(len(texts), -1)
        halves = np.ascontiguousarray(digests[:, :8]).view(np.uint64).ravel()
        keys = halves ^ self._scope_of[documents]
        different, first, places, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        pairs = np.unique(places.astype(np.uint64) << np.uint64(32) | columns["rank"].astype(np.uint64))
        owners = (pairs >> np.uint64(32)).astype(np.int64)
        bounds = np.searchsorted(owners, np.arange(len(different) + 1))
        in_order = self._tables.order[(pairs & np.uint64(0xFFFF_FFFF)).astype(np.int64)]
        for number, key in enumerate(different.tolist()):
            place, (start, end) = int(first[number]), bounds[number : number + 2].tolist()
            entry = self._texts.get(key)
            if entry is None:
                entry = _Text(int(scopes[place]), digests[place].tobytes(), texts[place].as_py())
                self._texts[key] = entry
            entry.documents += end - start
            entry.occurrences += int(counts[number])
            entry.examples += in_order[start : min(end, start + _EXAMPLES - len(entry.examples))].tolist()
        for place, site in set(zip(places.tolist(), sites.tolist(), strict=True)):
            self._sites_of.setdefault(digests[first[place]].tobytes(), set()).add(site)

    def rows(self, min_documents: int, *, counts_sites: bool) -> list[dict[str, Any]]:
        """Return the rows of the list: large sites first, and within each the text of most documents."""
        names, ids, unit = self._scopes.names, self._tables.ids, self._tables.unit
        sizes = np.bincount(self._scopes.numbers, minlength=len(names)).tolist()
        rows = []
        for text in self._texts.values():
            if text.documents < min_documents:
                continue
            if len(text.text) > _MAX_CHARACTERS:
                self.too_long += 1
                continue
            rows.append(
                {
                    "decision": "",
                    "site": names[text.site],
                    "documents": text.documents,
                    "share": round(text.documents / sizes[text.site], 4),
                    "sites": len(self._sites_of[text.digest]) if counts_sites else None,
                    "occurrences": text.occurrences,
                    "text": text.text,
                    "unit": unit,
                    "examples": [ids[document].as_py() for document in text.examples],
                }
            )
        size = dict(zip(names, sizes, strict=True))
        rows.sort(key=lambda row: (-size[row["site"]], row["site"], -row["documents"], -len(row["text"]), row["text"]))
        return rows


def learn_files(job: DedupJob, strip: Strip, path: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Write the list of repeated texts of files, and return its figures.

    Args:
        job: the files; ``job.out`` is the folder of the work, which is deleted at the end. An interrupted run
            continues there.
        strip: what to search for; ``strip.repeats`` is the minimum number of documents of a site with a text.
        path: the list, CSV or JSON Lines by its suffix.
        progress: receives the progress.

    Raises:
        InputError: a file cannot be read as requested or changed during the run, a bad row stops it, or an input has no
            readable row, unless bad rows are skipped.

    Cost: as for stripping the files, and about 400 bytes of memory for each text of the list.
    """
    progress = progress or Silent()
    with bounded(job.workers):
        inputs = survey_inputs(job, progress)
        with OutputFolder(job.out, describe_search(job, strip, inputs.sources)) as folder:
            search, scopes = search_corpus(job, strip, folder, inputs.sources, progress, _timed)
            corpus = search.corpus
            rejected = sum(record.rejected for record in corpus.inputs)
            counts = {"files": len(corpus.inputs), "rows": len(corpus.row) + rejected, "rejected": rejected}
            sites = read_labels(corpus, job.recipe, strip.by) if strip.by and not strip.per else scopes
            tally = BoilerplateTally(CutTables(corpus, search.order, UNITS[strip.inside]), scopes, sites)
            for block in search.blocks():
                tally.add(block)
            rows = tally.rows(strip.repeats, counts_sites=bool(strip.per or strip.by))
            if len(corpus.row) or job.on_error != "auto":
                write_list(rows[:ROWS], path)
        shutil.rmtree(job.out, ignore_errors=True)
        shutil.rmtree(fetched_beside(job.out), ignore_errors=True)
    if job.on_error == "auto":
        demand_read({"unread": describe_unread(job.inputs, corpus.inputs), "counts": counts})
    return {
        "whorl": __version__,
        "command": job.command,
        "strip": strip.as_dict(),
        "counts": {
            **counts,
            "sites": len(np.unique(scopes.numbers)) if strip.per else None,
            "texts": min(len(rows), ROWS),
            "sites_with_texts": len({row["site"] for row in rows}) if strip.per else None,
            "omitted": max(0, len(rows) - ROWS),
            "too_long": tally.too_long,
        },
        "outputs": {"list": str(path)},
    }


def write_list(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a list of boilerplate. CSV is UTF-8 with a byte order mark, as spreadsheets expect it."""
    with appearing(path) as place:
        if path.suffix.lower() == ".csv":
            with place.open("w", encoding="utf-8-sig", newline="", errors="replace") as file:
                writer = csv.writer(file)
                writer.writerow(LIST_COLUMNS)
                writer.writerows([_cell(row[name]) for name in LIST_COLUMNS] for row in rows)
        else:
            with place.open("w", encoding="utf-8", newline="\n", errors="replace") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _cell(value: Any) -> Any:
    """Return a value as a cell that no spreadsheet takes for a formula."""
    if isinstance(value, list):
        value = " | ".join(value)
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULAS) else value
    return "" if value is None else value


@contextmanager
def _timed(stage: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    _LOG.info("%s: %.3f s", stage, time.perf_counter() - begun)


__all__ = ["BoilerplateTally", "learn_files", "write_list"]
