"""Count documents by author, day and site, and copies between them."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

from whorl.stores.records import REGISTERED_FIRST, CopyCount
from whorl.stores.sql.rows import SqlRows

_DAY = 86_400_000_000
_FIRST_DAY = date(1970, 1, 1)
_SPAN = "first_seen_at >= %s AND first_seen_at < %s"


class SqlStatisticsReader(SqlRows):
    """The counting part of `whorl.stores.Reader`, which documents the methods."""

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """See the contract."""
        names = f"SELECT {self._name(kind)} AS name FROM document WHERE {_SPAN}"
        rows = self.scan(f"SELECT name, count(*) FROM ({names}) AS own GROUP BY name", since, until)
        return {_label(kind, name): number for name, number in rows}

    def copies(self, kind: str, since: int, until: int) -> list[CopyCount]:
        """See the contract."""
        rows = self.stream(
            f"SELECT cluster, content, {self._name(kind)}, {REGISTERED_FIRST} = 1 AND {_SPAN} "
            f"FROM document {self._dialect.ordered_join} content ON content.number = document.content "
            f"WHERE {self._dialect.unindexed('cluster')} IN "
            "(SELECT cluster FROM content GROUP BY cluster HAVING sum(members) > 1) "
            f"ORDER BY cluster, {REGISTERED_FIRST}, coalesce(published_at, first_seen_at), document.number",
            since,
            until,
        )
        exact, near = Counter[tuple[Any, Any]](), Counter[tuple[Any, Any]]()
        last, first, contents = None, None, set[int]()
        for cluster, content, name, is_counted in rows:
            if cluster != last:
                last, first, contents = cluster, name, {content}
                continue
            if is_counted:
                (exact if content in contents else near)[name, first] += 1
            contents.add(content)
        return [
            CopyCount(_label(kind, name), _label(kind, first), exact[name, first], near[name, first])
            for name, first in exact.keys() | near.keys()
        ]

    def _name(self, kind: str) -> str:
        """Return the expression for a name; a day is the time at which it begins."""
        if kind == "day":
            into_day = self._dialect.modulo.format("first_seen_at", _DAY)
            return f"first_seen_at - {self._dialect.modulo.format(f'({into_day} + {_DAY})', _DAY)}"
        return {"author": "coalesce(author, '')", "site": self._dialect.site}[kind]


def _label(kind: str, name: Any) -> str:
    """Return a name as the contract defines it."""
    return (_FIRST_DAY + timedelta(microseconds=int(name))).isoformat() if kind == "day" else str(name)


__all__ = ["SqlStatisticsReader"]
