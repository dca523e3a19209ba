"""The best article of each story among some articles."""

from __future__ import annotations

from collections.abc import Mapping

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain


@frozen
class AgencyCredit(Plain):
    """The news agency whose report the articles of a story are.

    >>> from whorl.results import AgencyCredit
    >>> AgencyCredit("Reuters", "a", {"a": 1.0, "b": 0.93}).copied["b"]
    0.93

    Attributes:
        name: the agency.
        article: id of the article that names it; of several, the one that was first seen. It may be an article of the
            cluster that was not requested, so that a copy without the byline is known as well.
        copied: by id of each article of the story, the share of its text that is in that article, in [0, 1].
    """

    name: str
    article: str
    copied: Mapping[str, float]


@frozen
class Story(Plain):
    """Articles of one story, ordered by form.

    >>> from whorl.results import Story
    >>> Story("a", 1, ("b", "c")).best
    'a'

    Attributes:
        best: id of the complete, clean and longest one; boilerplate of the library does not count.
        cluster_id: cluster of the story; None if all its articles are new to the library.
        others: ids of the others, the better first.
        agency: the news agency that an article of the story names in its dateline, its credit or as its publisher; None
            if none does, or if the library keeps no texts.
    """

    best: str
    cluster_id: int | None
    others: tuple[str, ...]
    agency: AgencyCredit | None = None


@frozen
class Stories(Plain):
    """Stories among some articles.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add([{"id": "cut", "text": f"{text}阅读全文"}, {"id": "all", "text": text}])
    ...     library.stories(["cut", "all", "gone"]).stories[0].best
    'all'

    Attributes:
        stories: the stories, in the order of their first articles.
        unknown: ids that the library does not have.
    """

    stories: tuple[Story, ...]
    unknown: tuple[str, ...]


__all__ = ["AgencyCredit", "Stories", "Story"]
