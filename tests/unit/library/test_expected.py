"""Conditional changes of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.articles import article

import whorl
from whorl import Document, Library
from whorl.errors import UsageError


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": "a", "text": article(1)})
        yield opened


def revision(number: int) -> Callable[[Document | None], None]:
    """Precondition on a revision; 0 means that the document does not exist."""

    def demand(kept: Document | None) -> None:
        if (0 if kept is None else kept.revision) != number:
            raise UsageError("another one")

    return demand


def test_what_is_as_expected_is_changed(library: Library) -> None:
    assert library.add_if({"id": "a", "text": article(2)}, revision(1)).state == "revised"
    assert library.add_if({"id": "b", "text": article(2)}, revision(0)).matches[0].id == "a"
    assert library.remove_if("a", revision(2)) == 1
    assert library.remove_if("a", revision(0)) == 0
    assert list(library) == ["b"]


def test_what_is_not_stays_as_it_is(library: Library) -> None:
    for change in (
        lambda: library.add_if({"id": "a", "text": article(2)}, revision(2)),
        lambda: library.add_if({"id": "b", "text": article(2)}, revision(1)),
        lambda: library.remove_if("a", revision(0)),
    ):
        with pytest.raises(UsageError, match="another one"):
            change()
    assert list(library) == ["a"]
    assert library.get("a") == library.get("a", revision=1)
    assert library.check(article(2)).matches == ()
    assert library.add({"id": "b", "text": article(2)}).state == "new"
    assert library.verify().faults == ()


def test_one_of_many_who_expect_the_same_changes_it(library: Library) -> None:
    def change(number: int) -> bool:
        try:
            library.add_if({"id": "a", "text": article(number)}, revision(1))
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(change, range(2, 18))) == 1
    assert library.report("a").revision == 2
