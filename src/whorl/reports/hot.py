"""HTML page of the most reprinted articles: the largest clusters with their titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from whorl._internal.frozen import frozen
from whorl.i18n import say
from whorl.release import __version__
from whorl.reports.html import render

TITLES = 5
"""Number of titles of a cluster that are shown before expanding."""

_MEMBERS = 100
_GROUPS = 500


@frozen
class Reprint:
    """An article of a cluster.

    Attributes:
        title: title, or the beginning of the text.
        place: locator of the article: its id, or file and row.
    """

    title: str
    place: str


@frozen
class _Group:
    size: int
    titles: Sequence[tuple[str, int]]
    further: int
    members: Sequence[Reprint]


def counted_titles(titles: Sequence[str]) -> list[tuple[str, int]]:
    """Return distinct titles with their counts, the most frequent first."""
    return Counter(titles).most_common()


def render_hot(articles: int, groups: int, largest: Sequence[Sequence[Reprint]]) -> str:
    """Render the largest clusters as one self-contained HTML page.

    Args:
        articles: number of articles.
        groups: number of clusters of two or more articles.
        largest: the largest clusters; 500 are shown with 100 articles each, the rest is counted.

    Returns:
        HTML that loads no external resource and runs no script; titles are escaped.
    """
    views = [_group(group) for group in largest[:_GROUPS]]
    return render(
        "hot.html.j2",
        command="whorl hot",
        version=__version__,
        title=say("{groups:,} groups of copies among {articles:,} articles", groups=groups, articles=articles),
        groups=views,
        most=max((group.size for group in views), default=0),
        further=groups - len(views),
    )


def _group(members: Sequence[Reprint]) -> _Group:
    titles = counted_titles([member.title for member in members])
    return _Group(len(members), titles[:TITLES], len(titles) - TITLES, members[:_MEMBERS])


__all__ = ["TITLES", "Reprint", "counted_titles", "render_hot"]
