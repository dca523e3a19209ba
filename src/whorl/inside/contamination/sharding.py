"""Find the items of benchmarks in files in shards: independent processes share a folder.

====== ============================ ============================================= ===============
stage  input of a shard             output                                        needs
====== ============================ ============================================= ===============
sketch part of the files            hits, and the rows that are documents         the input
write  the files that it scanned    changed files; the last one, tables           all sketches
====== ============================ ============================================= ===============

What depends on the whole corpus is the judgment of hits, which is small: the first shard that writes computes it, while
the others wait for it.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, KeptRejects, ReadOptions
from whorl.corpus.rejects import nothing_read
from whorl.engines.job import DedupJob
from whorl.engines.local.durable import files_below, is_as_written, sum_of, sync
from whorl.engines.local.folder import OutputFolder
from whorl.engines.progress import Progress
from whorl.engines.shards.run import Reached, Stages, run_shard
from whorl.engines.shards.sketching import ShardedRun, divided
from whorl.engines.shards.work import Shard, WorkFolder, file_name
from whorl.engines.shards.writing import WrittenFiles, write_shard
from whorl.engines.stages.columns import packed, unpacked
from whorl.errors import InputError
from whorl.inside.contamination.finish import describe_run, write_result
from whorl.inside.contamination.hits import Hit, HitTrace, hit_table
from whorl.inside.contamination.index import ItemIndex
from whorl.inside.contamination.judgment import Judgment
from whorl.inside.contamination.rewriting import Action, WrittenRows, write_files
from whorl.inside.contamination.scanning import ScannedFile, scan_files
from whorl.inside.contamination.summary import summarize
from whorl.recipe import Recipe

_JUDGED = "judged"
_LIST = "rejected.jsonl"


@frozen
class JudgedCorpus:
    """The scan of all shards.

    Attributes:
        judgment: what all documents say about the items.
        state: value that identifies the scan.
    """

    judgment: Judgment
    state: str


@frozen(eq=False)
class ShardedContamination:
    """A decontamination of files in shards.

    Attributes:
        index: the items.
        action: what is done with contaminated documents.
        counted: the reasons that count as contamination.
        column: the name of the column of tags.
        by: a column that names the source.
    """

    index: ItemIndex
    action: Action
    counted: frozenset[str]
    column: str
    by: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return everything that determines the result, as JSON values."""
        return {
            "benchmarks": self.index.digest,
            "action": self.action,
            "count": sorted(self.counted),
            "column": self.column,
            "by": self.by,
        }

    @property
    def stages(self) -> Stages:
        """What a shard does in each stage."""
        return {"sketch": self.sketch, "write": partial(write_shard, result=self)}

    def sketch(self, run: ShardedRun) -> None:
        """Scan the files of this shard."""
        work, number, recipe = run.work, run.shard.number, run.job.recipe
        if work.is_done("sketch", number, ""):
            return
        folder = work.folder("sketch", number)
        shutil.rmtree(folder, ignore_errors=True)
        sources = divided(run.survey.sources, run.shard.count)[number - 1]
        columns = Columns(recipe.text, recipe.id, others=self.by is not None)
        run.progress.stage("read", None, "documents")
        with KeptRejects(folder, on_error=run.job.on_error) as rejects:
            files, hits = scan_files(
                self.index, sources, columns, rejects, _options(recipe), by=self.by, progress=run.progress
            )
        rejected = files_below(folder)
        sync(rejected)
        name = file_name("sketch", number)
        sums = {path.relative_to(work.path).as_posix(): sum_of(path) for path in rejected}
        work.record(
            "sketch",
            number,
            "",
            {**sums, name: work.save(name, packed({**_file_arrays(files), "hits": _json_array(map(asdict, hits))}))},
            documents=sum(scanned.count for scanned in files),
            rejected=rejects.total,
            faults=[(name, error.message, error.hint) for name, error in rejects.unreadable.items()],
            first=[(bad.file, bad.reason) for bad in rejects.named[:1]],
        )

    def read(self, run: ShardedRun) -> JudgedCorpus:
        """Judge the hits of all shards; one process does it for all."""
        work = run.work
        state = work.state("sketch", "")
        _demand_documents(run)
        with work.claim(_JUDGED):
            if not work.is_done(_JUDGED, 1, state):
                judgment = Judgment.of(hit for number in _numbers(run) for hit in _hits(work, number))
                name = file_name(_JUDGED, 1)
                work.record(_JUDGED, 1, state, {name: work.save(name, packed(_judgment_arrays(judgment)))})
        arrays = work.load(_JUDGED, 1, unpacked)
        forms = zip(arrays["parts"].tolist(), arrays["gaps"].tolist(), strict=True)
        return JudgedCorpus(Judgment(frozenset(forms), frozenset(arrays["stock"].tolist())), state)

    def state(self, run: ShardedRun, sketches: JudgedCorpus) -> str:
        """Return a value that identifies the hits."""
        del run
        return sketches.state

    def write_files(self, run: ShardedRun, sketches: JudgedCorpus, folder: OutputFolder, scratch: Path) -> WrittenFiles:
        """Write the files of this shard again."""
        work, number = run.work, run.shard.number
        written, kept = WrittenRows(kept=int(work.manifest("sketch", number)["documents"])), list[Path]()
        if self.action != "report":
            hits = sketches.judgment.judged(list(_hits(work, number)), self.counted)
            counted = [hit for hit in hits if hit.counted]
            files = _scanned_files(run)
            written = write_files(files, counted, scratch, self.action, self.column, _options(run.job.recipe))
            for path in files_below(scratch):
                target = folder.staging / "kept" / path.relative_to(scratch)
                target.parent.mkdir(parents=True, exist_ok=True)
                kept.append(path.replace(target))
        name = _rows_name(number)
        return WrittenFiles(kept, {name: work.save(name, json.dumps(asdict(written)).encode())})

    def finish(self, run: ShardedRun, sketches: JudgedCorpus, folder: OutputFolder) -> dict[str, Any]:
        """Write the rejected rows, the tables and the report."""
        work, numbers = run.work, _numbers(run)
        if self.action != "report":
            (folder.staging / "kept").mkdir(exist_ok=True)
        _join_rejected(work, folder.staging / "rejected")
        hits = [hit for number in numbers for hit in sketches.judgment.judged(list(_hits(work, number)), self.counted)]
        written = WrittenRows.total([WrittenRows(**work.load("write", n, json.load, _rows_name(n))) for n in numbers])
        by_source = sum((Counter(counts) for number in numbers for *_, counts in _files(work, number)), Counter[str]())
        manifests = [work.manifest("sketch", number) for number in numbers]
        documents = sum(manifest["documents"] for manifest in manifests)
        described = describe_run(
            summarize(self.index.benchmarks, hits, documents, by_source),
            self.index,
            self.action,
            work.began,
            written,
            rejected=sum(manifest["rejected"] for manifest in manifests),
            counted=self.counted,
            command=run.job.command,
        ) | {"shards": {"count": run.shard.count}}
        write_result(described, hit_table(hits), folder.staging)
        return described


