"""A watch, its findings, and statistics are the same on every store, from the machine that watches and from others."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.servers import Unavailable
from tests.serving import served, settings_of
from tests.stores import place

import whorl
from whorl.errors import NotFoundError
from whorl.library.maintenance.copy import copy
from whorl.monitor.findings.watched import findings, latest_findings, rechecks, watch_log
from whorl.monitor.settings.schedule import claim_due
from whorl.monitor.settings.stored_sites import put_site, remove_sites, sites_toml, watch_for

SERVERS = ["postgresql", "mysql", "mongodb"]
ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。" * 2
TEA = "城东的老茶馆换了招牌，门口排起了长队。掌柜说茶还是那壶茶，水还是那口井里的水，只是年轻人来得多了。" * 2
URL, OTHER = "https://copies.example/ice", "https://copies.example/tea"
SITES = {"site": [{"name": "拷贝网", "start": ["https://copies.example/"]}]}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a separate folder of the user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(params=SERVERS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a library on a server with two protected articles."""
    try:
        address = place(request.param, tmp_path)
    except Unavailable as error:
        pytest.skip(str(error))
    fill(address)
    return address


def fill(address: str | Path) -> None:
    with whorl.open(address) as library:
        library.add(
            {"id": name, "text": text, "collection": "protected"} for name, text in (("ice", ICE), ("tea", TEA))
        )


def page(folder: Path, url: str, text: str) -> Path:
    file = folder / f"{url.rpartition('/')[2]}.html"
    head = f'<link rel="canonical" href="{url}">'
    file.write_text(f"<html><head>{head}</head><article><p>{text}</p></article></html>", encoding="utf-8")
    return file


def watch(address: str | Path, folder: Path) -> None:
    """Watch two pages; the second is edited later."""
    files = [page(folder, URL, ICE), page(folder, OTHER, f"据悉，{TEA}")]
    whorl.watch.watch(address, SITES, saved=files)
    page(folder, OTHER, "今天的天气晴转多云，偏南风二到三级，最高气温二十八度，适合出门散步。" * 4)
    whorl.watch.watch(address, SITES, saved=files)


def log_of(address: str | Path) -> tuple[object, ...]:
    """Return the log of a watch without times."""
    log = watch_log(address)
    return (
        log.found,
        [(site.site, site.found) for site in log.sites],
        sorted((article.article, article.found) for article in log.articles),
        sorted((row.url, row.article, row.verdict, row.share, row.gone_at is None) for _, row in findings(address)),
    )


def test_watch_needs_no_folder_and_tells_the_same_as_in_one(address: str, tmp_path: Path) -> None:
    fill(tmp_path / "local")
    for library in (address, tmp_path / "local"):
        watch(library, tmp_path)
    assert log_of(address) == log_of(tmp_path / "local")
    assert len(watch_log(address).runs) == 2
    checks = [[check.outcome for check in rechecks(library, URL)] for library in (address, tmp_path / "local")]
    assert checks[0] == checks[1]


def test_statistics_are_the_same(address: str, tmp_path: Path) -> None:
    fill(tmp_path / "local")
    counted = []
    for library in (address, tmp_path / "local"):
        watch(library, tmp_path)
        counted.append(whorl.watch.copy_statistics(library, sites=SITES).to_dict()["rows"])
    assert counted[0] == counted[1]
    assert [(row["name"], row["copies"], row["removed"]) for row in counted[0]] == [("拷贝网", 2, 1)]


def test_a_state_elsewhere_is_found_again(address: str, tmp_path: Path) -> None:
    file = page(tmp_path, URL, ICE)
    whorl.watch.watch(address, SITES, saved=file, state=tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "watch.sqlite").is_file()
    assert len(watch_log(address).runs) == 1
    assert watch_log(address).sites[0].site == "拷贝网"


def test_another_machine_sees_what_the_library_has(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFoundError, match="no watch"):
        watch_log(address)
    whorl.watch.watch(address, SITES, saved=[page(tmp_path, URL, ICE)])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another machine"))
    log = watch_log(address)
    assert (log.found.copies, [site.site for site in log.sites]) == (1, ["拷贝网"])
    (finding,) = latest_findings(address).findings
    assert (finding.url, finding.article, finding.verdict, finding.share) == (URL, "ice", "copy", 1.0)
    settings = settings_of(tmp_path / "service")
    settings = type(settings)({"news": address}, settings.state, port=0)
    with served(settings) as base, httpx.Client(base_url=base, timeout=60) as client:
        console = client.get("/libraries/news/watch", headers={"Accept": "text/html"})
        answer = client.get("/v1/libraries/news/watch/findings")
    assert URL in console.text
    assert [item["url"] for item in answer.json()["items"]] == [URL]


def test_commands_take_an_address(address: str, tmp_path: Path) -> None:
    with whorl.open(address) as library:
        library.add({"id": "copy", "text": ICE, "url": URL})
        whorl.evidence.pack_evidence(library, "copy", "ice", tmp_path / "pack.zip", pdf=False)
    article = json.loads(output_of("show", address, "copy", "--json"))
    assert article["report"]["matches"][0]["id"] == "ice"
    verified = json.loads(output_of("evidence", "verify", tmp_path / "pack.zip", "--library", address, "--json"))
    assert verified["is_sound"]
    best = whorl.open(address)
    with best:
        assert [story.best for story in best.stories(["copy", "tea"]).stories] == ["copy", "tea"]


def output_of(*arguments: str | Path) -> str:
    """Return what the command line prints."""
    command = [sys.executable, "-m", "whorl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def test_stored_sites_are_the_same_on_every_store_and_survive_a_copy(address: str, tmp_path: Path) -> None:
    copies = [address, str(tmp_path / "copy")]
    with whorl.open(address) as library:
        put_site(
            library, {"name": "拷贝网", "start": ["https://copies.example/"], "every": "6h", "zone": "Asia/Shanghai"}
        )
        put_site(library, {"start": ["https://other.example/"]})
        expected = sites_toml(library)
    copy(address, copies[1])
    for place_of_copy in copies:
        with whorl.open(place_of_copy) as library:
            assert sites_toml(library) == expected
            assert [site.name for site in watch_for(library).sites] == ["拷贝网", "other.example"]
            now = datetime(2026, 3, 1, tzinfo=UTC)
            assert [claim_due(library, now), claim_due(library, now)] == [["拷贝网"], []]
            remove_sites(library, ["拷贝网"])
            assert [site.name for site in watch_for(library).sites] == ["other.example"]
