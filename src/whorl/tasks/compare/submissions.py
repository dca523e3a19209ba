"""Check an uploaded file article by article against a library. Its name is only displayed."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl._internal.interruption import demand_interest
from whorl.corpus import Rejection, Rejects, Source, discover
from whorl.corpus.sandbox import BUDGETS
from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.ingest.documents import FileDocument
from whorl.library.ingest.files import read_rows
from whorl.types.comparison import Plain
from whorl.types.library import Document, Report

if TYPE_CHECKING:
    from datetime import datetime

    from whorl.library import Library
    from whorl.matching.meaning import Model

MOST_ARTICLES = 1000
"""Default maximum number of checked articles per file."""
_SUFFIX = re.compile(r"\.[a-z0-9]{1,9}")
_LONGEST_NAME = 120


@frozen
class CheckedArticle(Plain):
    """Result of checking an article of a file against a library.

    Attributes:
        row: its row, from 1; None if the whole file cannot be read.
        id: its id in the file, or None.
        report: its matches; None if it cannot be read.
        problem: why it cannot be read, or an empty string.
    """

    row: int | None
    id: str | None
    report: Report | None
    problem: str = ""


@frozen
class CheckedFile(Plain):
    """Result of checking the articles of a file against a library.

    Attributes:
        name: file name without folders.
        articles: checked and unreadable articles, in the order of the file.
        has_more: True if the file has further articles, which were not checked.
    """

    name: str
    articles: tuple[CheckedArticle, ...]
    has_more: bool


@frozen
class HandedIn:
    """Contents of an uploaded file.

    Attributes:
        name: file name without folders.
        articles: the readable articles.
        rejected: the unreadable rows with the reasons.
        has_more: True if the file has further articles, which were not read.
    """

    name: str
    articles: tuple[Document, ...]
    rejected: tuple[Rejection, ...]
    has_more: bool


def shown_name(name: str | None) -> str:
    """Return the last part of an uploaded file name, short and printable, for display.

    It must not be used as a path.
    """
    last = PureWindowsPath(PurePosixPath(name or "").name).name
    printable = "".join(sign for sign in last if sign.isprintable()).strip()
    return printable[-_LONGEST_NAME:].strip() or "file"


def suffix_of(name: str) -> str:
    """Return the suffix of an uploaded file name if it is a known one, else ``.txt``."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ".txt"


def check_handed_in(
    library: Library,
    path: Path,
    name: str,
    *,
    collection: str | None = None,
    meaning: Model = False,
    limit: int = MOST_ARTICLES,
) -> CheckedFile:
    """Check the articles of an untrusted file against a library without storing them.

    It is read in another process with bounded time and memory, whatever its format is.

    Args:
        library: the library to search.
        path: path of the file, chosen by trusted code.
        name: original name of the file.
        collection: report only matches with articles of this collection; None reports all.
        meaning: also find articles with the same content in other words, as ``Library.check`` does.
        limit: maximum number of articles to check.

    Raises:
        InputError: the file type is not accepted.
        UsageError: an extra is not installed, or the library cannot be searched by meaning.
    """
    source = _source(path, name)
    rejects = Rejects()
    articles: list[CheckedArticle] = []
    with closing(read_rows(source, library.recipe, rejects)) as rows:
        for row, document in islice(rows, limit):
            demand_interest()
            time = _time_of(library, document)
            report = library.check(document.text, at=time, collection=collection, meaning=meaning)
            id = None if isinstance(document, FileDocument) else document.id
            articles.append(CheckedArticle(row, id, replace(report, id=id)))
        has_more = next(rows, None) is not None
    wrong = (CheckedArticle(bad.row, None, None, bad.reason) for bad in rejects.named[:limit])
    in_order = sorted([*articles, *wrong], key=lambda article: article.row or 0)
    return CheckedFile(name, tuple(in_order), has_more or rejects.total > limit)


def read_handed_in(library: Library, path: Path, name: str, *, limit: int = MOST_ARTICLES) -> HandedIn:
    """Read the articles of an untrusted file as a library would, without storing them.

    Args:
        library: provides the recipe.
        path: path of the file, chosen by trusted code.
        name: original name of the file.
        limit: maximum number of articles to read.

    Raises:
        InputError: the file type is not accepted.
    """
    rejects = Rejects()
    with closing(read_rows(_source(path, name), library.recipe, rejects)) as rows:
        articles = tuple(document for _, document in islice(rows, limit))
        has_more = next(rows, None) is not None
    return HandedIn(name, articles, tuple(rejects.named), has_more)


def _source(path: Path, name: str) -> Source:
    (source,) = discover([path])
    source = source._replace(name=name, address=name, named=False, untrusted=True)
    _demand_taken(source)
    return source


def has_bounds(source: Source) -> bool:
    """True if the file can be read with bounded time and memory, and so may come from another user."""
    return source.format in BUDGETS and source.compression is None


def _demand_taken(source: Source) -> None:
    if not has_bounds(source):
        raise InputError(
            say("the file type of {name} is not accepted", name=source.name),
            hint=say("use TXT, HTML, DOCX, ODT, RTF, EPUB, Markdown, PDF, XLSX, CSV or JSON Lines"),
        )


def _time_of(library: Library, document: Document) -> datetime | None:
    published = document.published_at if library.rules.clock == "published" else None
    return min((time for time in (published, document.first_seen_at) if time is not None), default=None)


__all__ = [
    "MOST_ARTICLES",
    "CheckedArticle",
    "CheckedFile",
    "HandedIn",
    "check_handed_in",
    "has_bounds",
    "read_handed_in",
    "shown_name",
    "suffix_of",
]
