"""Libraries on servers: errors have a hint and no password; a crash loses no data."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.proxy import stallable
from tests.runs import whorl as run
from tests.servers import PASSWORD, QUOTED, Server, free_port
from tests.servers.mariadb import MariaDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.shared import shared
from tests.stores import TO_VERSION_5, place, run_sql

import whorl
from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.stores import exists, open_store
from whorl.stores.records import BoilerplateRecord, Entry
from whorl.stores.sql import mysql, postgresql, schema, store
from whorl.tasks.library.maintenance import UpgradeResult, upgrade

SCHEMES = ("postgresql", "mysql")
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，渔民说鱼价因此稳住了。"


@pytest.fixture(params=SCHEMES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a library location."""
    return place(request.param, tmp_path)


def entry(number: int, title: str = "") -> Entry:
    return Entry(number, f"id {number}", 1, 1, 5, None, 7, title, None, None, None, "")


def changed(address: str, what: str) -> str:
    """Return the address with another user, password, database or port."""
    port = address.rpartition("@")[2].partition(":")[2].partition("/")[0]
    replaced = {
        "user": ("//whorl:", "//nobody-here:"),
        "password": (QUOTED, "wr%6Fng"),
        "database": (f":{port}/", f":{port}/nowhere_"),
        "port": (f":{port}/", f":{free_port()}/"),
        "host": ("@127.0.0.1:", "@host.invalid:"),
    }
    return address.replace(*replaced[what])


@pytest.mark.parametrize(
    ("what", "kind", "hint"),
    [
        ("user", UsageError, "user and password"),
        ("password", UsageError, "user and password"),
        ("database", InputError, "name of the database"),
        ("port", ResourceError, "host and port"),
        ("host", ResourceError, "host and port"),
    ],
)
def test_address_mistakes_have_a_hint(address: str, what: str, kind: type[WhorlError], hint: str) -> None:
    wrong = changed(address, what)
    with pytest.raises(kind) as failed:
        open_store(wrong, create=True)
    assert type(failed.value) is kind
    assert hint in failed.value.hint
    report = str(failed.value)
    assert PASSWORD not in report
    assert QUOTED not in report
    assert "wrong" not in report
    assert not exists(wrong)


