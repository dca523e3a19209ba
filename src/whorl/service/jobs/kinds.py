"""Kinds of jobs: scope, parameters and implementation. Each can restart after a crash without loss or duplicates."""

from __future__ import annotations

import json
import shutil
import tarfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import Language, say
from whorl.library import Library
from whorl.monitor.settings.sites import watch_of
from whorl.monitor.settings.stored_sites import watch_for
from whorl.monitor.watching import watch
from whorl.service.jobs.cohorts import CLASS_TABLE, COHORT_FOLDER, MANUSCRIPTS, OPTIONS, continue_cohort
from whorl.service.jobs.progress import JobProgress
from whorl.tasks.cohort.run import MIN_LENGTH, cohort
from whorl.tasks.cohort.state import FOLDER as COHORT_STATE
from whorl.tasks.cohort.uploads import unpack
from whorl.tasks.compare.run import compare_documents
from whorl.tasks.evaluation.run import evaluate
from whorl.tasks.evidence.pack import pack_evidence
from whorl.tasks.library import maintenance as care
from whorl.tasks.library.add import add_files
from whorl.tasks.review.lab import trial
from whorl.types.jobs import Job

_OWN_FIELDS = ("path", "copy")
"""Fields of task results that contain paths of this machine."""
MAX_EARLIER = 50_000
"""Maximum number of articles of a library with which a cohort is compared: all their texts are read."""


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        """Refuse unpaired surrogates: parameters are written to files and read by other processes."""
        strings = value if isinstance(value, list) else [value]
        for string in strings:
            if isinstance(string, str) and not string.isascii():
                string.encode()
        return value


class AddJob(_Parameters):
    """Add articles from JSON Lines that were uploaded with the job."""

    kind: Literal["add"] = "add"
    collection: str | None = Field(None, description="Collection for all articles; default: the one in each line.")
    statements: bool = Field(False, description="Store the decisions, attestations and cases in lines of an export.")


class ExportJob(_Parameters):
    """Export every article with its cluster as JSON Lines."""

    kind: Literal["export"] = "export"
    order: Literal["added", "time", "cluster"] = Field("added", description="Order of the articles.")


class VerifyJob(_Parameters):
    """Check the integrity of the library."""

    kind: Literal["verify"] = "verify"
    repair: bool = Field(False, description="Also match every article again and add missing matches.")


class ReindexJob(_Parameters):
    """Rebuild the index from the texts."""

    kind: Literal["reindex"] = "reindex"


class BackupJob(_Parameters):
    """Back up the library as a TAR file."""

    kind: Literal["backup"] = "backup"


class WatchJob(_Parameters):
    """Crawl the watched sites once for copies of the protected articles."""

    kind: Literal["watch"] = "watch"
    sites: str = Field("", description="Watched sites in the format of `sites.toml`; default: those of the library.")
    names: list[str] = Field(default_factory=list, description="Only these sites, by their names; default: all.")


class EvidenceJob(_Parameters):
    """Create an evidence pack of a match as a ZIP file."""

    kind: Literal["evidence"] = "evidence"
    id: str = Field(description="Id of the copy.")
    other: str = Field(description="Id of the original.")
    zone: str | None = Field(None, description="Time zone of local times.", examples=["Asia/Shanghai"])
    language: Language | None = Field(None, description="Language of the report.")


class ReportJob(_Parameters):
    """Compare two articles side by side and write a report."""

    kind: Literal["report"] = "report"
    id: str = Field(description="Id of the copy.")
    other: str = Field(description="Id of the original.")
    format: Literal["html", "pdf", "csv", "xlsx", "docx"] = Field("html", description="File format.")
    language: Language | None = Field(None, description="Language of the report.")


class EvaluateJob(_Parameters):
    """Evaluate methods on labeled articles of the library."""

    kind: Literal["evaluate"] = "evaluate"
    truth: str = Field(description="Labels as JSON Lines of pairs, clusters, or copies and sources.")
    methods: list[str] = Field(default_factory=list, description="Methods and presets to evaluate; default: all.")
    complete: bool = Field(True, description="True if the labels name every copy; otherwise precision is not computed.")
    sweep: bool = Field(True, description="Also evaluate other thresholds and distances.")
    seed: int = Field(0, ge=0, description="Seed for the random pairs.")


