"""The number of store round trips does not depend on the number of documents in a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited

import whorl
from whorl import Library
from whorl.library.ingest.documents import FileDocument
from whorl.library.permission import JudgedPage, permission_of, rights_of
from whorl.stores.sqlite import SqliteStore
from whorl.types.cases import CopyDetails, PageCheck

FEW, MANY = 20, 400
STRANGERS = [{"id": f"stranger {row}", "text": article(9000 + row, 60)} for row in range(480)]


class Counted:
    """A reader or writer of a store that counts its calls."""

    def __init__(self, real: Any, calls: Counter[str]) -> None:
        self._real, self._calls = real, calls

    def __getattr__(self, name: str) -> Any:
        self._calls[name] += 1
        return getattr(self._real, name)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return the number of calls of each method of a reader or writer."""
    counted: Counter[str] = Counter()
    for name in ("reading", "writing"):
        monkeypatch.setattr(SqliteStore, name, _counting(getattr(SqliteStore, name), counted))
    return counted


def _counting(begin: Callable[[SqliteStore], Any], calls: Counter[str]) -> Callable[[SqliteStore], Any]:
    @contextmanager
    def counting(store: SqliteStore) -> Iterator[Counted]:
        with begin(store) as real:
            yield Counted(real, calls)

    return counting


def spent(calls: Counter[str], act: Callable[[], Any]) -> dict[str, int]:
    calls.clear()
    act()
    return dict(calls)


