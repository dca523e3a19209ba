"""Endpoints to check and compare text, and to segment and fingerprint it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Query, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from whorl._internal.interruption import demand_interest
from whorl.i18n import Language, say, translated
from whorl.library import Library
from whorl.recipe import Recipe
from whorl.reports.comparison.summary import Article
from whorl.service.api.examples import REPORT, example_response
from whorl.service.http.access import LibraryName, library_for, may, model_for, service_of
from whorl.service.http.bodies import Bounded
from whorl.service.http.responses import plain_json, plain_reply, reply
from whorl.service.http.uploads import folder_of, kept_while_read
from whorl.tasks.compare.run import MOST_SOURCES, Compared, compare_texts
from whorl.tasks.compare.submissions import CheckedArticle, CheckedFile, check_handed_in, shown_name
from whorl.tasks.fingerprint import fingerprint
from whorl.text.words import segment
from whorl.types.library import Report

router = APIRouter(tags=["checks"], route_class=Bounded)
READS = [Depends(may("read"))]
_to_read = library_for("read")

_REPORT = replace(REPORT, id=None, state="checked", revision=0)
_TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
_COMPARED = {
    "text": {"name": "text", "characters": 29, "sha256": "2cfd9832bc00…", "authorised": False},
    "sources": [{"name": "harbour.example/1", "characters": 26, "authorised": False, "source": 0, "share": 0.923}],
    "ratios": {
        "copied": 0.923,
        "reworded": 0.0,
        "unquoted": 0.923,
        "foreign": 0.923,
        "largest": 0.923,
        "quoted_uncited": 0.0,
        "translated": 0.0,
        "meaning": 0.0,
    },
    "relation": "near_duplicate",
    "passages": [{"a_start": 0, "a_end": 26, "b_start": 3, "b_end": 29, "similarity": 1.0, "kind": "verbatim"}],
    "sentence": "92% of text B is in text A",
}
"""Example of a response, shortened."""
_MOST_TEXTS, _MOST_CHARACTERS = 10_000, 200_000
_MEDIA = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
Kind = Literal["html", "pdf", "json", "csv", "xlsx", "docx"]


class SourceText(BaseModel):
    """A possible source of the examined text."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="The text.")
    name: str = Field("", description="Display name.", max_length=1000)
    authorised: bool = Field(False, description="True if it has the same author or its reprint is agreed.")


