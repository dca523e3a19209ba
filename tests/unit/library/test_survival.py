"""Acknowledged data survives failures of the process, the index and the disk."""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

import pytest
from tests.articles import article, edited

import whorl
from whorl.errors import InputError, ResourceError
from whorl.library.search.index_cache import IndexCache

if sys.platform != "win32":
    import resource

ROOT = Path(__file__).parents[3]


def documents(first: int, count: int) -> list[dict[str, str]]:
    """Return documents; every fourth is a copy of the one before."""
    return [
        {"id": f"{number}", "text": edited(article(number - 1), 2) if number % 4 == 3 else article(number)}
        for number in range(first, first + count)
    ]


def start(place: Path, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.unit.library.writer", place, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def kill_at_random(place: Path, rng: random.Random, act: str = "add") -> set[str]:
    """Start a writer, kill it at a random moment, and return the acknowledged ids."""
    process = start(place, rng.randrange(10**9), 10**6, act)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(rng.uniform(0, 0.3))
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate()
    return {id_ for line in out.splitlines(keepends=True) if line.endswith("\n") for id_ in json.loads(line)}


def survives(place: Path, rounds: int) -> None:
    rng = random.Random(1)
    acknowledged: set[str] = set()
    for _ in range(rounds):
        acknowledged |= kill_at_random(place, rng)
        with whorl.open(place) as library:
            kept = set(library)
            assert acknowledged <= kept
            batches = {id_.rpartition("-")[0] for id_ in kept if id_.startswith("batch")}
            for batch in batches:
                assert {f"{batch}-{number}" for number in range(10)} <= kept, "half a batch"
            some = rng.sample(sorted(kept), min(len(kept), 5))
            for id_ in some:
                document = library.get(id_)
                assert document is not None
                assert library.check(document.text).matches[0].similarity == 1
            checkup = library.verify()
            assert (checkup.faults, checkup.healed) == ((), ())
    assert acknowledged


def test_a_killed_writer_loses_nothing(tmp_path: Path) -> None:
    survives(tmp_path / "library", 6)


def watch_survives(place: Path, rounds: int) -> None:
    rng = random.Random(2)
    acknowledged: set[str] = set()
    for _ in range(rounds):
        acknowledged |= kill_at_random(place, rng, "keep")
        with whorl.open(place) as library:
            kept = {snapshot.number: snapshot.digest for snapshot in library.pages}
            alerts = {alert.number for alert in library.outbox}
            for number, digest, alert in map(str.split, acknowledged):
                assert kept[int(number)] == digest
                assert int(alert) in alerts
            # Each entry of the ledger and its snapshot, and each body and its snapshot, exist together.
            assert library.verify().faults == ()
            assert all(library.pages.body(digest) for digest in set(kept.values()))
    assert acknowledged


def test_a_killed_watch_loses_nothing(tmp_path: Path) -> None:
    watch_survives(tmp_path / "library", 5)


@pytest.mark.soak
def test_a_watch_killed_two_hundred_times_loses_nothing(tmp_path: Path) -> None:
    watch_survives(tmp_path / "library", 200)


@pytest.mark.soak
def test_a_writer_killed_two_hundred_times_loses_nothing(tmp_path: Path) -> None:
    survives(tmp_path / "library", 200)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a closed library of forty documents with a saved index."""
    with whorl.open(tmp_path / "library") as library:
        library.add(documents(0, 40))
    return tmp_path / "library"


def _remove(folder: Path) -> None:
    shutil.rmtree(folder)


def _cut(folder: Path) -> None:
    for file in folder.iterdir():
        os.truncate(file, file.stat().st_size // 2)


def _flip(folder: Path) -> None:
    for file in folder.glob("*.segment"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 4
        file.write_bytes(data)


def _foreign(folder: Path) -> None:
    with whorl.open(folder.parent.parent / "other") as library:
        library.add(documents(500, 50))
    shutil.rmtree(folder)
    shutil.copytree(folder.parent.parent / "other" / "index", folder)


@pytest.mark.parametrize("damage", [_remove, _cut, _flip, _foreign])
def test_a_damaged_index_is_built_again(
    place: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    damage(place / "index")
    with caplog.at_level(logging.WARNING, "whorl.library"), whorl.open(place) as library:
        for number in (0, 3, 17):
            assert f"{number}" in {match.id for match in library.check(documents(number, 1)[0]["text"]).matches}
        library.verify()
        checkup = library.verify()
        assert (checkup.faults, checkup.healed) == ((), ())
    assert damage is _remove or "rebuilding the index" in caplog.text


def test_an_index_that_is_found_damaged_while_articles_are_added_is_built_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": f"{number}", "text": article(number, 600)} for number in range(200)])
    segment = max((tmp_path / "library" / "index").glob("*.segment"), key=lambda path: path.stat().st_size)
    whole = bytearray(segment.read_bytes())
    whole[len(whole) // 2] ^= 0x10
    segment.write_bytes(whole)
    with caplog.at_level(logging.WARNING, "whorl.library"), whorl.open(tmp_path / "library") as library:
        reports = library.add([{"id": f"new {number}", "text": article(number, 580)} for number in range(200)])
        assert all(f"{number}" in {match.id for match in report.matches} for number, report in enumerate(reports))
        assert (library.verify().faults, library.verify().healed) == ((), ())
    assert "rebuilding the index" in caplog.text


def test_an_older_copy_of_the_truth_is_not_mixed_with_a_newer_index(place: Path) -> None:
    shutil.copy(place / "library.sqlite", place.parent / "older")
    with whorl.open(place) as library:
        library.add(documents(100, 20))
    shutil.copy(place.parent / "older", place / "library.sqlite")
    with whorl.open(place) as library:
        assert library.check(article(100)).matches == ()
        library.add(documents(200, 20))
        assert [match.id for match in library.check(article(201)).matches] == ["201"]
        assert library.verify().healed == ()


def test_an_older_copy_finds_what_is_added_to_it_beside_a_newer_index(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copy(place / "library.sqlite", place.parent / "older")
    with whorl.open(place) as library:
        library.add(documents(100, 20))
    shutil.copy(place.parent / "older", place / "library.sqlite")
    others = documents(200, 40)
    with caplog.at_level(logging.WARNING, "whorl.library"), whorl.open(place) as library:
        library.add(others)
        # Like after a killed process: the index covers a part of the library, which then differs.
        shutil.copytree(place, place.parent / "killed")
    for folder in (place, place.parent / "killed"):
        with whorl.open(folder) as library:
            for document in others:
                assert document["id"] in {match.id for match in library.check(document["text"]).matches}
            assert (library.verify().faults, library.verify().healed) == ((), ())
    assert "it belongs to another state of the library" in caplog.text


def test_an_index_that_was_saved_before_the_last_articles_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add(documents(0, 40))
        library.verify()
    with whorl.open(tmp_path / "library") as library:
        library.add(documents(100, 20))
        shutil.copytree(tmp_path / "library", tmp_path / "killed")
    with caplog.at_level(logging.WARNING, "whorl.library"), whorl.open(tmp_path / "killed") as library:
        assert [match.id for match in library.check(article(4)).matches] == ["4"]
        assert [match.id for match in library.check(article(100)).matches] == ["100"]
    assert caplog.text == ""


_NEWER = {
    2: "DROP INDEX document_origin; ALTER TABLE document DROP COLUMN origin; DROP TABLE bore; DROP TABLE state;"
    "DROP TABLE notice;",
    3: "DROP TABLE change;",
    4: "DROP INDEX document_collection; ALTER TABLE document DROP COLUMN collection;"
    + "".join(
        f"DROP TABLE {table};"
        for table in ("site", "leave", "proof", "body", "snapshot", "ledger", "decision", "alert")
    ),
    5: "ALTER TABLE notice DROP COLUMN holders;",
    6: "ALTER TABLE notice DROP COLUMN content;",
    7: "ALTER TABLE notice ADD COLUMN content INTEGER NOT NULL DEFAULT -1;",
    8: "ALTER TABLE document DROP COLUMN published_as; ALTER TABLE proof DROP COLUMN at_as;"
    "ALTER TABLE site DROP COLUMN zone;",
    9: "DROP TABLE case_event; DROP TABLE case_file;",
    10: "ALTER TABLE permission RENAME TO leave; ALTER TABLE attestation RENAME TO proof; DROP INDEX permission_of;"
    "CREATE UNIQUE INDEX leave_of ON leave (domain, path, author, coalesce(since, -9223372036854775808));",
}
"""Statements that downgrade each version of the tables to the previous one."""


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_tables_of_an_older_version_are_brought_up_to_date(place: Path, version: int) -> None:
    newer = "".join(script for number, script in reversed(_NEWER.items()) if number > version)
    with whorl.open(place) as library, library._core.store.reading() as reader:
        library.review("2", "3", "confirmed", by="editor")
        kept = reader.changes(0, 1000)
    with closing(sqlite3.connect(place / "library.sqlite")) as connection:
        connection.executescript(f"{newer} PRAGMA user_version = {version}")
    with whorl.open(place) as library:
        with library._core.store.reading() as reader:
            report = reader.changes(0, 1000)
        assert (report.added, sorted(report.pairs)) == (kept.added, sorted(kept.pairs))
        assert report.added
        assert [(record.state, record.by) for record in library.reviews.of("2", "3")] == [("confirmed", "editor")]
        library.add(documents(100, 4))
        assert [match.id for match in library.check(article(4)).matches] == ["4"]
        assert [match.id for match in library.check(article(100)).matches] == ["100"]
        assert library.verify().faults == ()


def test_a_cut_log_loses_no_more_than_it_held(tmp_path: Path) -> None:
    library = whorl.open(tmp_path / "library")
    library.add(documents(0, 40))
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "library", copy)
    library.close()
    log = copy / "library.sqlite-wal"
    os.truncate(log, log.stat().st_size - 100)
    (copy / "library.sqlite-shm").unlink()
    with whorl.open(copy) as library:
        assert len(library) in (0, 40)
        assert library.verify().faults == ()


def test_a_damaged_truth_is_told_with_the_hint(place: Path) -> None:
    file = place / "library.sqlite"
    data = bytearray(file.read_bytes())
    data[len(data) // 4 :] = bytes(len(data) - len(data) // 4)
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged[\s\S]*restore a backup"):
        _read_all(place)


def _read_all(place: Path) -> None:
    with whorl.open(place) as library:
        for number in range(40):
            library.get(f"{number}")


def test_a_full_disk_is_told_and_nothing_lost(tmp_path: Path) -> None:
    place = tmp_path / "library"
    with whorl.open(place) as library:
        library.add(documents(0, 8))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
        try:
            with pytest.raises(ResourceError, match="is intact"):
                library.add(documents(100, 5000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        kept = len(library)
        library.add(documents(9000, 8))
        assert len(library) == kept + 8
        checkup = library.verify()
        assert (checkup.faults, checkup.healed) == ((), ())


@contextmanager
def without_permission(folder: Path, mode: int = 0o555) -> Iterator[None]:
    """Deny writes to a folder, even for root, who is not bound by permissions."""
    value = os.geteuid()
    parents = [path for path in folder.parents if path.stat().st_uid == value and path.stat().st_mode & 0o055 != 0o055]
    for path in parents:
        path.chmod(path.stat().st_mode | 0o055)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(mode)
    if value == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(value)
        folder.chmod(0o755)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_read_only_library_can_be_asked(place: Path) -> None:
    with without_permission(place), whorl.open(place) as library:
        assert [match.id for match in library.check(article(4)).matches] == ["4"]
        assert len(library) == 40
        with pytest.raises(ResourceError, match="is read-only"):
            library.add(documents(100, 4))
        assert library.verify().faults == ()
    with whorl.open(place) as library:
        library.add(documents(100, 4))
        assert len(library) == 44


def test_a_read_only_library_is_read_with_the_log_of_its_writer(tmp_path: Path) -> None:
    place = tmp_path / "library"
    acknowledged = kill_at_random(place, random.Random(3))
    assert acknowledged
    assert (place / "library.sqlite-wal").stat().st_size > 0
    with without_permission(place), whorl.open(place) as library:
        assert acknowledged <= set(library)


def test_a_library_that_may_not_be_read_is_told(place: Path) -> None:
    with without_permission(place, 0), pytest.raises(ResourceError, match="Permission denied"):
        whorl.open(place)


def test_processes_that_write_at_once_find_each_other_and_share_an_index(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = tmp_path / "library"
    whorl.open(place).close()
    writers = [start(place, seed, 30) for seed in (1, 2, 3)]
    for writer in writers:
        out, warnings = writer.communicate(timeout=120)
        assert (writer.returncode, warnings) == (0, "")
        assert len(out.splitlines()) == 31
    with caplog.at_level(logging.WARNING, "whorl.library"), whorl.open(place) as library:
        assert caplog.text == ""
        checkup = library.verify()
        assert (checkup.faults, checkup.healed) == ((), ())
        same = [cluster for cluster in library.clusters() if len(library.cluster(cluster.id).documents) >= 2]
        assert same


def test_four_readers_and_a_writer_at_once(tmp_path: Path) -> None:
    place = tmp_path / "library"
    whorl.open(place).close()
    readers = [start(place, seed, 40, "check") for seed in range(4)]
    writer = start(place, 9, 40)
    for process in [*readers, writer]:
        out, warnings = process.communicate(timeout=120)
        assert (process.returncode, warnings) == (0, "")
        assert len(out.splitlines()) == 41


def test_a_reader_sees_what_a_writer_adds(tmp_path: Path) -> None:
    place = tmp_path / "library"
    with whorl.open(place) as writer, whorl.open(place) as reader:
        for number in range(5):
            writer.add({"id": f"{number}", "text": article(number)})
            assert [match.id for match in reader.check(article(number)).matches] == [f"{number}"]
        writer.remove("3")
        assert reader.check(article(3)).matches == ()
        reader.add({"id": "copy", "text": edited(article(4), 1)})
        assert [match.id for match in writer.matches("4")] == ["copy"]
        assert {match.id for match in writer.check(article(4)).matches} == {"4", "copy"}


def test_a_clock_that_goes_backwards_changes_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(2_000_000_000_000_000_000, 0, -86_400_000_000_000))
    monkeypatch.setattr("whorl.library.ingest.adding.time_ns", lambda: next(clock))
    with whorl.open(tmp_path / "library") as library:
        for number in range(5):
            library.add({"id": f"{number}", "text": edited(article(1), 1, seed=number)})
        assert library.cluster(1).documents == ("0", "1", "2", "3", "4")
        times = [library.sightings(f"{number}")[0].at for number in range(5)]
        assert times == sorted(times, reverse=True)


def test_an_article_of_twenty_megabytes(tmp_path: Path) -> None:
    text = "".join(article(number, 1000) for number in range(6400))
    assert len(text.encode()) > 20_000_000
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": "long", "text": text}, {"id": "short", "text": article(3000, 1000)}])
        (match,) = library.matches("short")
        assert (match.id, match.this_in_other > 0.99, match.relation) == ("long", True, "excerpt")


def test_a_folder_that_is_replaced_is_noticed(tmp_path: Path) -> None:
    """Another library in its place is neither read nor written."""
    place, other = tmp_path / "library", tmp_path / "other"
    with whorl.open(other) as library:
        library.add(documents(50, 20))
    library = whorl.open(place)
    library.add(documents(0, 10))
    place.rename(tmp_path / "moved")
    with pytest.raises(InputError, match="moved or replaced"):
        library.check(article(1))
    other.rename(place)
    with pytest.raises(InputError, match="moved or replaced"):
        library.add(documents(70, 10))
    with pytest.raises(InputError, match="moved or replaced"):
        len(library)
    library.close()
    with whorl.open(place) as library:
        assert len(library) == 20
    with whorl.open(tmp_path / "moved") as library:
        assert (len(library), library.verify().faults) == (10, ())


class FailingCommit:
    """A connection whose commits fail, as on a full disk."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        if statement == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(statement, *values)

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)


