"""Check that the rows of a library are consistent."""

from __future__ import annotations

from whorl.i18n import say
from whorl.stores.sql.reading import SqlReader

_MISSING = "NOT EXISTS (SELECT 1 FROM content WHERE content.number = {column})"
_CHECKS = {
    say("a document refers to a missing content"): (
        f"SELECT count(*) FROM document WHERE {_MISSING.format(column='document.content')}"
    ),
    say("the document count of a content is wrong"): (
        "SELECT count(*) FROM content LEFT JOIN (SELECT content, count(*) AS found FROM document GROUP BY content) "
        "AS own ON own.content = content.number WHERE coalesce(found, -1) <> members"
    ),
    say("a match refers to a missing content"): (
        f"SELECT count(*) FROM pair WHERE {_MISSING.format(column='low')} OR {_MISSING.format(column='high')}"
    ),
    say("a merged cluster still has documents"): (
        "SELECT count(*) FROM content WHERE cluster IN (SELECT cluster FROM alias)"
    ),
    say("data refers to a missing document"): (
        "SELECT count(*) FROM (SELECT document FROM attestation UNION ALL SELECT document FROM snapshot "
        "WHERE document IS NOT NULL UNION ALL SELECT low FROM decision UNION ALL SELECT high FROM decision) AS own "
        "WHERE document NOT IN (SELECT number FROM document)"
    ),
}
_JSON = {
    say("the headers of a snapshot or the payload of an alert are not valid JSON"): (
        ("snapshot", "headers", ""),
        ("alert", "payload", ""),
    ),
    say("the metadata of a document is not valid JSON"): (("document", "metadata", "WHERE metadata <> ''"),),
}


def faults(reader: SqlReader) -> list[str]:
    """Return descriptions of inconsistencies; see the contract of ``Store.faults``."""
    counted = [(what, reader.number(statement)) for what, statement in _CHECKS.items()]
    counted += [(what, sum(reader.invalid_json(*column) for column in columns)) for what, columns in _JSON.items()]
    return [say("{reason}: {count:,}", reason=what, count=count) for what, count in counted if count]


__all__ = ["faults"]
