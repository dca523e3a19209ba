"""After boilerplate is learned, every stored match is what its two texts give without it, however they were added."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.articles import article, edited

import whorl
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import compare_many

NOTICES = [article(9000 + number, 60).replace("。", "") for number in range(3)]


def documents(count: int) -> list[dict[str, str]]:
    """Return articles in three edited versions: with a notice, with another or two, and without any."""
    texts = []
    for number in range(count):
        body = edited(article(number // 3, 300), 4, seed=number)
        notices = ([NOTICES[0]], [NOTICES[1], *NOTICES[2 : 2 + number % 2]], [])[number % 3]
        texts.append("\n".join([body, *notices]))
    return [{"id": f"{number}", "text": text} for number, text in enumerate(texts)]


@pytest.mark.parametrize("size", [1, 7, 40, 200])
def test_stored_matches_are_those_without_what_was_learned_later(tmp_path: Path, size: int) -> None:
    rows = documents(200)
    texts = {row["id"]: row["text"] for row in rows}
    with whorl.open(tmp_path / "library") as library:
        for start in range(0, len(rows), size):
            library.add(rows[start : start + size])
        learned = Notices(set().union(*Notices.runs_in(library.notices())))
        assert len(library.notices()) > 1
        matches = {(id_, match.id): match for id_ in texts for match in library.matches(id_)}
    pairs = sorted(matches)
    expected = compare_many([(texts[other], texts[id_]) for id_, other in pairs], notices=learned, content=False)
    assert len(pairs) > 300
    for pair, comparison in zip(pairs, expected, strict=True):
        match = matches[pair]
        if int(pair[0]) > int(pair[1]):
            assert (match.other_in_this, match.this_in_other) == comparison.copied, pair
