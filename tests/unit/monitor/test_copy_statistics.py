"""Who copies us: every copy counts once, in the right month, on the right site, with the right verdict."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.stores import place

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.library import Library
from whorl.monitor.findings.copy_statistics import copy_statistics
from whorl.types.cases import CopyDetails, PageCheck
from whorl.types.copies import CopyFigures

HARBOUR = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。" * 2
READING = "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业，管理员为他们添了二十盏台灯。" * 2
MARKET = "东门菜市场的改造上周完工，摊位从一百二十个增加到一百八十个，地面换成了防滑的石板，排水沟也重新挖深了。" * 2
NOISE = "今天的天气晴转多云，偏南风二到三级，最高气温二十八度，最低气温十九度，适合出门散步和晾晒衣物。"
SITES = {
    "site": [
        {"name": "拷贝网", "start": ["https://www.copies.example/", "https://m.copies.example/"]},
        {"name": "伙伴报", "start": ["https://partner.example/"]},
    ]
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a library with three protected articles; two are chapters of a work."""
    library = whorl.open(tmp_path / "ours")
    library.add(
        [
            {"id": "harbour", "text": HARBOUR, "title": "冰厂", "author": "王小渡", "url": "https://paper.example/1"}
            | {"collection": "protected", "first_seen_at": "2026-01-01", "work": "海边的书"},
            {"id": "reading", "text": READING, "author": "王小渡", "collection": "protected"}
            | {"first_seen_at": "2026-01-01", "work": "海边的书"},
            {
                "id": "market",
                "text": MARKET,
                "author": "李知",
                "collection": "protected",
                "first_seen_at": "2026-01-01",
            },
        ]
    )
    return library


def page(url: str, text: str, first_seen_at: str = "2026-03-10T00:00:00Z", **fields: object) -> dict[str, object]:
    return {"id": url, "url": url, "text": text, "first_seen_at": first_seen_at, "collection": "watched", **fields}


def only(rows: tuple[CopyFigures, ...]) -> CopyFigures:
    (row,) = rows
    return row


def test_copy_at_two_addresses_of_a_site_counts_once(library: Library) -> None:
    library.add([page("https://www.copies.example/1", HARBOUR), page("https://m.copies.example/1", HARBOUR)])
    row = only(copy_statistics(library, sites=SITES).rows)
    assert (row.name, row.articles, row.copies, row.addresses) == ("拷贝网", 1, 1, 2)
    assert row.characters == len(HARBOUR)
    assert row.relations == {"exact": 1}


def test_one_document_seen_at_two_sites_counts_for_both(library: Library) -> None:
    library.add(page("https://copies.example/1", HARBOUR))
    library.add(page("https://copies.example/1", HARBOUR) | {"url": "https://other.example/9"})
    assert {row.name: row.copies for row in copy_statistics(library).rows} == {
        "copies.example": 1,
        "other.example": 1,
    }


def test_copy_with_two_revisions_counts_once_from_its_first_sight(library: Library) -> None:
    library.add(page("https://copies.example/1", HARBOUR, "2026-02-20"))
    library.add(page("https://copies.example/1", f"转载：{HARBOUR}{NOISE}", "2026-03-20"))
    stats = copy_statistics(library, by="month")
    assert [(row.name, row.copies) for row in stats.rows] == [("2026-02", 1)]
    assert stats.total.removed == 0


def test_page_that_becomes_a_copy_is_found_at_that_revision(library: Library) -> None:
    library.add(page("https://copies.example/1", NOISE, "2026-02-20"))
    before = datetime.now(UTC)
    library.add(page("https://copies.example/1", HARBOUR))
    (copy,) = copy_statistics(library).copies
    assert copy.found_at >= before


def test_copy_that_is_edited_away_is_removed(library: Library) -> None:
    library.add(page("https://copies.example/1", HARBOUR, "2026-02-20"))
    library.add(page("https://copies.example/1", NOISE))
    row = only(copy_statistics(library).rows)
    assert (row.copies, row.removed) == (1, 1)
    assert row.median_days is not None
    assert row.median_days > 1


def test_page_that_answers_404_is_removed_until_it_returns(library: Library) -> None:
    url = "https://copies.example/1"
    library.add(page(url, HARBOUR, "2026-03-01T00:00:00Z"))
    library.pages.keep(url, b"<p>", at="2026-03-01T00:00:00Z", document=url)
    library.pages.keep(url, b"", at="2026-03-05T12:00:00Z", status=404)
    library.pages.keep(url, b"", at="2026-03-06T12:00:00Z", status=404)
    row = only(copy_statistics(library).rows)
    assert (row.removed, row.median_days) == (1, 4.5)
    library.pages.keep(url, b"<p>", at="2026-03-07T12:00:00Z", document=url)
    assert only(copy_statistics(library).rows).removed == 0


