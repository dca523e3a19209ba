"""Strip repeated text from a corpus of files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.engines.corpus import file_state
from whorl.engines.job import DedupJob
from whorl.engines.local.finished import read_table
from whorl.engines.local.folder import is_finished_run, load_run
from whorl.engines.local.unread import demand_read
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.files import strip_files as run_job
from whorl.inside.search import MASK, Strip
from whorl.tasks.corpus_input import CorpusInput
from whorl.tasks.dedup.job import DedupOptions, chosen_recipe, demand_local, without_secrets
from whorl.tasks.dedup.run import dedup_files
from whorl.tasks.library.arguments import Place, Places, Texts, places

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl.tasks import Progress

_TABLES = ("duplicates.parquet", "related.parquet", "clusters.parquet", "clusters.csv")


@frozen
class StripRun:
    """Result of stripping files.

    >>> import whorl
    >>> run = whorl.strip_files("examples/newsroom/articles.jsonl", "lines", inside="lines")
    >>> run.run["counts"]["rows"]
    91

    Attributes:
        out: the folder with the changed files, the tables and the report.
        run: settings, counts and figures, as ``run.json`` has them.
    """

    out: Path
    run: Mapping[str, Any]

    def demand_read(self) -> None:
        """Raise an error if an input has no readable row, or if there is no row at all.

        Raises:
            InputError: as stated; the result is complete nevertheless.
        """
        demand_read(self.run)

    @property
    def cuts(self) -> pa.Table:
        """A row for each cut, with the place where its text is kept."""
        return read_table(self.out, "cuts.parquet")

    @property
    def dropped(self) -> pa.Table:
        """A row for each dropped document."""
        return read_table(self.out, "dropped.parquet")

    @property
    def repetition(self) -> pa.Table | None:
        """The measures of the repetition within each document; None if they were not requested."""
        name = "repetition.parquet"
        return read_table(self.out, name) if (self.out / name).exists() else None

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return (self.out / "report.html").read_text(encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON."""
        return dict(self.run)


def strip_files(
    inputs: Places,
    out: Place,
    *,
    inside: str | None = None,
    text: Texts | None = None,
    id: str | None = None,
    date: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    on_error: Literal["auto", "skip", "stop"] = "auto",
    least: int | str | None = None,
    repeats: int = 2,
    per: str | None = None,
    keep: str | None = None,
    action: str = "cut",
    mask: str = MASK,
    drop_below: int = 1,
    by: str | None = None,
    repetition: str | None = None,
    approved: str | Path | None = None,
    workers: int | None = None,
    engine: Literal["local", "spark"] = "local",
    master: str | None = None,
    command: str = "whorl.strip_files(...)",
    progress: Progress | None = None,
) -> StripRun:
    """Remove text that is repeated within and across the documents of files.

    >>> import whorl
    >>> run = whorl.strip_files("examples/newsroom/articles.jsonl", "stripped", inside="sentences")
    >>> run.run["counts"]["rows"] == run.run["counts"]["kept"] + run.run["counts"]["dropped"]
    True

    Args:
        inputs: files, folders and globs; ``-`` is JSON Lines on standard input.
        out: a folder that does not exist, is empty, or contains the work of the same job, which is then continued.
        inside: what is searched for: "lines", "sentences", "paragraphs", or "passages", which are runs of tokens; None
            is passages, or the unit of ``approved``.
        text: the columns that make up the text.
        id: the column of document ids.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        on_error: "skip" counts bad rows and continues, "stop" raises at the first; "auto" skips unless no file can be
            read.
        least: minimum length in letters, where a character of a script written without spaces counts as three, or in
            tokens: ``"20 tokens"``. Default 60 letters, for passages 150.
        repeats: minimum number of occurrences.
        per: only compare documents with the same value in this column, such as a site; an address counts as its host.
        keep: which occurrence stays: that of the first document by a rule of ``whorl.Recipe``, or "none".
        action: "cut" removes repeated text, "mask" replaces it by ``mask``, "tag" only lists it in ``cuts.parquet``.
        mask: the replacement.
        drop_below: documents with cuts of which less than this length is left are dropped.
        by: a column, for figures about what its values share; default the file.
        repetition: "measure" also measures the repetition within each document; "filter" first drops documents above
            the limits of Rae et al. 2021.
        approved: a reviewed list of ``learn_boilerplate_files``. Only the texts that it marks with cut are removed, at
            every occurrence, whatever their length.
        workers: threads of this call, and processes that parse files; None uses all cores.
        engine: "local" is this machine, "spark" a cluster, which must see the files and ``out``.
        master: the address of the cluster's master; None uses that of the Spark session, of `spark-submit`, or this
            machine.
        command: the command line, for the report.
        progress: receives the progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` contains unrelated files.
        InputError: a file or the list cannot be read as requested.
        ResourceError: the disk is full or not writable.
    """
    corpus = CorpusInput(inputs, text, id, date, encoding, include, exclude, on_error, workers, command)
    settings = Strip.of(
        inside,
        approved,
        least=least,
        repeats=repeats,
        per=per,
        keep=keep,
        action=action,
        mask=mask,
        drop_below=drop_below,
        by=by,
        repetition=repetition,
    )
    return strip_corpus(corpus, out, settings, engine, master, progress=progress)