class CompareRequest(BaseModel):
    """A text and its possible sources."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": f"据悉，{_TEXT}", "sources": [{"name": "harbour.example/1", "text": _TEXT}]}]
        },
    )

    text: str = Field(description="The examined text.")
    sources: list[SourceText] = Field(
        description="Sources. Shared text is credited to the source that contributed it.",
        min_length=1,
        max_length=MOST_SOURCES,
    )
    name: str = Field("", description="Display name of the text.", max_length=1000)
    exclude: list[Literal["quotations", "references"]] = Field(
        [], description="Parts that are neither counted nor reported."
    )
    boilerplate: list[str] = Field(
        [], description="Boilerplate, such as notices, that is neither counted nor reported."
    )
    least: int | None = Field(None, ge=1, description="Minimum length of a reported passage in code points.")
    reprint: float | None = Field(None, gt=0, le=1, description="Copied share from which the text counts as a reprint.")
    terms: list[tuple[str, str]] = Field(
        [],
        description="Pairs of terms in two languages that mean the same, as further evidence of translations.",
        max_length=10_000,
    )
    meaning: bool = Field(
        False,
        description="Also find the same content in other words, or in another language, with a language model. Only if "
        "the server allows it.",
    )
    language: Language | None = Field(None, description="Language of the sentence; default: that of the text.")

    def compared(self, model: bool | str) -> Compared:
        """Compare the text with its sources, also by meaning if there is a model."""
        arguments = {"least": self.least, "reprint": self.reprint, "language": self.language}
        options: dict[str, Any] = {name: value for name, value in arguments.items() if value is not None}
        options |= {
            "exclude": tuple(self.exclude),
            "boilerplate": self.boilerplate,
            "terms": self.terms,
            "meaning": model,
        }
        sources = [
            Article(source.name or str(number), source.text, source.authorised)
            for number, source in enumerate(self.sources, 1)
        ]
        return compare_texts(Article(self.name or "text", self.text), sources, **options)


@router.post(
    "/compare",
    dependencies=READS,
    response_model=dict[str, Any],
    responses=example_response(_COMPARED),
)
async def compare(request: Request, body: CompareRequest) -> Response:
    """Compare a text with its sources: five ratios, the passages, and how each was edited.

    `ratios` are shares of the text: copied, copied outside quotations and references, copied without permission, from
    the largest source, and quoted without naming a source. Offsets count code points of the original texts.
    """
    model = model_for(request, requested=body.meaning)

    def compared() -> Response:
        return plain_reply(body.compared(model).to_dict())

    return await service_of(request).slow.run(request, "meanings" if model else "texts", compared)


@router.post(
    "/compare/report",
    dependencies=READS,
    response_class=Response,
    responses={200: {"description": "The report.", "content": {kind: {} for kind in _MEDIA.values()}}},
)
async def report_comparison(
    request: Request,
    body: CompareRequest,
    format: Annotated[Kind, Query(description="HTML or PDF for people, a table, or JSON.")] = "html",
    short: Annotated[bool, Query(description="HTML and PDF: only the summary and the passages.")] = False,
    title: Annotated[str, Query(max_length=500, description="HTML and PDF: title of the report.")] = "",
) -> Response:
    """Export a comparison as an HTML or PDF report, a table of passages, or JSON."""
    model = model_for(request, requested=body.meaning)

    def render() -> bytes:
        compared = body.compared(model)
        demand_interest()
        if format == "json":
            return plain_json(compared.to_dict())
        how: dict[str, Any] = {"short": short, "title": title} if format in ("html", "pdf") else {}
        content = compared.content(f".{format}", language=body.language, **how)
        return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content

    content = await service_of(request).slow.run(request, "meanings" if model else "reports", render)
    place = f'attachment; filename="comparison.{format}"'
    return Response(content, media_type=_MEDIA[format], headers={"Content-Disposition": place})


def _short(texts: list[str]) -> list[str]:
    """Limit the total size of the texts: the response is many times larger than they are."""
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        raise ValueError(say("the texts together have more than {limit:,} code points", limit=_MOST_CHARACTERS))
    return texts


Texts = Annotated[
    list[str],
    Field(description=f"Texts with at most {_MOST_CHARACTERS:,} code points together.", max_length=_MOST_TEXTS),
    AfterValidator(_short),
]


class SegmentRequest(BaseModel):
    """Texts to segment into words."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"texts": ["研究生命的起源"]}]})

    texts: Texts
    mode: Literal["precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum"] = Field(
        "precise", description="Segmentation of Chinese: jieba's model, all words, or dictionary matching only."
    )
    hmm: bool = Field(True, description="Recognize words outside the dictionary with the HMM.")
    fold: bool = Field(False, description="Normalize first: simplified Chinese, half width, lower case, no diacritics.")
    tags: bool = Field(False, description="Add part-of-speech tags.")
    stem: str | None = Field(None, description="Language whose words are stemmed, such as english.")
    chunks: bool = Field(False, description="Return runs of content words instead of words.")


class SegmentedWord(BaseModel):
    """A word and its position in code points."""

    text: str
    start: int
    end: int
    tag: str | None = None


class Segmentation(BaseModel):
    """Words of each text."""

    texts: list[list[SegmentedWord]]


@router.post("/segment", dependencies=READS, response_model=Segmentation)
async def cut_into_words(request: Request, body: SegmentRequest) -> Response:
    """Segment texts into words with their positions in the original."""
    options = body.model_dump(exclude={"texts"})

    def cut() -> Response:
        return plain_reply({"texts": [[word._asdict() for word in words] for words in segment(body.texts, **options)]})

    return await service_of(request).slow.run(request, "texts", cut)


