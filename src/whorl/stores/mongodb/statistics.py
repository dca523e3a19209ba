"""Count documents by author, day and site, and copies between them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from whorl.stores.mongodb.layout import CONTENTS, DOCUMENTS, restored
from whorl.stores.mongodb.rows import MongoRows
from whorl.stores.records import REGISTERED, CopyCount

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS = {
    "author": ("author",),
    "day": (),
    "site": ("url", "source"),
}
_TIMES = ("content", "published_at", "first_seen_at", "collection")


class MongoStatisticsReader(MongoRows):
    """The counting part of `whorl.stores.Reader`, which documents the methods."""

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """See the contract."""
        named = _NAMES[kind]
        rows = self.scan(DOCUMENTS, (*_FIELDS[kind], "first_seen_at"))
        return dict(Counter(named(row) for row in rows if since <= row["first_seen_at"] < until))

    def copies(self, kind: str, since: int, until: int) -> list[CopyCount]:
        """See the contract."""
        named = _NAMES[kind]
        clusters = {row["number"]: row for row in self.scan(CONTENTS, ["cluster", "members"])}
        sizes = Counter[int]()
        for row in clusters.values():
            sizes[row["cluster"]] += row["members"]
        together: dict[int, list[tuple[bool, int, int, int, str, bool]]] = defaultdict(list)
        for row in self.scan(DOCUMENTS, (*_FIELDS[kind], *_TIMES)):
            cluster = clusters.get(row["content"])
            if cluster is not None and sizes[cluster["cluster"]] > 1:
                published, first_seen = row["published_at"], row["first_seen_at"]
                when = first_seen if published is None else published
                is_other = restored(row["collection"]) not in REGISTERED
                is_counted = is_other and since <= first_seen < until
                told_of = (is_other, when, row["number"], row["content"], named(row), is_counted)
                together[cluster["cluster"]].append(told_of)
        exact, near = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for documents in together.values():
            (_, _, _, content, first, _), *later = sorted(documents)
            before = {content}
            for _, _, _, content, name, is_counted in later:
                if is_counted:
                    (exact if content in before else near)[name, first] += 1
                before.add(content)
        return [CopyCount(*names, exact[names], near[names]) for names in exact.keys() | near.keys()]


def _author(row: Mapping[str, Any]) -> str:
    return restored(row["author"]) or ""


def _day(row: Mapping[str, Any]) -> str:
    return (_EPOCH + timedelta(microseconds=row["first_seen_at"])).date().isoformat()


def _site(row: Mapping[str, Any]) -> str:
    _, is_there, behind = (restored(row["url"]) or "").partition("://")
    return f"//{behind.partition('/')[0]}" if is_there else restored(row["source"]) or ""


_NAMES: dict[str, Callable[[Mapping[str, Any]], str]] = {"author": _author, "day": _day, "site": _site}

__all__ = ["MongoStatisticsReader"]
