"""What is reprinted most: the largest groups of copies of files or of a library, with their titles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.language import Message, say
from whorl.library import Library, exists
from whorl.library.rules import span
from whorl.model import Plain
from whorl.recipe import Recipe, recipe_of
from whorl.reports.hints import hint_of_groups
from whorl.tasks.arguments import (
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

if TYPE_CHECKING:
    from whorl.engines.hot import Hot
    from whorl.tasks import Progress

HOT_METHOD = "nshash"
"""How copies in files are found where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Titled:
    """An article of a library by its title.

    >>> import whorl
    >>> added = whorl.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> [cluster] = whorl.hot("newsroom", top=1).largest
    >>> cluster.articles[0].title
    'The slow train to Vesterholm'

    Attributes:
        id: of the article.
        title: its title, or the beginning of its text.
    """

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class HotCluster:
    """A cluster of a library.

    >>> import whorl
    >>> added = whorl.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> [cluster] = whorl.hot("newsroom", top=1).largest
    >>> len(cluster.articles)
    5

    Attributes:
        cluster: its number.
        articles: those asked for, in the order of adding.
    """

    cluster: int
    articles: tuple[Titled, ...]


@dataclass(frozen=True, slots=True)
class HotClusters(Plain):
    """The largest clusters of a library.

    >>> import whorl
    >>> added = whorl.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> hot = whorl.hot("newsroom", top=3)
    >>> hot.articles, [len(titles) for titles in hot.titles()]
    (91, [5, 4, 4])

    Attributes:
        articles: how many articles it holds.
        groups: how many clusters have two or more of those asked for.
        largest: the largest of them.
        hint: what the next look could make use of, in one sentence in English; None where there is nothing.
    """

    articles: int
    groups: int
    largest: tuple[HotCluster, ...]
    hint: Message | None = None

    def titles(self) -> list[list[str]]:
        """Return the titles of each of the largest groups."""
        return [[article.title for article in group.articles] for group in self.largest]

    def report(self) -> str:
        """Return what was found as one self-contained HTML page."""
        from whorl.reports.hot import Reprint, render_hot

        groups = [[Reprint(one.title, one.id) for one in group.articles] for group in self.largest]
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
    """Return what is reprinted most: the largest groups of copies of files or of a library, with their titles.

    >>> import whorl
    >>> found = whorl.hot("examples/newsroom/articles.jsonl", top=3)
    >>> len(found.largest), found.articles
    (3, 91)

    Args:
        inputs: a library; or files, folders and globs.
        top: how many groups.
        since: of a library: count what was first seen within this span, such as "1d", or since this time.
        text: of files, like all that follows: the columns that make the text.
        title: the column of titles; None takes "title" where there is one, and else the beginning of the text.
        encoding: of text, HTML, JSONL and CSV files; None finds it out.
        include: of folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        method: a method or preset; None takes "nshash", or that of the recipe.
        threshold: from which similarity a document is a copy.
        recipe: the rest; the arguments above override it.
        workers: threads of this call, and processes that parse files; None takes all cores.
        progress: is told what happens.
        clock: tells what time it is, from which a span counts back.

    Returns:
        Of files a ``Hot``, of a library ``HotClusters``; both have
        ``articles``, ``groups``, ``largest``, ``titles`` and ``report``.

    Raises:
        UsageError: standard input is asked for, or ``since`` of files.
        InputError: a file cannot be read as asked, or has no such column.

    Cost: that of a deduplication, its disk for the time being, and one or two more passes over the files that hold the
    largest groups; of a library a pass over all documents.
    """
    demand_from("top", top, 1)
    if isinstance(inputs, Library):
        return _in_library(inputs, top, _begin(since, clock))
    given = places(inputs)
    if len(given) == 1 and exists(given[0]):
        return _in_library(given[0], top, _begin(since, clock))
    if since is not None:
        raise UsageError(say("`since` is of libraries"), cure=say("name a library, or leave it away"))
    from whorl.engines.hot import hottest

    chosen = recipe_of(
        recipe,
        method=method or (HOT_METHOD if recipe is None else None),
        threshold=threshold,
        text=strings(text),
        encoding=encoding,
    )
    files = selected(include, exclude)
    return hottest(given, chosen, title=title, top=top, workers=workers, progress=progress, selection=files)


def _begin(since: str | datetime | None, clock: Clock) -> datetime | None:
    if since is None or isinstance(since, datetime):
        return since
    try:
        return clock() - timedelta(microseconds=span(since))
    except OverflowError as error:
        raise UsageError(
            say("{since!r} leads back before all dates", since=since), cure=say("leave it away for all articles")
        ) from error


def _in_library(place: Library | Place, top: int, begin: datetime | None) -> HotClusters:
    with lent(place) as library:
        sizes = library.clusters(since=begin)
        titles = library.titles_of_all((size.id for size in sizes[:top]), begin)
        largest = tuple(
            HotCluster(size.id, tuple(Titled(*named) for named in own))
            for size, own in zip(sizes, titles, strict=False)
        )
        hint = hint_of_groups(len(library), len(sizes), len(largest), None)
        return HotClusters(len(library), len(sizes), largest, hint)


__all__ = ["HOT_METHOD", "HotCluster", "HotClusters", "Titled", "hot"]
