"""Copies and their originals over HTTP."""

from __future__ import annotations

import httpx
import pytest
from tests.serving import served
from tests.unit.service.api.newsroom import ALONE, COPY, HOSTILE, OTHER, PAPER, PART, TEXT

import whorl
from whorl.service.api import clusters
from whorl.service.settings import Settings


def test_an_article_has_its_matches(desk: httpx.Client) -> None:
    body = desk.get("/matches", params={"of": COPY}).json()
    assert (body["id"], {match["id"] for match in body["matches"]}) == (COPY, {PAPER, PART})
    assert body["matches"][0]["title"] == HOSTILE[0]
    assert body["matches"][0]["passages"]
    protected = desk.get("/matches", params={"of": COPY, "among": "protected"}).json()
    assert [match["id"] for match in protected["matches"]] == [PAPER]
    assert desk.get("/matches", params={"of": ALONE}).json()["matches"] == []


def test_an_answer_is_what_the_library_says(newsroom: Settings, desk: httpx.Client) -> None:
    with whorl.open(newsroom.libraries["news"]) as library:
        assert desk.get("/matches", params={"of": COPY}).json()["matches"][0].keys() == (
            library.report(COPY).to_dict()["matches"][0].keys()
        )
        number = library.clusters()[0].id
        traced = desk.get(f"/clusters/{number}/trace").json()
        value = whorl.library.trace(library, number).to_dict()
    assert traced.keys() == value.keys()
    assert traced["attribution"]["originals"] == value["attribution"]["originals"] == [PAPER]


def test_two_articles_stand_side_by_side_with_their_passages(desk: httpx.Client) -> None:
    body = desk.get("/pair", params={"id": COPY, "other": PAPER}).json()
    assert (body["document"]["text"], body["other"]["text"]) == (TEXT + "完。", TEXT)
    passage = body["found"]["passages"][0]
    assert passage["kind"] == "verbatim"
    stretches = [TEXT[passage["a_start"] : passage["a_end"]], f"{TEXT}完。"[passage["b_start"] : passage["b_end"]]]
    assert stretches[0] == stretches[1] == TEXT
    assert (body["sentence"], body["review"]["state"]) == ("98% of text B is in text A", "pending")
    message = desk.get("/pair", params={"id": COPY, "other": PAPER}, headers={"Accept-Language": "zh-CN"}).json()
    assert message["sentence"] == "乙文 98% 见于甲文"


def test_sightings_come_page_by_page(newsroom: Settings, desk: httpx.Client) -> None:
    with whorl.open(newsroom.libraries["news"]) as library:
        library.add({"id": ALONE, "text": OTHER, "url": f"https://a.example/{n}"} for n in range(3))
        whole = [(sighting.url, sighting.at.isoformat()) for sighting in library.sightings(ALONE)]
    first = desk.get("/sightings", params={"of": ALONE, "limit": 2}).json()
    rest = desk.get("/sightings", params={"of": ALONE, "limit": 2, "cursor": first["next"]}).json()
    reported = [(sighting["url"], sighting["at"].replace("Z", "+00:00")) for sighting in first["items"] + rest["items"]]
    assert (len(first["items"]), rest["next"], reported) == (2, None, whole)


def test_clusters_come_page_by_page_the_largest_first(newsroom: Settings, desk: httpx.Client) -> None:
    texts = {f"{number} {name}": f"{OTHER[number:]}{number}" * 2 for number in range(5) for name in "ab"}
    with whorl.open(newsroom.libraries["news"]) as library:
        library.add({"id": id, "text": text} for id, text in texts.items())
        whole = [(cluster.id, cluster.size) for cluster in library.clusters()]
    result, cursor = list[tuple[int, int]](), ""
    while cursor is not None:
        page = desk.get("/clusters", params={"limit": 1, **({"cursor": cursor} if cursor else {})}).json()
        result += [(cluster["id"], cluster["size"]) for cluster in page["items"]]
        cursor = page["next"]
    assert result == whole
    assert desk.get("/clusters", params={"since": "2027-01-01"}).json() == {"items": [], "next": None}
    assert desk.get("/clusters", params={"at_least": 100}).json()["items"] == []


