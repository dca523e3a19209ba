"""Findings of a watch, and sent alerts, over HTTP; also while the watch runs."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from tests.unit.service.api.newsroom import PAPER, TEXT

import whorl
from whorl.monitor.frontier import FILE, Frontier
from whorl.results import Alert
from whorl.service.settings import Settings

PAGE = "<html><body><article><h1>渔港</h1><p>{text}</p></article></body></html>"


@pytest.fixture
def watched(newsroom: Settings, tmp_path: Path) -> Settings:
    """Return settings of a service whose library was watched for twice, with one more copy in the second run."""
    folder = tmp_path / "saved"
    folder.mkdir()
    for number in range(2):
        url = f'<link rel="canonical" href="https://copies{number}.example/a">'
        (folder / f"{number}.html").write_text(f"{url}{PAGE.format(text=TEXT)}", "utf-8")
        whorl.watch.watch(newsroom.libraries["news"], saved=folder)
    return newsroom


def test_findings_are_told_by_site_article_and_day(watched: Settings, desk: httpx.Client) -> None:
    body = desk.get("/watch").json()
    assert [run["number"] for run in body["runs"]] == [2, 1]
    assert body["found"] == {"copies": 2, "reprints": 0, "undetermined": 0, "gone": 0, "syndicated": 0}
    assert [(site["site"], site["found"]["copies"]) for site in body["sites"]] == [
        ("copies0.example", 1),
        ("copies1.example", 1),
    ]
    assert [(site["article"], site["found"]["copies"]) for site in body["articles"]] == [(PAPER, 2)]
    assert sum(site["found"]["copies"] for site in body["days"]) == 2
    assert len(desk.get("/watch", params={"most": 1}).json()["runs"]) == 1


def test_watched_sites_are_stored_and_removed(desk: httpx.Client) -> None:
    assert desk.get("/watch/sites").json() == {"contact": "", "site": []}
    site = {"name": "转载站", "start": ["https://copies.example/"], "every": "12h"}
    body = {"contact": "https://paper.example/watch", "site": [site]}
    assert desk.put("/watch/sites", json=body).json() == {"kept": 1, "known": 0}
    assert desk.get("/watch/sites").json() == body
    assert desk.put("/watch/sites", json={"site": [{**site, "every": "1d"}]}).json() == {"kept": 1, "known": 0}
    assert desk.get("/watch/sites").json() == {**body, "site": [{**site, "every": "1d"}]}
    for wrong, message in (
        ({"site": [site, {"name": "b", "start": ["nowhere"]}]}, "nowhere"),
        ({"site": [{**site, "allow_private": True}]}, "allow_private"),
        ({"site": [{**site, "pages": ["/etc/passwd"]}]}, "/etc/passwd"),
        ({"site": [{**site, "speed": 1}]}, "speed"),
        ({"site": []}, "no site"),
    ):
        refused = desk.put("/watch/sites", json=wrong, headers={"Accept-Language": "en"})
        assert (refused.status_code, message in refused.text) == (422, True), (wrong, refused.text)
    assert len(desk.get("/watch/sites").json()["site"]) == 1
    removed = [desk.delete("/watch/sites", params={"name": ["转载站", "none"]}).json()["removed"] for _ in range(2)]
    assert removed == [1, 0]


def test_findings_are_filtered_and_come_page_by_page(watched: Settings, desk: httpx.Client) -> None:
    first = desk.get("/watch/findings", params={"limit": 1}).json()
    rest = desk.get("/watch/findings", params={"limit": 1, "cursor": first["next"]}).json()
    assert [item["run"] for item in first["items"] + rest["items"]] == [1, 2]
    assert rest["next"] is None
    for value, count in (
        ({"site": "copies1.example"}, 1),
        ({"article": PAPER, "verdict": "copy"}, 2),
        ({"article": "none"}, 0),
        ({"run": 2}, 1),
        ({"gone": "true"}, 0),
        ({"gone": "false"}, 2),
    ):
        assert len(desk.get("/watch/findings", params=value).json()["items"]) == count, value


def test_looks_at_a_page_are_told(watched: Settings, desk: httpx.Client) -> None:
    body = desk.get("/watch/checks", params={"url": "https://copies0.example/a"}).json()
    assert [item["outcome"] for item in body["items"]] == ["there", "there"]
    assert desk.get("/watch/checks", params={"url": "https://none.example"}).json()["items"] == []


def test_others_may_look_while_a_watch_runs(watched: Settings, desk: httpx.Client) -> None:
    with Frontier(Path(watched.libraries["news"]) / FILE):
        assert desk.get("/watch").json()["found"]["copies"] == 2
        assert len(desk.get("/watch/findings").json()["items"]) == 2


def test_a_library_that_nobody_watches_for_says_so(desk: httpx.Client) -> None:
    for path in ("/watch", "/watch/findings", "/watch/checks?url=a"):
        answer = desk.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_a_memory_that_is_damaged_is_told(newsroom: Settings, desk: httpx.Client) -> None:
    (Path(newsroom.libraries["news"]) / FILE).write_bytes(b"no database" * 1000)
    answer = desk.get("/watch")
    assert (answer.status_code, answer.json()["code"]) == (422, "input")


def test_alerts_that_were_given_up_are_tried_again(newsroom: Settings, desk: httpx.Client) -> None:
    with whorl.open(newsroom.libraries["news"]) as library:
        library.outbox.put(Alert("desk", {"number": number}) for number in range(3))
        library.outbox.sent([1])
        library.outbox.failed(2, "HTTP 500")
    first = desk.get("/alerts", params={"limit": 2}).json()
    rest = desk.get("/alerts", params={"limit": 2, "cursor": first["next"]}).json()
    assert [(item["number"], item["state"]) for item in first["items"] + rest["items"]] == [
        (1, "sent"),
        (2, "dead"),
        (3, "waiting"),
    ]
    assert [item["error"] for item in desk.get("/alerts", params={"state": "dead"}).json()["items"]] == ["HTTP 500"]
    assert desk.post("/alerts/retry").json() == {"alerts": 1}
    assert desk.get("/alerts", params={"state": "dead"}).json()["items"] == []
    assert desk.post("/alerts/retry", json={"numbers": [1]}).json() == {"alerts": 1}
    for numbers in ([99], [2**70]):
        assert desk.post("/alerts/retry", json={"numbers": numbers}).json()["code"] == "not-found"


@pytest.mark.parametrize("path", ["/alerts", "/watch/findings"])
@pytest.mark.parametrize("cursor", ["x", "W10", "MS41"])
def test_a_wrong_cursor_is_told(watched: Settings, desk: httpx.Client, path: str, cursor: str) -> None:
    answer = desk.get(path, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
