"""The page of what is reprinted most: the largest groups of copies, each with its titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import whorl
from whorl.language import say
from whorl.reports.html import render

TITLES = 5
"""How many titles of a group are told at once."""

_MEMBERS = 100
_GROUPS = 500


@dataclass(frozen=True, slots=True)
class Reprint:
    """An article of a group.

    Attributes:
        title: its title, or the beginning of its text.
        place: by which it can be found: its id, or its file and row.
    """

    title: str
    place: str


@dataclass(frozen=True, slots=True)
class _Group:
    size: int
    titles: Sequence[tuple[str, int]]
    further: int
    members: Sequence[Reprint]


def counted_titles(titles: Sequence[str]) -> list[tuple[str, int]]:
    """Return titles with how often each is there, the most frequent first."""
    return Counter(titles).most_common()


def render_hot(articles: int, groups: int, largest: Sequence[Sequence[Reprint]]) -> str:
    """Render one self-contained HTML page about the largest groups of copies.

    Args:
        articles: how many there are.
        groups: how many groups of two or more there are.
        largest: the largest of them, of which 500 are shown with 100 articles each; the rest is counted.

    Returns:
        HTML that asks for nothing from outside and runs no script, whatever the titles hold.
    """
    shown = [_group(group) for group in largest[:_GROUPS]]
    return render(
        "hot.html.j2",
        command="whorl hot",
        version=whorl.__version__,
        title=say("{groups:,} groups of copies among {articles:,} articles", groups=groups, articles=articles),
        groups=shown,
        most=max((group.size for group in shown), default=0),
        further=groups - len(shown),
    )


def _group(members: Sequence[Reprint]) -> _Group:
    titles = counted_titles([member.title for member in members])
    return _Group(len(members), titles[:TITLES], len(titles) - TITLES, members[:_MEMBERS])


__all__ = ["TITLES", "Reprint", "counted_titles", "render_hot"]
