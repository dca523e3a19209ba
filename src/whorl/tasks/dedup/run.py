"""Remove the duplicates from a corpus of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.corpus.remote.address import place_of
from whorl.engines.job import DedupJob
from whorl.engines.local.folder import RUN, is_finished_run, load_run
from whorl.engines.local.run import dedup_files as run_job
from whorl.engines.local.unread import demand_read
from whorl.engines.options import Output
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.recipe import Recipe
from whorl.tasks.dedup.job import (
    DedupOptions,
    chosen_recipe,
    demand_local,
    lent_job,
    several_references,
    without_secrets,
)
from whorl.tasks.library.arguments import Place, Places, Texts, places

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.corpus.remote.address import RemotePlace as Address
    from whorl.engines.job import DedupJob
    from whorl.library import Library
    from whorl.tasks import Progress


@frozen
class DedupRun:
    """Result of deduplicating files.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> cleaned.kept.num_rows, cleaned.duplicates.num_rows
    (77, 14)

    Attributes:
        out: the folder with the kept files, the tables and the report.
        run: counts, recipe, versions, warnings and timings, as ``run.json`` has them.
    """

    out: Path
    run: Mapping[str, Any]

    @property
    def warnings(self) -> list[Mapping[str, Any]]:
        """Warnings about the result, each with a ``message`` in English."""
        return list(self.run["warnings"])

    @property
    def unread(self) -> list[Mapping[str, Any]]:
        """The inputs whose rows are all unreadable: ``input``, the number of ``rows``, and the first ``reason``."""
        return list(self.run.get("unread", ()))

    def demand_read(self) -> None:
        """Raise an error if an input has no readable row, or if there is no row at all.

        Raises:
            InputError: as stated; the result is complete nevertheless.
        """
        demand_read(self.run)

    @property
    def hint(self) -> str | None:
        """Hint for the next run, one sentence in English, or None."""
        hint: str | None = self.run["hint"]
        return hint

    @property
    def kept(self) -> pa.Table:
        """The kept documents: id, file, row and text.

        Raises:
            InputError: only ids were written, or a kept file is missing.
        """
        from whorl.engines.local.finished import read_kept

        return read_kept(self.out)

    @property
    def duplicates(self) -> pa.Table:
        """A row for each removed document, with its evidence."""
        return self._table("duplicates.parquet")

    @property
    def related(self) -> pa.Table:
        """A row for each link of a kept document, as in ``DedupResult``."""
        return self._table("related.parquet")

    @property
    def clusters(self) -> pa.Table:
        """A row for each document, with its cluster and its role."""
        return self._table("clusters.parquet")

    def _table(self, name: str) -> pa.Table:
        from whorl.engines.local.finished import read_table

        return read_table(self.out, name)

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return (self.out / "report.html").read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import run_card

        return run_card(self.run, self.duplicates)

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON."""
        return dict(self.run)


