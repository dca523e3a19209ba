"""Count documents by author, day and site, and copies between them."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

from whorl.stores.records import REGISTERED_FIRST, CopyCount
from whorl.stores.sql.rows import SqlRows

_DAY = 86_400_000_000
_FIRST_DAY = date(1970, 1, 1)
_AUTHOR = "coalesce(author, '')"
_BEGIN_OF_DAY = f"first_seen_at - mod(mod(first_seen_at, {_DAY}) + {_DAY}, {_DAY})"


class SqlStatisticsReader(SqlRows):
    """The counting part of `whorl.stores.Reader`, which documents the methods."""

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """See the contract."""
        statement = (
            f"SELECT name, count(*) FROM (SELECT {self._name(kind)} AS name FROM document "
            "WHERE first_seen_at >= %s AND first_seen_at < %s) AS own GROUP BY name"
        )
        return {_name_of(kind, name): number for name, number in self.scan(statement, since, until)}

    def copies(self, kind: str, since: int, until: int) -> list[CopyCount]:
        """See the contract."""
        rows = self.stream(
            f"SELECT cluster, content, {self._name(kind)}, "
            f"{REGISTERED_FIRST} = 1 AND first_seen_at >= %s AND first_seen_at < %s "
            "FROM document JOIN content ON content.number = document.content "
            "WHERE cluster IN (SELECT cluster FROM content GROUP BY cluster HAVING sum(members) > 1) "
            f"ORDER BY cluster, {REGISTERED_FIRST}, coalesce(published_at, first_seen_at), document.number",
            since,
            until,
        )
        exact, near = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        last, first, contents = None, "", set[int]()
        for cluster, content, named, is_counted in rows:
            name = _name_of(kind, named)
            if cluster != last:
                last, first, contents = cluster, name, {content}
                continue
            if is_counted:
                (exact if content in contents else near)[name, first] += 1
            contents.add(content)
        return [CopyCount(*names, exact[names], near[names]) for names in exact.keys() | near.keys()]

    def _name(self, kind: str) -> str:
        return {"author": _AUTHOR, "day": _BEGIN_OF_DAY, "site": self._dialect.site}[kind]


def _name_of(kind: str, name: Any) -> str:
    """Return a name as the contract defines it; a day is stored as its beginning."""
    return (_FIRST_DAY + timedelta(microseconds=int(name))).isoformat() if kind == "day" else str(name)


__all__ = ["SqlStatisticsReader"]
