"""Acknowledged data survives failures of a worker or of the server."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from tests.articles import small_corpus
from tests.rounds import rounds
from tests.servers import Unavailable
from tests.servers.mongodb import MongoDB
from tests.servers.shared import fresh

import whorl
from whorl.errors import WhorlError
from whorl.stores.mongodb.layout import KINDS
from whorl.stores.mongodb.rows import prepare

ROOT = Path(__file__).parents[4]
TOGETHER = 6
DOCUMENTS = small_corpus(originals=60)


def add(address: str, first: int, step: int) -> None:
    """Add batches of documents from a start with a stride, and report the progress."""
    with whorl.open(address) as library:
        _say("ready")
        for start in range(first * TOGETHER, len(DOCUMENTS), step * TOGETHER):
            library.add(DOCUMENTS[start : start + TOGETHER])
            _say([document["id"] for document in DOCUMENTS[start : start + TOGETHER]])


def _say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def worker(address: str, first: int = 0, step: int = 1) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.unit.stores.mongodb.test_survival", address, str(first), str(step)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def killed_at_random(address: str, chance: random.Random, done: int) -> list[str]:
    """Return the ids that a worker has acknowledged before it was killed during its work."""
    process = worker(address, done)
    assert process.stdout is not None
    process.stdout.readline()
    reported: list[str] = []
    for _ in range(chance.randint(0, 3)):
        reported += json.loads(process.stdout.readline() or "[]")
    try:
        process.wait(chance.uniform(0, 0.2))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    return reported + [
        id_ for line in rest.splitlines(keepends=True) if line.endswith("\n") for id_ in json.loads(line)
    ]


def clusters(library: whorl.Library) -> list[list[str]]:
    """Return the ids of all documents, by cluster."""
    together: dict[int | None, list[str]] = {}
    for document in DOCUMENTS:
        together.setdefault(library.add([document])[0].cluster_id, []).append(document["id"])
    return sorted(map(sorted, together.values()))


def demand_whole(address: str, acknowledged: set[str], folder: Path) -> None:
    """Assert that acknowledged data exists, no batch is partial, and the result is that of one worker."""
    with whorl.open(address) as library:
        kept = set(library)
        assert acknowledged <= kept
        for start in range(0, len(DOCUMENTS), TOGETHER):
            batch = {document["id"] for document in DOCUMENTS[start : start + TOGETHER]}
            assert batch <= kept or not batch & kept
        assert library.verify().faults == ()
        library.add(DOCUMENTS)
        with whorl.open(folder / "alone") as alone:
            alone.add(DOCUMENTS)
            assert clusters(library) == clusters(alone)


def survives(address: str, times: int, folder: Path) -> None:
    chance, acknowledged = random.Random(3), set[str]()
    for _ in range(times):
        acknowledged |= set(killed_at_random(address, chance, len(acknowledged) // TOGETHER % 30))
    assert acknowledged
    demand_whole(address, acknowledged, folder)


def test_killed_workers_lose_no_data_and_block_no_one(tmp_path: Path) -> None:
    survives(fresh("mongodb"), 4, tmp_path)


@pytest.mark.soak
def test_workers_killed_two_hundred_times_lose_nothing(tmp_path: Path) -> None:
    survives(fresh("mongodb"), rounds(200), tmp_path)


def test_workers_that_add_copies_of_each_other_find_all_of_them(tmp_path: Path) -> None:
    address = fresh("mongodb")
    whorl.open(address).close()
    workers = [worker(address, first, 4) for first in range(4)]
    for process in workers:
        process.communicate()
    assert [process.returncode for process in workers] == [0] * len(workers)
    demand_whole(address, {document["id"] for document in DOCUMENTS}, tmp_path)


def make_collections(address: str) -> None:
    """Create the collections of a growing library: FerretDB cannot repeat an interrupted creation."""
    whorl.open(address).close()
    with closing(MongoClient[Any](address)) as client:
        for kind in KINDS.values():
            prepare(client.get_default_database(), kind)


def killed_server_loses_nothing(times: int, folder: Path) -> None:
    try:
        server = MongoDB()
        server.start()
    except Unavailable:
        fresh("mongodb")  # reports that it does not exist
        return
    try:
        chance, address, acknowledged = random.Random(4), server.fresh(), set[str]()
        make_collections(address)
        for _ in range(times):
            process = worker(address, len(acknowledged) // TOGETHER % 30)
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(chance.randint(0, 2)):
                acknowledged |= set(json.loads(process.stdout.readline() or "[]"))
            server.kill()
            process.terminate()
            process.communicate()
            server.start()
        demand_whole(address, acknowledged, folder)
    finally:
        server.stop()


def test_a_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    killed_server_loses_nothing(2, tmp_path)


@pytest.mark.soak
def test_a_server_killed_twenty_times_loses_nothing(tmp_path: Path) -> None:
    killed_server_loses_nothing(rounds(20), tmp_path)


def test_restarted_server_is_used_again() -> None:
    try:
        server = MongoDB()
        server.start()
    except Unavailable:
        fresh("mongodb")
        return
    try:
        address = f"{server.fresh()}&serverSelectionTimeoutMS=500"
        with whorl.open(address) as library:
            library.add(DOCUMENTS[:4])
            server.kill()
            with pytest.raises(WhorlError, match=r"lost|no server responds"):
                library.add(DOCUMENTS[4:8])
            with pytest.raises(WhorlError, match=r"lost|no server responds"):
                library.check(DOCUMENTS[0]["text"])
            server.start()
            library.add(DOCUMENTS[4:8])
            assert len(library) == 8
    finally:
        server.stop()


if __name__ == "__main__":
    add(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
