"""The tables of the service state on servers, and their migrations. Those in SQLite have the same columns.

Callers and names that were tried may have any length, and indexes of servers are limited to short values. Such columns
contain digests here (`Connection.key_of`), or are indexed by their beginning.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects import mysql

VERSION = 2
"""Version of the tables."""

OLDEST = 2
"""The oldest version of whorl's tables whose programs can use these, so that replicas are replaced one by one.

A migration that only adds tables, and columns with a default, leaves it as it is. Columns are removed in a later
version than the last one that uses them, which becomes the oldest.
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (('ALTER TABLE "service" ADD COLUMN "oldest" BIGINT NOT NULL DEFAULT 2',),)
"""Statements that migrate the tables from each version to the next; immutable once released.

Tables that a later version added are created after the statements.
"""

SERVICE = "service"
"""Table with a single row: the version, and the lock of exclusive transactions."""
TABLES = MetaData()
_DIGEST, _NAME, _TIME, _WORD = 64, 80, 32, 64
_KEY, _CLIPPED, _BEGINNING = 255, 500, 191


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text(collation="C").with_variant(mysql.LONGTEXT(), "mysql"), nullable=null)


def _short(name: str, length: int, *extra: Any, first: bool = False, null: bool = False) -> Column[str]:
    kind = String(length, collation="C").with_variant(mysql.VARCHAR(length), "mysql")
    return Column(name, kind, *extra, primary_key=first, nullable=null)


def _time(name: str, *, null: bool = False) -> Column[str]:
    return _short(name, _TIME, null=null)


def _digest(name: str, *, first: bool = False) -> Column[bytes]:
    kind = LargeBinary().with_variant(mysql.VARBINARY(_DIGEST), "mysql")
    return Column(name, kind, primary_key=first, nullable=False)


def _number(name: str) -> Column[int]:
    return Column(name, BigInteger, Identity(), primary_key=True, autoincrement=True)


def _integer(name: str, default: int | None = None, *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null, server_default=None if default is None else str(default))


def _user(*, first: bool = False) -> Column[str]:
    return _short("user", _NAME, ForeignKey("user.name", ondelete="CASCADE"), first=first)


Table(
    SERVICE,
    TABLES,
    Column("one", Integer, primary_key=True, autoincrement=False),
    _integer("version"),
    _integer("oldest"),
)
Table(
    "key",
    TABLES,
    _number("number"),
    _text("name"),
    _digest("digest"),
    _text("hint"),
    _text("scopes"),
    _text("libraries"),
    _time("made_at"),
    _time("used_at", null=True),
    _time("revoked_at", null=True),
    _time("expires_at", null=True),
    Index("key_by_digest", "digest", unique=True),
)
Table(
    "user",
    TABLES,
    _short("name", _NAME, first=True),
    _text("password"),
    _short("role", _WORD),
    _text("libraries"),
    _time("made_at"),
)
Table(
    "session",
    TABLES,
    _digest("digest", first=True),
    _user(),
    _time("made_at"),
    _time("expires_at"),
    _text("address"),
    _text("agent"),
    Index("session_by_user", "user"),
)
Table(
    "failure",
    TABLES,
    _number("rowid"),
    _short("who", _DIGEST),
    _time("at"),
    Index("failure_by_who", "who", "at"),
)
Table(
    "job",
    TABLES,
    _short("id", _WORD, first=True),
    _text("kind"),
    _text("library"),
    _text("given"),
    _text("by"),
    _short("state", _WORD),
    _integer("done", 0),
    _integer("total", null=True),
    _text("stage"),
    _text("result", null=True),
    _text("problem", null=True),
    _integer("tries", 0),
    _integer("is_cancelled", 0),
    _short("worker", _KEY, null=True),
    _time("seen_at", null=True),
    _time("made_at"),
    _time("begun_at", null=True),
    _time("ended_at", null=True),
    Index("job_by_state", "state", "made_at"),
    Index("job_by_caller", "by", postgresql_using="hash", mysql_length=_BEGINNING),
)
Table(
    "answer",
    TABLES,
    _short("caller", _DIGEST, first=True),
    _short("key", _KEY, first=True),
    _digest("request"),
    _integer("status", null=True),
    _text("kind", null=True),
    Column("body", LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")),
    _text("location", null=True),
    _time("made_at"),
)
Table(
    "audit",
    TABLES,
    _number("number"),
    _time("at"),
    _text("who"),
    _text("address"),
    _text("what"),
    _short("library", _CLIPPED),
    _text("subject"),
    _integer("status"),
    _text("request"),
    Index("audit_by_library", "library", "number"),
)
Table("closed", TABLES, Column("one", Integer, primary_key=True, autoincrement=False), _time("since"))
Table(
    "second_factor",
    TABLES,
    _user(first=True),
    _text("secret"),
    _time("confirmed_at", null=True),
    _integer("last_step", -1),
)
Table("recovery_code", TABLES, _user(first=True), _digest("digest", first=True))
Table(
    "tenant",
    TABLES,
    _short("name", _KEY, first=True),
    _short("folder", _WORD),
    _text("recipe"),
    _text("zone"),
    _time("made_at"),
    _time("removed_at", null=True),
    Index("tenant_by_folder", "folder", unique=True),
)

__all__ = ["MIGRATIONS", "OLDEST", "SERVICE", "TABLES", "VERSION"]
