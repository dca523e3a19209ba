"""The tables, defined once for all servers, and their migrations.

Texts are compared by code point. Queries by text use a key, 16 bytes of a digest, so that texts may have any length:
indexes of servers are limited to short values. All numbers that are never reused are counted in the single row of
``library``, which is also the write lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects import mysql

from whorl.stores.sql.counters import COUNTED

VERSION = 7
"""Version of the tables."""

OLDEST = 7
"""The oldest version of whorl's tables whose programs can use these, so that workers are replaced one by one.

A migration that only adds tables, and columns with a default, leaves it as it is.
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    ('ALTER TABLE "notice" ADD COLUMN "content" BIGINT NOT NULL DEFAULT -1',),
    ('ALTER TABLE "notice" DROP COLUMN "content"',),
    (
        'ALTER TABLE "document" ADD COLUMN "published_as" TEXT',
        'ALTER TABLE "proof" ADD COLUMN "at_as" TEXT',
        'ALTER TABLE "site" ADD COLUMN "zone" TEXT',
    ),
    (),
    (
        'ALTER TABLE "leave" RENAME TO "permission"',
        'ALTER TABLE "permission" RENAME COLUMN "leave_key" TO "permission_key"',
        'ALTER TABLE "proof" RENAME TO "attestation"',
        'ALTER TABLE "attestation" RENAME COLUMN "proof_key" TO "attestation_key"',
    ),
    ('ALTER TABLE "library" ADD COLUMN "oldest" BIGINT NOT NULL DEFAULT 7',),
)
"""Statements that migrate the tables from each version to the next, from the second on; immutable once released.

Tables that a later version added are created after the statements.
"""

LIBRARY = "library"
TABLES = MetaData()
_KEY_BYTES = 16
_WORD = 32


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text(collation="C").with_variant(mysql.LONGTEXT(), "mysql"), nullable=null)


def _word(name: str) -> Column[str]:
    return Column(name, String(_WORD, collation="C").with_variant(mysql.VARCHAR(_WORD), "mysql"), nullable=False)


def _number(name: str, *, first: bool = False, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, primary_key=first, nullable=null, autoincrement=False)


def _key(name: str, *, first: bool = False, null: bool = False) -> Column[bytes]:
    kind = LargeBinary(_KEY_BYTES).with_variant(mysql.BINARY(_KEY_BYTES), "mysql")
    return Column(name, kind, primary_key=first, nullable=null)


def _digest(name: str, *, first: bool = False, null: bool = False) -> Column[bytes]:
    return Column(name, LargeBinary().with_variant(mysql.VARBINARY(64), "mysql"), primary_key=first, nullable=null)


def _bytes(name: str) -> Column[bytes]:
    return Column(name, LargeBinary().with_variant(mysql.LONGBLOB(), "mysql"), nullable=False)