class TrialJob(_Parameters):
    """Evaluate methods on articles and labels that were uploaded with the job."""

    kind: Literal["trial"] = "trial"
    name: str = Field(description="Display name of the files.", max_length=200)
    documents: Literal["documents.jsonl", "documents.csv", "documents.tsv"] = Field(description="The articles.")
    truth: Literal["truth.jsonl", "truth.csv", "truth.tsv"] = Field(description="The labels.")
    methods: list[str] = Field(description="Methods and presets to evaluate.", min_length=1, max_length=8)
    complete: bool = Field(True, description="True if the labels name every copy; otherwise precision is not computed.")


class CohortOptions(_Parameters):
    """Options of a job that compares the manuscripts of a class."""

    title: str = Field("", description="Title of the class.", max_length=200)
    examiner: str = Field("", description="Name of the examiner.", max_length=100)
    earlier: bool = Field(False, description="Also compare with the articles of the library.")
    min_length: int = Field(
        MIN_LENGTH, ge=8, le=1000, description="Minimum length of a passage: Han characters, or a third of the letters."
    )
    quotations: bool = Field(True, description="Quotations count as copied; false excludes them.")
    reworded: bool = Field(
        False,
        description="Also find manuscripts that retell a source sentence by sentence; they do not count as copied.",
    )
    meaning: bool = Field(
        False,
        description="Also find the same content in other words, or in another language, with a language model; only if "
        "the server allows it.",
    )
    pdf: bool = Field(False, description="Also write a PDF.")
    language: Language | None = Field(None, description="Language of the pages.")
    after: str = Field(
        "",
        description="Id of a finished cohort of the library, to which the manuscripts are added. A manuscript with the "
        "name of an earlier one replaces it; the other options are those of the earlier cohort.",
        pattern="^[0-9a-f]{0,32}$",
    )


class CohortJob(CohortOptions):
    """Compare all manuscripts of a class that were uploaded with the job with each other."""

    kind: Literal["cohort"] = "cohort"


@frozen
class Work:
    """A job with everything that its implementation needs.

    Attributes:
        job: the job.
        parameters: validated parameters of its kind.
        library: the library.
        folder: folder for its files.
        progress: receiver of progress.
        model: model for comparisons by meaning, as in the settings of the service.
    """

    job: Job
    parameters: Any
    library: Library
    folder: Path
    progress: JobProgress
    model: bool | str = False

    def new(self, name: str) -> Path:
        """Return the path of an output file or folder and delete remains of an earlier attempt."""
        place = self.folder / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        return place


@frozen
class JobKind:
    """A kind of job.

    Attributes:
        scope: required scope.
        parameters: model of the parameters.
        run: implementation. It returns the result as plain data; ``file`` names its output file.
    """

    scope: str
    parameters: type[BaseModel]
    run: Callable[[Work], dict[str, Any]]

    def demand(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Validate parameters and return them as plain data.

        Raises:
            UsageError: a parameter is invalid.
        """
        try:
            validated = self.parameters.model_validate(parameters)
        except ValidationError as error:
            first = error.errors()[0]
            raise UsageError(
                say("{name}: {reason}", name=".".join(map(str, first["loc"])), reason=str(first["msg"])[:200]),
                hint=say("see the API description: {path}", path="/v1/openapi.json"),
            ) from None
        if isinstance(validated, WatchJob) and validated.sites:
            sites_of(validated.sites)
        return validated.model_dump(mode="json", exclude={"kind"})


def sites_of(text: str) -> dict[str, Any]:
    """Parse an uploaded ``sites.toml``.

    Raises:
        UsageError: it is not TOML, a key or value is invalid, or it refers to files of this machine.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            say("{path}: {reason}", path="sites", reason=str(error)),
            hint=say("see the documentation of `whorl watch`"),
        ) from None
    tables = data.get("site", [])
    for table in tables if isinstance(tables, list) else []:
        pages = table.get("pages", []) if isinstance(table, dict) else []
        named = [pages] if isinstance(pages, str) else pages if isinstance(pages, list) else []
        if any("://" not in str(page) for page in named):
            raise UsageError(say("expected addresses in `pages`, got a file name"), hint=say("list the addresses"))
    watch_of(data)
    return data


def demanded(kind: str) -> JobKind:
    """Return the kind with a name.

    Raises:
        UsageError: the kind is unknown.
    """
    if kind not in KINDS:
        raise UsageError(
            say("unknown kind {kind!r}", kind=kind), hint=say("choose one of: {known}", known=", ".join(KINDS))
        )
    return KINDS[kind]


