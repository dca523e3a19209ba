"""A library behaves the same in every store: each operation is repeated on a library in a folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.articles import NEWSROOM
from tests.runs import whorl as run
from tests.stores import place

import whorl
from whorl import Library
from whorl.results import Compared
from whorl.stores import schemes

CORPUS = NEWSROOM / "articles.jsonl"
OTHERS = [scheme for scheme in schemes() if scheme != "sqlite"]


@pytest.fixture(params=OTHERS)
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a library location; user caches are private to the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place(request.param, tmp_path)


@pytest.fixture
def both(address: str, tmp_path: Path) -> Iterator[tuple[Library, Library]]:
    with whorl.open(tmp_path / "folder") as usual, whorl.open(address) as other:
        yield usual, other


def articles() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    fields = ("id", "title", "text", "url", "source", "author")
    return [
        {**{name: row[name] for name in fields if row.get(name)}, "first_seen_at": "2026-01-31", "metadata": {"n": n}}
        for n, row in enumerate(rows)
    ]


def state_of(library: Library) -> dict[str, Any]:
    """Return all information of a library, except access times and bytes."""
    return {
        "ids": list(library),
        "documents": [library.get(id_) for id_ in library],
        "matches": [library.matches(id_) for id_ in library],
        "clusters": library.clusters(),
        "traced": [library.trace(cluster.id) for cluster in library.clusters()[:3]],
        "collections": library.collections(),
        "exported": list(library.export("cluster")),
        "changes": library.changes(),
        "notices": library.notices(),
        "stats": {name: value for name, value in library.stats().items() if "bytes" not in name},
        "verified": library.verify().faults,
    }


def test_everything_is_told_alike(both: tuple[Library, Library]) -> None:
    rows = articles()
    for library in both:
        library.add(rows[:40])
    assert both[0].add(rows[30:]) == both[1].add(rows[30:])
    assert state_of(both[0]) == state_of(both[1])
    texts = [row["text"] for row in rows]
    for library in both:
        library.collect(["nr-042", "nr-001"], "protected")
        library.add(
            [{**rows[3], "text": texts[50]}, {**rows[4], "title": "新"}, {**rows[5], "url": "https://b.example"}]
        )
        library.review("nr-042", "nr-006", "rejected", by="编辑")
        library.remove(["nr-014", "nr-002", "nr-003"])
    assert [both[0].check(text) for text in texts] == [both[1].check(text) for text in texts]
    assert both[0].check(texts[41], collection="protected") == both[1].check(texts[41], collection="protected")
    reviews = [library.get("nr-042") for library in both]
    assert reviews[0] == reviews[1]
    for library in both:
        library.reindex()
    assert state_of(both[0])["clusters"] == state_of(both[1])["clusters"]


def test_it_is_there_again_for_the_next_who_opens_it(address: str) -> None:
    with whorl.open(address) as library:
        library.add(articles()[:20])
        before = library.clusters(), list(library)
    with whorl.open(address, create=False) as library:
        assert (library.clusters(), list(library)) == before


def test_the_sources_of_a_text_are_found(address: str, tmp_path: Path) -> None:
    with whorl.open(address) as library:
        library.add(articles())
    parts = [CORPUS.read_text(encoding="utf-8").splitlines()[row] for row in (3, 41, 60)]
    draft = tmp_path / "draft.txt"
    draft.write_text("".join(f"雾散之后。{json.loads(part)['text'][20:220]}" for part in parts), encoding="utf-8")
    looked_up, scanned = (whorl.compare_against(address, str(draft), scan=scan) for scan in (False, True))

    def passages(compared: Compared) -> list[tuple[object, ...]]:
        ids = [source.id for source in compared.sources]
        return [(ids[p.source], p.a_start, p.a_end, p.b_start, p.b_end, p.kind) for p in compared.result.passages]

    assert len(passages(looked_up)) >= len(parts)
    assert passages(looked_up) == passages(scanned)
    assert looked_up.result.ratios == scanned.result.ratios
    compared = run("compare", draft, "--against", address, "--json")
    assert compared.code == 0, compared.error
    password = urlsplit(address).password
    assert password is None or password not in compared.out


def test_a_class_is_compared_with_earlier_years(address: str, tmp_path: Path) -> None:
    with whorl.open(address) as library:
        library.add(articles())
    (tmp_path / "class").mkdir()
    for row in articles()[:4]:
        (tmp_path / "class" / f"{row['id']}.txt").write_text(row["text"], encoding="utf-8")
    for _ in range(2):
        compared = run("cohort", tmp_path / "class", "-o", tmp_path / "out", "--earlier", address)
        assert compared.code == 0, compared.error
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8-sig") as file:
        assert len([row for row in csv.DictReader(file) if float(row["copied"]) > 0.9]) == 4


def test_commands_take_its_address(address: str, tmp_path: Path) -> None:
    assert run("add", address, CORPUS).code == 0
    out = tmp_path / "out"
    cleaned = run("dedup", CORPUS, "--against", address, "-o", out, "--method", "library")
    assert (cleaned.code, (out / "kept" / CORPUS.name).read_text(encoding="utf-8")) == (0, ""), cleaned.error
    hot = run("hot", address, "--json")
    assert (hot.code, '"articles": 91' in hot.out) == (0, True), hot.error
