"""A sentence that many articles quote is found for each pair of them; a notice in the same number is boilerplate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article
from tests.rounds import rounds

import whorl
from whorl import Library
from whorl.matching.boilerplate import SAMPLE, Notices

SENTENCE = "山川之美古来共谈高峰入云清流见底两岸石壁五色交辉"
ENGLISH = "the harbour remembers every keel that ever crossed it, and forgives none of the rocks beneath"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def quoting(count: int, sentence: str = SENTENCE, before: str = "有人说：“", after: str = "”") -> list[dict[str, str]]:
    """Return long articles that share one sentence, each at another position."""
    return [
        {
            "id": f"{row}",
            "text": f"{article(100 + row, 200 + 20 * row)}{before}{sentence}{after}{article(200 + row, 400)}",
        }
        for row in range(count)
    ]


@pytest.mark.parametrize("sentence", [SENTENCE, SENTENCE[:20], ENGLISH])
@pytest.mark.parametrize("at_once", [1, 14])
def test_every_pair_of_articles_that_quote_a_sentence_is_found(library: Library, sentence: str, at_once: int) -> None:
    documents = quoting(14, sentence)
    for start in range(0, 14, at_once):
        library.add(documents[start : start + at_once])
    assert all(len(library.matches(document["id"])) == 13 for document in documents)
    assert library.notices() == []
    assert list(library.clusters()) == []


@pytest.mark.parametrize(("before", "after"), [("\n", "\n"), ("\n", "转载必究。\n")])
def test_a_line_of_its_own_is_a_notice(library: Library, before: str, after: str) -> None:
    documents = quoting(14, SENTENCE, before, after)
    library.add(documents)
    assert all(library.matches(document["id"]) == () for document in documents)
    assert any(SENTENCE[:15] in notice for notice in library.notices())


def test_a_sentence_that_fills_the_list_of_candidates_is_boilerplate(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", compared=10) as library:
        library.add(quoting(14))
        assert library.notices() != []


@settings(max_examples=rounds(10), deadline=None)
@given(
    st.integers(0, 300),
    st.integers(20, 60),
    st.sampled_from(["line", "head", "foot", "text"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_the_place_tells_notices_from_quotations(seed: int, length: int, place: str, paragraph: str) -> None:
    shared = article(9000 + seed, length).replace("。", "")
    value = [article(50 * seed + row, 300 + 10 * row) for row in range(2 * SAMPLE)]
    parts = {
        "line": ("", "\n{}\n", ""),
        "head": (None, "{}。", ""),
        "foot": ("", "{}。", None),
        "text": (f"{paragraph}{article(8000, 60)}", "{}", f"{article(8001, 60)}{paragraph}"),
    }[place]
    before, middle, after = parts
    texts = [
        ("" if before is None else first + before) + middle.format(shared) + ("" if after is None else after + second)
        for first, second in zip(value[:SAMPLE], value[SAMPLE:], strict=True)
    ]
    notices = Notices(set().union(*Notices.runs_in([shared])))
    assert bool(notices.framing(texts)) == (place != "text")
