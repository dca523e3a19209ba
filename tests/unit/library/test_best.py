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
        assert (story.best, story.agency) == ("long", None)


DATELINE = {"新华社": "新华社青澜3月5日电（记者王小渡）", "AFP": "PARIS (AFP) - "}


@pytest.mark.parametrize(("agency", "text"), [("新华社", CHINESE), ("AFP", ENGLISH)])
def test_a_copy_without_the_byline_is_of_the_agency_all_the_same(library: Library, agency: str, text: str) -> None:
    library.add({"id": "other", "text": article(3)})
    library.add({"id": "agency", "text": DATELINE[agency] + text})
    library.add({"id": "bare", "text": text})
    more = article(5, len(text) // 3) if text == CHINESE else " ".join(ENGLISH.split()[::-1])[: len(text) // 3]
    library.add({"id": "with more", "text": f"{text}\n{more}"})
    stories = library.best(["bare", "with more", "other"]).stories
    credit = next(story.agency for story in stories if "bare" in (story.best, *story.others))
    assert credit is not None
    assert (credit.name, credit.article, set(credit.copied)) == (agency, "agency", {"bare", "with more"})
    assert credit.copied["bare"] > 0.98 > credit.copied["with more"] > 0.5
    assert next(story.agency for story in stories if story.best == "other") is None


def test_the_first_seen_article_of_an_agency_is_named(library: Library) -> None:
    for id, day in (("later", 3), ("first", 2)):
        library.add({"id": id, "text": DATELINE["新华社"] + CHINESE, "first_seen_at": f"2026-03-0{day}"})
    (story,) = library.best(["later"]).stories
    assert story.agency is not None
    assert (story.agency.article, story.agency.copied) == ("first", {"later": 1.0})


@pytest.mark.parametrize(
    "text",
    [f"据路透社3月5日报道，{CHINESE}", f"An access point (AP) - a radio - is needed.\n{ENGLISH}"],
)
def test_an_article_that_only_mentions_an_agency_is_not_its_report(library: Library, text: str) -> None:
    library.add({"id": "quoting", "text": text})
    assert [story.agency for story in library.best(["quoting"]).stories] == [None]


def test_mistakes_are_reported(library: Library) -> None:
    assert library.best([]).stories == ()
    with pytest.raises(NotFoundError, match="cluster 7 not found"):
        library.best(7)
    with pytest.raises(UsageError, match="expected a list"):
        library.best("zh")
