"""Find the most reprinted articles: the largest groups of duplicates in files or in a library, with titles."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import Message, say
from whorl.library import Library, exists
from whorl.library.rules import span
from whorl.recipe import Recipe, recipe_of
from whorl.reports.hints import hint_of_groups
from whorl.tasks.library.arguments import (
    Clock,
    Place,
    Places,
    Texts,
    demand_from,
    lent,
    places,
    selected,
    strings,
    utc_now,
)
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.engines.hot import Hot
    from whorl.tasks import Progress

HOT_METHOD = "nshash"
"""Default method for duplicates in files."""


@frozen
class Titled:
    """Title of an article of a library.

    >>> import whorl
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> [cluster] = whorl.runs.hot("newsroom", top=1).largest
    >>> cluster.articles[0].title
    'The slow train to Vesterholm'

    Attributes:
        id: id of the article.
        title: its title, or the beginning of its text.
    """

    id: str
    title: str


@frozen
class HotCluster:
    """A cluster of a library.

    >>> import whorl
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> [cluster] = whorl.runs.hot("newsroom", top=1).largest
    >>> cluster.size, len(cluster.articles)
    (5, 5)

    Attributes:
        cluster: cluster number.
        articles: the members that satisfy the filter, in the order of adding; over HTTP at most 20.
        size: number of all members that satisfy the filter.
    """

    cluster: int
    articles: tuple[Titled, ...]
    size: int


@frozen
class HotClusters(Plain):
    """The largest clusters of a library.

    >>> import whorl
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> hot = whorl.runs.hot("newsroom", top=3)
    >>> hot.articles, [len(titles) for titles in hot.titles()]
    (91, [5, 4, 4])

    Attributes:
        articles: total number of articles.
        groups: number of clusters with two or more members that satisfy the filter.
        largest: the largest of them.
        hint: one sentence in English on how to improve the next call, or None.
    """

    articles: int
    groups: int
    largest: tuple[HotCluster, ...]
    hint: Message | None = None

    def titles(self) -> list[list[str]]:
        """Return the titles of each of the largest groups."""
        return [[article.title for article in group.articles] for group in self.largest]

    def report(self) -> str:
        """Return the groups as one self-contained HTML page."""
        from whorl.reports.hot import Reprint, render_hot

        groups = [[Reprint(article.title, article.id) for article in group.articles] for group in self.largest]
        return render_hot(self.articles, self.groups, groups)


def hot(
    inputs: Library | Places,
    *,
    top: int = 30,
    since: str | datetime | None = None,
    text: Texts | None = None,
    title: str | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    method: str | None = None,
    threshold: float | None = None,
    recipe: Recipe | Place | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    clock: Clock = utc_now,
) -> Hot | HotClusters:
    """Return the most reprinted articles: the largest groups of duplicates in files or in a library, with titles.

    >>> import whorl
    >>> found = whorl.runs.hot("examples/newsroom/articles.jsonl", top=3)
    >>> len(found.largest), found.articles
    (3, 91)

    Args:
        inputs: a library, or files, folders and globs.
        top: number of groups.
        since: for a library: count only articles first seen within this span, such as "1d", or since this time.
        text: for files, like all following arguments: the columns that make up the text.
        title: the column of titles; None uses "title" if it exists, else the beginning of the text.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        method: a method or preset; None uses "nshash", or that of the recipe.
        threshold: minimum similarity of a duplicate.
        recipe: further settings; the arguments above override it.
        workers: threads of this call, and processes that parse files; None uses all cores.
        progress: receives the progress.
        clock: returns the current time, from which a span is measured.

    Returns:
        For files a ``Hot``, for a library ``HotClusters``; both have
        ``articles``, ``groups``, ``largest``, ``titles`` and ``report``.

    Raises:
        UsageError: standard input is requested, or ``since`` is used for files.
        InputError: a file cannot be read as requested, or has no such column.

    Cost: that of a deduplication including its temporary disk space, and one or two more passes over the files of the
    largest groups; for a library a pass over all documents.
    """
    demand_from("top", top, 1)
    if isinstance(inputs, Library):
        return _in_library(inputs, top, _begin(since, clock))
    corpora = places(inputs)
    if len(corpora) == 1 and exists(corpora[0]):
        return _in_library(corpora[0], top, _begin(since, clock))
    if since is not None:
        raise UsageError(say("`since` requires a library"), hint=say("use a library, or omit it"))
    from whorl.engines.hot import hottest

    chosen = recipe_of(
        recipe,
        method=method or (HOT_METHOD if recipe is None else None),
        threshold=threshold,
        text=strings(text),
        encoding=encoding,
    )
    files = selected(include, exclude)
    return hottest(corpora, chosen, title=title, top=top, workers=workers, progress=progress, selection=files)


def _begin(since: str | datetime | None, clock: Clock) -> datetime | None:
    if since is None or isinstance(since, datetime):
        return since
    try:
        return clock() - timedelta(microseconds=span(since))
    except OverflowError as error:
        raise UsageError(
            say("{since!r} is before the earliest possible date", since=since), hint=say("omit it for all articles")
        ) from error


def _in_library(place: Library | Place, top: int, begin: datetime | None) -> HotClusters:
    with lent(place) as library:
        sizes = library.clusters(since=begin)
        titles = library.titles_of_all((size.id for size in sizes[:top]), begin)
        largest = tuple(
            HotCluster(size.id, tuple(Titled(*named) for named in titled), len(titled))
            for size, titled in zip(sizes, titles, strict=False)
        )
        hint = hint_of_groups(len(library), len(sizes), len(largest), None)
        return HotClusters(len(library), len(sizes), largest, hint)


__all__ = ["HOT_METHOD", "HotCluster", "HotClusters", "Titled", "hot"]