def run_contamination_shard(
    job: DedupJob, contamination: ShardedContamination, shard: Shard, progress: Progress | None = None
) -> Reached:
    """Run one shard of one stage of a decontamination; see ``run_shard``.

    Raises:
        UsageError: the folder contains other work, or an earlier stage is not done.
        InputError: a file cannot be read as requested, or has changed since the work began.

    Cost: all shards together cost as much as a decontamination in one process. Memory: the index of the items; of the
    first that writes, the hits of one shard; of the last, all hits.
    """
    return run_shard(job, shard, progress, stages=contamination.stages, details=contamination.as_dict())


def _options(recipe: Recipe) -> ReadOptions:
    return ReadOptions(recipe.encoding, text=recipe.text)


def _numbers(run: ShardedRun) -> range:
    return range(1, run.shard.count + 1)


def _rows_name(number: int) -> str:
    return f"write/{number:05d}/rows.json"


def _json_array(values: Any) -> NDArray[np.uint8]:
    data = json.dumps(list(values), ensure_ascii=False).encode("utf-8", "surrogatepass")
    return np.frombuffer(data, np.uint8)


def _file_arrays(files: Sequence[ScannedFile]) -> dict[str, NDArray[Any]]:
    """Return what is stored of scanned files."""
    described = [(scanned.source.name, scanned.columns, scanned.count, scanned.documents) for scanned in files]
    rows = [rows for scanned in files for rows in scanned.rows]
    return {"files": _json_array(described), "rows": np.concatenate([np.empty(0, np.int64), *rows])}