def strip_corpus(
    corpus: CorpusInput,
    out: Place,
    strip: Strip,
    engine: str = "local",
    master: str | None = None,
    *,
    progress: Progress | None = None,
) -> StripRun:
    """Remove repeated text from a corpus; ``strip_files`` with its arguments as objects."""
    if "://" in str(out):
        raise UsageError(say("cannot write to {url}", url=out), hint=say("choose a local folder"))
    job = corpus.job(out, Path(out), strip.rule)
    if engine == "spark":
        from whorl.inside.spark import strip_files as run_on_spark

        return StripRun(job.out, run_on_spark(job, strip, progress, master=master))
    demand_local(engine, master)
    return StripRun(job.out, run_job(job, strip, progress))


def dedup_and_strip(
    inputs: Places,
    out: Place,
    options: DedupOptions,
    strip: Strip,
    *,
    progress: Progress | None = None,
) -> StripRun:
    """Remove duplicates from files, then repeated text from within the documents that are left.

    Args:
        inputs: files, folders and globs.
        out: a folder that does not exist, is empty, or contains the work of the same job. It receives the results of
            both steps; files and rows in ``cuts.parquet`` are those of the documents without duplicates.
        options: options of ``dedup_files``.
        strip: what is stripped from the kept documents, which are ranked by the rule of ``options``.
        progress: receives the progress.

    Raises:
        UsageError: the arguments contradict each other, or ``out`` contains unrelated files.
        InputError: a file cannot be read as requested.
        ResourceError: the disk is full or not writable.
    """
    if options.get("output", "rows") != "rows":
        hint = say("omit `output=ids`")
        raise UsageError(say("repeated text is removed from the kept rows, which are not written"), hint=hint)
    target = Path(out)
    whole = target.with_name(f".{target.name}.whole-{_digest(inputs, options)}")
    if not (is_finished_run(whole) and _is_current(load_run(whole))):
        if is_finished_run(whole):
            shutil.rmtree(whole)
        dedup_files(inputs, whole, progress=progress, **options)
    deduplicated = load_run(whole)
    recipe = chosen_recipe(options).changed(method="exact", threshold=None)
    command = without_secrets(options.get("command", ""), (*places(inputs), str(out)))
    job = DedupJob((str(whole / "kept"),), target, recipe, workers=options.get("workers"), command=command)
    run = run_job(job, strip, progress, lambda staging, run: _merge(whole, deduplicated, staging, run))
    shutil.rmtree(whole, ignore_errors=True)
    return StripRun(target, run)


def _digest(inputs: Places, options: DedupOptions) -> str:
    """Return a name for a job, so that another job does not continue it."""
    described = (places(inputs), {**options, "command": "", "recipe": chosen_recipe(options).as_dict()})
    return sha256(repr(described).encode()).hexdigest()[:12]


def _is_current(run: Mapping[str, Any]) -> bool:
    """Return True if the inputs of a run have not changed since."""
    return all(
        record["path"] is not None and file_state(Path(record["path"])) == (record["bytes"], record["modified"])
        for record in run["inputs"]
    )


def _merge(whole: Path, deduplicated: Mapping[str, Any], staging: Path, run: dict[str, Any]) -> None:
    """Add the tables and figures of the deduplication to a staged result."""
    shutil.rmtree(staging / "rejected", ignore_errors=True)
    shutil.copytree(whole / "rejected", staging / "rejected")
    for name in _TABLES:
        shutil.copyfile(whole / name, staging / name)
        run["outputs"][name] = str(Path(run["outputs"]["run.json"]).with_name(name))
    counts, before = run["counts"], deduplicated["counts"]
    counts |= {"rows": before["rows"], "duplicates": before["duplicates"], "rejected": before["rejected"]}
    run["warnings"], run["unread"] = deduplicated["warnings"], deduplicated["unread"]
    run["dedup"] = {name: value for name, value in deduplicated.items() if name != "outputs"}


__all__ = ["Strip", "StripRun", "dedup_and_strip", "strip_corpus", "strip_files"]