def test_what_others_write_in_the_place_of_what_could_not_be_committed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whorl.open(tmp_path / "news") as first, whorl.open(tmp_path / "news") as other:
        first.add({"id": "before", "text": article(1)})
        store = first._core.store
        with monkeypatch.context() as failing:
            failing.setattr(store, "_connection", FailingCommit(store._connection))
            with pytest.raises(ResourceError, match="full"):
                first.add([{"id": "lost", "text": article(2)}, {"id": "lost too", "text": article(3)}])
        other.add([{"id": "kept", "text": article(4)}, {"id": "kept too", "text": article(5)}])
        assert [match.id for match in first.check(edited(article(4), 2)).matches] == ["kept"]
        assert first.check(article(2)).matches == ()
        assert first.add({"id": "copy", "text": edited(article(5), 2)}).matches[0].id == "kept too"
        assert first.verify().faults == ()


def test_an_index_that_is_saved_just_after_a_commit_finds_what_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whorl.open(tmp_path / "news") as library:
        library.add({"id": "before", "text": article(1)})
        index = library._core.index
        assert isinstance(index, IndexCache)
        committed, forget, acknowledging = index.committed, index.forget, Thread(target=index.committed)

        def forget_meanwhile(contents: Sequence[int]) -> None:
            acknowledging.start()
            acknowledging.join(0.2)
            forget(contents)

        with monkeypatch.context() as between:
            between.setattr(index, "committed", lambda: None)
            library.add([{"id": "new", "text": article(2)}, {"id": "newer", "text": article(3)}])
            between.setattr(index, "forget", forget_meanwhile)
            index.save()
        acknowledging.join()
        committed()
        assert [match.id for match in library.check(edited(article(3), 2)).matches] == ["newer"]
        assert library.add({"id": "copy", "text": edited(article(2), 2)}).matches[0].id == "new"
        assert library.verify().faults == ()
