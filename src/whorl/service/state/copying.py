"""Copy the state of a service to another place, such as from a folder into a database that replicas share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.service.state.database import Connection, Row, insertion
from whorl.service.state.jobs import is_any_running
from whorl.service.state.state import open_state
from whorl.stores import masked
from whorl.types.comparison import Plain

_KEYS: Mapping[str, Sequence[str]] = {
    "closed": ("one",),
    "key": ("number",),
    "user": ("name",),
    "second_factor": ("user",),
    "recovery_code": ("user", "digest"),
    "tenant": ("name",),
    "job": ("id",),
    "audit": ("number",),
}
"""The copied tables with their primary keys; rows that others refer to come first.

Sessions and failed attempts end within hours. Stored responses are valid for a day, and a server has only digests of
their callers, which a folder could not use.
"""
_NUMBER = "number"
_BLOCK = 100


@frozen
class StateCopy(Plain):
    """What was copied.

    Attributes:
        keys: number of keys, revoked ones included.
        users: number of users.
        second_factors: number of second factors.
        tenants: number of libraries that were created over HTTP, deleted ones included.
        jobs: number of jobs.
        audit_entries: number of entries of the audit log.
    """

    keys: int
    users: int
    second_factors: int
    tenants: int
    jobs: int
    audit_entries: int


def copy_state(source: str, target: str) -> StateCopy:
    """Copy a state into an empty one, in one transaction; keys and audit entries keep their numbers.

    Args:
        source: a folder, or the address of a database on PostgreSQL or MySQL.
        target: the same for the copy.

    Raises:
        InputError: the source does not exist, or the copy has another number of rows.
        UsageError: the target is not empty, or a job of the source is running.
        ResourceError: the target is not writable, or a server cannot be reached.
    """
    original = open_state(source, create=False)
    try:
        copy = open_state(target)
        try:
            with original.database.writing() as rows, copy.database.writing() as copies:
                if is_any_running(rows):
                    raise UsageError(
                        say("a job of the service at {label} is running", label=masked(source)),
                        hint=say("stop the service first"),
                    )
                if any(_count(copies, table) for table in _KEYS):
                    raise UsageError(
                        say("the state at {label} is not empty", label=masked(target)),
                        hint=say("use another folder or database or, on PostgreSQL, another schema: ?schema=NAME"),
                    )
                counts = {table: _copy(rows, copies, table) for table in _KEYS}
        finally:
            copy.close()
    finally:
        original.close()
    return StateCopy(
        counts["key"], counts["user"], counts["second_factor"], counts["tenant"], counts["job"], counts["audit"]
    )


def _copy(source: Connection, target: Connection, table: str) -> int:
    """Copy a table, and return its number of rows."""
    number = 0
    for block in _blocks(source, table):
        columns = list(block[0].keys())
        values = [row[column] for row in block for column in columns]
        target.execute(insertion(table, columns, len(block)), values)
        if _NUMBER in columns:
            number = block[-1][_NUMBER]
    if number:
        target.number_after(table, number)
    count = _count(target, table)
    if count != _count(source, table):
        raise InputError(
            say("the copy of the table {table} has another number of rows; nothing was copied", table=table),
            hint=say("stop all programs that use either state, and try again"),
        )
    return count


def _blocks(connection: Connection, table: str) -> Iterator[Sequence[Row]]:
    """Read a table in the order of its key."""
    names = ", ".join(f'"{name}"' for name in _KEYS[table])
    marks = ", ".join("?" * len(_KEYS[table]))
    condition, values = "", ()
    while rows := connection.execute(
        f'SELECT * FROM "{table}" {condition} ORDER BY {names} LIMIT {_BLOCK}', values
    ).fetchall():
        yield rows
        condition, values = f"WHERE ({names}) > ({marks})", tuple(rows[-1][name] for name in _KEYS[table])


def _count(connection: Connection, table: str) -> int:
    return int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])


__all__ = ["StateCopy", "copy_state"]