class FingerprintRequest(BaseModel):
    """Texts to fingerprint."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"texts": [_TEXT], "method": "simhash"}]})

    texts: Texts
    method: str = Field("minhash", description="A fingerprint family or a preset.", max_length=100)
    keys: Literal["hex", "uint64", "int64"] = Field(
        "hex",
        description="Type of the keys: 16 hexadecimal digits, or a JSON integer. JavaScript rounds such integers.",
    )
    signature: bool = Field(False, description="Add the signature of each text; only for minhash and simhash.")
    iscc: int | None = Field(None, description="Add the ISCC (ISO 24138) of each text, with 64, 96, … 256 bits.")


class TextFingerprint(BaseModel):
    """Fingerprint of a text."""

    digest: str = Field(description="128-bit hash of the normalized text in hexadecimal; the same for equal texts.")
    length: int = Field(description="Normalized length in code points; 0 for a text without features.")
    keys: list[str] | list[int] = Field(description="64-bit keys. Texts that share `min_shared` keys are candidates.")
    code: str | None = Field(
        description="Code from which the family estimates similarity, in hexadecimal; null if it has none."
    )
    signature: str | None = Field(
        None,
        description="Signature in hexadecimal, if requested: the values of minhash as little-endian uint32, or "
        "the code of simhash. Null for a text without features.",
    )
    iscc: str | None = Field(None, description="Text-Code of ISO 24138, if requested.")


class Fingerprinted(BaseModel):
    """Fingerprint of each text."""

    texts: list[TextFingerprint]
    min_shared: int = Field(description="Number of shared keys from which two texts are candidates.")


@router.post("/fingerprint", dependencies=READS, response_model=Fingerprinted)
async def make_fingerprints(request: Request, body: FingerprintRequest) -> Response:
    """Compute fingerprints of texts. They are stable for a method and a text."""

    def fingerprinted() -> Response:
        table = fingerprint(body.texts, body.method, keys=body.keys, signature=body.signature, iscc=body.iscc)
        rows: Sequence[dict[str, Any]] = table.to_pylist()
        prints = [
            {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()} for row in rows
        ]
        min_shared = Recipe().changed(method=body.method).family().min_shared
        return plain_reply({"texts": prints, "min_shared": min_shared})

    return await service_of(request).slow.run(request, "texts", fingerprinted)


_MEANING = (
    "Also find articles with the same content in other words, or in another language, with a language model. Only in a "
    "library of the method `content`, and only if the server allows it."
)


class CheckRequest(BaseModel):
    """A text to check against a library."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": _TEXT}]})

    text: str = Field(description="The text.")
    at: datetime | None = Field(None, description="Time of publication; default: now.")
    among: str | None = Field(None, description="Search only this collection; default: all articles.")
    meaning: bool = Field(False, description=_MEANING)


@router.post("/libraries/{library}/check", response_model=Report, responses=example_response(_REPORT))
async def check(body: CheckRequest, request: Request, library: LibraryName) -> Response:
    """Check a text against a library: matching articles and their passages. Nothing is stored."""

    def checked() -> Response:
        opened = _to_read(request, library)  # a dependency would occupy another thread
        model = model_for(request, requested=body.meaning)
        return reply(opened.check(body.text, at=body.at, collection=body.among or None, meaning=model))

    if body.meaning:
        return await service_of(request).slow.run(request, "meanings", checked)
    return await run_in_threadpool(checked)


@router.post(
    "/libraries/{library}/check/file",
    response_model=CheckedFile,
    responses=example_response(CheckedFile("today.docx", (CheckedArticle(1, None, _REPORT),), False)),
)
async def check_file(
    request: Request,
    file: Annotated[UploadFile, File(description="Search only this collection.")],
    library: Annotated[Library, Depends(library_for("read"))],
    among: Annotated[str | None, Query(description="Only articles of this collection.")] = None,
    meaning: Annotated[bool, Query(description=_MEANING)] = False,
) -> Response:
    """Check the articles of a file: up to a thousand rows of a table or JSON Lines, otherwise one article.

    Files are parsed in separate processes with bounded time and memory. Unreadable articles are reported in order.
    """
    model = model_for(request, requested=meaning)

    def checked() -> Response:
        with kept_while_read(file, folder_of(service_of(request))) as path:
            name = shown_name(file.filename)
            result = check_handed_in(library, path, name, collection=among or None, meaning=model)
        articles = (replace(article, problem=str(translated(article.problem))) for article in result.articles)
        return reply(replace(result, articles=tuple(articles)))

    return await service_of(request).slow.run(request, "meanings" if meaning else "files", checked)


__all__ = ["router"]
