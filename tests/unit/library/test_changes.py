"""What a library tells a store to change is what was changed."""

from __future__ import annotations

from pathlib import Path

from tests.articles import article, edited

import whorl
from whorl import Library
from whorl.stores.records import Changes


def since(library: Library, change: int) -> Changes:
    with library._core.store.reading() as reader:
        return reader.changes(change, 1000)


def test_everything_that_is_done_with_documents_is_told(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        rows = [{"id": "a", "text": article(1)}, {"id": "b", "text": edited(article(1), 2)}]
        library.add(rows)
        first = since(library, 0)
        assert first[:-1] == ([1, 2], [], [], [(1, 2)], [])
        library.add(rows)
        assert since(library, first.last) == Changes([], [], [], [], [], first.last)
        library.add([{**rows[0], "title": "题"}, {"id": "b", "text": article(2)}])
        library.review("a", "b", "rejected")
        later = since(library, first.last)
        assert later[:-1] == ([], [1, 2], [], [], [(1, 2)])
        library.remove("a")
        assert since(library, later.last)[:-1] == ([], [], [1], [], [])