def dedup_files(
    inputs: Places,
    out: Place,
    *,
    text: Texts | None = None,
    id: str | None = None,
    date: str | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    on_error: Literal["auto", "skip", "stop"] = "auto",
    method: str | None = None,
    threshold: float | None = None,
    keep: str | None = None,
    verify: str | Mapping[str, Any] | None = None,
    changes: bool | None = None,
    remove: Sequence[str] | None = None,
    links: int | None = None,
    against: Places | Library | Iterable[Place | Library] = (),
    recipe: Recipe | Place | None = None,
    output: Output = "rows",
    workers: int | None = None,
    engine: Literal["local", "spark"] = "local",
    master: str | None = None,
    command: str = "whorl.dedup_files(...)",
    progress: Progress | None = None,
) -> DedupRun:
    """Remove the duplicates from files and write the kept rows and the evidence to a new folder.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> cleaned.run["counts"]["rows"]
    91

    Args:
        inputs: files, folders and globs; ``-`` is JSON Lines on standard input.
        out: a folder that does not exist, is empty, or contains the work of the same job, which is then continued. The
            result for an address, such as ``s3://bucket/folder``, is made in the user's cache and uploaded at the end,
            the run last; the same call resumes an interrupted upload.
        text: the columns that make up the text.
        id: the column of document ids.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``; if ``keep`` is "auto", None uses the usual
            date columns.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        on_error: "skip" counts bad rows and continues, "stop" raises at the first; "auto" skips unless no file can be
            read. Inputs without a readable row are in ``unread``; ``demand_read`` refuses them.
        method: a method or preset.
        threshold: minimum similarity of a duplicate, inclusive.
        keep: which duplicate to keep, a rule of ``whorl.Recipe``; default "auto".
        verify: additional exact measure that a duplicate must reach, or a mapping of the fields of
            ``whorl.matching.verify.Verification``.
        changes: report how each removed document differs; None enables it for methods that measure copied text.
        remove: relations whose documents are removed; None removes exact duplicates, near-duplicates and excerpts.
        links: maximum number of links from a kept document to related documents; None is 8.
        against: references that are never dropped or modified: files, folders, output folders of earlier runs, and
            libraries, open or by address. The recipe of a library is used.
        recipe: further settings; the arguments above override it.
        output: "rows" writes the kept rows to the folder ``kept``. "ids" does not: ``clusters.parquet`` has the role of
            each document, "kept" or "duplicate", with its id, file and row. The result cannot be a reference.
        workers: threads of this call, and processes that parse files; None uses all cores.
        engine: "local" is this machine, "spark" a cluster, which must see the files and ``out``.
        master: the address of the cluster's master; None uses that of the Spark session, of `spark-submit`, or this
            machine.
        command: the command line, for the report.
        progress: receives the progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` contains unrelated files.
        InputError: a file cannot be read as requested.
        ResourceError: the disk is full or not writable.

    Cost: linear in the input; memory about 320 bytes per document, disk the kept rows and about 400 bytes per document.
    """
    options = DedupOptions(
        text=text,
        id=id,
        date=date,
        encoding=encoding,
        ocr=ocr,
        include=include,
        exclude=exclude,
        on_error=on_error,
        method=method,
        threshold=threshold,
        keep=keep,
        verify=verify,
        changes=changes,
        remove=remove,
        links=links,
        against=against,
        recipe=recipe,
        output=output,
        workers=workers,
        command=command,
    )
    place = place_of(out)
    if place is None:
        with lent_job(inputs, out, options) as job:
            return DedupRun(job.out, _run(job, engine, master, progress))
    if engine == "spark":
        hint = say("use a folder that all executors can access, and upload it from there")
        raise UsageError(say("executors cannot work in {url}", url=place.url), hint=hint)
    from whorl.corpus.remote.sending import demand_free, work_folder

    # The requested job determines the name of the folder for a local copy of a remote result.
    arguments = (
        places(inputs),
        [str(reference) for reference in several_references(against)],
        chosen_recipe(options).as_dict(),
        on_error,
        include,
        exclude,
        output,
    )
    folder = work_folder(place, arguments)
    demand_free(place, folder, RUN)
    if is_finished_run(folder):
        return _sent(DedupRun(folder, load_run(folder)), place, progress)
    with lent_job(inputs, folder, {**options, "command": without_secrets(command, (os.fspath(out),))}) as job:
        cleaned = DedupRun(folder, _run(job, engine, master, progress))
    return _sent(cleaned, place, progress)


def _run(job: DedupJob, engine: str, master: str | None, progress: Progress | None) -> dict[str, Any]:
    if engine == "spark":
        from whorl.engines.spark.run import dedup_files as run_on_spark

        return run_on_spark(job, progress, master=master)
    demand_local(engine, master)
    return run_job(job, progress)


def _sent(cleaned: DedupRun, place: Address, progress: Progress | None) -> DedupRun:
    """Upload the result to its address."""
    from whorl.corpus.remote.sending import send

    send(cleaned.out, place, RUN)
    if progress is not None:
        progress.note(say("uploaded to {url}; a local copy is in {folder}", url=place.url, folder=cleaned.out))
    return cleaned


__all__ = ["DedupRun", "dedup_files"]
