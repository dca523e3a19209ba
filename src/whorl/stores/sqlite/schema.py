"""The tables, and their migrations."""

from __future__ import annotations

import sqlite3

from whorl.errors import InputError, UsageError
from whorl.i18n import say

APPLICATION = 0x77686F72
"""Application id in the header of the file: "whor"."""

MIGRATIONS = (
    """
    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE document (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        content INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        characters INTEGER NOT NULL,
        published_at INTEGER,
        first_seen_at INTEGER NOT NULL,
        title TEXT,
        url TEXT,
        source TEXT,
        author TEXT,
        metadata TEXT NOT NULL
    ) STRICT;
    CREATE INDEX document_content ON document (content);
    CREATE TABLE text (document INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE former (
        document INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        until INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (document, revision)
    ) STRICT;
    CREATE TABLE content (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        digest BLOB,
        period INTEGER NOT NULL,
        members INTEGER NOT NULL,
        cluster INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX content_cluster ON content (cluster);
    CREATE TABLE sketch (content INTEGER PRIMARY KEY, keys BLOB NOT NULL, code BLOB NOT NULL) STRICT;
    CREATE TABLE pair (
        low INTEGER NOT NULL,
        high INTEGER NOT NULL,
        similarity REAL NOT NULL,
        low_in_high REAL NOT NULL,
        high_in_low REAL NOT NULL,
        kind TEXT NOT NULL,
        joins INTEGER NOT NULL,
        PRIMARY KEY (high, low)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX pair_low ON pair (low);
    CREATE TABLE removal (number INTEGER PRIMARY KEY AUTOINCREMENT, content INTEGER NOT NULL) STRICT;
    CREATE TABLE cluster (number INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
    CREATE TABLE alias (cluster INTEGER PRIMARY KEY, is_now INTEGER NOT NULL) STRICT;
    CREATE INDEX alias_is_now ON alias (is_now);
    CREATE TABLE seen (
        document INTEGER NOT NULL,
        at INTEGER NOT NULL,
        url TEXT NOT NULL,
        PRIMARY KEY (document, at, url)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE link (
        document INTEGER NOT NULL,
        position INTEGER NOT NULL,
        url TEXT NOT NULL,
        PRIMARY KEY (document, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE verdict (
        low INTEGER NOT NULL,
        high INTEGER NOT NULL,
        state TEXT NOT NULL,
        by TEXT NOT NULL,
        at INTEGER NOT NULL,
        note TEXT NOT NULL,
        PRIMARY KEY (low, high)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX verdict_high ON verdict (high);
    """,
    """
    ALTER TABLE document ADD COLUMN origin TEXT;
    CREATE UNIQUE INDEX document_origin ON document (origin) WHERE origin IS NOT NULL;
    CREATE TABLE bore (
        content INTEGER NOT NULL,
        cluster INTEGER NOT NULL,
        PRIMARY KEY (content, cluster)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bore_cluster ON bore (cluster, content);
    CREATE TABLE state (token INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE notice (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, runs BLOB NOT NULL) STRICT;
    """,
    """
    CREATE TABLE change (
        number INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL,
        low INTEGER NOT NULL,
        high INTEGER NOT NULL
    ) STRICT;
    INSERT INTO change (kind, low, high) SELECT 0, number, 0 FROM document ORDER BY number;
    INSERT INTO change (kind, low, high) SELECT 3, low, high FROM pair ORDER BY high, low;
    INSERT INTO change (kind, low, high) SELECT 4, low, high FROM verdict ORDER BY low, high;
    """,
    """
    ALTER TABLE document ADD COLUMN collection TEXT NOT NULL DEFAULT '';
    CREATE INDEX document_collection ON document (collection);
    CREATE TABLE site (
        domain TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        trust REAL,
        since INTEGER,
        update_cycle INTEGER,
        authorised INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE leave (
        domain TEXT NOT NULL,
        path TEXT NOT NULL,
        author TEXT NOT NULL,
        since INTEGER,
        until INTEGER,
        note TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX leave_of ON leave (domain, path, author, coalesce(since, -9223372036854775808));
    CREATE TABLE proof (
        document INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        note TEXT NOT NULL,
        by TEXT NOT NULL,
        PRIMARY KEY (document, at, kind, by, note)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE body (digest BLOB PRIMARY KEY, size INTEGER NOT NULL, packed BLOB NOT NULL) STRICT;
    CREATE TABLE snapshot (
        number INTEGER PRIMARY KEY,
        url TEXT NOT NULL,
        fetched_at INTEGER NOT NULL,
        digest BLOB NOT NULL,
        size INTEGER NOT NULL,
        status INTEGER NOT NULL,
        headers TEXT NOT NULL,
        document INTEGER
    ) STRICT;
    CREATE INDEX snapshot_url ON snapshot (url, fetched_at);
    CREATE INDEX snapshot_digest ON snapshot (digest, fetched_at);
    CREATE INDEX snapshot_document ON snapshot (document) WHERE document IS NOT NULL;
    CREATE TABLE ledger (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        digest BLOB NOT NULL,
        chain BLOB NOT NULL
    ) STRICT;
    CREATE TABLE decision (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        low INTEGER NOT NULL,
        high INTEGER NOT NULL,
        state TEXT NOT NULL,
        by TEXT NOT NULL,
        at INTEGER NOT NULL,
        note TEXT NOT NULL,
        undone_by TEXT,
        undone_at INTEGER
    ) STRICT;
    CREATE INDEX decision_low ON decision (low, high);
    CREATE INDEX decision_high ON decision (high);
    INSERT INTO decision (low, high, state, by, at, note)
        SELECT low, high, state, by, at, note FROM verdict ORDER BY at, low, high;
    CREATE TABLE alert (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL,
        rule TEXT NOT NULL,
        payload TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        tries INTEGER NOT NULL,
        next_try INTEGER,
        error TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX alert_key ON alert (key) WHERE key <> '';
    CREATE INDEX alert_state ON alert (state);
    """,
    "ALTER TABLE notice ADD COLUMN holders INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE notice ADD COLUMN content INTEGER NOT NULL DEFAULT -1",
    "ALTER TABLE notice DROP COLUMN content",
    """
    ALTER TABLE document ADD COLUMN published_as TEXT;
    ALTER TABLE proof ADD COLUMN at_as TEXT;
    ALTER TABLE site ADD COLUMN zone TEXT NOT NULL DEFAULT '';
    """,
    """
    CREATE TABLE case_file (
        number INTEGER PRIMARY KEY,
        article TEXT NOT NULL,
        url TEXT NOT NULL,
        document TEXT NOT NULL,
        site TEXT NOT NULL,
        state TEXT NOT NULL,
        last INTEGER NOT NULL,
        fields TEXT NOT NULL
    ) STRICT;
    CREATE INDEX case_file_url ON case_file (url);
    CREATE INDEX case_file_document ON case_file (document);
    CREATE INDEX case_file_article ON case_file (article);
    CREATE INDEX case_file_site ON case_file (site, state);
    CREATE INDEX case_file_state ON case_file (state);
    CREATE TABLE case_event (
        number INTEGER PRIMARY KEY,
        case_number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        data TEXT NOT NULL
    ) STRICT;
    CREATE INDEX case_event_case ON case_event (case_number);
    """,
    """
    ALTER TABLE leave RENAME TO permission;
    DROP INDEX leave_of;
    CREATE UNIQUE INDEX permission_of
        ON permission (domain, path, author, coalesce(since, -9223372036854775808));
    ALTER TABLE proof RENAME TO attestation;
    """,
)
"""Migrations of the tables from each version to the next; immutable once released."""

NOTHING = 5
"""A kind of change that only reserves its number, so that later changes have higher ones."""


def migrate(connection: sqlite3.Connection, create: bool) -> None:
    """Migrate the tables to this version atomically.

    Raises:
        InputError: the file is not a library, and ``create`` is false.
        UsageError: a newer version created it.
    """
    if version_of(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_of(connection)
        if version == 0 and not (create and _is_empty(connection)):
            raise InputError(say("not a library"), hint=say("name the folder of a library"))
        for script in MIGRATIONS[version:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables of a file; 0 if it is not a library.

    Raises:
        UsageError: a newer version created it.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        return 0
    if version > len(MIGRATIONS):
        hint = say("install that version of whorl, or a newer one")
        raise UsageError(
            say("this library was created by a newer version of whorl: tables {version}", version=version), hint=hint
        )
    return int(version)


def _is_empty(connection: sqlite3.Connection) -> bool:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return bool(tables == 0)


__all__ = ["APPLICATION", "MIGRATIONS", "NOTHING", "migrate", "version_of"]
