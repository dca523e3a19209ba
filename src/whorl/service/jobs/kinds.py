"""What jobs there are: who may ask for each, what it is told, and which task does it.

Each may be begun again from its beginning, whenever its process has ended: nothing is lost, and nothing is there twice.
"""

from __future__ import annotations

import json
import shutil
import tarfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from whorl.errors import UsageError
from whorl.language import Language, say
from whorl.library import Library
from whorl.monitor.alerts.settings import FILE as ALERTS
from whorl.monitor.sites import watch_of
from whorl.monitor.watching import watch
from whorl.service.jobs.progress import JobProgress
from whorl.service.state.jobs import Job
from whorl.tasks import library as care
from whorl.tasks.add import add_files
from whorl.tasks.compare import compare_documents
from whorl.tasks.evaluation import evaluate
from whorl.tasks.evidence import pack_evidence
from whorl.tasks.lab import trial

_OWN_FIELDS = ("path", "copy")
"""Of the results of tasks: where something is on this machine."""


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:
        """Refuse halves of surrogate pairs: what a job is told is written to files and read by other processes."""
        strings = value if isinstance(value, list) else [value]
        for one in strings:
            if isinstance(one, str) and not one.isascii():
                one.encode()
        return value


class AddJob(_Told):
    """Add the articles of a file of JSON Lines, which was handed in with the job."""

    kind: Literal["add"] = "add"
    collection: str | None = Field(None, description="The collection of all of them; what each says, unless given.")


class ExportJob(_Told):
    """Write every article with its cluster as JSON Lines."""

    kind: Literal["export"] = "export"
    order: Literal["added", "time", "cluster"] = Field("added", description="Of the articles.")


class VerifyJob(_Told):
    """Read everything back and check it."""

    kind: Literal["verify"] = "verify"
    repair: bool = Field(False, description="Also look up every article again, and keep the matches that are missing.")


class ReindexJob(_Told):
    """Build the index again from the texts."""

    kind: Literal["reindex"] = "reindex"


class BackupJob(_Told):
    """Write a copy of this moment, as one TAR file that holds a library."""

    kind: Literal["backup"] = "backup"


class WatchJob(_Told):
    """Look once at the watched sites for copies of the protected articles."""

    kind: Literal["watch"] = "watch"
    sites: str = Field(description="What is watched, as a file `sites.toml` has it.")


class EvidenceJob(_Told):
    """Pack all that is known of a match into one ZIP file."""

    kind: Literal["evidence"] = "evidence"
    id: str = Field(description="Of the copy.")
    other: str = Field(description="Of the original.")
    zone: str | None = Field(None, description="Of the local clock.", examples=["Asia/Shanghai"])
    language: Language | None = Field(None, description="Of the report.")


class ReportJob(_Told):
    """Write what an article has from another one, side by side."""

    kind: Literal["report"] = "report"
    id: str = Field(description="Of the copy.")
    other: str = Field(description="Of the original.")
    format: Literal["html", "pdf", "csv", "xlsx", "docx"] = Field("html", description="Of the file.")
    language: Language | None = Field(None, description="Of the report.")


class EvaluateJob(_Told):
    """Hold methods against known copies among the articles of the library."""

    kind: Literal["evaluate"] = "evaluate"
    truth: str = Field(description="Known copies, as JSON Lines of pairs, clusters, or copies and sources.")
    methods: list[str] = Field(default_factory=list, description="Methods and presets to try; all, unless given.")
    complete: bool = Field(True, description="Whether the truth names every copy; else precision is not claimed.")
    sweep: bool = Field(True, description="Also try other thresholds and distances.")
    seed: int = Field(0, ge=0, description="Chooses the random pairs.")


class TrialJob(_Told):
    """Hold methods against known copies among articles that were handed in with the job, together with the copies."""

    kind: Literal["trial"] = "trial"
    name: str = Field(description="Of the files, for people.", max_length=200)
    documents: Literal["documents.jsonl", "documents.csv", "documents.tsv"] = Field(description="The articles.")
    truth: Literal["truth.jsonl", "truth.csv", "truth.tsv"] = Field(description="The known copies.")
    methods: list[str] = Field(description="Methods and presets to try.", min_length=1, max_length=8)
    complete: bool = Field(True, description="Whether the truth names every copy; else precision is not claimed.")


@dataclass(frozen=True, slots=True)
class Work:
    """A job as the task gets it that does it.

    Attributes:
        job: the job.
        told: what it was told, as its kind wants it.
        library: in which.
        folder: for its files.
        progress: is told how far it is.
    """

    job: Job
    told: Any
    library: Library
    folder: Path
    progress: JobProgress

    def new(self, name: str) -> Path:
        """Return the place of a file or folder, where nothing is left of a try before this one."""
        place = self.folder / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        return place


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of job.

    Attributes:
        scope: that whoever asks for it must have.
        told: what it is told.
        run: does it, and returns what came of it, as plain data; ``file`` names the file that it has made.
    """

    scope: str
    told: type[BaseModel]
    run: Callable[[Work], dict[str, Any]]

    def demand(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a job is told, as it is kept.

        Raises:
            UsageError: it is not what this kind wants.
        """
        try:
            told = self.told.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            raise UsageError(
                say("{name}: {reason}", name=".".join(map(str, first["loc"])), reason=str(first["msg"])[:200]),
                cure=say("see the description of the API: {path}", path="/v1/openapi.json"),
            ) from None
        if isinstance(told, WatchJob):
            sites_of(told.sites)
        return told.model_dump(mode="json", exclude={"kind"})