def scope_of(kind: str, parameters: Mapping[str, Any]) -> str:
    """Return the required scope of a job. Watching hosts outside the public network requires "admin".

    Raises:
        UsageError: the kind is unknown, or a parameter is invalid.
    """
    chosen = demanded(kind)
    validated = chosen.demand(parameters)
    if (
        kind == "watch"
        and validated["sites"]
        and any(site.allow_private for site in watch_of(sites_of(validated["sites"])).sites)
    ):
        return "admin"
    return chosen.scope


def _opens_private_network(sites: str) -> bool:
    """Return True if uploaded sites allow private addresses, which stored sites never do."""
    return bool(sites) and any(site.allow_private for site in watch_of(sites_of(sites)).sites)


def _add(work: Work) -> dict[str, Any]:
    reports = work.new("reports.jsonl")
    with reports.open("w", encoding="utf-8", errors="backslashreplace") as file:
        added = add_files(
            work.library,
            work.folder / upload_name(work.job.id),
            collection=work.parameters.collection,
            statements=work.parameters.statements,
            on_report=lambda report: print(json.dumps(report.to_dict(), ensure_ascii=False), file=file),
            progress=work.progress,
        )
    return {**added.to_dict(), "file": reports.name}


def upload_name(id: str, suffix: str = "jsonl") -> str:
    """Return the name of the uploaded file. Rows without an id are named after it."""
    return f"{id}.{suffix}"


def _export(work: Work) -> dict[str, Any]:
    place = work.new("articles.jsonl.gz")
    return {
        **care.export(work.library, place, order=work.parameters.order, progress=work.progress).to_dict(),
        "file": place.name,
    }


def _verify(work: Work) -> dict[str, Any]:
    return care.verify(work.library, repair=work.parameters.repair).to_dict()


def _reindex(work: Work) -> dict[str, Any]:
    return care.reindex(work.library).to_dict()


def _backup(work: Work) -> dict[str, Any]:
    copy, place = work.new(work.job.library), work.new("backup.tar")
    care.backup(work.library, copy)
    with tarfile.open(place, "w") as archive:
        archive.add(copy, copy.name)
    shutil.rmtree(copy)
    return {"bytes": place.stat().st_size, "file": place.name}


def _watch(work: Work) -> dict[str, Any]:
    parameters = work.parameters
    watched = watch_for(work.library, sites_of(parameters.sites) if parameters.sites else None)
    if parameters.names:
        watched = replace(watched, sites=tuple(site for site in watched.sites if site.name in parameters.names))
        if not watched.sites:
            names = ", ".join(parameters.names)
            raise UsageError(say("no site has the name {names}", names=names), hint=say("list the sites to watch"))
    return watch(work.library, watched, progress=work.progress).to_dict()


def _evidence(work: Work) -> dict[str, Any]:
    parameters, place = work.parameters, work.new("evidence.zip")
    packed = pack_evidence(
        work.library,
        parameters.id,
        parameters.other,
        place,
        at=work.job.made_at,
        zone=parameters.zone,
        language=parameters.language,
        operator=work.job.by,
    )
    return {**_without_places(packed.to_dict()), "file": place.name}


def _report(work: Work) -> dict[str, Any]:
    parameters, place = work.parameters, work.new(f"report.{work.parameters.format}")
    compared = compare_documents(work.library, parameters.id, parameters.other)
    compared.write(place, language=parameters.language)
    return {"bytes": place.stat().st_size, "file": place.name}


def _evaluate(work: Work) -> dict[str, Any]:
    parameters, articles, truth = work.parameters, work.new("articles.jsonl"), work.new("truth.jsonl")
    care.export(work.library, articles, progress=work.progress)
    truth.write_text(parameters.truth, encoding="utf-8")
    evaluation = evaluate(
        articles, truth, methods=parameters.methods or None, complete=parameters.complete, sweep=parameters.sweep,
        seed=parameters.seed, id="id", progress=work.progress,
    )  # fmt: skip
    place = work.new("evaluation.html")
    place.write_text(evaluation.report(), encoding="utf-8")
    articles.unlink()
    return {**evaluation.to_dict(), "file": place.name}