def _yes(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _share(name: str, *, null: bool = False) -> Column[float]:
    return Column(name, Double, nullable=null)


def _table(name: str, *items: Column[Any] | Index) -> Table:
    return Table(name, TABLES, *items, mysql_engine="InnoDB", mysql_row_format="DYNAMIC")


_table(LIBRARY, _number("one", first=True), _number("version"), _number("oldest"), *(_number(name) for name in COUNTED))
_table("setting", _key("name_key", first=True), _text("name"), _text("value"))
_table(
    "document",
    _number("number", first=True),
    _text("id"),
    _number("content"),
    _number("revision"),
    _number("characters"),
    _number("published_at", null=True),
    _number("first_seen_at"),
    _text("title", null=True),
    _text("url", null=True),
    _text("source", null=True),
    _text("author", null=True),
    _text("metadata"),
    _text("origin", null=True),
    _text("collection"),
    _text("published_as", null=True),
    _key("id_key"),
    _key("origin_key", null=True),
    _key("collection_key", null=True),
    Index("document_id", "id_key", unique=True),
    Index("document_origin", "origin_key", unique=True),
    Index("document_content", "content", "number"),
    Index("document_collection", "collection_key"),
)
_table("text", _number("document", first=True), _bytes("body"))
_table("former", _number("document", first=True), _number("revision", first=True), _number("until"), _bytes("body"))
_table(
    "content",
    _number("number", first=True),
    _digest("digest", null=True),
    _number("period"),
    _number("members"),
    _number("cluster"),
    Index("content_cluster", "cluster"),
)
_table("sketch", _number("content", first=True), _bytes("keys"), _bytes("code"))
_table(
    "pair",
    _number("low", first=True),
    _number("high", first=True),
    _share("similarity"),
    _share("low_in_high"),
    _share("high_in_low"),
    _word("kind"),
    _yes("joins"),
    Index("pair_high", "high", "low"),
)
_table("removal", _number("number", first=True), _number("content"))
_table("alias", _number("cluster", first=True), _number("is_now"), Index("alias_is_now", "is_now"))
_table(
    "bore", _number("content", first=True), _number("cluster", first=True), Index("bore_cluster", "cluster", "content")
)
_table("state", _number("token", first=True))
_table("notice", _number("number", first=True), _text("text"), _bytes("runs"), _number("holders"))
_table("change", _number("number", first=True), _number("kind"), _number("low"), _number("high"))
_table("seen", _number("document", first=True), _number("at", first=True), _key("url_key", first=True), _text("url"))
_table("link", _number("document", first=True), _number("position", first=True), _text("url"))
_table(
    "verdict",
    _number("low", first=True),
    _number("high", first=True),
    _word("state"),
    _text("by"),
    _number("at"),
    _text("note"),
    Index("verdict_high", "high"),
)
_table(
    "site",
    _key("domain_key", first=True),
    _text("domain"),
    _text("name"),
    _share("trust", null=True),
    _number("since", null=True),
    _number("update_cycle", null=True),
    _yes("authorised"),
    _text("zone", null=True),
)
_table(
    "permission",
    _key("permission_key", first=True),
    _key("domain_key"),
    _text("domain"),
    _text("path"),
    _text("author"),
    _number("since", null=True),
    _number("until", null=True),
    _text("note"),
    Index("permission_domain", "domain_key"),
)
_table(
    "attestation",
    _number("document", first=True),
    _number("at", first=True),
    _key("attestation_key", first=True),
    _text("kind"),
    _text("note"),
    _text("by"),
    _text("at_as", null=True),
)
_table("body", _digest("digest", first=True), _number("size"), _bytes("packed"))
_table(
    "snapshot",
    _number("number", first=True),
    _text("url"),
    _key("url_key"),
    _number("fetched_at"),
    _digest("digest"),
    _number("size"),
    _number("status"),
    _text("headers"),
    _number("document", null=True),
    Index("snapshot_url", "url_key", "fetched_at"),
    Index("snapshot_digest", "digest", "fetched_at"),
    Index("snapshot_document", "document"),
)
_table("ledger", _number("number", first=True), _number("at"), _word("kind"), _digest("digest"), _digest("chain"))
_table(
    "decision",
    _number("number", first=True),
    _number("low"),
    _number("high"),
    _word("state"),
    _text("by"),
    _number("at"),
    _text("note"),
    _text("undone_by", null=True),
    _number("undone_at", null=True),
    Index("decision_low", "low", "high"),
    Index("decision_high", "high"),
)
_table(
    "alert",
    _number("number", first=True),
    _text("key"),
    _key("key_key", null=True),
    _text("rule"),
    _text("payload"),
    _number("made_at"),
    _word("state"),
    _number("tries"),
    _number("next_try", null=True),
    _text("error"),
    Index("alert_key", "key_key", unique=True),
    Index("alert_state", "state", "number"),
)
_table(
    "case_file",
    _number("number", first=True),
    _text("article"),
    _text("url"),
    _text("document"),
    _text("site"),
    _word("state"),
    _number("last"),
    _text("fields"),
    _key("article_key"),
    _key("url_key"),
    _key("document_key"),
    _key("site_key"),
    Index("case_file_url", "url_key"),
    Index("case_file_document", "document_key"),
    Index("case_file_article", "article_key", "number"),
    Index("case_file_site", "site_key", "number"),
    Index("case_file_state", "state", "number"),
)
_table(
    "case_event",
    _number("number", first=True),
    _number("case_number"),
    _word("kind"),
    _number("at"),
    _text("data"),
    Index("case_event_case", "case_number", "number"),
)


_DERIVED: dict[str, dict[str, tuple[str, ...]]] = {
    "setting": {"name_key": ("name",)},
    "document": {"id_key": ("id",), "origin_key": ("origin",), "collection_key": ("collection",)},
    "seen": {"url_key": ("url",)},
    "site": {"domain_key": ("domain",)},
    "permission": {"permission_key": ("domain", "path", "author", "since"), "domain_key": ("domain",)},
    "attestation": {"attestation_key": ("kind", "note", "by")},
    "snapshot": {"url_key": ("url",)},
    "alert": {"key_key": ("key",)},
    "case_file": {
        "article_key": ("article",),
        "url_key": ("url",),
        "document_key": ("document",),
        "site_key": ("site",),
    },
}
_CAN_LACK = ("origin", "collection", "key")


def key_of(*parts: object) -> bytes:
    """Return the key by which a text, or a tuple of values, is queried."""
    value = parts[0] if len(parts) == 1 else repr(parts)
    return blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def columns(table: str, names: Sequence[str]) -> list[str]:
    """Return the columns that are written for records with these fields."""
    return [*names, *_DERIVED.get(table, ())]


def with_keys(table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    """Yield rows of a table with the keys of their texts; a missing optional text has no key."""
    derived = _DERIVED.get(table)
    if derived is None:
        return rows
    places = [[names.index(part) for part in parts] for parts in derived.values()]
    optional = [len(parts) == 1 and parts[0] in _CAN_LACK for parts in derived.values()]
    makers = list(zip(places, optional, strict=True))
    return (
        (
            *row,
            *(
                None if lacks and not row[sources[0]] else key_of(*map(row.__getitem__, sources))
                for sources, lacks in makers
            ),
        )
        for row in rows
    )


def primary(table: str) -> list[str]:
    """Return the columns of the primary key of a table."""
    return [column.name for column in TABLES.tables[table].primary_key]


__all__ = [
    "LIBRARY",
    "MIGRATIONS",
    "TABLES",
    "VERSION",
    "columns",
    "key_of",
    "primary",
    "with_keys",
]