def sites_of(text: str) -> dict[str, Any]:
    """Return what a ``sites.toml`` says that somebody has sent.

    Raises:
        UsageError: it is no TOML, a key or a value is wrong, or it names files of this machine.
    """
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            say("{path}: {reason}", path="sites", reason=str(error)),
            cure=say("write it as in the documentation of `whorl watch`"),
        ) from None
    tables = told.get("site", [])
    for table in tables if isinstance(tables, list) else []:
        pages = table.get("pages", []) if isinstance(table, dict) else []
        named = [pages] if isinstance(pages, str) else pages if isinstance(pages, list) else []
        if any("://" not in str(page) for page in named):
            raise UsageError(say("pages names a file"), cure=say("give the addresses themselves"))
    watch_of(told)
    return told


def demanded(kind: str) -> Kind:
    """Return a kind.

    Raises:
        UsageError: there is none of that name.
    """
    if kind not in KINDS:
        raise UsageError(
            say("there is no kind {kind!r}", kind=kind), cure=say("choose one of: {known}", known=", ".join(KINDS))
        )
    return KINDS[kind]


def scope_of(kind: str, given: Mapping[str, Any]) -> str:
    """Return what whoever asks for a job must have: to ask hosts that are not of the public network takes more.

    Raises:
        UsageError: there is no such kind, or it is told something wrong.
    """
    chosen = demanded(kind)
    told = chosen.demand(given)
    if kind == "watch" and any(site.allow_private for site in watch_of(sites_of(told["sites"])).sites):
        return "admin"
    return chosen.scope


def _add(work: Work) -> dict[str, Any]:
    reports = work.new("reports.jsonl")
    with reports.open("w", encoding="utf-8", errors="backslashreplace") as file:
        added = add_files(
            work.library,
            work.folder / upload_name(work.job.id),
            collection=work.told.collection,
            each=lambda report: print(json.dumps(report.to_dict(), ensure_ascii=False), file=file),
            progress=work.progress,
        )
    return {**added.to_dict(), "file": reports.name}


def upload_name(id: str) -> str:
    """Return how the file is called that a job adds; rows without an id are called by it."""
    return f"{id}.jsonl"


def _export(work: Work) -> dict[str, Any]:
    place = work.new("articles.jsonl.gz")
    return {
        **care.export(work.library, place, order=work.told.order, progress=work.progress).to_dict(),
        "file": place.name,
    }


def _verify(work: Work) -> dict[str, Any]:
    return care.verify(work.library, repair=work.told.repair).to_dict()


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
    told = None if work.library.folder is None else work.library.folder / ALERTS
    alerts = told if told is not None and told.exists() else None
    return watch(work.library, sites_of(work.told.sites), alerts=alerts, progress=work.progress).to_dict()


def _evidence(work: Work) -> dict[str, Any]:
    told, place = work.told, work.new("evidence.zip")
    packed = pack_evidence(
        work.library, told.id, told.other, place, at=work.job.made_at, zone=told.zone, language=told.language
    )
    return {**_without_places(packed.to_dict()), "file": place.name}


def _report(work: Work) -> dict[str, Any]:
    told, place = work.told, work.new(f"report.{work.told.format}")
    compared = compare_documents(work.library, told.id, told.other)
    compared.write(place, language=told.language)
    return {"bytes": place.stat().st_size, "file": place.name}


def _evaluate(work: Work) -> dict[str, Any]:
    told, articles, truth = work.told, work.new("articles.jsonl"), work.new("truth.jsonl")
    care.export(work.library, articles, progress=work.progress)
    truth.write_text(told.truth, encoding="utf-8")
    found = evaluate(
        articles, truth, methods=told.methods or None, complete=told.complete, sweep=told.sweep, seed=told.seed,
        id="id", progress=work.progress,
    )  # fmt: skip
    place = work.new("evaluation.html")
    place.write_text(found.report(), encoding="utf-8")
    articles.unlink()
    return {**found.to_dict(), "file": place.name}


def _trial(work: Work) -> dict[str, Any]:
    told = work.told
    files = work.folder / told.documents, work.folder / told.truth
    found = trial(files[0], files[1], methods=told.methods, complete=told.complete, progress=work.progress)
    place = work.new("evaluation.html")
    place.write_text(found.report(), encoding="utf-8")
    return {**found.to_dict(), "name": told.name, "file": place.name}


def _without_places(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in _OWN_FIELDS}


KINDS: dict[str, Kind] = {
    "add": Kind("write", AddJob, _add),
    "export": Kind("read", ExportJob, _export),
    "verify": Kind("admin", VerifyJob, _verify),
    "reindex": Kind("admin", ReindexJob, _reindex),
    "backup": Kind("admin", BackupJob, _backup),
    "watch": Kind("write", WatchJob, _watch),
    "evidence": Kind("review", EvidenceJob, _evidence),
    "report": Kind("read", ReportJob, _report),
    "evaluate": Kind("read", EvaluateJob, _evaluate),
    "trial": Kind("read", TrialJob, _trial),
}
"""Every kind of job by its name."""
EVALUATIONS = ("evaluate", "trial")
LANES: tuple[tuple[str, ...], ...] = (
    tuple(kind for kind in KINDS if kind not in ("watch", *EVALUATIONS)),
    EVALUATIONS,
    ("watch",),
)
"""Kinds that wait for each other, and for no kinds of another lane."""
MAX_WAITING = 100
"""Jobs of one caller that may wait at a time."""
MAX_EVALUATIONS = 10
"""Evaluations of one caller that may wait at a time: whoever may only read can start them, and each takes minutes."""

__all__ = [
    "EVALUATIONS",
    "KINDS",
    "LANES",
    "MAX_EVALUATIONS",
    "MAX_WAITING",
    "Kind",
    "Work",
    "demanded",
    "scope_of",
    "upload_name",
]
