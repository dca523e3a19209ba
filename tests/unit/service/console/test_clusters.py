"""The clusters in the console: the list, one with its drawings, and the most reprinted ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from lxml import html
from tests.serving import served, state_of

import whorl
from whorl.service.settings import Settings
from whorl.service.state.users import Role

PAGE = "/libraries/news/clusters"
PASSWORD = "correct horse battery"
ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。码头上的老人说，往年这时候要去邻县拉冰。" * 3
TEA = "城东的老茶馆换了招牌，门口排起了长队。掌柜说茶还是那壶茶，水还是那口井里的水。" * 3
HOSTILE = "<script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def article(id: str, text: str, days: int, **more: object) -> dict[str, object]:
    """Return an article published and first seen some days after March 5."""
    return {"id": id, "text": text, "published_at": NOON + days * DAY, "first_seen_at": NOON + days * DAY} | more


def news() -> list[dict[str, object]]:
    """Return two texts, each with a copy, and an article that is a mixture of both."""
    ice, tea = "https://harbour.example/1", "https://market.example/1"
    return [
        article("ice", ICE, 0, url=ice, title="冰厂添机器", author="王小渡", collection="protected"),
        article("ice/copy", ICE, 5, url="https://copies.example/a", title=HOSTILE, links=[ice]),
        article("tea", TEA, 1, url=tea, title="老茶馆", author="李四", collection="protected"),
        article("tea copy", TEA, 6, url="javascript:alert(3)", source="茶客", links=[tea]),
        article("mixed", f"{ICE}\n{TEA}", 9, url="https://mix.example/9", title="冰与茶", links=[ice, tea]),
        article("pond", "池塘从上面结冰，鱼在下面过冬。" * 6, 3),
        article("pond again", "池塘从上面结冰，鱼在下面过冬。" * 6, 20),
    ]


@pytest.fixture
def filled(settings: Settings) -> Settings:
    """Return settings with a library in which an editor has put the mixed article into one cluster with its stories."""
    with whorl.open(settings.libraries["news"]) as library:
        library.add(news())
        for story in ("ice", "tea"):
            library.review("mixed", story, "confirmed", by="li")
    return settings


@pytest.fixture
def asking(filled: Settings) -> Iterator[httpx.Client]:
    """Return a local client of a service with such a library."""
    with (
        served(filled) as address,
        httpx.Client(base_url=address, timeout=60, headers={"Accept": "text/html"}) as first,
    ):
        yield first


def looked(client: httpx.Client, path: str, **query: object) -> html.HtmlElement:
    answer = client.get(path, params=query or None)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def words(page: html.HtmlElement, selector: str) -> list[str]:
    return [" ".join(node.text_content().split()) for node in page.cssselect(selector)]


def listed(page: html.HtmlElement) -> list[str]:
    """Return the links of a list of clusters."""
    return [node.get("href") for node in page.cssselect(".clusters th a")]


def test_the_largest_come_first_and_each_leads_to_its_page(asking: httpx.Client) -> None:
    page = looked(asking, PAGE)
    assert words(page, ".deck") == ["2 groups of articles that copy each other"]
    assert words(page, ".clusters td.n")[0] == "articles5"
    first = looked(asking, listed(page)[0])
    assert len(first.cssselect(".members-table tbody tr")) == 5


def test_the_newest_first_is_another_order(asking: httpx.Client) -> None:
    assert listed(looked(asking, PAGE, order="newest")) == listed(looked(asking, PAGE))[::-1]


@pytest.mark.parametrize(
    ("query", "sizes"),
    [
        ({"at_least": 3}, [5]),
        ({"site": "harbour.example"}, [5]),
        ({"site": "茶客"}, [5]),
        ({"site": "nowhere.example"}, []),
        ({"since": "2026-03-10"}, [3]),
        ({"since": "2027-01-01"}, []),
    ],
)
def test_filters_leave_what_was_asked_for(asking: httpx.Client, query: dict[str, object], sizes: list[int]) -> None:
    page = looked(asking, PAGE, **query)
    assert [int(word.removeprefix("articles")) for word in words(page, ".clusters td.n:nth-child(2)")] == sizes
    for name, value in query.items():
        assert page.cssselect(f"form [name={name}]")[0].get("value") == str(value)
    if not sizes:
        assert "No cluster matches" in words(page, ".empty")[0]


def test_a_long_list_goes_on_where_the_page_before_ended(filled: Settings) -> None:
    with whorl.open(filled.libraries["news"]) as library:
        library.add(
            {"id": f"{number} {side}", "text": "".join(chr(0x4E00 + 50 * number + step) for step in range(50))}
            for number in range(40)
            for side in "ab"
        )
    with served(filled) as address, httpx.Client(base_url=address, timeout=60) as client:
        visited, at = [], PAGE
        while at:
            page = looked(client, at)
            visited += listed(page)
            at = next((PAGE + node.get("href").removeprefix(PAGE) for node in page.cssselect("a[rel=next]")), "")
    assert len(visited) == len(set(visited)) == 42


def test_a_cluster_tells_the_originals_with_probability_and_reasons(asking: httpx.Client) -> None:
    page = looked(asking, listed(looked(asking, PAGE))[0])
    assert words(page, ".deck") == ["Probably originals: 冰厂添机器, 老茶馆"]
    assert words(page, ".candidate h3") == ["1冰厂添机器", "2老茶馆"]
    for value, reasons in zip(page.cssselect(".candidate .told"), page.cssselect(".candidate .reasons"), strict=True):
        assert "% · probable original" in value.text_content()
        assert "is registered in the collection protected" in reasons.text_content()
        assert all(weight[0] in "+−" for weight in words(reasons, "td.n"))


def test_a_mixed_article_has_its_text_from_several_with_shares(asking: httpx.Client) -> None:
    page = looked(asking, listed(looked(asking, PAGE))[0])
    mixed = page.cssselect(".members-table tbody tr")[-1]
    assert "冰与茶" in mixed.text_content()
    assert sorted(node.get("href").rpartition("other=")[2] for node in mixed.cssselect(".taken a")) == ["ice", "tea"]
    assert sum(float(share.split()[0][1:].rstrip("%")) for share in words(mixed, ".taken a")) == pytest.approx(
        100, abs=12
    )
    assert len(page.cssselect(".tree .further")) == 1


def test_a_mixed_article_that_nobody_confirmed_lists_its_stories_on_its_page_alone(settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        library.add(news())
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        clusters = looked(client, PAGE)
        assert words(clusters, ".clusters td.n:nth-child(2)") == ["articles2"] * 3
        for cluster in listed(clusters):
            assert "冰与茶" not in words(looked(client, cluster), ".members-table")[0]
        page = looked(client, "/libraries/news/documents/mixed")
        assert "Cluster" not in words(page, ".facts dt")
        rows = page.cssselect("#matches ~ table tbody tr")
        stories = {row.cssselect("th a")[0].get("href").rpartition("/")[2]: words(row, "td") for row in rows}
        assert set(stories) == {"ice", "ice%2Fcopy", "tea", "tea%20copy"}
        for cells in stories.values():
            assert cells[1] == "Share of the other100.0%"
            assert cells[3] == "Kindcontains it among other stories"
        shares = [
            float(stories[story][0].removeprefix("Share of this article").split()[0].rstrip("%"))
            for story in ("ice", "tea")
        ]
        assert sum(shares) == pytest.approx(100, abs=12)


def test_both_times_of_each_article_are_drawn_and_stand_in_the_table(asking: httpx.Client) -> None:
    page = looked(asking, listed(looked(asking, PAGE))[0])
    rows = page.cssselect(".timeline svg.wide > g:not(.axes)")
    assert len(rows) == 5
    for row in rows:
        assert len(row.cssselect("circle.published")) == len(row.cssselect("path.seen")) == 1
    assert "published 2026-03-05 12:00 +00:00 · first seen 2026-03-05 12:00 +00:00" in words(rows[0], "title")[0]
    assert words(page, ".members-table tbody tr:first-child time") == ["2026-03-05 12:00 +00:00"] * 2


def test_without_evidence_it_is_said_to_be_undetermined(asking: httpx.Client) -> None:
    with_less = listed(looked(asking, PAGE))[1]
    page = looked(asking, with_less)
    report = words(page, ".deck")[0]
    assert report == "The original is undetermined." or report.startswith("Probably the original")
    assert words(page, ".figures dt")[2:] == ["highest probability", "original not in the cluster"]


def test_articles_lead_to_their_pages_and_pairs(asking: httpx.Client) -> None:
    page = looked(asking, listed(looked(asking, PAGE))[0])
    links = {node.get("href") for node in page.cssselect(".members-table a")}
    assert "/libraries/news/documents/ice%2Fcopy" in links
    assert "/libraries/news/pair?id=ice%2Fcopy&other=ice" in links


def test_evidence_is_packed_and_noted(asking: httpx.Client) -> None:
    address = listed(looked(asking, PAGE))[0]
    (form, *_) = looked(asking, address).cssselect(f'form[action="{address}/evidence"]')
    answer = asking.post(form.get("action"), data=dict(form.form_values()))
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].startswith("attachment")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as pack:
        assert {"manifest.json", "report.html", "copy/text.txt"} <= set(pack.namelist())
        assert pack.read("copy/text.txt").decode() == ICE
    answer = asking.post(form.get("action"), data={"id": "none", "other": "ice"})
    assert answer.status_code == 404


def test_what_is_reprinted_most_stands_with_its_titles(asking: httpx.Client) -> None:
    page = looked(asking, f"{PAGE}/hot")
    assert words(page, ".hottest .count b") == ["5", "2"]
    assert words(page, ".hottest .first")[0] == "冰厂添机器"
    assert words(page, ".hottest li:first-child .none") == ["2 more titles"]
    assert "No duplicates found" in words(looked(asking, f"{PAGE}/hot", since="1d"), ".empty")[0]


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/1", f"{PAGE}/hot"])
def test_what_articles_say_is_never_taken_for_markup(asking: httpx.Client, path: str) -> None:
    page = looked(asking, path)
    assert {script.get("src").split("-")[0] for script in page.iter("script")} == {"/static/console"}
    assert not page.xpath("//*[@onerror] | //img | //*[@style]")
    assert not [node for node in page.xpath("//@href") if not node.startswith(("/", "data:,", "#", "?"))]
    assert "\u202e" not in html.tostring(page, encoding="unicode")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PAGE}/999", 404),
        (f"{PAGE}/none", 422),
        (f"{PAGE}/99999999999999999999", 404),
        (f"{PAGE}?at_least=0", 422),
        (f"{PAGE}?after=x", 422),
        (f"{PAGE}?order=odd", 422),
        (f"{PAGE}?since=never", 422),
        (f"{PAGE}?after=1-1", 200),
        (f"{PAGE}?after=", 200),
        (f"{PAGE}?since=&site=&at_least=&order=largest", 200),
        (f"{PAGE}/hot?since=aeons", 422),
        (f"{PAGE}/1?start=900", 200),
    ],
)
def test_addresses_that_nobody_gave_are_answered_with_what_to_do(asking: httpx.Client, path: str, status: int) -> None:
    answer = asking.get(path)
    assert answer.status_code == status, answer.text
    assert html.fromstring(answer.text).cssselect("main h1")


def test_a_cluster_that_became_part_of_another_leads_there(settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": f"{name} {side}", "text": text} for name, text in (("a", ICE), ("b", TEA)) for side in "12")
        later = library.report("b 1").cluster_id
        library.review("a 1", "b 1", "confirmed", by="li")
        now = library.report("b 1").cluster_id
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert client.get(f"{PAGE}/{later}").headers["location"] == f"{PAGE}/{now}"


def test_a_large_cluster_is_drawn_in_bounds_and_judged_when_asked(settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        reports = library.add(article(f"copy {number}", ICE, number) for number in range(310))
        address = f"{PAGE}/{reports[0].cluster_id}"
    with served(settings) as at, httpx.Client(base_url=at, timeout=60) as client:
        page = looked(client, address)
        assert words(page, ".deck") == ["The original has not been determined yet."]
        assert len(page.cssselect(".timeline svg.wide > g:not(.axes)")) == 40
        assert "270 later articles are not drawn." in words(page, ".none")
        assert len(page.cssselect(".tree g")) == 60
        assert "250 articles are not drawn." in words(page, ".none")
        assert len(page.cssselect(".members-table tbody tr")) == 100
        (after,) = page.cssselect("a[rel=next]")
        assert words(looked(client, address + after.get("href").partition("#")[0]), "th .number")[0] == "101"
        judged = looked(client, address + page.cssselect(".notice a")[0].get("href").removeprefix(address))
        assert words(judged, ".deck") != words(page, ".deck")
        assert words(judged, ".members-table .tag")


class TestPeople:
    """Access rights of people."""

    @pytest.fixture
    def reading(self, filled: Settings) -> Iterator[httpx.Client]:
        """Return a signed-in client with read access."""
        with state_of(filled) as state, served(filled) as at, httpx.Client(base_url=at, timeout=60) as client:
            client.headers["Accept"] = "text/html"
            role: Role = "reader"
            state.users.make("li", PASSWORD, role)
            client.post("/sign-in", data={"name": "li", "password": PASSWORD})
            yield client

    def test_whoever_may_only_read_packs_no_evidence(self, reading: httpx.Client) -> None:
        page = looked(reading, f"{PAGE}/1")
        assert [form.get("action") for form in page.cssselect("form[method=post]")] == ["/sign-out"]
        assert reading.post(f"{PAGE}/1/evidence", data={"id": "ice/copy", "other": "ice"}).status_code == 403

    def test_nobody_who_is_not_signed_in_gets_in(self, reading: httpx.Client) -> None:
        reading.cookies.clear()
        for path in (PAGE, f"{PAGE}/1", f"{PAGE}/hot"):
            assert reading.get(path).headers["location"].startswith("/sign-in")


def test_pages_of_other_sites_cannot_pack_evidence(asking: httpx.Client) -> None:
    fields = {"id": "ice/copy", "other": "ice"}
    answer = asking.post(f"{PAGE}/1/evidence", data=fields, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/hot"])
def test_an_empty_library_says_what_to_do(client: httpx.Client, path: str) -> None:
    assert words(looked(client, path), ".empty")