def test_a_cluster_has_its_articles_and_its_original_with_reasons(desk: httpx.Client) -> None:
    number = desk.get("/clusters").json()["items"][0]["id"]
    cluster = desk.get(f"/clusters/{number}").json()
    assert set(cluster["documents"]) >= {PAPER, COPY}
    english = desk.get(f"/clusters/{number}/trace").json()
    chinese = desk.get(f"/clusters/{number}/trace?lang=zh").json()
    for value, word in ((english, "links"), (chinese, "链接")):
        assert any(word in item["message"] for item in value["attribution"]["members"][0]["reasons"])
    sure = desk.get(f"/clusters/{number}/trace", params={"confidence": 0.9999999}).json()
    assert sure["attribution"]["originals"] == []


def test_a_cluster_that_takes_too_long_is_not_traced(desk: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MOST_TRACED", 1)
    number = desk.get("/clusters").json()["items"][0]["id"]
    refused = desk.get(f"/clusters/{number}/trace")
    assert (refused.status_code, refused.json()["code"]) == (422, "usage")
    assert "whorl trace" in refused.json()["hint"]


def test_the_hot_list_is_bounded_whatever_the_articles(client: httpx.Client, settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        text = "渔港的冰厂今年夏天添了三台新机器，码头上的工人说冰够用了，船主们也不再半夜排队。" * 2
        library.add({"id": f"a{number}", "text": text, "title": "很长的标题" * 1000} for number in range(50))
    hot = client.get("/v1/libraries/news/hot")
    (cluster,) = hot.json()["largest"]
    assert (cluster["size"], len(cluster["articles"])) == (50, 20)
    assert len(hot.content) < 20_000


def test_the_hot_list_has_titles_as_they_are(desk: httpx.Client) -> None:
    report = desk.get("/hot", params={"top": 1})
    assert report.headers["content-type"] == "application/json"
    assert report.headers["x-content-type-options"] == "nosniff"
    titles = {group["title"] for group in report.json()["largest"][0]["articles"]}
    assert titles >= set(HOSTILE[:2])
    assert desk.get("/hot", params={"since": "2026-03-03T00:00:00Z"}).json()["groups"] <= report.json()["groups"]


@pytest.mark.parametrize(
    "path", ["/matches?of=none", "/sightings?of=none", "/pair?id=none&other=none", "/clusters/99", "/clusters/99/trace"]
)
def test_what_is_not_there_is_told_with_a_hint(desk: httpx.Client, path: str) -> None:
    answer = desk.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    assert answer.json()["hint"]


@pytest.mark.parametrize("number", [-1, 2**63, 2**70, "x"])
def test_no_number_of_a_cluster_is_a_defect(desk: httpx.Client, number: object) -> None:
    for path in (f"/clusters/{number}", f"/clusters/{number}/trace"):
        assert desk.get(path).json()["code"] in ("not-found", "invalid")


CURSORS = (
    *("x", "!", "e30", "W10", "WzEsMl0x", "W3RydWUsMV0", "WzEsIjEiXQ", "Wy0xLDFd", "MS41", "INGE"),
    "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5LDFd",
)


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_wrong_cursor_is_told(desk: httpx.Client, cursor: str) -> None:
    answer = desk.get("/clusters", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")


def test_a_library_without_texts_shows_no_pair(settings: Settings) -> None:
    with whorl.open(f"{settings.libraries['news']}-bare", texts=False) as library:
        library.add({"id": name, "text": TEXT} for name in "ab")
    bare = Settings({"bare": f"{settings.libraries['news']}-bare"}, settings.state, port=0)
    with served(bare) as address:
        answer = httpx.get(f"{address}/v1/libraries/bare/pair", params={"id": "a", "other": "b"}).json()
    assert (answer["code"], "keeps no texts" in answer["detail"]) == ("usage", True)
