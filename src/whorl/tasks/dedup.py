"""A corpus of files without its copies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl.corpus.places import RemotePlace as Address
from whorl.corpus.places import demand_free, place_of, send, work_folder
from whorl.engines.job import Job
from whorl.engines.local.finished import read_kept, read_table
from whorl.engines.local.folder import RUN, is_finished_run, load_run
from whorl.engines.local.run import dedup_files as run_job
from whorl.errors import InputError, UsageError
from whorl.language import say, say_many
from whorl.recipe import Recipe
from whorl.tasks.arguments import Place, Places, Texts, places
from whorl.tasks.dedup_job import DedupOptions, chosen_recipe, lent_job, several_references, without_secrets

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.engines.job import Job
    from whorl.library import Library
    from whorl.tasks import Progress


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What became of a corpus.

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
        """What the user should know of the result, each with a ``message`` in English."""
        return list(self.run["warnings"])

    @property
    def unread(self) -> list[Mapping[str, Any]]:
        """The inputs of which no row could be read: ``input``, how many ``rows`` it has, and the first ``reason``."""
        return list(self.run.get("unread", ()))

    def demand_read(self) -> None:
        """Refuse a result without an input of which nothing could be read.

        Raises:
            InputError: there is such an input; the result is complete nevertheless.
        """
        for unread in self.unread[:1]:
            problem = say_many(
                "the only row of {input} could not be read: {reason}",
                "none of the {count:,} rows of {input} could be read; the first: {reason}",
                unread["rows"],
                input=unread["input"],
                reason=unread["reason"],
            )
            raise InputError(problem, cure=say("repair the input, or accept this with `on_error=skip`"))

    @property
    def hint(self) -> str | None:
        """What the next run could make use of, in one sentence in English; None where there is nothing."""
        hint: str | None = self.run["hint"]
        return hint

    @property
    def kept(self) -> pa.Table:
        """The documents that stay: id, file, row and text."""
        return read_kept(self.out)

    @property
    def duplicates(self) -> pa.Table:
        """A row for each removed document, with its proof."""
        return read_table(self.out, "duplicates.parquet")

    @property
    def related(self) -> pa.Table:
        """A row for each link of a kept document, as of ``DedupResult``."""
        return read_table(self.out, "related.parquet")

    @property
    def clusters(self) -> pa.Table:
        """A row for each document, with its cluster and its role."""
        return read_table(self.out, "clusters.parquet")

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
    workers: int | None = None,
    engine: Literal["local", "spark"] = "local",
    master: str | None = None,
    command: str = "whorl.dedup_files(...)",
    progress: Progress | None = None,
) -> Cleaned:
    """Remove the copies from files, each with its proof, into a new folder.

    >>> import whorl
    >>> cleaned = whorl.dedup_files("examples/newsroom/articles.jsonl", "clean")
    >>> cleaned.run["counts"]["rows"]
    91

    Args:
        inputs: files, folders and globs; ``-`` is JSON Lines on standard input.
        out: a folder that is not there, is empty, or holds the work of the same job, which is then continued. What is
            for an address, such as ``s3://bucket/folder``, is made in the cache of this user, and sent at the end, the
            run last; the same call goes on where the sending broke off.
        text: the columns that make the text.
        id: the column that names a document.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``; where ``keep`` is "auto", None takes the
            columns that usually hold them.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        on_error: "skip" sets bad rows and files aside, "stop" raises at the first; "auto" skips, unless none of the
            files can be read. Inputs without a row that can be read are in ``unread``; ``demand_read`` refuses them.
        method: a method or preset.
        threshold: from which similarity a document is a copy, inclusive.
        keep: which copy stays, a rule of ``whorl.Recipe``; default "auto".
        verify: an exact figure that a copy must reach besides: its measure, or a mapping of the fields of
            ``whorl.matching.verify.Verification``.
        changes: whether to tell how each removed document was changed; None does where what is copied decides.
        remove: for which relations documents are removed; None removes exact duplicates, near-duplicates and excerpts.
        links: how many links to related documents a kept document has at most; None is 8.
        against: what is already there and stays untouched: files, folders, output folders of earlier runs, and
            libraries, open or by their address. A library brings its recipe.
        recipe: the rest; the arguments above override it.
        workers: threads of this call, and processes that parse files; None takes all cores.
        engine: "local" is this machine, "spark" a cluster: files and ``out`` lie where all of it sees them.
        master: the address of the master of that cluster; None takes that of the session of Spark, or of
            `spark-submit`, or else this machine.
        command: how the run was started, for its report.
        progress: is told what happens.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` holds something else.
        InputError: a file cannot be read as asked.
        ResourceError: the disk is full or may not be written to.

    Cost: linear in the input; memory about 320 bytes a document, disk the kept rows and about 400 bytes a document.
    """
    options = DedupOptions(
        text=text,
        id=id,
        date=date,
        encoding=encoding,
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
        workers=workers,
        command=command,
    )
    place = place_of(out)
    if place is None:
        with lent_job(inputs, out, options) as job:
            return Cleaned(job.out, _run(job, engine, master, progress))
    if engine == "spark":
        cure = say("name a folder that all of them see, and send it from there")
        raise UsageError(say("{url} is no folder that executors can work in", url=place.url), cure=cure)
    # What is asked for names the folder in which a copy of the result is made.
    told = (
        places(inputs),
        [str(one) for one in several_references(against)],
        chosen_recipe(options).as_dict(),
        on_error,
        include,
        exclude,
    )
    folder = work_folder(place, told)
    demand_free(place, folder, RUN)
    if is_finished_run(folder):
        return _sent(Cleaned(folder, load_run(folder)), place, progress)
    with lent_job(inputs, folder, {**options, "command": without_secrets(command, (os.fspath(out),))}) as job:
        cleaned = Cleaned(folder, _run(job, engine, master, progress))
    return _sent(cleaned, place, progress)


def _run(job: Job, engine: str, master: str | None, progress: Progress | None) -> dict[str, Any]:
    if engine == "spark":
        from whorl.engines.spark.run import dedup_files as run_on_spark

        return run_on_spark(job, progress, master=master)
    if engine != "local":
        raise UsageError(say("there is no engine '{engine}'", engine=engine), cure=say("choose local or spark"))
    if master is not None:
        raise UsageError(say("a master is that of Spark"), cure=say("choose it with `engine=spark`"))
    return run_job(job, progress)


def _sent(cleaned: Cleaned, place: Address, progress: Progress | None) -> Cleaned:
    """Send what was made to where it belongs."""
    send(cleaned.out, place, RUN)
    if progress is not None:
        progress.note(say("sent to {url}; a copy is in {folder}", url=place.url, folder=cleaned.out))
    return cleaned


__all__ = ["Cleaned", "dedup_files"]
