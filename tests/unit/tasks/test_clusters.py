"""The list of clusters, and the copying relations within one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import whorl
from whorl.errors import UsageError
from whorl.library import Library
from whorl.tasks.library.attribution import trace
from whorl.tasks.review.clusters import list_clusters, site_of, takings
from whorl.types.library import Document

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。码头上的老人说，往年这时候要去邻县拉冰。" * 3
TEA = "城东的老茶馆换了招牌，门口排起了长队。掌柜说茶还是那壶茶，水还是那口井里的水。" * 3
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as library:
        yield library


def article(id: str, text: str, days: int, **more: object) -> dict[str, object]:
    return {"id": id, "text": text, "published_at": NOON + days * DAY, "first_seen_at": NOON + days * DAY} | more


def test_cluster_row_has_title_sites_and_times(library: Library) -> None:
    sites = ("a", "b", "b", "c", "d")
    library.add(article(str(days), ICE, days, url=f"https://www.{site}.example/1") for days, site in enumerate(sites))
    (result,) = list_clusters(library).clusters
    assert (result.size, result.first_at, result.last_at) == (5, NOON, NOON + 4 * DAY)
    assert result.title.startswith("渔港的冰厂"), "without a title the text begins"
    assert (result.sites[0], len(result.sites), result.further) == ("b.example", 3, 1)


def test_pages_of_a_list_hold_each_cluster_once(library: Library) -> None:
    library.add(
        {"id": f"{number} {side}", "text": "".join(chr(0x4E00 + 50 * number + step) for step in range(50))}
        for number in range(7)
        for side in "abc"[: 2 + number % 2]
    )
    for order in ("largest", "newest"):
        visited, after = [], None
        while result := list_clusters(library, order=order, after=after, top=3):
            visited += [(cluster.size, cluster.cluster) for cluster in result.clusters]
            if (after := result.after) is None:
                break
        assert len(visited) == len(set(visited)) == result.total == 7
        keys = [(-size, number) if order == "largest" else (-number, 0) for size, number in visited]
        assert keys == sorted(keys)


def test_only_clusters_of_a_site_or_its_source_are_listed(library: Library) -> None:
    library.add([article("a", ICE, 0, url="https://news.paper.example/1"), article("b", ICE, 1)])
    library.add([article("c", TEA, 0, source="青澜日报"), article("d", TEA, 1)])
    for site, count in (("paper.example", 1), ("per.example", 0), ("青澜日报", 1), ("", 2)):
        assert len(list_clusters(library, site=site).clusters) == count, site


def test_invalid_listing_is_refused(library: Library) -> None:
    for wrong in ({"order": "odd"}, {"top": 0}, {"at_least": 0}):
        with pytest.raises(UsageError):
            list_clusters(library, **wrong)  # type: ignore[arg-type]


def test_a_place_is_called_by_its_source_or_host() -> None:
    assert site_of(Document("a", "冰", url="https://m.paper.example/1", source="日报")) == "日报"
    assert site_of(Document("a", "冰", url="https://m.paper.example/1")) == "paper.example"
    assert site_of(Document("a", "冰")) == ""


def test_a_mixed_article_takes_from_both_once_it_is_confirmed_and_copies_take_from_one(library: Library) -> None:
    ice, tea = "https://harbour.example/1", "https://market.example/1"
    reports = library.add(
        [
            article("ice", ICE, 0, url=ice, author="王小渡", collection="protected"),
            article("tea", TEA, 0, url=tea, author="李四", collection="protected"),
            article("copy", ICE, 4, url="https://copies.example/1", links=[ice]),
            article("mixed", f"{ICE}\n{TEA}", 9, url="https://mixes.example/1", links=[ice, tea]),
        ]
    )
    assert reports[-1].cluster_id not in {report.cluster_id for report in reports[:-1]}
    stories = {(match.id, match.relation, match.other_in_this) for match in library.report("mixed").matches}
    assert stories == {(id, "compilation", 1.0) for id in ("ice", "copy", "tea")}

    def copied_from(id: str) -> set[tuple[str, str]]:
        result = takings(trace(library, library.report(id).cluster_id or 0))
        return {(finding.id, finding.origin) for finding in result}

    assert (copied_from("mixed"), copied_from("ice"), copied_from("tea")) == (set(), {("copy", "ice")}, set())
    for story in ("ice", "tea"):
        library.review("mixed", story, "confirmed", by="li")
    assert copied_from("mixed") == {("copy", "ice"), ("mixed", "ice"), ("mixed", "tea")}


def test_one_that_claims_to_be_earlier_took_it_from_the_probable_original(library: Library) -> None:
    paper = article("paper", ICE, 5, url="https://paper.example/1", collection="own", author="王小渡")
    liar = article("liar", ICE, 0, url="https://liar.example/1", links=["https://paper.example/1"])
    reports = library.add([paper, liar | {"text": f"{ICE}（来源：https://paper.example/1）"}])
    library.attestations.put([{"document": "paper", "kind": "server-log", "at": NOON - DAY}])
    result = trace(library, reports[0].cluster_id or 0)
    assert result.attribution.originals == ("paper",)
    assert [(taking.id, taking.origin) for taking in takings(result)] == [("liar", "paper")]


def test_takings_have_no_cycles(library: Library) -> None:
    whorl.library.add_files(library, "examples/newsroom/originals.jsonl")
    whorl.library.add_files(library, "examples/newsroom/articles.jsonl")
    for cluster in library.clusters(limit=10):
        above: dict[str, set[str]] = {}
        for taking in takings(trace(library, cluster.id)):
            above.setdefault(taking.id, set()).add(taking.origin)
        while ends := [id for id in above if not any(origin in above for origin in above[id])]:
            for id in ends:
                del above[id]
        assert not above


def test_members_of_several_clusters_come_in_one_exchange_and_in_bounds(library: Library) -> None:
    library.add([article(f"ice {number}", ICE, number) for number in range(4)])
    library.add([article(f"tea {number}", TEA, number) for number in range(2)])
    largest, smaller = library.clusters()
    members = library.members([smaller.id, largest.id, 999], limit=3)
    assert [[item.id for item in finding] for finding in members] == [
        ["tea 0", "tea 1"],
        ["ice 0", "ice 1", "ice 2"],
        [],
    ]
    assert {item.text for finding in members for item in finding} == {""}


def test_an_undetermined_cluster_has_no_arrows(tmp_path: Path) -> None:
    text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。" * 3
    with whorl.open(tmp_path / "even") as library:
        rows = [
            {"id": id, "text": text, "first_seen_at": "2026-03-05T08:00", "url": f"https://{id}.example/1"}
            for id in "ab"
        ]
        library.add(rows)
        traced = trace(library, library.report("a").cluster_id or 0)
    assert traced.attribution.originals == ()
    assert len(traced.documents) == 2
    assert takings(traced) == ()
