"""A store is one module: another package adds one, whose libraries pass every contract test.

It stores rows like the default store, but has no folder for caches, like a server.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.articles import small_corpus, write_jsonl
from tests.packages import hold_to_promises, installed
from tests.runs import whorl

from whorl.errors import UsageError
from whorl.release import DISTRIBUTION
from whorl.stores import BUILT_IN, ENTRY_POINTS, exists, open_store

STORE = '''\
"""Rows in a file, with no folder beside them."""

from pathlib import Path

from whorl.stores import sqlite
from whorl.stores.sqlite import exists
from whorl.stores.sqlite.store import FILE


class Elsewhere(sqlite.SqliteStore):
    @property
    def folder(self):
        return None


def open_store(address, create):
    sqlite.open_store(address, create).close()
    return Elsewhere(Path(address) / FILE, create)
'''


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment of Python with the package of an additional store, and a cache folder."""
    folder = tmp_path / "site"
    folder.mkdir()
    return {**installed(folder, ENTRY_POINTS, "elsewhere", STORE), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def indexes(tmp_path: Path) -> dict[Path, int]:
    """Return the folders of cached indexes, and when each was last saved."""
    return {file.parent: file.stat().st_mtime_ns for file in (tmp_path / "cache").glob("whorl/*/index/*.manifest")}


def test_a_library_lives_there_and_its_index_with_the_caches_of_the_user(
    environment: dict[str, str], tmp_path: Path
) -> None:
    write_jsonl(tmp_path / "a.jsonl", small_corpus(originals=5))
    for name in ("first", "second"):
        added = whorl("add", f"elsewhere:{tmp_path / name}", tmp_path / "a.jsonl", environment=environment)
        assert added.code == 0, added.error
        assert not (tmp_path / name / "index").exists()
    kept = indexes(tmp_path)
    assert len(kept) == 2
    checked = whorl("check", f"elsewhere:{tmp_path / 'first'}", tmp_path / "a.jsonl", environment=environment)
    assert (checked.code, "rebuilding the index" in checked.error) == (0, False), checked.error
    assert indexes(tmp_path) == kept


@pytest.mark.parametrize("place", ["a file", "cache/whorl"])
def test_a_cache_that_cannot_be_kept_is_in_nobodys_way(environment: dict[str, str], tmp_path: Path, place: str) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / place).write_text("", encoding="utf-8")
    write_jsonl(tmp_path / "a.jsonl", small_corpus(originals=5))
    environment["XDG_CACHE_HOME"] = str(tmp_path / place.partition("/")[0])
    for _ in range(2):
        ended = whorl("add", f"elsewhere:{tmp_path / 'kept'}", tmp_path / "a.jsonl", environment=environment)
        assert (ended.code, "Traceback" in ended.error) == (0, False), ended.error
    verified = whorl("library", "verify", f"elsewhere:{tmp_path / 'kept'}", environment=environment)
    assert verified.code == 0, verified.error


@pytest.mark.parametrize("promises", ["test_stores.py", "test_monitoring_stores.py"])
def test_it_is_held_to_every_promise(environment: dict[str, str], promises: str) -> None:
    hold_to_promises(environment, f"tests/contracts/{promises}", "elsewhere")


def test_an_own_scheme_is_taken(tmp_path: Path) -> None:
    environment = installed(tmp_path, ENTRY_POINTS, "sqlite", "raise SystemExit('never imported')")
    write_jsonl(tmp_path / "a.jsonl", small_corpus(originals=2))
    ended = whorl("add", f"sqlite:{tmp_path / 'kept'}", tmp_path / "a.jsonl", environment=environment)
    assert ended.code == 0, ended.error


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("import nowhere_to_be_found.driver", "pip install nowhere_to_be_found"),
        ("from broken import nothing", "update or remove broken"),
        ("", "update or remove broken"),
    ],
)
def test_what_a_store_lacks_is_named_and_in_nobody_elses_way(tmp_path: Path, source: str, hint: str) -> None:
    environment = installed(tmp_path, ENTRY_POINTS, "broken", source)
    write_jsonl(tmp_path / "a.jsonl", small_corpus(originals=2))
    assert whorl("add", tmp_path / "kept", tmp_path / "a.jsonl", environment=environment).code == 0
    for arguments in (("add", "broken:kept", tmp_path / "a.jsonl"), ("library", "stats", "broken:kept")):
        ended = whorl(*arguments, environment=environment)
        assert (ended.code, "Traceback" in ended.error) == (2, False), ended.error
        assert "the store 'broken:'" in ended.error
        assert f"hint: {hint}" in ended.error


def test_an_own_store_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "server", "nowhere_to_be_found")
    hint = rf"pip install '{DISTRIBUTION}\[server\]'"
    with pytest.raises(UsageError, match=rf"'server:' needs nowhere_to_be_found\n  hint: {hint}"):
        open_store("server://host/name", create=False)
    with pytest.raises(UsageError, match="pip install"):
        exists("server://host/name")
