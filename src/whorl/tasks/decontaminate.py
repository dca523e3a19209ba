"""Find the items of benchmarks in a corpus, and tag, cut or drop the documents that contain them."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Required, Self, TypedDict, overload

import numpy as np

from whorl._internal.atomic_file import appearing
from whorl.corpus import Columns, KeptRejects, ReadOptions, Rejects
from whorl.corpus.rejects import OnError
from whorl.engines.memory.sources import hold, is_spark
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say, say_many
from whorl.inside.contamination.benchmarks import BenchmarkPath, items_of_rows, read_benchmark
from whorl.inside.contamination.fields import FieldColumns
from whorl.inside.contamination.hits import COUNTED, REASONS, DocumentPlace, Hit, hit_of, hit_table
from whorl.inside.contamination.index import ItemIndex, is_saved, load_items
from whorl.inside.contamination.judgment import judge
from whorl.inside.contamination.memory import cut_documents, item_ranges, tagged_documents
from whorl.inside.contamination.rewriting import ACTIONS, Action, WrittenRows, write_files
from whorl.inside.contamination.scanning import ScannedFile, scan_files, source_of
from whorl.inside.contamination.summary import summarize
from whorl.recipe import Recipe
from whorl.release import __version__
from whorl.reports.contamination import render_contamination
from whorl.tasks import Progress, Silent
from whorl.tasks.library.arguments import Place, Places, Texts, places, selected, strings
from whorl.types.frames import KeptT

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa

    from whorl.types.frames import FrameT_co, LazyQuery, SourceT

RUN = "run.json"
_WORK = ".whorl"
_SAMPLES = 200

Against = Place | ItemIndex | Mapping[str, Any] | Iterable[Place]
"""Benchmarks: paths, ``NAME=PATH``, a mapping of names to paths or rows, or an index."""


class DecontaminationOptions(TypedDict, total=False):
    """The options of ``whorl.decontaminate``."""

    against: Required[Against]
    against_text: Texts | None
    against_id: str | None
    action: Action
    text: Texts | None
    id: str | None
    by: str | None
    count: Sequence[str] | None
    column: str
    workers: int | None


@dataclass(frozen=True, slots=True)
class DecontaminationRun:
    """Result of ``whorl.decontaminate_files``.

    >>> import whorl
    >>> quiz, corpus = "examples/decontamination/quiz.jsonl", "examples/newsroom/articles.jsonl"
    >>> run = whorl.decontaminate_files(corpus, against=[quiz], against_text=["question"])
    >>> run.out is None, run.run["contaminated"]
    (True, 0)

    Attributes:
        out: the output folder; None without one.
        run: the figures, as ``run.json`` has them.
        hits: a row for each hit.
    """

    out: Path | None
    run: Mapping[str, Any]
    hits: pa.Table

    @property
    def warnings(self) -> list[Mapping[str, Any]]:
        """Warnings about the result, each with a ``message`` in English."""
        return list(self.run["warnings"])

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return render_contamination(self.run, self.hits.slice(0, _SAMPLES).to_pylist())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return dict(self.run)


@dataclass(frozen=True, slots=True)
class Decontamination(Generic[KeptT]):
    """Result of ``whorl.decontaminate``.

    >>> import whorl
    >>> items = [{"question": "Which river flows through the old town of Vesterholm?", "answer": "the Aln"}]
    >>> texts = ["Quiz: which river flows through the old town of Vesterholm? It is the Aln.", "Rain tomorrow."]
    >>> result = whorl.decontaminate(texts, against={"quiz": items}, action="drop")
    >>> result.documents
    ['Rain tomorrow.']
    >>> result.hits.select(["item", "reason", "answer_found"]).to_pylist()
    [{'item': '1', 'reason': 'verbatim', 'answer_found': True}]

    Attributes:
        documents: the documents in the type of the source: all of them, those that are left, or with changes.
        hits: a row for each hit.
        run: the figures, as ``run.json`` of a run has them.
    """

    documents: KeptT
    hits: pa.Table
    run: Mapping[str, Any]

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return render_contamination(self.run, self.hits.slice(0, _SAMPLES).to_pylist())


@overload
def decontaminate(source: SourceT, **options: Unpack[DecontaminationOptions]) -> Decontamination[SourceT]: ...


@overload
def decontaminate(
    source: LazyQuery[FrameT_co], **options: Unpack[DecontaminationOptions]
) -> Decontamination[FrameT_co]: ...


@overload
def decontaminate(
    source: Iterable[str | Mapping[str, Any]], **options: Unpack[DecontaminationOptions]
) -> Decontamination[list[Any]]: ...


@overload
def decontaminate(source: Any, **options: Unpack[DecontaminationOptions]) -> Decontamination[Any]: ...


def decontaminate(
    source: Any,
    *,
    against: Against,
    against_text: Texts | None = None,
    against_id: str | None = None,
    action: Action = "report",
    text: Texts | None = None,
    id: str | None = None,
    by: str | None = None,
    count: Sequence[str] | None = None,
    column: str = "contamination",
    workers: int | None = None,
) -> Decontamination[Any]:
    """Find the items of benchmarks in documents in memory, and tag, cut or drop the documents that contain them.

    >>> import whorl
    >>> item = {"id": "q1", "question": "How many machines did the ice house of the harbour buy this summer?"}
    >>> texts = ["How many machines did the ice house of the harbour buy this summer? Two.", "Rain tomorrow."]
    >>> whorl.decontaminate(texts, against={"quiz": [item]}, against_text=["question"]).run["contaminated"]
    1

    Args:
        source: as for ``whorl.dedup``. For files use ``whorl.decontaminate_files``.
        against: benchmarks: paths or ``NAME=PATH``, a mapping of names to paths or to rows, or an index.
        against_text: the fields of the items, such as ``["question", "choices=opts", "answer"]``; default: columns with
            usual names.
        against_id: the column of item ids; default: a usual name, else the row number.
        action: "report" leaves the documents as they are, "tag" adds a column, "cut" removes the sentences with the
            item, and documents of which nothing is left, "drop" the documents.
        text: the column or columns that make up the text; default "text".
        id: the column of document ids; default "id" if it exists.
        by: a column that names the source, such as "meta.source"; only for dicts.
        count: the reasons that count as contamination; default "verbatim" and "edited".
        column: the name of the column that "tag" adds.
        workers: threads of this call; None uses all cores.

    Raises:
        UsageError: the arguments contradict each other.
        InputError: the documents or a benchmark cannot be read as requested.
    """
    started = datetime.now(UTC)
    counted = _demand(action, count)
    if is_spark(source):
        raise UsageError(
            say("a Spark DataFrame is not supported"), hint=say("write it to Parquet and use decontaminate_files")
        )
    columns = strings(text) or ("text",)
    source = list(source) if isinstance(source, Iterator) else source
    with bounded(workers):
        index = item_index(against, against_text, against_id)
        recipe = Recipe().changed(text=columns, id=id)
        documents_read = hold(source, recipe)
        rows = documents_read.rows
        sources = [""] * len(rows)
        if by is not None and isinstance(source, list | tuple):
            sources = [source_of(row, by) if isinstance(row, Mapping) else "" for row in source]
        hits = judge(_memory_hits(index, rows, sources), counted)
    by_row: dict[int, list[Hit]] = defaultdict(list)
    for hit in hits:
        if hit.counted:
            by_row[hit.row].append(hit)
    is_left = np.ones(len(rows), np.bool_)
    documents, dropped, written = source, list[int](), WrittenRows()
    if action == "drop":
        dropped = list(by_row)
    elif action == "cut":
        ranges, dropped = item_ranges(rows.texts, by_row)
        documents = cut_documents(documents_read.select(is_left), ranges, columns)
        written.removed = sum(end - start for row in ranges.keys() - set(dropped) for start, end in ranges[row])
    elif action == "tag":
        documents = tagged_documents(documents_read.select(is_left), by_row, len(rows), column)
    written.kept, written.dropped = len(rows) - len(dropped), len(dropped)
    written.changed = len(by_row) - len(dropped) if action in ("tag", "cut") else 0
    if dropped:
        is_left[dropped] = False
        documents = hold(documents, recipe).select(is_left)
    documents_of = Counter(sources) if by is not None else Counter[str]()
    figures = summarize(index.benchmarks, hits, len(rows), documents_of)
    run = _run(figures, index, action, started, written, rejected=0, counted=counted)
    return Decontamination(documents, hit_table(hits), run)


def _memory_hits(index: ItemIndex, rows: Any, sources: Sequence[str]) -> list[Hit]:
    hits: list[Hit] = []
    for core_hit in index.scan(rows.texts):
        document = core_hit.document
        place = DocumentPlace(rows.ids[document] or str(document), "memory", document, sources[document])
        hits.append(hit_of(index, core_hit, rows.text(document), place))
    return hits


def decontaminate_files(
    inputs: Places,
    out: Place | None = None,
    *,
    against: Against,
    against_text: Texts | None = None,
    against_id: str | None = None,
    action: Action = "report",
    text: Texts | None = None,
    id: str | None = None,
    by: str | None = None,
    count: Sequence[str] | None = None,
    column: str = "contamination",
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    on_error: OnError = "auto",
    save_index: Place | None = None,
    workers: int | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> DecontaminationRun:
    """Find the items of benchmarks in files, and write the files again without them or with tags.

    >>> import whorl
    >>> quiz = "examples/decontamination/quiz.jsonl"
    >>> result = whorl.decontaminate_files(
    ...     "examples/decontamination/corpus.jsonl", "without-quiz", against=quiz, action="drop"
    ... )
    >>> result.run["counts"]["dropped"] == result.run["contaminated"]
    True

    Args:
        inputs: files, folders and globs.
        out: a new folder for the result; may be left out for the action "report".
        against: benchmarks: files, folders, globs or folders of a saved index, each also as ``NAME=PATH``.
        against_text: as for ``decontaminate``.
        against_id: as for ``decontaminate``.
        action: as for ``decontaminate``.
        text: the column or columns that make up the text; default "text".
        id: the column of document ids; default "id" if it exists.
        by: a column that names the source, such as "meta.source".
        count: as for ``decontaminate``.
        column: as for ``decontaminate``.
        encoding: the encoding of text, HTML, JSON Lines and CSV files; None detects it.
        include: in folders and globs, read only files whose relative path matches.
        exclude: in folders and globs, skip files whose relative path matches.
        on_error: as for ``whorl.dedup_files``.
        save_index: a folder for the index of the benchmarks, to use as ``against`` later.
        workers: threads; None uses all cores.
        command: the command line, for the report.
        progress: receives reports of progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` is not empty.
        InputError: the corpus or a benchmark cannot be read as requested.
    """
    started, progress = datetime.now(UTC), progress or Silent()
    counted, paths = _demand(action, count), places(inputs)
    if action != "report" and out is None:
        raise UsageError(say("`action={action}` needs an output folder", action=action), hint=say("add `out`"))
    if action != "report" and "-" in paths:
        raise UsageError(
            say("standard input can only be reported on"), hint=say("save it to a file, or use `action=report`")
        )
    folder = None if out is None else _Output(Path(fspath(out)))
    options = ReadOptions(encoding, text=strings(text) or ("text",))
    columns = Columns(strings(text) or ("text",), id, others=by is not None)
    with bounded(workers), folder or nullcontext():
        index = item_index(against, against_text, against_id)
        if save_index is not None:
            index.save(Path(fspath(save_index)))
        rejects = Rejects(on_error=on_error) if folder is None else KeptRejects(folder.rejected, on_error=on_error)
        with rejects if isinstance(rejects, KeptRejects) else nullcontext():
            progress.stage("read", None, "documents")
            selection = selected(include, exclude)
            files, hits = scan_files(
                index, paths, columns, rejects, options, by=by, selection=selection, progress=progress
            )
        hits = judge(hits, counted)
        documents = sum(scanned.count for scanned in files)
        written = WrittenRows(kept=documents)
        if folder is not None and action != "report":
            contaminated = [hit for hit in hits if hit.counted]
            written = write_files(files, contaminated, folder.kept, action, column, options)
        figures = summarize(index.benchmarks, hits, documents, _documents_of(files))
        run = _run(figures, index, action, started, written, rejected=rejects.total, counted=counted)
        run["command"] = command
        result = DecontaminationRun(None if folder is None else folder.path, run, hit_table(hits))
        if folder is not None:
            folder.publish(result)
    return result


def item_index(against: Against, against_text: Texts | None = None, against_id: str | None = None) -> ItemIndex:
    """Return the index of benchmarks.

    Raises:
        UsageError: there is no benchmark, or two have the same name.
        InputError: a benchmark cannot be read.
    """
    if isinstance(against, ItemIndex):
        return against
    names = [name for entry in strings(against_text) or () for name in entry.split(",") if name.strip()]
    fields = FieldColumns.named([name.strip() for name in names]) if names else None
    benchmarks: list[tuple[str, Any]] = (
        list(against.items()) if isinstance(against, Mapping) else [("", path) for path in places(against)]
    )
    if not benchmarks:
        raise UsageError(say("`against` names no benchmark"), hint=say("name one or more files or folders"))
    items, names_of_benchmarks = [], set[str]()
    for name, value in benchmarks:
        if isinstance(value, str | PathLike) and is_saved(Path(fspath(value).partition("=")[2] or fspath(value))):
            several = load_items(Path(fspath(value).partition("=")[2] or fspath(value)))
        elif isinstance(value, str | PathLike):
            benchmark = BenchmarkPath(name, fspath(value)) if name else BenchmarkPath.of(fspath(value))
            several = read_benchmark(benchmark, fields, against_id, ReadOptions())
        else:
            several = items_of_rows(name, value, fields, against_id)
        here = {item.benchmark for item in several}
        if here & names_of_benchmarks:
            raise UsageError(
                say("two benchmarks are called {name!r}", name=min(here & names_of_benchmarks)),
                hint=say("give each its own name: NAME=PATH"),
            )
        names_of_benchmarks |= here
        items += several
    return ItemIndex(items)


def _demand(action: str, count: Sequence[str] | None) -> frozenset[str]:
    """Return the reasons that count.

    Raises:
        UsageError: the action or a reason is unknown.
    """
    if action not in ACTIONS:
        raise UsageError(say("unknown action {action!r}", action=action), hint=say("use report, tag, cut or drop"))
    count = COUNTED if count is None else count
    unknown = [reason for reason in count if reason not in REASONS]
    if isinstance(count, str) or unknown:
        raise UsageError(
            say("`count`: unknown reason {reason!r}", reason=count if isinstance(count, str) else unknown[0]),
            hint=say("use one or more of {names}", names=", ".join(REASONS)),
        )
    return frozenset(count)


def _documents_of(files: Iterable[ScannedFile]) -> Counter[str]:
    return sum((scanned.documents for scanned in files), Counter[str]())


def _run(
    figures: dict[str, Any],
    index: ItemIndex,
    action: str,
    started: datetime,
    written: WrittenRows,
    *,
    rejected: int,
    counted: Iterable[str],
) -> dict[str, Any]:
    """Return the content of ``run.json``."""
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
        "command": "",
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(time.time() - started.timestamp(), 3),
        "action": action,
        "counted": [reason for reason in REASONS if reason in counted],
        "counts": counts,
        "items": len(index),
        **figures,
        "warnings": warnings,
    }


class _Output:
    """The output folder. Everything is written below ``OUT/.whorl`` and moved when it is complete, ``run.json`` last.

    Used as a context manager, it prepares the folder, and removes what it wrote if the block fails.

    Raises:
        UsageError: the folder is not empty.
    """

    def __init__(self, path: Path) -> None:
        foreign = [item.name for item in path.iterdir() if item.name != _WORK] if path.is_dir() else []
        if path.is_file() or foreign:
            name = path.name if path.is_file() else min(foreign)
            raise UsageError(
                say("{path} is not empty: it holds {name}", path=path, name=name),
                hint=say("choose a new folder with -o, or delete this one"),
            )
        self.path = path
        self._work = path / _WORK
        self.kept, self.rejected = self._work / "kept", self._work / "rejected"

    def __enter__(self) -> Self:
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir(parents=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if kind is not None:
            shutil.rmtree(self._work, ignore_errors=True)
            with suppress(OSError):
                self.path.rmdir()

    def publish(self, result: DecontaminationRun) -> None:
        """Write the tables and the report, and move everything to its place."""
        import pyarrow.parquet as pq

        with (self._work / "hits.parquet").open("wb") as file:
            pq.write_table(result.hits, file, compression="zstd")
        with (self._work / "hits.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
            for batch in result.hits.to_batches():
                lines.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in batch.to_pylist())
        (self._work / "report.html").write_text(result.report(), encoding="utf-8")
        for item in sorted(self._work.iterdir()):
            item.replace(self.path / item.name)
        self._work.rmdir()
        with appearing(self.path / RUN) as place:
            place.write_text(json.dumps(result.run, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


__all__ = ["Decontamination", "DecontaminationRun", "decontaminate", "decontaminate_files", "item_index"]
