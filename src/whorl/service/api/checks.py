"""What is known of a text: from other texts, or from a library; and what texts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, File, Query, Request, UploadFile
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from whorl.language import Language, translated
from whorl.library import Library
from whorl.library.model import Report
from whorl.reports.comparison import Article
from whorl.service.access import LibraryName, library_for, may, service_of
from whorl.service.api.examples import REPORT, shown
from whorl.service.bodies import Bounded
from whorl.service.replies import plain_json, plain_reply, reply
from whorl.service.uploads import folder_of, kept_while_read, parsing
from whorl.tasks.compare import MOST_SOURCES, Compared, compare_texts
from whorl.tasks.fingerprint import fingerprint
from whorl.tasks.handed_in import CheckedArticle, CheckedFile, check_handed_in, shown_name
from whorl.text.words import segment

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
    },
    "relation": "near_duplicate",
    "passages": [{"a_start": 0, "a_end": 26, "b_start": 3, "b_end": 29, "similarity": 1.0, "kind": "verbatim"}],
    "sentence": "92% of text B stands in text A",
}
"""A part of an answer, as an example."""
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
    """A text that another may have been copied from."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="What it says.")
    name: str = Field("", description="What it is called.", max_length=1000)
    authorised: bool = Field(False, description="Whether it is the author's own, or its reprint is agreed.")


class CompareRequest(BaseModel):
    """A text, and what it may have been copied from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": f"据悉，{_TEXT}", "sources": [{"name": "harbour.example/1", "text": _TEXT}]}]
        },
    )

    text: str = Field(description="The text that is examined.")
    sources: list[SourceText] = Field(
        description="One, or several, which share what they gave.", min_length=1, max_length=MOST_SOURCES
    )
    name: str = Field("", description="What the text is called.", max_length=1000)
    exclude: list[Literal["quotations", "references"]] = Field([], description="What is neither counted nor reported.")
    boilerplate: list[str] = Field([], description="Texts that are neither counted nor reported, such as notices.")
    least: int | None = Field(None, ge=1, description="Passages with fewer equal code points are not reported.")
    reprint: float | None = Field(None, gt=0, le=1, description="From which copied share on it counts as a reprint.")
    language: Language | None = Field(None, description="Of the sentence; that of the text, unless given.")

    def compared(self) -> Compared:
        """Return what the text has from its sources."""
        given = {"least": self.least, "reprint": self.reprint, "language": self.language}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        options |= {"exclude": tuple(self.exclude), "boilerplate": self.boilerplate}
        sources = [
            Article(source.name or str(number), source.text, source.authorised)
            for number, source in enumerate(self.sources, 1)
        ]
        return compare_texts(Article(self.name or "text", self.text), sources, **options)


@router.post(
    "/compare",
    dependencies=READS,
    response_model=dict[str, Any],
    responses=shown(_COMPARED),
)
def compare(asked: CompareRequest) -> Response:
    """What a text has from others: five ratios, the passages, and how they were changed.

    `ratios` are shares of the text: copied, copied outside quotations and references, copied without leave, from the
    source that gave most, and quoted without naming a source. Offsets count code points of the original texts.
    """
    return plain_reply(asked.compared().to_dict())


@router.post(
    "/compare/report",
    dependencies=READS,
    response_class=Response,
    responses={200: {"description": "The report.", "content": {kind: {} for kind in _MEDIA.values()}}},
)
async def report_comparison(
    asked: CompareRequest,
    format: Annotated[Kind, Query(description="Pages for people, tables, or the data.")] = "html",
    short: Annotated[bool, Query(description="Of pages: only the summary and the passages.")] = False,
    title: Annotated[str, Query(max_length=500, description="Of pages: what is above.")] = "",
) -> Response:
    """A comparison as a file: a page, its print as PDF, a table of the passages, or the data."""

    def made() -> bytes:
        compared = asked.compared()
        if format == "json":
            return plain_json(compared.to_dict())
        how: dict[str, Any] = {"short": short, "title": title} if format in ("html", "pdf") else {}
        content = compared.content(f".{format}", language=asked.language, **how)
        return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content

    content = await run_sync(made, limiter=parsing())
    place = f'attachment; filename="comparison.{format}"'
    return Response(content, media_type=_MEDIA[format], headers={"Content-Disposition": place})


def _short(texts: list[str]) -> list[str]:
    """The texts; the answer is many times as large as they are, so that they are bounded together."""
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        raise ValueError(f"the texts have more than {_MOST_CHARACTERS:,} code points together")
    return texts


Texts = Annotated[
    list[str],
    Field(description=f"The texts, of at most {_MOST_CHARACTERS:,} code points together.", max_length=_MOST_TEXTS),
    AfterValidator(_short),
]


class SegmentRequest(BaseModel):
    """Texts to be cut into words."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"texts": ["研究生命的起源"]}]})

    texts: Texts
    mode: Literal["precise", "full", "search", "fmm", "bmm", "bidirectional", "minimum"] = Field(
        "precise", description="How Han text is cut: by jieba's model, with all words, or by matching alone."
    )
    hmm: bool = Field(True, description="Let the model guess words that the dictionary lacks.")
    fold: bool = Field(False, description="Fold first: simplified, half width, lower case, no marks.")
    tags: bool = Field(False, description="Find parts of speech.")
    stem: str | None = Field(None, description="A language whose words lose their endings, such as english.")
    chunks: bool = Field(False, description="Runs of content words instead of words.")