def _files(work: WorkFolder, number: int) -> list[Any]:
    """Return name, columns, number of documents, and documents by source of the files of a shard."""
    return list(work.load("sketch", number, partial(_values, name="files")))


def _scanned_files(run: ShardedRun) -> list[ScannedFile]:
    """Return the files of this shard with their rows."""
    work, number = run.work, run.shard.number
    rows = work.load("sketch", number, lambda file: unpacked(file, "rows"))["rows"]
    sources = {source.name: source for source in run.survey.sources}
    files, first = [], 0
    for name, columns, count, _ in _files(work, number):
        files.append(ScannedFile(sources[name], tuple(columns), [rows[first : first + count]]))
        first += count
    return files


def _hits(work: WorkFolder, number: int) -> Iterator[Hit]:
    """Yield the hits of a shard before the judgment."""
    for values in work.load("sketch", number, partial(_values, name="hits")):
        yield Hit(**{**values, "extent": tuple(values["extent"]), "trace": HitTrace(**values["trace"])})


def _values(file: IO[bytes], name: str) -> Any:
    return json.loads(unpacked(file, name)[name].tobytes().decode("utf-8", "surrogatepass"))


def _judgment_arrays(judgment: Judgment) -> dict[str, NDArray[Any]]:
    forms = sorted(judgment.forms)
    return {
        "parts": np.array([part for part, _ in forms], np.int64),
        "gaps": np.array([gaps for _, gaps in forms], np.uint64),
        "stock": np.array(sorted(judgment.stock), np.int64),
    }


def _demand_documents(run: ShardedRun) -> None:
    """Refuse inputs without a readable row, unless bad rows are skipped.

    Raises:
        InputError: the error of the largest unreadable file, or of the first rejected row.
    """
    manifests = [run.work.manifest("sketch", number) for number in _numbers(run)]
    if run.job.on_error == "skip" or any(manifest["documents"] for manifest in manifests):
        return
    faults = {name: (message, hint) for manifest in manifests for name, message, hint in manifest["faults"]}
    if faults:
        largest = max((source for source in run.survey.sources if source.name in faults), key=lambda file: file.size)
        message, hint = faults[largest.name]
        raise InputError(message, hint=hint)
    for file, reason in [rejection for manifest in manifests for rejection in manifest["first"]]:
        raise nothing_read(file, sum(manifest["rejected"] for manifest in manifests), reason)


def _join_rejected(work: WorkFolder, folder: Path) -> None:
    """Copy the rejected rows of all shards, and join their lists."""
    folder.mkdir()
    with (folder / _LIST).open("wb") as joined:
        for number in range(1, work.shard.count + 1):
            of_shard = work.folder("sketch", number)
            if not is_as_written(work.path, work.manifest("sketch", number)["sums"]):
                raise work.damaged(of_shard, "sketch", number)
            for path in files_below(of_shard):
                target = folder / path.relative_to(of_shard)
                if target == folder / _LIST:
                    joined.write(path.read_bytes())
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)


__all__ = ["ShardedContamination", "run_contamination_shard"]
