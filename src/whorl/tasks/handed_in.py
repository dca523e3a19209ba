"""A file that somebody hands in: each of its articles held against a library. The name of the file is only shown."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from whorl.corpus import Rejection, Rejects, Source, discover
from whorl.corpus.isolated import BUDGETS
from whorl.errors import InputError
from whorl.interruption import demand_interest
from whorl.language import say
from whorl.library.documents import FromFile
from whorl.library.files import read_rows
from whorl.library.model import Document, Report
from whorl.model import Plain

if TYPE_CHECKING:
    from datetime import datetime

    from whorl.library import Library

MOST_ARTICLES = 1000
"""How many articles of a file are checked where nothing else is asked for."""
_FORMATS = frozenset(BUDGETS)
_SUFFIX = re.compile(r"\.[a-z0-9]{1,9}")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class CheckedArticle(Plain):
    """What a library has of an article of a file.

    Attributes:
        row: where it stands, from 1; None where the whole file cannot be read.
        id: what the file calls it; None where it does not.
        report: what is known of it; None where it cannot be read.
        problem: why it cannot; empty where it can.
    """

    row: int | None
    id: str | None
    report: Report | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CheckedFile(Plain):
    """What a library has of the articles of a file.

    Attributes:
        name: of the file, without folders.
        articles: those that were checked, and those that cannot be read, in the order of the file.
        has_more: whether it has further articles, which were not looked at.
    """

    name: str
    articles: tuple[CheckedArticle, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What a file holds.

    Attributes:
        name: of the file, without folders.
        articles: those that can be read.
        rejected: what cannot be read, and why.
        has_more: whether it has further articles, which were not read.
    """

    name: str
    articles: tuple[Document, ...]
    rejected: tuple[Rejection, ...]
    has_more: bool


def shown_name(given: str | None) -> str:
    """Return the last part of the name that somebody gave a file, short and printable: what it may be called in a page.

    It is no path: nothing is opened by it.
    """
    last = PureWindowsPath(PurePosixPath(given or "").name).name
    printable = "".join(sign for sign in last if sign.isprintable()).strip()
    return printable[-_LONGEST_NAME:].strip() or "file"


def suffix_of(name: str) -> str:
    """Return how the name of a handed-in file ends, where it ends as that of a file does, else ``.txt``."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ".txt"


def check_handed_in(
    library: Library, path: Path, name: str, *, among: str | None = None, most: int = MOST_ARTICLES
) -> CheckedFile:
    """Say what a library has of the articles of a file that came from somewhere; nothing is kept.

    It is read in another process with bounded time and memory, whatever its format is.

    Args:
        library: what they are held against.
        path: where the file is, called by somebody who can be trusted.
        name: what it was called.
        among: only matches with articles of this collection; None for all.
        most: how many articles are looked at.

    Raises:
        InputError: the file is of a kind that is not taken.
    """
    source = _source(path, name)
    rejects = Rejects()
    articles: list[CheckedArticle] = []
    with closing(read_rows(source, library.recipe, rejects)) as rows:
        for row, document in islice(rows, most):
            demand_interest()
            report = library.check(document.text, at=_time_of(library, document), among=among)
            own = None if isinstance(document, FromFile) else document.id
            articles.append(CheckedArticle(row, own, replace(report, id=own)))
        has_more = next(rows, None) is not None
    wrong = (CheckedArticle(bad.row, None, None, bad.reason) for bad in rejects.named[:most])
    in_order = sorted([*articles, *wrong], key=lambda one: one.row or 0)
    return CheckedFile(name, tuple(in_order), has_more or rejects.total > most)


def read_handed_in(library: Library, path: Path, name: str, *, most: int = MOST_ARTICLES) -> HandedIn:
    """Return the articles of a file that came from somewhere, as a library would read them; nothing is kept.

    Args:
        library: by whose recipe it is read.
        path: where the file is, called by somebody who can be trusted.
        name: what it was called.
        most: how many articles are read.

    Raises:
        InputError: the file is of a kind that is not taken.
    """
    rejects = Rejects()
    with closing(read_rows(_source(path, name), library.recipe, rejects)) as rows:
        articles = tuple(document for _, document in islice(rows, most))
        has_more = next(rows, None) is not None
    return HandedIn(name, articles, tuple(rejects.named), has_more)


def _source(path: Path, name: str) -> Source:
    (found,) = discover([path])
    source = replace(found, name=name, address=name, named=False, untrusted=True)
    _demand_taken(source)
    return source


def _demand_taken(source: Source) -> None:
    if source.format not in _FORMATS or source.compression is not None:
        raise InputError(
            say("{name} is of a kind that is not taken", name=source.name),
            cure=say("give TXT, HTML, DOCX, ODT, RTF, EPUB, Markdown, PDF, XLSX, CSV or JSON Lines"),
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
    "read_handed_in",
    "shown_name",
    "suffix_of",
]