class SegmentedWord(BaseModel):
    """A word and where it stands, in code points."""

    text: str
    start: int
    end: int
    tag: str | None = None


class Segmentation(BaseModel):
    """The words of each text."""

    texts: list[list[SegmentedWord]]


@router.post("/segment", dependencies=READS, response_model=Segmentation)
def cut_into_words(asked: SegmentRequest) -> Response:
    """Cut texts into words, each with its place in the original."""
    given = asked.model_dump(exclude={"texts"})
    return plain_reply({"texts": [[word._asdict() for word in words] for words in segment(asked.texts, **given)]})


class FingerprintRequest(BaseModel):
    """Texts to be fingerprinted."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"texts": [_TEXT], "method": "simhash"}]})

    texts: Texts
    method: str = Field("minhash", description="A fingerprint family or a preset.", max_length=100)


class TextFingerprint(BaseModel):
    """The fingerprint of a text."""

    digest: str = Field(description="128 bits of the folded text, in hexadecimal; equal texts have it in common.")
    length: int = Field(description="Folded code points; 0 for a text without features.")
    keys: list[str] = Field(description="Each 64 bits in hexadecimal; two texts that share one are worth comparing.")
    code: str | None = Field(description="By which the family estimates similarity, in hexadecimal; null for none.")


class Fingerprinted(BaseModel):
    """The fingerprint of each text."""

    texts: list[TextFingerprint]


@router.post("/fingerprint", dependencies=READS, response_model=Fingerprinted)
def make_fingerprints(asked: FingerprintRequest) -> Response:
    """Fingerprint texts. Of a method and a text it is the same for ever."""
    rows: Sequence[dict[str, Any]] = fingerprint(asked.texts, asked.method).to_pylist()
    told = [
        {
            "digest": row["digest"].hex(),
            "length": row["length"],
            "keys": [f"{key:016x}" for key in row["keys"]],
            "code": None if row["code"] is None else row["code"].hex(),
        }
        for row in rows
    ]
    return plain_reply({"texts": told})


class CheckRequest(BaseModel):
    """A text that is held against a library."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": _TEXT}]})

    text: str = Field(description="What it says.")
    at: datetime | None = Field(None, description="When it was published; now, unless given.")
    among: str | None = Field(None, description="Only articles of this collection; all, unless given.")


@router.post("/libraries/{library}/check", response_model=Report, responses=shown(_REPORT))
def check(asked: CheckRequest, request: Request, library: LibraryName) -> Response:
    """What adding a text would tell: the articles that share text with it, with the passages. Nothing is kept."""
    held_against = _to_read(request, library)  # as a dependency it would take a thread of its own
    return reply(held_against.check(asked.text, at=asked.at, among=asked.among or None))


@router.post(
    "/libraries/{library}/check/file",
    response_model=CheckedFile,
    responses=shown(CheckedFile("today.docx", (CheckedArticle(1, None, _REPORT),), False)),
)
async def check_file(
    request: Request,
    file: Annotated[
        UploadFile, File(description="TXT, HTML, DOCX, ODT, RTF, EPUB, Markdown, PDF, XLSX, CSV or JSONL.")
    ],
    library: Annotated[Library, Depends(library_for("read"))],
    among: Annotated[str | None, Query(description="Only articles of this collection.")] = None,
) -> Response:
    """What adding the articles of a file would tell: of a table or JSON Lines up to a thousand rows, else one.

    Files are read in processes of their own, with bounded time and memory. What cannot be read is told in its place.
    """

    def checked() -> Response:
        with kept_while_read(file, folder_of(service_of(request))) as path:
            found = check_handed_in(library, path, shown_name(file.filename), among=among or None)
        told = (replace(one, problem=str(translated(one.problem))) for one in found.articles)
        return reply(replace(found, articles=tuple(told)))

    return await run_sync(checked, limiter=parsing())


__all__ = ["router"]