def test_no_password_is_shown(address: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    copy = place(next(scheme for scheme in SCHEMES if address.startswith(scheme)), tmp_path)
    with whorl.open(address) as library:
        library.add({"id": "a", "text": TEXT})
        card_html = [repr(library), library._repr_html_() or "", repr(library.stats()), library.candidates().address]
    files = tmp_path / "in.jsonl"
    files.write_text('{"id": "b", "text": "' + TEXT + '"}\n', encoding="utf-8")
    ended = [
        run("add", address, files),
        run("library", "backup", address, copy),
        run("dedup", files, "--against", address, "-o", tmp_path / "out"),
        run("dedup", files, "--against", changed(address, "port"), "-o", tmp_path / "none"),
        run("serve", address),
    ]
    assert [item.code for item in ended] == [0, 0, 0, 4, 2], [item.error for item in ended]
    card_html += [item.out + item.error for item in ended]
    card_html += [file.read_text(encoding="utf-8", errors="replace") for file in (tmp_path / "out").rglob("*.*")]
    card_html += [record.getMessage() for record in caplog.records]
    assert not [text for text in card_html if PASSWORD in text or QUOTED in text]
    assert all("Traceback" not in item.error for item in ended)


@pytest.mark.parametrize("setting", ["password=x", "nonsense=1"])
def test_unknown_setting_is_refused(address: str, setting: str) -> None:
    with pytest.raises(UsageError, match="unknown setting"):
        open_store(f"{address}{'&' if '?' in address else '?'}{setting}", create=False)


@pytest.mark.parametrize(
    "address", ["postgresql:", "postgresql://", "mysql://host", "mysql://h/a/b", "postgresql://h:x/d"]
)
def test_invalid_address_is_reported(address: str) -> None:
    with pytest.raises(UsageError, match="not a valid address"):
        open_store(address, create=False)
    assert not exists(address)


def test_a_password_may_be_in_a_file(address: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n", encoding="utf-8")
    without = address.replace(f":{QUOTED}@", "@")
    mark = "&" if "?" in without else "?"
    whorl.open(f"{without}{mark}password_file={file}").close()
    assert exists(address)
    with pytest.raises(InputError, match="No such file"):
        whorl.open(f"{without}{mark}password_file={file}.gone")


def test_a_password_may_be_in_the_environment(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD" if address.startswith("postgresql") else "MYSQL_PWD", PASSWORD)
    whorl.open(address.replace(f":{QUOTED}@", "@")).close()
    assert exists(address)


def test_library_must_be_created_first(address: str) -> None:
    with pytest.raises(InputError, match="no library at"):
        whorl.open(address, create=False)
    whorl.open(address).close()
    whorl.open(address, create=False).close()


def test_tables_of_others_are_left_alone(address: str) -> None:
    run_sql(address, "CREATE TABLE theirs (a INTEGER)")
    with pytest.raises(UsageError, match="contains other tables"):
        open_store(address, create=True)


def test_tables_of_a_newer_version_are_refused(address: str) -> None:
    open_store(address, create=True).close()
    run_sql(address, "UPDATE library SET version = 99, oldest = 99")
    with pytest.raises(UsageError, match="created by a newer version of whorl: tables 99"):
        open_store(address, create=True)


def test_tables_of_a_newer_version_are_used_if_it_only_added_to_them(address: str) -> None:
    open_store(address, create=True).close()
    run_sql(address, "UPDATE library SET version = 99", "ALTER TABLE document ADD COLUMN later BIGINT DEFAULT 0")
    with whorl.open(address) as library:
        library.add({"id": "a", "text": TEXT})
        assert library.check(TEXT).matches[0].id == "a"
    assert upgrade(address) == UpgradeResult(99, schema.VERSION, upgraded=False, shared=True)


@pytest.mark.parametrize("is_shared", [True, False])
def test_the_check_of_an_upgrade_says_whether_older_processes_can_go_on(
    address: str, monkeypatch: pytest.MonkeyPatch, is_shared: bool
) -> None:
    open_store(address, create=True).close()
    current = schema.VERSION + 1
    monkeypatch.setattr(store, "VERSION", current)
    monkeypatch.setattr(store, "OLDEST", schema.VERSION if is_shared else current)
    assert upgrade(address, check=True) == UpgradeResult(schema.VERSION, current, upgraded=False, shared=is_shared)


def test_older_tables_become_those_of_now(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(address, create=True).close()
    monkeypatch.setattr(store, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(store, "MIGRATIONS", (*schema.MIGRATIONS, ("UPDATE library SET document = 41",)))
    opened = open_store(address, create=False)
    with opened.writing() as writer:
        assert writer.next_document() == 42
    opened.close()


def _downgrade(address: str) -> None:
    """Remove the columns of version 4 of the tables."""
    run_sql(address, *TO_VERSION_5)
    for table, column in (("document", "published_as"), ("proof", "at_as"), ("site", "zone")):
        run_sql(address, f"ALTER TABLE {table} DROP COLUMN {column}")


def test_times_of_older_versions_are_read_by_their_value(address: str) -> None:
    with whorl.open(address) as library:
        library.sites.put([{"domain": "a.example"}])
        library.add({"id": "a", "text": "渔港", "published_at": "2026-11-24T00:00Z"})
    _downgrade(address)
    run_sql(address, "UPDATE library SET version = 3")
    with whorl.open(address) as library:
        (entry,) = library.documents().items
        assert (str(entry.publication), entry.published_original) == ("2026-11-24", None)
        assert [site.zone for site in library.sites] == [""]
        library.add({"id": "a", "text": "渔港", "published_at": "2026-11-24T00:00Z"})
        assert str(library.documents().items[0].publication) == "2026-11-24 00:00 +00:00"


@pytest.mark.parametrize("version", [1, 2])
def test_notices_of_older_versions_are_read(address: str, version: int) -> None:
    opened = open_store(address, create=True)
    with opened.writing() as writer:
        writer.put_notices([BoilerplateRecord(0, "声明", b"12345678", 2)])
    opened.close()
    _downgrade(address)
    if version == 2:
        run_sql(address, "ALTER TABLE notice ADD COLUMN content BIGINT NOT NULL DEFAULT -1")
    run_sql(address, f"UPDATE library SET version = {version}")
    opened = open_store(address, create=False)
    with opened.writing() as writer:
        writer.put_notices([BoilerplateRecord(0, "二", b"")])
    with opened.reading() as reader:
        assert reader.notices_after(0) == [
            BoilerplateRecord(1, "声明", b"12345678", 2),
            BoilerplateRecord(2, "二", b""),
        ]
    opened.close()


def test_a_text_keeps_every_sign(address: str) -> None:
    opened = open_store(address, create=True)
    texts = ["\0", "a\0b\uffff0\uffff", "\uffff", "\U0010ffff'\"\\%s\n", " a ", "A", "a", ""]
    with opened.writing() as writer:
        writer.put_notices([BoilerplateRecord(0, text, b"\0'\\%s") for text in texts])
        writer.put_entries([entry(number, text) for number, text in enumerate(texts, 1)])
        writer.put_entries([entry(number, text) for number, text in enumerate(texts, 1)])
    with opened.reading() as reader:
        assert [notice.text for notice in reader.notices_after(0)] == texts
        assert [item.title for item in reader.all_entries()] == texts
        assert {item.runs for item in reader.notices_after(0)} == {b"\0'\\%s"}
    opened.close()


def test_ids_are_distinct_and_may_be_long(address: str) -> None:
    opened = open_store(address, create=True)
    ids = ["a", "A", "a ", "ä", "a\u0308", "Ａ", "長" * 5000, "長" * 5000 + "!"]
    with opened.writing() as writer:
        writer.put_entries([entry(number)._replace(id=id_) for number, id_ in enumerate(ids, 1)])
        assert {id_: item.number for id_, item in writer.entries(ids).items()} == {
            id_: n for n, id_ in enumerate(ids, 1)
        }
        assert writer.entries(["half\ud800"]) == {}
    opened.close()


def test_reader_may_check_and_not_add(address: str) -> None:
    with whorl.open(address) as library:
        library.add({"id": "a", "text": TEXT})
    user = _user(address, "SELECT")
    with whorl.open(user, create=False) as library:
        assert [match.id for match in library.check(TEXT).matches] == ["a"]
        with pytest.raises(ResourceError) as failed:
            library.add({"id": "b", "text": TEXT})
        assert "permissions" in failed.value.hint


def test_row_privileges_suffice(address: str) -> None:
    whorl.open(address).close()
    with whorl.open(_user(address, "SELECT, INSERT, UPDATE, DELETE"), create=False) as library:
        library.add([{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT + "！"}])
        library.review("a", "b", "rejected")
        library.remove("a")
        assert library.verify().faults == ()


def test_dropped_idle_connection_is_replaced(address: str) -> None:
    with whorl.open(address) as library:
        library.add({"id": "a", "text": TEXT})
        _end_connections(address)
        assert len(library) == 1
        _end_connections(address)
        library.add({"id": "b", "text": TEXT})
        assert len(library) == 2


def test_a_connection_that_is_lost_in_a_change_takes_the_change_with_it(address: str) -> None:
    opened = open_store(address, create=True)

    def change() -> None:
        with opened.writing() as writer:
            writer.put_entries([entry(1)])
            _end_connections(address)
            writer.put_entries([entry(2)])

    with pytest.raises(ResourceError) as failed:
        change()
    assert "no partial data was written" in failed.value.hint
    with opened.writing() as writer:
        assert (writer.count(), writer.next_document()) == (0, 1)
    opened.close()


def test_lock_timeout_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = open_store(address, create=True), open_store(address, create=True)
    setting = "lock_timeout = '50ms'" if address.startswith("postgresql") else "innodb_lock_wait_timeout = 1"
    with second._pool.borrowed() as connection, connection.cursor() as cursor:
        cursor.execute(f"SET SESSION {setting}")
    with first.writing(), pytest.raises(ResourceError, match="timeout") as failed, second.writing():
        pass
    assert "another process is writing" in failed.value.hint
    for opened in (first, second):
        opened.close()


def _before(address: str, port: int) -> str:
    """Return the address behind a proxy, with short timeouts."""
    server = re.search(r"@127\.0\.0\.1:(\d+)", address)
    assert server is not None
    return f"{address.replace(server[1], str(port))}{'&' if '?' in address else '?'}timeout=1&connect_timeout=1"


def _port(address: str) -> int:
    return int(re.findall(r"@127\.0\.0\.1:(\d+)", address)[0])


def test_a_server_that_does_not_respond_is_reported_and_used_again(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (postgresql, mysql):
        monkeypatch.setattr(module, "GRACE", 1)
    with stallable(_port(address)) as (port, is_flowing), whorl.open(_before(address, port)) as library:
        library.add({"id": "a", "text": TEXT})
        is_flowing.clear()
        for attempt in range(3):  # the first one has a connection, the others begin with one
            with pytest.raises(ResourceError) as failed:
                library.check(TEXT) if attempt != 1 else library.add({"id": "b", "text": TEXT})
            assert "available" in failed.value.hint or "reachable" in failed.value.hint
        is_flowing.set()
        library.add({"id": "c", "text": TEXT})
        assert {match.id for match in library.check(TEXT).matches} >= {"a", "c"}


def test_a_server_that_stops_within_a_change_takes_the_change_with_it(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (postgresql, mysql):
        monkeypatch.setattr(module, "GRACE", 1)
    with stallable(_port(address)) as (port, is_flowing):
        opened = open_store(_before(address, port), create=True)

        def change() -> None:
            with opened.writing() as writer:
                writer.put_entries([entry(1)])
                is_flowing.clear()
                writer.put_entries([entry(2)])

        with pytest.raises(ResourceError) as failed:
            change()
        assert "no partial data was written" in failed.value.hint
        is_flowing.set()
        with opened.writing() as writer:
            assert (writer.count(), writer.next_document()) == (0, 1)
        opened.close()


@pytest.mark.parametrize("setting", ["timeout=0", "timeout=1.5", "connect_timeout=soon", "connect_timeout=99999999999"])
def test_a_timeout_is_a_number_of_seconds(address: str, setting: str) -> None:
    with pytest.raises(UsageError, match="timeout is") as failed:
        open_store(f"{address}{'&' if '?' in address else '?'}{setting}", create=False)
    assert "whole seconds" in failed.value.hint


def test_a_forked_process_opens_its_own(address: str) -> None:
    with whorl.open(address) as library:
        process = os.fork()
        if process == 0:
            code = 1
            with suppress(UsageError):
                len(library)
                code = 2
            os._exit(code - 1)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
        assert len(library) == 0


_ADDS = """
import sys
import whorl

address, name, text = sys.argv[1:]
with whorl.open(address) as library:
    for number in range(10**9):
        library.add({"id": f"{name} {number}", "text": text + name + str(number)})
        print(number, flush=True)
"""


@pytest.fixture(params=[PostgreSQL, MariaDB])
def private_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Start a private server that may be killed."""
    shared(request.param.name)  # skips if unavailable
    with request.param() as server:
        yield server


def test_read_only_server_is_reported(private_server: Server) -> None:
    address = private_server.fresh()
    whorl.open(address).close()
    user = _user(address, "SELECT, INSERT, UPDATE, DELETE")
    if isinstance(private_server, PostgreSQL):
        run_sql(address, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    else:
        run_sql(address, "SET GLOBAL read_only = 1")
    with whorl.open(user, create=False) as library:
        assert library.check(TEXT).matches == ()
        with pytest.raises(ResourceError, match=r"read.only") as failed:
            library.add({"id": "a", "text": TEXT})
    assert "primary server" in failed.value.hint


def _acknowledged(worker: subprocess.Popen[str], until: int) -> int:
    """Return the last number that a worker reported, once it has reached a minimum or has ended."""
    assert worker.stdout is not None
    last = -1
    for line in worker.stdout:
        last = int(line)
        if last >= until:
            break
    return last


def test_acknowledged_data_survives_kills(private_server: Server) -> None:
    address = private_server.fresh()
    kept: dict[str, int] = {}
    for round_ in range(4):
        names = [f"{round_} {worker}" for worker in range(2)]
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", _ADDS, address, name, TEXT],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
            for name in names
        ]
        reached = [_acknowledged(worker, 5) for worker in workers]
        if round_ % 2:
            private_server.kill()
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for name, worker, number in zip(names, workers, reached, strict=True):
            kept[name] = max(number, _acknowledged(worker, 10**9))
            worker.wait()
            assert worker.stdout is not None
            worker.stdout.close()
        if round_ % 2:
            private_server.start()
    with whorl.open(address, create=False) as library:
        ids = set(library)
        assert {f"{name} {number}" for name, last in kept.items() for number in range(last + 1)} <= ids
        assert library.verify().faults == ()
        assert len({library.report(id_).cluster_id for id_ in ids}) == 1


def _user(address: str, rights: str) -> str:
    """Return the address for a new user with these rights to all rows there, and no others."""
    if address.startswith("postgresql"):
        schema = address.rpartition("=")[2]
        run_sql(
            address,
            f"CREATE ROLE u{schema} LOGIN PASSWORD 'low'",
            f"GRANT USAGE ON SCHEMA {schema} TO u{schema}",
            f"GRANT {rights} ON ALL TABLES IN SCHEMA {schema} TO u{schema}",
        )
        return address.replace(f"whorl:{QUOTED}@", f"u{schema}:low@")
    database = address.rpartition("/")[2]
    run_sql(
        address,
        f"CREATE USER u{database}@'%' IDENTIFIED BY 'low'",
        f"GRANT {rights} ON {database}.* TO u{database}@'%'",
    )
    return address.replace(f"whorl:{QUOTED}@", f"u{database}:low@")


def _end_connections(address: str) -> None:
    """End all connections to a location, like a restarting server."""
    if address.startswith("postgresql"):
        name = f"whorl {address.rpartition('=')[2]}"
        ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name ="
        run_sql(address, f"{ended} '{name}'")
        return
    database = address.rpartition("/")[2]
    value = "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND db ="
    rows = run_sql(address, f"{value} '{database}'")
    run_sql(address, *(f"KILL {number:d}" for (number,) in rows))
