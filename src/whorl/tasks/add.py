"""Articles of files into a library, or only beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from whorl.corpus import Rejects
from whorl.language import say
from whorl.library import Library
from whorl.library import open as open_library
from whorl.library.columns import UnparsedValues
from whorl.library.files import read_documents
from whorl.library.model import AddCounts, Document, Match, Report
from whorl.library.rules import GivenRules
from whorl.model import Plain
from whorl.recipe import Recipe, recipe_of
from whorl.reports.hints import hint_of_addition, hint_of_check
from whorl.tasks import Silent
from whorl.tasks.arguments import Place, Places, Texts, lent, places, selected, strings
from whorl.tasks.articles import read_article

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from whorl.corpus import Selection
    from whorl.tasks import Progress

STDIN = "-"


@dataclass(frozen=True, slots=True)
class AddResult(AddCounts):
    """What a library was given: a ``AddCounts`` of all files, and what is worth a look now.

    >>> import whorl
    >>> added = whorl.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> added.new, added.known
    (91, 0)
    """

    @property
    def hint(self) -> str | None:
        """What is worth a look now, in one sentence in English; None where nothing is."""
        return hint_of_addition(self.new, self.known, self.revised, self.matched)


@dataclass(frozen=True, slots=True)
class Checked(Plain):
    """What a library has of some articles.

    >>> import whorl
    >>> added = whorl.add_files("newsroom", "examples/newsroom/originals.jsonl")
    >>> whorl.check_files("newsroom", "examples/newsroom/articles.jsonl").articles
    91

    Attributes:
        articles: how many were checked.
        copies: of these, how many have a copy in the library: one that joins them in a cluster.
        matched: of these, how many share text with an article of the library.
    """

    articles: int = 0
    copies: int = 0
    matched: int = 0

    @property
    def hint(self) -> str | None:
        """What is worth a look now, in one sentence in English; None where nothing is."""
        return hint_of_check(self.copies, self.matched)


class _Reading(NamedTuple):
    """What to read, and how."""

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
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    recipe: Recipe | Place | None = None,
    window: str | None = None,
    collection: str | None = None,
    each: Callable[[Report], None] | None = None,
    progress: Progress | None = None,
) -> AddResult:
    """Add the articles of files to a library, which is made if there is none at the address.

    >>> import whorl
    >>> whorl.add_files("newsroom", "examples/newsroom/articles.jsonl").new
    91

    Args:
        library: its address, or an open library.
        files: files, folders and globs; ``-`` is JSON Lines on standard input.
        text: the columns that make the text.
        id: the column of ids; a row without is called ``FILE:ROW``.
        title: the column of titles; like the next four, None takes the usual ones.
        url: the column of addresses.
        source: the column of publishers.
        author: the column of authors.
        date: the column of dates of publication.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        recipe: how files are read; and of a library at an address, which it was, or is to be, made with.
        window: of a new library: never match across this span, such as "30d".
        collection: the one of all these articles; None for what their column ``collection`` says.
        each: is given the report of each article once it is on the disk.
        progress: is told what happens, and what could not be read or understood.

    Raises:
        UsageError: the library was made with another recipe, or a rule is out of range.
        InputError: a file cannot be read as asked, or lacks a column that was named. What was reported is kept.
        ResourceError: the disk is full or may not be written to.

    Cost: one pass over each file; about 0.3 ms an article of a thousand characters.
    """
    chosen = recipe_of(recipe, text=strings(text), id=id, encoding=encoding)
    columns = {"title": title, "url": url, "source": source, "author": author, "published_at": date}
    given = _Reading(places(files), chosen, columns, selected(include, exclude))
    report, counts = progress or Silent(), Counter[str]()
    making = None if recipe is None else chosen
    with _made(library, making, window) as opened, closing(_read(given, report)) as rows:
        report.stage("add", None, "documents")
        collected = rows if collection is None else (replace(document, collection=collection) for document in rows)
        if each is None:
            for tally in opened.fill(collected):
                report.advance(tally.new + tally.known + tally.revised)
                counts.update(tally.to_dict())
            return AddResult(**counts)
        for known in opened.add_each(collected):
            report.advance(1)
            counts[known.state] += 1
            counts["matched"] += bool(known.matches)
            each(known)
    return AddResult(**counts)


def check_files(
    library: Library | Place,
    files: Places,
    *,
    text: Texts | None = None,
    id: str | None = None,
    date: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    among: str | None = None,
    each: Callable[[Report], None] | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Say what a library has of the articles of files; nothing is kept.

    >>> import whorl
    >>> whorl.check_files("newsroom", "examples/newsroom/articles.jsonl").articles
    91

    Args:
        library: its address, or an open library.
        files: files, folders and globs; ``-`` alone is one text on standard input.
        text: the columns that make the text.
        id: the column of ids.
        date: the column of dates of publication, where the library has a window.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        among: only matches with articles of this collection; None for all.
        each: is given the report of each article, with its id.
        progress: is told what happens, and what could not be read or understood.

    Raises:
        InputError: there is no library, or a file cannot be read as asked.

    Cost: one pass over each file; below a millisecond an article of a thousand characters.
    """
    chosen = recipe_of(None, text=strings(text), id=id, encoding=encoding)
    given = _Reading(places(files), chosen, {"published_at": date}, selected(include, exclude))
    report, counts = progress or Silent(), Counter[str]()
    with lent(library) as opened, closing(_checked(opened, given, among, report)) as found:
        report.stage("check", None, "documents")
        for known in found:
            report.advance(1)
            counts["articles"] += 1
            counts["matched"] += bool(known.matches)
            counts["copies"] += any(match.joins for match in known.matches)
            if each is not None:
                each(known)
    return Checked(**counts)


def _made(library: Library | Place, recipe: Recipe | None, window: str | None) -> AbstractContextManager[Library]:
    """A library to add to; one at an address is made if there is none."""
    rules: GivenRules = {} if window is None else {"window": window}
    return lent(library) if isinstance(library, Library) else open_library(library, recipe, **rules)


def _checked(opened: Library, given: _Reading, among: str | None, progress: Progress) -> Generator[Report, None, None]:
    if given.files == (STDIN,):
        yield replace(opened.check(read_article(STDIN, given.recipe), among=among), id=STDIN)
        return
    with closing(_read(given, progress)) as documents:
        for document in documents:
            published = document.published_at if opened.rules.clock == "published" else None
            times = [time for time in (published, document.first_seen_at) if time is not None]
            report = opened.check(document.text, at=min(times, default=None), among=among)
            yield replace(report, id=document.id)


def _read(given: _Reading, progress: Progress) -> Generator[Document, None, None]:
    """The documents of files; what cannot be read or understood is noted."""
    misread: Counter[UnparsedValues] = Counter()
    rejects = Rejects()
    yield from read_documents(
        given.files, given.recipe, rejects, named=given.columns, misread=misread, selection=given.selection
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
                "not understood as {field}, kept in metadata: {count:,} of column {column!r}",
                field=field,
                count=count,
                column=column,
            )
        )


__all__ = ["AddResult", "Checked", "Match", "Report", "add_files", "check_files"]
