"""A library driven through files and the program, step by step by seed, compared with a dict.

Rows are added from files of several formats, revised, redated and removed; the library is exported and imported
into a new one, backed up, reindexed. After each step every result equals that of the dict.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, edited, jsonl
from tests.fuzz.samples import gzipped, zstd
from tests.unit.library.test_clusters import slow_parts
from typer.testing import CliRunner

from whorl.cli import build_app

IDS = [*"abcdefgh", "编号 九", "-1", "x:1/../y"]
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW_HOURS = 8
TEXTS = [[text, edited(text, 3, seed=1), f"{edited(text, 3, seed=2)}\n又及。"] for text in (article(1), article(2))]
COLUMNS = ("id", "text", "title", "published_at", "page")


@dataclass
class Kept:
    """A document of the model.

    Attributes:
        story: documents of one story are copies of each other.
        version: version of its text.
        hour: publication time.
        title: its title, None until one is set.
        metadata: other fields.
        former: its former texts.
    """

    story: int
    version: int
    hour: int
    title: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    former: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return TEXTS[self.story][self.version]

    def is_near(self, other: Kept, window: int | None) -> bool:
        return self.story == other.story and (window is None or abs(self.hour - other.hour) <= window)


def _at(hour: int) -> str:
    return (BEGIN + timedelta(hours=hour)).isoformat()


def _row(id_: str, document: Kept) -> dict[str, str]:
    row = {"id": id_, "text": document.text, "published_at": _at(document.hour), **document.metadata}
    return row if document.title is None else {**row, "title": document.title}


def _write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


FORMATS: dict[str, Callable[[Path, list[dict[str, str]]], object]] = {
    "jsonl": lambda path, rows: path.write_bytes(jsonl(rows)),
    "jsonl.gz": lambda path, rows: path.write_bytes(gzipped(jsonl(rows))),
    "jsonl.zst": lambda path, rows: path.write_bytes(zstd(jsonl(rows))),
    "csv": _write_csv,
    "parquet": lambda path, rows: pq.write_table(
        pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in COLUMNS}), path
    ),
}


class Beside:
    """A library and its model."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.window = self.rng.choice([None, WINDOW_HOURS])
        self.kept: dict[str, Kept] = {}
        self._folder = folder
        self._file_count = 0
        self._place = self._path("library")
        self.add()

    def _path(self, name: str) -> Path:
        self._file_count += 1
        return self._folder / f"{self._file_count:03}-{name}"

    def _ask(self, *arguments: object) -> str:
        ended = CliRunner().invoke(build_app(str(arguments[0])), list(map(str, arguments)))
        assert ended.exit_code == 0, ended.output
        return ended.stdout

    def _lines(self, *arguments: object) -> list[Any]:
        return [json.loads(line) for line in self._ask(*arguments).splitlines()]

    def _add(self, place: Path, file: Path) -> list[Any]:
        rule = [] if self.window is None or place.exists() else ["--window", f"{self.window}h"]
        return self._lines("add", place, file, "--json", "--quiet", *rule)

    def _any(self) -> Kept:
        rng = self.rng
        title = rng.choice([None, "标题", 'A title, quoted "so"'])
        metadata = rng.choice([{}, {"page": f"p{rng.randrange(3)}"}])
        return Kept(rng.randrange(2), rng.randrange(3), rng.choice([0, 3, 8, 11, 16, 20]), title, metadata)

    # Steps

    def add(self) -> None:
        additions = [(self.rng.choice(IDS), self._any()) for _ in range(self.rng.randint(1, 5))]
        expected = [self._keep(id_, document) for id_, document in additions]
        suffix = self.rng.choice(list(FORMATS))
        file = self._path(f"in.{suffix}")
        FORMATS[suffix](file, [_row(id_, document) for id_, document in additions])
        reports = [(report["id"], report["state"], report["revision"]) for report in self._add(self._place, file)]
        assert reports == expected

    def _keep(self, id_: str, new: Kept) -> tuple[str, str, int]:
        old = self.kept.get(id_)
        if old is not None:
            new.title = old.title if new.title is None else new.title
            new.metadata = old.metadata | new.metadata
            new.former = old.former if old.text == new.text else [*old.former, old.text]
        self.kept[id_] = new
        state = "new" if old is None else "known" if old.text == new.text else "revised"
        return id_, state, 1 + len(new.former)

    def remove(self) -> None:
        ids = self.rng.sample(IDS, 2)
        result = json.loads(self._ask("library", "remove", self._place, "--json", "--", *ids))
        assert result["removed"] == sum(self.kept.pop(id_, None) is not None for id_ in ids)

    def take_back(self) -> None:
        file = self._path(f"all.{self.rng.choice(['jsonl', 'jsonl.gz', 'jsonl.zst'])}")
        self._ask("library", "export", self._place, file, "--order", self.rng.choice(["added", "time", "cluster"]))
        self._place = self._path("library")
        assert {report["id"] for report in self._add(self._place, file)} == self.kept.keys()

    def back_up(self) -> None:
        copy = self._path("library")
        self._ask("library", "backup", self._place, copy)
        self._place = copy

    def index_again(self) -> None:
        self._ask("library", "reindex", self._place)

    # Queries

    def check(self) -> None:
        file = self._path("all.jsonl")
        self._ask("library", "export", self._place, file)
        rows = {row["id"]: row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
        actual = {
            id_: (row["text"], row["title"], row["published_at"], row["metadata"], row["revision"])
            for id_, row in rows.items()
        }
        assert actual == {
            id_: (document.text, document.title, _at(document.hour), document.metadata, 1 + len(document.former))
            for id_, document in self.kept.items()
        }
        former = {id_: [old["text"] for old in row.get("history", {}).get("former", [])] for id_, row in rows.items()}
        assert former == {id_: document.former for id_, document in self.kept.items()}
        self._check_clusters()
        self._check_matches()
        checkup = json.loads(self._ask("library", "verify", self._place, "--json"))
        assert checkup == {"documents": len(self.kept), "faults": [], "healed": [], "repaired": 0}

    def _check_clusters(self) -> None:
        names = sorted(self.kept)
        documents = [self.kept[name] for name in names]
        near = [
            (low, high)
            for high in range(len(names))
            for low in range(high)
            if documents[low].is_near(documents[high], self.window)
        ]
        parts = slow_parts(list(range(len(names))), near)
        result = json.loads(self._ask("library", "clusters", self._place, "--at-least", 1, "--json"))
        assert sorted(sorted(cluster["documents"]) for cluster in result) == sorted(
            [names[n] for n in part] for part in parts
        )

    def _check_matches(self) -> None:
        queries = {f"asked {number}": self._any() for number in range(3)}
        file = self._path("asked.jsonl")
        file.write_bytes(jsonl([_row(id_, document) for id_, document in queries.items()]))
        reports = self._lines("check", self._place, file, "--json", "--quiet")
        assert {report["id"]: {match["id"] for match in report["matches"]} for report in reports} == {
            id_: {name for name, other in self.kept.items() if other.is_near(document, self.window)}
            for id_, document in queries.items()
        }


STEPS = [*([Beside.add] * 5), *([Beside.remove] * 2), Beside.take_back, Beside.back_up, Beside.index_again]


def _follow(folder: Path, seed: int, steps: int) -> None:
    folder.mkdir()
    beside = Beside(folder, seed)
    beside.check()
    for _ in range(steps):
        beside.rng.choice(STEPS)(beside)
        beside.check()


@pytest.mark.parametrize("seed", range(6))
def test_library_equals_a_dict(tmp_path: Path, seed: int) -> None:
    _follow(tmp_path / "model", seed, steps=8)


@pytest.mark.soak
def test_many_libraries_equal_a_dict(tmp_path: Path) -> None:
    for seed in range(1000, 1100):
        _follow(tmp_path / f"{seed}", seed, steps=12)
