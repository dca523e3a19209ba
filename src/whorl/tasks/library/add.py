"""Add the articles of files to a library, or check them against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from whorl._internal.frozen import frozen
from whorl.corpus import Rejects
from whorl.errors import InputError
from whorl.i18n import say, say_many
from whorl.library import Library
from whorl.library import open as open_library
from whorl.library.ingest.columns import UnparsedValues
from whorl.library.ingest.documents import demand_no_statements, statements_in
from whorl.library.ingest.files import read_documents
from whorl.library.rules import GivenRules
from whorl.recipe import Recipe, recipe_of
from whorl.reports.hints import hint_of_addition, hint_of_check
from whorl.tasks import Silent
from whorl.tasks.compare.articles import read_article
from whorl.tasks.library.arguments import Place, Places, Texts, lent, places, selected, strings
from whorl.text import fold
from whorl.types.comparison import Plain
from whorl.types.library import AddCounts, Document, Match, Report

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from whorl.corpus import Selection
    from whorl.matching.meaning import Model
    from whorl.tasks import Progress

STDIN = "-"


@frozen
class AddRun(AddCounts):
    """Result of adding files to a library: the totals of all files, and a hint for the next step.

    >>> import whorl
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> added.new, added.known
    (91, 0)

    Attributes:
        statements: number of decisions, attestations and cases that rows of an export carried, and that were stored.
    """

    statements: int = 0

    @property
    def hint(self) -> str | None:
        """Hint for the next step, one sentence in English, or None."""
        return hint_of_addition(self.new, self.known, self.revised, self.matched)


@frozen
class CheckRun(Plain):
    """Result of checking articles against a library.

    >>> import whorl
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/originals.jsonl")
    >>> whorl.library.check_files("newsroom", "examples/newsroom/articles.jsonl").articles
    91

    Attributes:
        articles: number of articles checked.
        copies: number of them with a copy in the library, which would put both in one cluster.
        matched: number of them that share text with an article of the library.
    """

    articles: int = 0
    copies: int = 0
    matched: int = 0

    @property
    def hint(self) -> str | None:
        """Hint for the next step, one sentence in English, or None."""
        return hint_of_check(self.copies, self.matched)


class _FileReading(NamedTuple):
    """Inputs and how to read them."""

    files: Sequence[str]
    recipe: Recipe
    columns: Mapping[str, str | None]
    selection: Selection


def add_files(
    library: Library | Place,
    files: Places,
    *,
    text: Texts | None = None,
    id: str | None = None,
    title: str | None = None,
    url: str | None = None,
    source: str | None = None,
    author: str | None = None,
    date: str | None = None,
    date_zone: str | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    recipe: Recipe | Place | None = None,
    window: str | None = None,
    collection: str | None = None,
    statements: bool = True,
    on_report: Callable[[Report], None] | None = None,
    progress: Progress | None = None,
) -> AddRun:
    """Add the articles of files to a library, which is created if it does not exist.

    >>> import whorl
    >>> whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl").new
    91

    Args:
        library: its address, or an open library.
        files: files, folders and globs; ``-`` is JSON Lines on standard input.
        text: the columns that make up the text.
        id: the column of ids; a row without one is called ``FILE:ROW``.
        title: the column of titles; for this and the next four, None uses the usual column names.
        url: the column of addresses.
        source: the column of publishers.
        author: the column of authors.
        date: the column of publication dates.
        date_zone: zone of dates without one, such as "Asia/Shanghai", kept as the default zone of the library; None is
            the default zone of the library or of their site.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        recipe: how files are read; for a library address also the recipe that it has, or is created with.
        window: for a new library: never match documents further apart than this span, such as "30d".
        collection: the collection of all these articles; None uses their column ``collection``.
        statements: store the decisions, attestations and cases that the rows of an export carry; False refuses a file
            with such rows.
        on_report: receives the report of each article once it is on disk.
        progress: receives the progress and the rejected rows and values.

    Raises:
        UsageError: the library was created with another recipe, or the window is out of range.
        InputError: a file cannot be read as requested, or lacks a named column. Reported articles are kept.
        ResourceError: the disk is full or not writable.

    Cost: one pass over each file; about 0.3 ms per article of a thousand characters.
    """
    chosen = recipe_of(recipe, text=strings(text), id=id, encoding=encoding)
    columns = {"title": title, "url": url, "source": source, "author": author, "published_at": date}
    reading = _FileReading(places(files), chosen.changed(ocr=ocr), columns, selected(include, exclude))
    report, counts = progress or Silent(), Counter[str]()
    making = None if recipe is None else chosen
    with _opened(library, making, window) as opened, closing(_read(reading, report)) as rows:
        if date_zone is not None:
            opened.zone = date_zone
        report.stage("add", None, "documents")
        allowed = _counted(rows, counts) if statements else map(demand_no_statements, rows)
        collected = allowed if collection is None else (replace(item, collection=collection) for item in allowed)
        if on_report is None:
            for tally in opened.fill(collected):
                report.advance(tally.new + tally.known + tally.revised)
                counts.update(tally.to_dict())
            return AddRun(**counts)
        for article in opened.add_each(collected):
            report.advance(1)
            counts[article.state] += 1
            counts["matched"] += bool(article.matches)
            on_report(article)
    return AddRun(**counts)


def _counted(documents: Iterator[Document], counts: Counter[str]) -> Iterator[Document]:
    """Yield documents, and count the statements of people that they carry."""
    for document in documents:
        counts["statements"] += statements_in(document)
        yield document


def check_files(
    library: Library | Place,
    files: Places,
    *,
    text: Texts | None = None,
    id: str | None = None,
    date: str | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    collection: str | None = None,
    meaning: Model = False,
    on_report: Callable[[Report], None] | None = None,
    progress: Progress | None = None,
) -> CheckRun:
    """Check the articles of files against a library without storing them.

    >>> import whorl
    >>> whorl.library.check_files("newsroom", "examples/newsroom/articles.jsonl").articles
    91

    Args:
        library: its address, or an open library.
        files: files, folders and globs; ``-`` alone is a single text on standard input.
        text: the columns that make up the text.
        id: the column of ids.
        date: the column of publication dates, for a library with a window.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        collection: report only matches with articles of this collection; None reports all.
        meaning: also find articles with the same content in other words, as ``Library.check`` does.
        on_report: receives the report of each article, with its id.
        progress: receives the progress and the rejected rows and values.

    Raises:
        InputError: there is no library, a file cannot be read as requested, or ``meaning`` is a folder without a model.
        UsageError: an extra is not installed, or the library cannot be searched by meaning.

    Cost: one pass over each file; less than a millisecond per article of a thousand characters, without ``meaning``.
    """
    chosen = recipe_of(None, text=strings(text), id=id, encoding=encoding)
    reading = _FileReading(places(files), chosen.changed(ocr=ocr), {"published_at": date}, selected(include, exclude))
    report, counts = progress or Silent(), Counter[str]()
    with lent(library) as opened, closing(_checked(opened, reading, collection, meaning, report)) as reports:
        report.stage("check", None, "documents")
        for article in reports:
            report.advance(1)
            counts["articles"] += 1
            counts["matched"] += bool(article.matches)
            counts["copies"] += any(match.joins for match in article.matches)
            if on_report is not None:
                on_report(article)
    return CheckRun(**counts)


def _opened(library: Library | Place, recipe: Recipe | None, window: str | None) -> AbstractContextManager[Library]:
    """Open a library for adding, creating it if its address does not exist."""
    rules: GivenRules = {} if window is None else {"window": window}
    return lent(library) if isinstance(library, Library) else open_library(library, recipe, **rules)


def _checked(
    opened: Library, reading: _FileReading, collection: str | None, meaning: Model, progress: Progress
) -> Generator[Report, None, None]:
    if reading.files == (STDIN,):
        text = read_article(STDIN, reading.recipe)
        yield replace(opened.check(text, collection=collection, meaning=meaning), id=STDIN)
        return
    articles = empty = 0
    with closing(_read(reading, progress)) as documents:
        for document in documents:
            articles, empty = articles + 1, empty + (not fold(document.text))
            published = document.published_at if opened.rules.clock == "published" else None
            times = [time for time in (published, document.first_seen_at) if time is not None]
            time = min(times, default=None)
            report = opened.check(document.text, at=time, collection=collection, meaning=meaning)
            yield replace(report, id=document.id)
    if empty and empty == articles:
        raise InputError(
            say("nothing was checked: no article has text to compare"),
            hint=say("choose another text, or name its columns: `text=body`"),
        )
    if empty:
        progress.note(
            say_many("{count:,} article has no text to compare", "{count:,} articles have no text to compare", empty)
        )


def _read(reading: _FileReading, progress: Progress) -> Generator[Document, None, None]:
    """Yield the documents of files, noting unreadable rows and values."""
    misread: Counter[UnparsedValues] = Counter()
    rejects = Rejects()
    yield from read_documents(
        reading.files, reading.recipe, rejects, named=reading.columns, misread=misread, selection=reading.selection
    )
    for rejection in rejects.named:
        file, row, reason = rejection.file, rejection.row, rejection.reason
        if row is None:
            progress.note(say("not read: {file}: {reason}", file=file, reason=reason))
        else:
            progress.note(say("not read: {file}, row {row}: {reason}", file=file, row=row, reason=reason))
    if rejects.total > len(rejects.named):
        progress.note(say("not read: {count:,} further rows", count=rejects.total - len(rejects.named)))
    for (column, field), count in sorted(misread.items()):
        progress.note(
            say(
                "{count:,} values of column {column!r} are not valid for {field} and were kept in metadata",
                field=field,
                count=count,
                column=column,
            )
        )


__all__ = ["AddRun", "CheckRun", "Match", "Report", "add_files", "check_files"]
