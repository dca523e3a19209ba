"""The best article of each story among some articles."""

from __future__ import annotations

from dataclasses import dataclass

from whorl.types.comparison import Plain


@dataclass(frozen=True, slots=True)
class Story(Plain):
    """Articles of one cluster, ordered by form.

    >>> from whorl.results import Story
    >>> Story("a", 1, ("b", "c")).best
    'a'

    Attributes:
        best: id of the complete, clean and longest one; boilerplate of the library does not count.
        cluster_id: cluster of the story.
        others: ids of the others, the better first.
    """

    best: str
    cluster_id: int
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stories(Plain):
    """Stories among some articles.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add([{"id": "cut", "text": f"{text}阅读全文"}, {"id": "all", "text": text}])
    ...     library.best(["cut", "all", "gone"]).stories[0].best
    'all'

    Attributes:
        stories: a story for each cluster, in the order of their first ids.
        unknown: ids that the library does not have.
    """

    stories: tuple[Story, ...]
    unknown: tuple[str, ...]


__all__ = ["Stories", "Story"]