def test_copy_is_removed_when_its_last_address_is(library: Library) -> None:
    for number in (1, 2):
        library.add(page(f"https://copies.example/{number}", HARBOUR, "2026-03-01T00:00:00Z"))
    library.pages.keep("https://copies.example/1", b"", at="2026-03-03T00:00:00Z", status=410)
    assert only(copy_statistics(library).rows).removed == 0
    library.pages.keep("https://copies.example/2", b"", at="2026-03-11T00:00:00Z", status=410)
    assert only(copy_statistics(library).rows).median_days == 10.0


def test_compilation_counts_for_each_article_in_it(library: Library) -> None:
    library.add(page("https://copies.example/all", f"{HARBOUR}\n\n{READING}\n\n{MARKET}"))
    row = only(copy_statistics(library).rows)
    assert (row.articles, row.copies, row.addresses, row.unpermitted) == (3, 3, 1, 3)
    assert row.relations == {"compilation": 3}


def test_round_up_of_ours_is_not_copied_by_a_copy_of_its_story(library: Library) -> None:
    library.add({"id": "all", "text": f"{HARBOUR}\n\n{READING}\n\n{MARKET}", "collection": "protected"})
    library.add(page("https://copies.example/1", HARBOUR))
    assert [copy.article for copy in copy_statistics(library).copies] == ["harbour"]


def test_two_editions_of_an_article_are_one_article(library: Library) -> None:
    library.add({"id": "second", "text": f"{HARBOUR}本文有更正。", "collection": "protected"})
    library.add(page("https://copies.example/1", HARBOUR))
    assert [copy.article for copy in copy_statistics(library).copies] == ["harbour"]


def test_reprint_with_permission_is_counted_apart(library: Library) -> None:
    library.permissions.put([{"domain": "partner.example", "until": "2026-04-01"}])
    library.add([page("https://partner.example/1", HARBOUR), page("https://partner.example/2", READING, "2026-04-02")])
    row = only(copy_statistics(library, sites=SITES).rows)
    assert (row.name, row.copies, row.permitted, row.unpermitted) == ("伙伴报", 2, 1, 1)


def test_what_the_owner_publishes_is_no_copy(library: Library) -> None:
    library.add(page("https://paper.example/1", HARBOUR))
    library.add(page("https://column.example/1", HARBOUR) | {"collection": "own"})
    row = only(copy_statistics(library).rows)
    assert (row.name, row.copies, row.syndicated, row.unpermitted) == ("column.example", 1, 1, 0)


def test_decisions_of_reviewers_count(library: Library) -> None:
    library.add([page("https://a.example/1", HARBOUR), page("https://b.example/1", HARBOUR)])
    library.add(page("https://c.example/1", HARBOUR))
    library.review("harbour", "https://a.example/1", "confirmed")
    library.review("harbour", "https://b.example/1", "rejected")
    library.review("harbour", "https://c.example/1", "authorised")
    stats = copy_statistics(library)
    assert {row.name: (row.confirmed, row.permitted) for row in stats.rows} == {
        "a.example": (1, 0),
        "c.example": (0, 1),
    }


def test_month_is_that_of_the_zone(library: Library) -> None:
    library.add(page("https://copies.example/1", HARBOUR, "2026-02-28T16:30:00Z"))
    assert [row.name for row in copy_statistics(library, by="month").rows] == ["2026-02"]
    stats = copy_statistics(library, by="site", period="month", zone="Asia/Shanghai")
    assert [(row.period, row.name) for row in stats.rows] == [("2026-03", "copies.example")]
    assert stats.zone == "Asia/Shanghai"
    assert stats.copies[0].found_at.isoformat() == "2026-03-01T00:30:00+08:00"


def test_limits_without_a_zone_are_in_that_of_the_statistics(library: Library) -> None:
    library.add(page("https://copies.example/1", HARBOUR, "2026-02-28T16:30:00Z"))
    assert copy_statistics(library, since="2026-03-01", zone="Asia/Shanghai").total.copies == 1
    assert copy_statistics(library, since="2026-03-01").total.copies == 0
    assert copy_statistics(library, until="2026-03-01", zone="Asia/Shanghai").total.copies == 0
    assert copy_statistics(library, since="2026-03-01T00:00:00Z", zone="Asia/Shanghai").total.copies == 0


@pytest.mark.parametrize(("year", "hours"), [(9999, -23), (1, 23)])
@pytest.mark.parametrize("limit", ["since", "until"])
def test_limits_beyond_the_calendar_are_refused(library: Library, limit: str, year: int, hours: int) -> None:
    time = datetime(year, 12 if hours < 0 else 1, 31 if hours < 0 else 1, 12, tzinfo=timezone(timedelta(hours=hours)))
    with pytest.raises(InputError):
        copy_statistics(library, **{limit: time})  # type: ignore[arg-type]


def test_works_have_a_row_for_each_site(library: Library) -> None:
    library.add([page("https://copies.example/1", HARBOUR), page("https://copies.example/2", READING)])
    library.add([page("https://other.example/1", READING), page("https://other.example/2", MARKET)])
    rows = [(row.name, row.site, row.articles, row.registered) for row in copy_statistics(library, by="work").rows]
    assert rows == [("海边的书", "copies.example", 2, 2), ("海边的书", "other.example", 1, 2)]