def _trial(work: Work) -> dict[str, Any]:
    parameters = work.parameters
    files = work.folder / parameters.documents, work.folder / parameters.truth
    evaluation = trial(
        files[0], files[1], methods=parameters.methods, complete=parameters.complete, progress=work.progress
    )
    place = work.new("evaluation.html")
    place.write_text(evaluation.report(), encoding="utf-8")
    return {**evaluation.to_dict(), "name": parameters.name, "file": place.name}


def _cohort(work: Work) -> dict[str, Any]:
    parameters, out = work.parameters, work.new(COHORT_FOLDER)
    manuscripts, archive = work.folder / MANUSCRIPTS, work.folder / upload_name(work.job.id, "zip")
    if archive.exists():
        shutil.rmtree(manuscripts, ignore_errors=True)
        manuscripts.mkdir()
        unpack(archive, manuscripts)
    if parameters.after:
        options = continue_cohort(work.folder.parent / parameters.after, work.folder)
        parameters = CohortOptions.model_validate(options)
    options = parameters.model_dump(include=set(CohortOptions.model_fields), exclude={"after"})
    (work.folder / OPTIONS).write_text(json.dumps(options, ensure_ascii=False), encoding="utf-8")
    if parameters.earlier and len(work.library) > MAX_EARLIER:
        raise UsageError(
            say("the library has more than {most:,} articles", most=MAX_EARLIER),
            hint=say("compare without it, or run `whorl cohort` on the machine of the library"),
        )
    if parameters.meaning and not work.model:
        raise UsageError(
            say("this server does not compare by meaning"),
            hint=say("the operator can allow it with `whorl serve --meaning`"),
        )
    result = cohort(
        manuscripts,
        out,
        earlier=work.library if parameters.earlier else None,
        least=parameters.min_length,
        exclude=() if parameters.quotations else ("quotations",),
        reworded=parameters.reworded,
        meaning=parameters.meaning and work.model,
        pdf=parameters.pdf,
        title=parameters.title,
        examiner=parameters.examiner,
        language=parameters.language,
        untrusted=True,
        progress=work.progress,
    )
    table = {"examinations": result.examinations, "unreadable": result.unreadable}
    rows = {name: [row.to_dict() for row in rows] for name, rows in table.items()}
    work.new(CLASS_TABLE).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    place = work.new("cohort.zip")
    with ZipFile(place, "w", ZIP_DEFLATED) as packed:
        for file in sorted(out.rglob("*")):
            inside = file.relative_to(out)
            if file.is_file() and inside.parts[0] != COHORT_STATE:
                packed.write(file, inside)
    return {
        "title": parameters.title,
        "manuscripts": len(result.examinations),
        "unreadable": len(result.unreadable),
        "pairs": len(result.pairs),
        "file": place.name,
    }


def _without_places(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in _OWN_FIELDS}


KINDS: dict[str, JobKind] = {
    "add": JobKind("write", AddJob, _add),
    "export": JobKind("read", ExportJob, _export),
    "verify": JobKind("admin", VerifyJob, _verify),
    "reindex": JobKind("admin", ReindexJob, _reindex),
    "backup": JobKind("admin", BackupJob, _backup),
    "watch": JobKind("write", WatchJob, _watch),
    "evidence": JobKind("review", EvidenceJob, _evidence),
    "report": JobKind("read", ReportJob, _report),
    "evaluate": JobKind("read", EvaluateJob, _evaluate),
    "trial": JobKind("read", TrialJob, _trial),
    "cohort": JobKind("read", CohortJob, _cohort),
}
"""All kinds of jobs by name."""
EVALUATIONS = ("evaluate", "trial", "cohort")
LANES: tuple[tuple[str, ...], ...] = (
    tuple(kind for kind in KINDS if kind not in ("watch", *EVALUATIONS)),
    EVALUATIONS,
    ("watch",),
)
"""Kinds that share a queue. Kinds of different lanes do not block each other."""
MAX_WAITING = 100
"""Maximum number of queued jobs per caller."""
MAX_EVALUATIONS = 10
"""Maximum number of queued evaluations per caller: each takes minutes, and the scope "read" suffices."""

__all__ = [
    "CLASS_TABLE",
    "COHORT_FOLDER",
    "EVALUATIONS",
    "KINDS",
    "LANES",
    "MANUSCRIPTS",
    "MAX_EARLIER",
    "MAX_EVALUATIONS",
    "MAX_WAITING",
    "JobKind",
    "Work",
    "demanded",
    "scope_of",
    "upload_name",
]
