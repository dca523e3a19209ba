"""A library in a folder and on a server beside a model: documents, decisions, permissions, copies, restarts and kills.

By seed, step after step. After each, documents, clusters, decisions and permissions are what the model says. Clusters
are the connected components of pairs that are copies of each other within the window, unless people decided otherwise.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest
from tests.articles import article, edited
from tests.contracts.test_workers import begin, line_of, start
from tests.stores import place
from tests.unit.library.test_clusters import slow_parts

import whorl
from whorl.library.maintenance.copy import copy

STORES = ("sqlite", "postgresql")
IDS = "abcdefgh"
STORIES = [article(story, 120) for story in (1, 2)]
TEXTS = [{id_: edited(story, 2, seed=ord(id_)) for id_ in IDS} for story in STORIES]
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW_HOURS = 8
HOURS = (0, 5, 8, 12, 20)
DOMAINS = ("a.example", "b.example")
PATHS = ("", "/news")


class Beside:
    """A library and its model."""

    def __init__(self, folder: Path, scheme: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self._folder = folder
        self._scheme = scheme
        self._window = self.rng.choice([None, WINDOW_HOURS])
        self._places = 0
        self._address = self._new_place()
        self.documents: dict[str, tuple[int, int]] = {}
        self.decisions: dict[frozenset[str], str] = {}
        self.permissions: dict[tuple[str, str], datetime | None] = {}
        self.library = whorl.open(self._address, window=self._window and f"{self._window}h")

    def _new_place(self) -> str:
        self._places += 1
        return place(self._scheme, self._folder, f"library-{self._places}")

    # Steps

    def add(self) -> None:
        chosen = {self.rng.choice(IDS): (self.rng.randrange(2), self.rng.choice(HOURS)) for _ in range(3)}
        self.library.add(
            {"id": id_, "text": TEXTS[story][id_], "published_at": BEGIN + timedelta(hours=hour)}
            for id_, (story, hour) in chosen.items()
        )
        self.documents |= chosen

    def remove(self) -> None:
        ids = self.rng.sample(IDS, 2)
        there = [id_ for id_ in ids if id_ in self.documents]
        assert self.library.remove(ids) == len(there)
        for id_ in there:
            del self.documents[id_]
        self.decisions = {pair: state for pair, state in self.decisions.items() if pair <= self.documents.keys()}

    def decide(self) -> None:
        if len(self.documents) > 1:
            pair = self.rng.sample(sorted(self.documents), 2)
            state = self.rng.choice(["confirmed", "rejected", "authorised"])
            assert self.library.review(*pair, state, by="mei").state == state
            self.decisions[frozenset(pair)] = state

    def take_back(self) -> None:
        if self.decisions:
            pair = sorted(self.rng.choice(sorted(self.decisions, key=sorted)))
            self.library.reviews.undo(*pair, by="lin")
            del self.decisions[frozenset(pair)]

    def permit(self) -> None:
        key = self.rng.choice(DOMAINS), self.rng.choice(PATHS)
        until = self.rng.choice([None, BEGIN + timedelta(days=30)])
        self.library.permissions.put([{"domain": key[0], "path": key[1], "until": until}])
        self.permissions[key] = until

    def forbid(self) -> None:
        key = self.rng.choice(DOMAINS), self.rng.choice(PATHS)
        forgotten = self.library.permissions.remove([{"domain": key[0], "path": key[1]}])
        assert forgotten == (key in self.permissions)
        self.permissions.pop(key, None)

    def restart(self) -> None:
        self.library.close()
        self.library = whorl.open(self._address, create=False)

    def move(self) -> None:
        """Go on with a copy in the other store."""
        self.library.close()
        self._scheme = next(scheme for scheme in STORES if scheme != self._scheme)
        source, self._address = self._address, self._new_place()
        copy(source, self._address)
        self.library = whorl.open(self._address, create=False)

    def kill(self) -> None:
        """Somebody else is killed while it is their turn to write."""
        dying = start(self._address, "turn")
        begin([dying])
        assert line_of(dying) == "its turn"
        dying.kill()
        dying.communicate()

    # What it tells

    def check(self) -> None:
        assert set(self.library) == self.documents.keys()
        for id_, (story, hour) in self.documents.items():
            document = self.library.get(id_)
            assert document is not None
            assert (document.text, document.published_at) == (TEXTS[story][id_], BEGIN + timedelta(hours=hour))
        self._check_clusters()
        for pair in map(frozenset, combinations(sorted(self.documents), 2)):
            assert self.library.reviews.now(*sorted(pair)).state == self.decisions.get(pair, "pending")
        kept = {(permission.domain, permission.path): permission.until for permission in self.library.permissions}
        assert kept == self.permissions
        for domain, path in ((domain, path) for domain in DOMAINS for path in ("/news/1", "/sport/1")):
            covering = self.library.permissions.covering(f"https://{domain}{path}", at=BEGIN + timedelta(days=31))
            assert (covering is not None) == self._is_permitted(domain, path)
        assert self.library.verify().faults == ()

    def _is_permitted(self, domain: str, path: str) -> bool:
        after = [key for key, until in self.permissions.items() if until is None]
        return any(key[0] == domain and path.startswith(key[1]) for key in after)

    def _check_clusters(self) -> None:
        names = sorted(self.documents)
        joined = [
            (low, high) for low, high in combinations(range(len(names)), 2) if self._joins(names[low], names[high])
        ]
        expected = {frozenset(names[n] for n in part) for part in slow_parts(list(range(len(names))), joined)}
        clusters = {
            frozenset(self.library.cluster(cluster.id).documents) for cluster in self.library.clusters(at_least=1)
        }
        assert clusters == expected

    def _joins(self, id: str, other: str) -> bool:
        decided = self.decisions.get(frozenset((id, other)), "pending")
        if decided in ("confirmed", "rejected"):
            return decided == "confirmed"
        (story, hour), (other_story, other_hour) = self.documents[id], self.documents[other]
        return story == other_story and (self._window is None or abs(hour - other_hour) <= self._window)


STEPS = [
    *([Beside.add] * 5), Beside.remove, *([Beside.decide] * 3), Beside.take_back, Beside.permit, Beside.forbid,
    Beside.restart, Beside.move, Beside.kill,
]  # fmt: skip


def follow(folder: Path, scheme: str, seed: int, steps: int) -> None:
    folder.mkdir()
    beside = Beside(folder, scheme, seed)
    try:
        for number in range(steps):
            step = Beside.add if number == 0 else beside.rng.choice(STEPS)
            step(beside)
            beside.check()
    finally:
        beside.library.close()


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes of libraries on servers are of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scheme", STORES)
def test_a_library_is_what_its_model_says(scheme: str, seed: int, tmp_path: Path) -> None:
    follow(tmp_path / "model", scheme, seed, steps=20)


@pytest.mark.soak
@pytest.mark.parametrize("scheme", STORES)
def test_many_libraries_are_what_their_models_say(scheme: str, tmp_path: Path) -> None:
    for seed in range(1000, 1050):
        follow(tmp_path / f"{seed}", scheme, seed, steps=60)
