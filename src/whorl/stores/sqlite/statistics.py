"""Count documents by author, day and site, and copies between them."""

from __future__ import annotations

from collections import Counter

from whorl.stores.records import REGISTERED_FIRST, CopyCount
from whorl.stores.sqlite.rows import SqliteRows

_DAY = 86_400_000_000
_BEHIND = "substr(url, instr(url, '://') + 3)"
_NAMES = {
    "author": "coalesce(author, '')",
    "day": f"date((first_seen_at - (first_seen_at % {_DAY} + {_DAY}) % {_DAY}) / 1000000, 'unixepoch')",
    "site": (
        f"CASE WHEN instr(url, '://') THEN '//' || substr({_BEHIND}, 1, instr({_BEHIND} || '/', '/') - 1) "
        "ELSE coalesce(source, '') END"
    ),
}
_SPAN = "first_seen_at >= ? AND first_seen_at < ?"


class SqliteStatisticsReader(SqliteRows):
    """The counting part of `whorl.stores.Reader`, which documents the methods."""

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """See the contract."""
        return dict(self.query(f"SELECT {_NAMES[kind]}, count(*) FROM document WHERE {_SPAN} GROUP BY 1", since, until))

    def copies(self, kind: str, since: int, until: int) -> list[CopyCount]:
        """See the contract."""
        rows = self.query(
            f"SELECT cluster, content, {_NAMES[kind]}, {REGISTERED_FIRST} AND {_SPAN} "
            "FROM document CROSS JOIN content ON content.number = document.content "
            "WHERE +cluster IN (SELECT cluster FROM content GROUP BY cluster HAVING sum(members) > 1) "
            f"ORDER BY cluster, {REGISTERED_FIRST}, coalesce(published_at, first_seen_at), document.number",
            since,
            until,
        )
        exact, near = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        last, first, contents = None, "", set[int]()
        for cluster, content, name, is_counted in rows:
            if cluster != last:
                last, first, contents = cluster, name, {content}
                continue
            if is_counted:
                (exact if content in contents else near)[name, first] += 1
            contents.add(content)
        return [CopyCount(*names, exact[names], near[names]) for names in exact.keys() | near.keys()]


__all__ = ["SqliteStatisticsReader"]
