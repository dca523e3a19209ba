"""Texts on one subject and in one house style: editions of one page, and pages that are no copies of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from benchmarks.articles import LANGUAGES, data_folder, newsroom, read_rows
from benchmarks.similarity import shingles
from whorl.evaluation.intervals import Share
from whorl.evaluation.scoring import share_found

_SETS = ("manpages-zh", "python-docs-en")
_LIGHTLY_EDITED, _LIGHTLY_WIDTH = 0.5, 8
_TENTH = 0.1


@dataclass(frozen=True)
class Related:
    """Related texts.

    Attributes:
        name: name of the set.
        origin: one sentence about its source.
        texts: texts by id.
        groups: group by id; texts of a group are editions of one page.
    """

    name: str
    origin: str
    texts: Mapping[str, str]
    groups: Mapping[str, str]

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        """Return all pairs within groups."""
        members: dict[str, list[str]] = defaultdict(list)
        for member, group in self.groups.items():
            members[group].append(member)
        return tuple(pair for group in members.values() for pair in combinations(group, 2))

    @cached_property
    def lightly_edited(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs within groups that share half of the distinct 8-grams of the smaller text."""
        return tuple(pair for pair in self.twins if self._shared(*pair) >= _LIGHTLY_EDITED)

    def _shared(self, a: str, b: str) -> float:
        first, second = (shingles(self.texts[text_id], _LIGHTLY_WIDTH) for text_id in (a, b))
        return len(first & second) / max(1, min(len(first), len(second)))

    def judged(self, removals: Mapping[str, str]) -> dict[str, Any]:
        """Return the shares of twins in one cluster and of right removals, and the removals for another page.

        A removal is wrong if the texts belong to different groups, and the kept text has less than a tenth of the
        distinct 5-grams of tokens of the removed text.
        """
        wrong = sum(self._is_wrong(removed, kept) for removed, kept in removals.items())
        return {
            "twins": share_found(self.twins, removals).as_dict(),
            "lightly_edited": share_found(self.lightly_edited, removals).as_dict(),
            "precision": Share(len(removals) - wrong, len(removals)).as_dict(),
            "wrong": wrong,
            "other_pages": sum(self.groups[removed] != self.groups[kept] for removed, kept in removals.items()),
        }

    def _is_wrong(self, removed: str, kept: str) -> bool:
        if self.groups[removed] == self.groups[kept]:
            return False
        removed_shingles = shingles(self.texts[removed])
        return len(removed_shingles & shingles(self.texts[kept])) < _TENTH * len(removed_shingles)


def related_sets() -> Iterator[Related]:
    """Yield the sets of ``WHORL_DATA``, or else the articles of the example, which contain no copies."""
    folder = data_folder()
    if folder is None:
        articles = (text for language in LANGUAGES for text in newsroom(language))
        texts = {str(number): text for number, text in enumerate(articles)}
        origin = f"{len(texts)} invented articles of examples/newsroom"
        yield Related("newsroom", origin, texts, {text_id: text_id for text_id in texts})
        return
    for name in _SETS:
        rows = list(read_rows(folder / "related" / f"{name}.jsonl.gz"))
        texts = {row["id"]: row["text"] for row in rows}
        groups = {row["id"]: row.get("group", row["id"]) for row in rows}
        yield Related(name, f"{name} in WHORL_DATA: {len(rows)} pages of documentation", texts, groups)
