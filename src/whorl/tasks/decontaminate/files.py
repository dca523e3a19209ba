"""Find the items of benchmarks in files, and write the files again without them or with tags."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from os import fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict

from whorl._internal.atomic_file import appearing
from whorl._internal.frozen import frozen
from whorl.corpus import Columns, KeptRejects, ReadOptions, Rejects, discover
from whorl.corpus.rejects import OnError
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.contamination.finish import describe_run, render_report, write_result
from whorl.inside.contamination.hits import hit_table
from whorl.inside.contamination.judgment import Judgment
from whorl.inside.contamination.rewriting import Action, WrittenRows, write_files
from whorl.inside.contamination.scanning import ScannedFile, scan_files
from whorl.inside.contamination.summary import summarize
from whorl.tasks import Progress, Silent
from whorl.tasks.decontaminate.benchmarks import Against, counted_reasons, item_index
from whorl.tasks.dedup.job import demand_local
from whorl.tasks.library.arguments import Place, Places, Texts, places, selected, strings

if TYPE_CHECKING:
    import pyarrow as pa

RUN = "run.json"
_WORK = ".whorl"


class DecontaminateFilesOptions(TypedDict, total=False):
    """Options of ``decontaminate_files`` other than input, output, benchmarks and engine."""

    against_text: Texts | None
    against_id: str | None
    action: Action
    text: Texts | None
    id: str | None
    by: str | None
    count: Sequence[str] | None
    column: str
    encoding: str | None
    include: Texts | None
    exclude: Texts | None
    on_error: OnError
    workers: int | None
    command: str


@frozen
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
        return render_report(self.run, self.hits)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return dict(self.run)


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
    engine: Literal["local", "spark"] = "local",
    master: str | None = None,
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
        engine: "local" is this machine, "spark" a cluster, which must see the files and ``out``.
        master: the address of the cluster's master; None uses that of the Spark session, of `spark-submit`, or this
            machine.
        command: the command line, for the report.
        progress: receives reports of progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` is not empty.
        InputError: the corpus or a benchmark cannot be read as requested.
    """
    started, progress = datetime.now(UTC), progress or Silent()
    counted, paths = counted_reasons(action, count), places(inputs)
    if action != "report" and out is None:
        raise UsageError(say("`action={action}` needs an output folder", action=action), hint=say("add `out`"))
    if action != "report" and "-" in paths:
        raise UsageError(
            say("standard input can only be reported on"), hint=say("save it to a file, or use `action=report`")
        )
    if engine == "spark":
        from whorl.inside.contamination.sharding import ShardedContamination
        from whorl.inside.spark import decontaminate_files as run_on_spark
        from whorl.tasks.corpus_input import CorpusInput

        target = shared_output(out, save_index)
        corpus = CorpusInput(inputs, text, id, None, encoding, include, exclude, on_error, workers, command)
        job = corpus.job(target, target, None)
        with bounded(workers):
            index = item_index(against, against_text, against_id)
        contamination = ShardedContamination(index, action, counted, column, by)
        return read_result(job.out, run_on_spark(job, contamination, progress, master=master))
    demand_local(engine, master)
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
            sources = discover(paths, selection=selected(include, exclude))
            files, hits = scan_files(index, sources, columns, rejects, options, by=by, progress=progress)
        documents = sum(scanned.count for scanned in files)
        if not documents:
            rejects.demand_readable()
        hits = Judgment.of(hits).judged(hits, counted)
        written = WrittenRows(kept=documents)
        if folder is not None and action != "report":
            contaminated = [hit for hit in hits if hit.counted]
            written = write_files(files, contaminated, folder.kept, action, column, options)
        figures = summarize(index.benchmarks, hits, documents, _documents_of(files))
        run = describe_run(
            figures, index, action, started, written, rejected=rejects.total, counted=counted, command=command
        )
        result = DecontaminationRun(None if folder is None else folder.path, run, hit_table(hits))
        if folder is not None:
            folder.publish(result)
    return result


def _documents_of(files: Iterable[ScannedFile]) -> Counter[str]:
    return sum((scanned.documents for scanned in files), Counter[str]())


def shared_output(out: Place | None, save_index: Place | None) -> Path:
    """Return the output folder of a run that several processes share.

    Raises:
        UsageError: there is none, or an index is to be saved.
    """
    if out is None:
        raise UsageError(say("a run in shards needs an output folder"), hint=say("add `out`"))
    if save_index is not None:
        raise UsageError(
            say("`save_index` does not apply to a run in shards"),
            hint=say("save the index in a run on one machine, and use it with `against`"),
        )
    return Path(fspath(out))


def read_result(out: Path, run: Mapping[str, Any]) -> DecontaminationRun:
    """Return the result in an output folder."""
    from whorl.engines.local.finished import read_table  # a run on one machine does not need it

    return DecontaminationRun(out, run, read_table(out, "hits.parquet"))


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
        write_result(result.run, result.hits, self._work)
        for item in sorted(self._work.iterdir()):
            item.replace(self.path / item.name)
        self._work.rmdir()
        with appearing(self.path / RUN) as place:
            place.write_text(json.dumps(result.run, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


__all__ = ["DecontaminateFilesOptions", "DecontaminationRun", "decontaminate_files", "read_result", "shared_output"]