def rows(count: int, name: str = "a") -> list[dict[str, Any]]:
    """Return articles with links and sightings; every other one is a copy of the one before."""
    texts = [article(number // 2) if number % 2 else edited(article(number // 2), 2) for number in range(count)]
    links = [f"https://example.org/{number}" for number in range(3)]
    return [
        {"id": f"{name}{row}", "text": text, "url": f"https://example.org/{name}{row}", "links": links}
        for row, text in enumerate(texts)
    ]


def exported(place: Path, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of an export in which every document has a history."""
    with whorl.open(place) as library:
        library.add(value)
        library.add([{**row, "text": row["text"] + article(900 + number)} for number, row in enumerate(value)])
        library.add([{"id": row["id"], "text": row["text"], "url": "https://example.org/again"} for row in value])
        for a, b in zip(value[::2], value[1::2], strict=True):
            library.review(a["id"], b["id"], "confirmed")
        return list(library.export())


@contextmanager
def opened(folder: Path, **rules: Any) -> Iterator[Library]:
    """Return an empty library that takes a batch in one part: without texts, or without new boilerplate."""
    with whorl.open(folder, **rules) as library:
        if rules.get("texts", True):
            library.add(STRANGERS)
            library.remove([stranger["id"] for stranger in STRANGERS])
        yield library


@pytest.mark.parametrize("rules", [{}, {"window": "30d"}, {"texts": False, "recipe": "winnowing"}], ids=str)
def test_a_batch_is_added_revised_traced_exported_and_removed_at_once(
    rules: dict[str, Any], calls: Counter[str], tmp_path: Path
) -> None:
    needed = []
    for count in (FEW, MANY):
        batch = rows(count)
        changed = [{**row, "text": row["text"] + "又添了一句话。"} for row in batch]
        copies = [{**row, "id": f"copy {row['id']}"} for row in batch]
        with opened(tmp_path / f"{count}", **rules) as library:
            needed.append(
                [
                    spent(calls, lambda library=library, batch=batch: library.add(batch)),
                    spent(calls, lambda library=library, batch=batch: library.add(batch)),
                    spent(calls, lambda library=library, copies=copies: library.add(copies)),
                    spent(calls, lambda library=library, changed=changed: library.add(changed)),
                    spent(calls, lambda library=library: list(library.export())),
                    spent(calls, library.verify),
                    spent(calls, lambda library=library, ids=list(library)[1::3]: library.remove(ids)),
                ]
            )
    few, many = needed
    assert many == few


def test_what_a_watch_keeps_is_kept_and_listed_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (FEW, MANY):
        batch = rows(count)
        pages = [{"url": row["url"], "body": row["text"].encode(), "document": row["id"]} for row in batch]
        attestations = [{"document": row["id"], "kind": "print", "at": "2026-03-05"} for row in batch]
        sites = [{"domain": f"{row['id']}.example.org"} for row in batch]
        alerts = [{"rule": "copies", "payload": {}, "key": row["id"]} for row in batch]
        with whorl.open(tmp_path / f"{count}") as library:
            library.add(batch)
            for a, b in zip(batch[::2], batch[1::2], strict=True):
                library.review(a["id"], b["id"], "confirmed")
            acts: list[Callable[[], Any]] = [
                lambda library=library, pages=pages: list(library.pages.keep_each(pages)),
                lambda library=library, attestations=attestations: library.attestations.put(attestations),
                lambda library=library, sites=sites: library.sites.put(sites),
                lambda library=library, alerts=alerts: library.outbox.put(alerts),
                lambda library=library, alerts=alerts: library.outbox.put(alerts),
                lambda library=library, ids=[row["id"] for row in batch]: library.collect(ids, "protected"),
                *(lambda kind=kind: list(kind) for kind in (library.pages, library.attestations, library.reviews)),
            ]
            needed.append([spent(calls, act) for act in acts])
    assert needed[0] == needed[1]


def test_a_cluster_is_traced_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (FEW, MANY):
        with whorl.open(tmp_path / f"{count}") as library:
            library.add([{"id": f"{row}", "text": edited(article(1), row % 7)} for row in range(count)])
            needed.append(spent(calls, lambda library=library: library.trace(1)))
            assert len(library.trace(1)) == count
    assert needed[0] == needed[1]


def test_what_was_exported_is_taken_back_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (FEW, MANY):
        out = exported(tmp_path / f"from {count}", rows(count))
        with opened(tmp_path / f"to {count}") as library:
            needed.append(spent(calls, lambda library=library, out=out: library.add(out)))
            assert [{**row, "cluster": 0} for row in library.export()] == [{**row, "cluster": 0} for row in out]
    assert needed[0] == needed[1]


def test_files_whose_names_are_taken_are_named_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (FEW, MANY):
        first = [FileDocument(row["id"], row["text"], origin=f"/a/day/{row['id']}") for row in rows(count)]
        second = [replace(item, text=f"{item.text}别的", origin=f"/b/day/{item.id}") for item in first]
        with whorl.open(tmp_path / f"{count}") as library:
            library.add(first)
            needed.append(spent(calls, lambda library=library, second=second: library.add(second)))
            assert len(library) == 2 * count
    assert needed[0] == needed[1]


def test_notices_are_learned_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (2, 20):
        notices = [article(5000 + number, 60) for number in range(count)]
        stubs = [
            f"{article(100 * number + row, 80)}\n{notices[number]}" for number in range(count) for row in range(20)
        ]
        batch = [{"id": f"{row}", "text": text} for row, text in enumerate(stubs)]
        with opened(tmp_path / f"{count}") as library:
            needed.append(spent(calls, lambda library=library, batch=batch: library.add(batch)))
            assert len(library.notices()) >= count
    assert needed[0] == needed[1]


def test_matches_are_found_again_at_once(calls: Counter[str], tmp_path: Path) -> None:
    needed = []
    for count in (FEW, MANY):
        with whorl.open(tmp_path / f"{count}") as library:
            library.add(rows(count))
            with library._core.store.writing() as writer:
                writer.remove_pairs([(pair.low, pair.high) for pair in writer.joined(range(count + 1))])
            needed.append(spent(calls, lambda library=library: library.verify(repair=True)))
    assert needed[0] == needed[1]


def _with_cases(place: Path, count: int) -> Library:
    """Return a library with cases of one article, half of them with documents that were removed."""
    library = whorl.open(place)
    library.add({"id": "ours", "text": article(1), "collection": "protected", "author": "甲"})
    copies = [{"id": f"https://copies.example/{row}", "text": article(5000 + row, 60)} for row in range(count)]
    library.add([{**copy, "url": copy["id"], "collection": "watched"} for copy in copies])
    at = datetime(2026, 3, 1, tzinfo=UTC)
    for copy in copies:
        details = CopyDetails(copy["id"], "ours", "拷贝网", judged="copy", share=0.9, length=100)
        library.cases.observe(PageCheck(copy["id"], at, 200, "there", "", (details,)))
    for copy in copies[::2]:
        library.cases.observe(PageCheck(copy["id"], at + timedelta(days=1), 404, "gone", ""))
    return library


@pytest.mark.parametrize("act", ["permission", "site", "statistics"])
def test_cases_are_judged_and_counted_with_the_same_round_trips(act: str, calls: Counter[str], tmp_path: Path) -> None:
    acts: dict[str, Callable[[Library], Any]] = {
        "permission": lambda library: library.permissions.put([{"domain": "copies.example", "author": "甲"}]),
        "site": lambda library: library.sites.put([{"domain": "copies.example", "authorised": True}]),
        "statistics": lambda library: whorl.watch.copy_statistics(
            library, now=lambda: datetime(2026, 4, 1, tzinfo=UTC)
        ),
    }
    counts = []
    for number in (4, 40):
        with _with_cases(tmp_path / str(number), number) as library:
            counts.append(spent(calls, lambda library=library: acts[act](library)))
            assert whorl.watch.copy_statistics(library).total.addresses == number // 2
    assert counts[0] == counts[1]


def test_rights_of_many_pages_are_those_of_each(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.sites.put([{"domain": "all.example", "authorised": True}, {"domain": "sub.none.example"}])
        library.permissions.put(
            [
                {"domain": "some.example", "path": "/news"},
                {"domain": "some.example", "author": "甲"},
                {"domain": "late.example", "since": "2026-03-02"},
            ]
        )
        urls = [
            f"https://{host}{path}"
            for host in ("all.example", "m.all.example", "some.example", "late.example", "sub.none.example")
            for path in ("/", "/news/1")
        ]
        for row, url in enumerate(urls):
            library.add({"id": url, "text": article(row), "url": url, "author": "甲" if row % 3 else "乙"})
        library.pages.keep(urls[0], b"<p>file</p>", document=urls[0], status=0)
        documents = library.get_all(urls)
        times = [None, datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)]
        pages = [JudgedPage(documents[url], url, at) for url in urls for at in times]
        together = [rights.permission for rights in rights_of(library, pages)]
        assert together == [permission_of(library, *page) for page in pages]
        assert set(together) == {"given", "claimed", "none"}
