"""Articles in their stories: the complete before the cut, the clean before the disguised, then the longest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article
from tests.unit.engines.test_keep_best import CASES, CHINESE, ENGLISH

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
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
    (story,) = library.stories(["bad", "good"]).stories
    assert (story.best, story.others) == ("good", ("bad",))
    assert story.cluster_id is not None
    assert library.stories(story.cluster_id).stories == (story,)


def test_one_per_story_in_the_order_of_the_ids(library: Library) -> None:
    library.add({"id": "zh", "text": CHINESE})
    library.add({"id": "en", "text": ENGLISH})
    library.add({"id": "zh cut", "text": f"{CHINESE}阅读全文"})
    stories = library.stories(["en", "none", "zh cut", "zh", "en"])
    assert [(story.best, story.others) for story in stories.stories] == [("en", ()), ("zh", ("zh cut",))]
    assert stories.unknown == ("none",)
    assert [story.best for story in library.stories(["zh cut"]).stories] == ["zh cut"]


def test_a_notice_makes_no_copy_better(library: Library) -> None:
    notice = f"\n{article(7100, 90)}"
    library.add({"id": f"holder {row}", "text": f"{article(500 + row, 400)}{notice}"} for row in range(60))
    story = article(1, 800)
    library.add({"id": "with notice", "text": story + notice, "first_seen_at": "2026-03-02"})
    library.add({"id": "clean", "text": story, "first_seen_at": "2026-03-01"})
    assert library.notices()
    assert [story.best for story in library.stories(["with notice", "clean"]).stories] == ["clean"]


def test_without_texts_the_longest_is_chosen(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "bare", texts=False) as library:
        library.add({"id": "short", "text": CHINESE[:-20]})
        library.add({"id": "long", "text": CHINESE})
        (story,) = library.stories(["short", "long"]).stories
        assert (story.best, story.agency) == ("long", None)


DATELINE = {"新华社": "新华社青澜3月5日电（记者王小渡）", "AFP": "PARIS (AFP) - "}


@pytest.mark.parametrize(("agency", "text"), [("新华社", CHINESE), ("AFP", ENGLISH)])
def test_a_copy_without_the_byline_is_of_the_agency_all_the_same(library: Library, agency: str, text: str) -> None:
    library.add({"id": "other", "text": article(3)})
    library.add({"id": "agency", "text": DATELINE[agency] + text})
    library.add({"id": "bare", "text": text})
    more = article(5, len(text) // 3) if text == CHINESE else " ".join(ENGLISH.split()[::-1])[: len(text) // 3]
    library.add({"id": "with more", "text": f"{text}\n{more}"})
    stories = library.stories(["bare", "with more", "other"]).stories
    credit = next(story.agency for story in stories if "bare" in (story.best, *story.others))
    assert credit is not None
    assert (credit.name, credit.article, set(credit.copied)) == (agency, "agency", {"bare", "with more"})
    assert credit.copied["bare"] > 0.98 > credit.copied["with more"] > 0.5
    assert next(story.agency for story in stories if story.best == "other") is None


def test_the_first_seen_article_of_an_agency_is_named(library: Library) -> None:
    for id, day in (("later", 3), ("first", 2)):
        library.add({"id": id, "text": DATELINE["新华社"] + CHINESE, "first_seen_at": f"2026-03-0{day}"})
    (story,) = library.stories(["later"]).stories
    assert story.agency is not None
    assert (story.agency.article, story.agency.copied) == ("first", {"later": 1.0})


@pytest.mark.parametrize(
    "text",
    [f"据路透社3月5日报道，{CHINESE}", f"An access point (AP) - a radio - is needed.\n{ENGLISH}"],
)
def test_an_article_that_only_mentions_an_agency_is_not_its_report(library: Library, text: str) -> None:
    library.add({"id": "quoting", "text": text})
    assert [story.agency for story in library.stories(["quoting"]).stories] == [None]


def test_a_report_of_an_agency_is_recognized_by_its_publisher(library: Library) -> None:
    library.add({"id": "wire", "text": CHINESE, "source": "路透社"})
    (story,) = library.stories(["wire"]).stories
    assert story.agency is not None
    assert story.agency.name == "Reuters"


def test_articles_that_are_not_stored_get_the_clusters_that_they_would_join(library: Library) -> None:
    library.add({"id": "wire", "text": f"{DATELINE['新华社']}{CHINESE}"})
    library.add({"id": "english", "text": ENGLISH})
    new = {"id": "bare", "text": f"{CHINESE}阅读全文"}
    fresh = [{"id": "first", "text": article(1)}, {"id": "cut", "text": f"{article(1)}阅读全文"}]
    stories = library.stories([new, *fresh, "english"]).stories
    assert [(story.best, story.others) for story in stories] == [("bare", ()), ("first", ("cut",)), ("english", ())]
    assert [story.cluster_id for story in stories[1:]] == [None, library.clusters_of(["english"])["english"]]
    assert stories[0].agency is not None
    assert (stories[0].agency.name, stories[0].agency.article) == ("新华社", "wire")
    assert (len(library), list(library)) == (2, ["wire", "english"])
    for document in (new, *fresh):
        library.add(document)
    added = library.stories(["bare", "first", "cut", "english"]).stories
    assert [(story.best, story.others, story.agency) for story in added] == [
        (story.best, story.others, story.agency) for story in stories
    ]
    assert added[0].cluster_id == stories[0].cluster_id


def test_an_article_that_is_not_stored_connects_two_clusters(library: Library) -> None:
    whole = article(1, 1000)
    for id, text in (("one", whole[:640]), ("two", whole[480:])):
        library.add({"id": id, "text": text})
    assert len(library.stories(["one", "two"]).stories) == 2
    (story,) = library.stories(["one", "two", {"id": "both", "text": whole}]).stories
    assert (story.best, set(story.others)) == ("both", {"one", "two"})
    assert story.cluster_id == library.clusters_of(["one"])["one"]


def test_a_round_up_that_is_not_stored_is_a_story_of_its_own(library: Library) -> None:
    texts = [article(number, 300) for number in range(3)]
    library.add({"id": str(number), "text": text} for number, text in enumerate(texts))
    stories = library.stories(["0", "1", {"id": "round-up", "text": "\n\n".join(texts)}]).stories
    assert [(story.best, story.others) for story in stories] == [("0", ()), ("1", ()), ("round-up", ())]
    alone = library.stories(
        [{"id": f"new {number}", "text": text} for number, text in enumerate([*texts, "\n\n".join(texts)])]
    ).stories
    assert len(alone) == 4


def test_the_text_of_the_request_replaces_the_stored_one(library: Library) -> None:
    library.add({"id": "a", "text": DATELINE["新华社"] + CHINESE})
    library.add({"id": "b", "text": CHINESE})
    (story,) = library.stories([{"id": "a", "text": CHINESE}, "b"]).stories
    assert {story.best, *story.others} == {"a", "b"}
    assert story.agency is None


def test_with_a_window_old_articles_are_of_another_story(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "window", window="7d") as library:
        library.add({"id": "old", "text": CHINESE, "published_at": "2026-01-01"})
        library.add({"id": "recent", "text": CHINESE, "published_at": "2026-03-01"})
        new = [
            {"id": day, "text": f"{CHINESE}阅读全文", "published_at": f"2026-{day}"}
            for day in ("01-02", "03-02", "05-02")
        ]
        stories = library.stories(["old", "recent", *new]).stories
        assert [{story.best, *story.others} for story in stories] == [
            {"old", "01-02"},
            {"recent", "03-02"},
            {"05-02"},
        ]


def test_articles_are_grouped_without_stored_texts(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "bare", texts=False) as library:
        library.add({"id": "short", "text": CHINESE[:-20]})
        (story,) = library.stories([{"id": "long", "text": CHINESE}, {"id": "same", "text": CHINESE}, "short"]).stories
        assert (story.best, set(story.others)) == ("long", {"same", "short"})


def test_mistakes_are_reported(library: Library) -> None:
    assert library.stories([]).stories == ()
    with pytest.raises(NotFoundError, match="cluster 7 not found"):
        library.stories(7)
    with pytest.raises(UsageError, match="expected a list"):
        library.stories("zh")
    with pytest.raises(InputError, match="two articles have the id 'a'"):
        library.stories([{"id": "a", "text": CHINESE}, {"id": "a", "text": ENGLISH}])
    with pytest.raises(InputError, match="text: a document has no value"):
        library.stories([{"id": "a"}])
