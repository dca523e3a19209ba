"""Of some articles one per story: the complete before the cut, the clean before the disguised, then the longest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article
from tests.unit.engines.test_keep_best import CASES, CHINESE, ENGLISH

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "news") as opened:
        yield opened


@pytest.mark.parametrize("case", CASES)
def test_the_better_form_is_chosen_as_by_dedup(library: Library, case: str) -> None:
    good, bad = CASES[case]
    for id, text in (("bad", bad), ("good", good)):
        library.add({"id": id, "text": text})
    (story,) = library.best(["bad", "good"]).stories
    assert (story.best, story.others) == ("good", ("bad",))
    assert library.best(story.cluster_id).stories == (story,)


def test_one_per_story_in_the_order_of_the_ids(library: Library) -> None:
    library.add({"id": "zh", "text": CHINESE})
    library.add({"id": "en", "text": ENGLISH})
    library.add({"id": "zh cut", "text": f"{CHINESE}阅读全文"})
    stories = library.best(["en", "none", "zh cut", "zh", "en"])
    assert [(story.best, story.others) for story in stories.stories] == [("en", ()), ("zh", ("zh cut",))]
    assert stories.unknown == ("none",)
    assert [story.best for story in library.best(["zh cut"]).stories] == ["zh cut"]


def test_a_notice_makes_no_copy_better(library: Library) -> None:
    notice = f"\n{article(7100, 90)}"
    library.add({"id": f"holder {row}", "text": f"{article(500 + row, 400)}{notice}"} for row in range(60))
    story = article(1, 800)
    library.add({"id": "with notice", "text": story + notice, "first_seen_at": "2026-03-02"})
    library.add({"id": "clean", "text": story, "first_seen_at": "2026-03-01"})
    assert library.notices()
    assert [story.best for story in library.best(["with notice", "clean"]).stories] == ["clean"]


def test_without_texts_the_longest_is_chosen(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "bare", texts=False) as library:
        library.add({"id": "short", "text": CHINESE[:-20]})
        library.add({"id": "long", "text": CHINESE})
        (story,) = library.best(["short", "long"]).stories
        assert story.best == "long"


def test_mistakes_are_reported(library: Library) -> None:
    assert library.best([]).stories == ()
    with pytest.raises(NotFoundError, match="cluster 7 not found"):
        library.best(7)
    with pytest.raises(UsageError, match="expected a list"):
        library.best("zh")