def test_authors_are_those_of_the_articles(library: Library) -> None:
    library.add([page("https://copies.example/1", HARBOUR, author="张抄"), page("https://b.example/2", HARBOUR)])
    row = only(copy_statistics(library, by="author").rows)
    assert (row.name, row.articles, row.copies, row.registered) == ("王小渡", 1, 2, 2)


def test_every_copy_of_a_popular_article_counts(library: Library) -> None:
    count = 80
    library.add(page(f"https://s{number}.example/1", f"第{number}站转载。{HARBOUR}") for number in range(count))
    library.add(page(f"https://t{number}.example/1", HARBOUR) for number in range(count))
    assert copy_statistics(library).total.copies == 2 * count


def test_findings_of_a_watch_name_the_site_and_know_removals(library: Library, tmp_path: Path) -> None:
    saved = tmp_path / "saved.html"
    address = '<link rel="canonical" href="https://www.copies.example/7">'
    saved.write_text(f"<html><head>{address}</head><article><p>{HARBOUR}</p></article></html>", encoding="utf-8")
    whorl.watch.watch(library, SITES, saved=saved)
    row = only(copy_statistics(library).rows)
    assert (row.name, row.copies, row.removed) == ("拷贝网", 1, 0)
    saved.write_text(f"<html><head>{address}</head><article><p>{NOISE * 4}</p></article></html>", encoding="utf-8")
    whorl.watch.watch(library, SITES, saved=saved)
    assert only(copy_statistics(library).rows).removed == 1


def case_of(library: Library, url: str, day: int, outcome: str, *copies: CopyDetails, status: int = 200) -> None:
    """Record a request for a page, on the machine of the watch."""
    at = datetime(2026, 3, day, tzinfo=UTC)
    library.cases.observe(PageCheck(url, at, status, outcome, copies=copies or None))


@pytest.mark.parametrize("scheme", ["sqlite", "postgresql", "mongodb"])
def test_cases_know_removals_and_verdicts_on_every_machine(scheme: str, tmp_path: Path) -> None:
    with whorl.open(place(scheme, tmp_path)) as library:
        library.add({"id": "harbour", "text": HARBOUR, "collection": "protected"})
        library.add({"id": "reading", "text": READING, "collection": "protected"})
        urls = [f"https://copies{number}.example/1" for number in range(5)]
        library.add([page(url, HARBOUR) for url in urls])
        for url in urls:
            case_of(library, url, 10, "there", CopyDetails(url, "harbour", "", judged="copy", share=1.0))
        case_of(library, urls[0], 12, "gone", status=404)
        library.review(urls[1], "harbour", "confirmed", by="mei")
        library.cases.record(2, "closed", by="mei")
        library.add(page(urls[2], NOISE))
        case_of(library, urls[2], 14, "changed", CopyDetails(urls[2], "reading", "", judged="undetermined"))
        library.remove(urls[3], force=True)
        library.review(urls[4], "harbour", "rejected", by="mei")
        counted = copy_statistics(library)
    copies = {record.addresses[0]: record for record in counted.copies}
    assert set(copies) == set(urls[:4])
    assert {record.verdict for record in copies.values()} == {"copy"}
    removals = [copies[url].days_to_removal for url in urls[:4]]
    assert removals == [2.0, None, 4.0, None]
    assert [copies[url].is_confirmed for url in urls[:4]] == [False, True, False, False]
    assert {record.found_at for record in copies.values()} == {datetime(2026, 3, 10, tzinfo=UTC)}
    assert (counted.total.copies, counted.total.removed, counted.total.median_days) == (4, 2, 3.0)


def test_a_case_opened_by_hand_leaves_removals_to_the_stored_pages(library: Library) -> None:
    url = "https://copies.example/1"
    library.add(page(url, HARBOUR, "2026-03-01T00:00:00Z"))
    library.cases.open(url, "harbour", by="mei")
    library.pages.keep(url, b"", at="2026-03-05T12:00:00Z", status=404)
    row = only(copy_statistics(library).rows)
    assert (row.copies, row.removed, row.median_days) == (1, 1, 4.5)


def test_totals_add_up(library: Library) -> None:
    library.permissions.put([{"domain": "partner.example"}])
    urls = ("https://partner.example/1", "https://copies.example/1", "https://b.example/1")
    library.add([page(url, HARBOUR) for url in urls])
    library.add(page("https://b.example/2", HARBOUR[: len(HARBOUR) // 5] + NOISE * 3))
    total = copy_statistics(library).total
    assert total.copies == total.unpermitted + total.permitted + total.syndicated + total.undetermined
    assert total.registered == 3


def test_user_mistakes_are_reported(library: Library) -> None:
    with pytest.raises(NotFoundError, match="no articles in the collection 'mine'"):
        copy_statistics(library, of="mine")
    with pytest.raises(NotFoundError, match="by is 'title'"):
        copy_statistics(library, by="title")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="time zone 'Mars'"):
        copy_statistics(library, zone="Mars")
    with pytest.raises(UsageError, match="top is 0"):
        copy_statistics(library, top=0)
