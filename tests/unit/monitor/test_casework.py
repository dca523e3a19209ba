"""A watch records the cases of its findings, and alerts again if a copy has changed or returned."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article
from tests.newsweb import HOSTS, Web
from tests.stores import place
from tests.unit.monitor.alerts.receivers import answering, hooks
from tests.unit.monitor.alerts.test_telling import settings

import whorl
from whorl.monitor.findings.watched import findings, latest_findings, rechecks, watch_log
from whorl.monitor.frontier import FILE
from whorl.monitor.watching import watch
from whorl.stores import schemes
from whorl.types.cases import state_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is an address of Linux alone")

REMOVED, EDITED = "/a/1.html", "/a/2.html"


@pytest.fixture
def web() -> Iterator[Web]:
    with Web(articles=4, hosts=HOSTS[:1], is_troubled=False).served() as web:
        web.copied.clear()
        web.changed = {(HOSTS[0], path): web.original(7) for path in (REMOVED, EDITED)}
        yield web


def kinds(library: Path, url: str) -> list[str]:
    with whorl.open(library) as opened:
        (case,) = opened.cases.at(url)
        events = opened.cases.events(case.number)
        assert state_of(events) == case
        return [event.kind for event in events]


def test_a_copy_that_returns_or_changes_alerts_again(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    removed, edited = (web.at(HOSTS[0], path) for path in (REMOVED, EDITED))
    with hooks(answering(200)) as receiver:
        channels = settings(receiver.url)
        watch(library, web.sites(), alerts=channels)
        web.changed[HOSTS[0], REMOVED] = None
        assert {finding.url for finding in watch(library, web.sites(), alerts=channels).gone} == {removed}
        web.changed[HOSTS[0], REMOVED] = web.original(7)
        web.changed[HOSTS[0], EDITED] = web.original(7)[:400]
        third = watch(library, web.sites(), alerts=channels)
        watch(library, web.sites(), alerts=channels)
        alerts = [alert for got in receiver.received for alert in json.loads(got.body)["alerts"]]
    assert [finding.url for finding in third.new] == [removed]
    assert sorted((alert["url"], alert["event"]) for alert in alerts) == sorted(
        [(removed, "found"), (edited, "found"), (removed, "returned"), (edited, "changed")]
    )
    assert kinds(library, removed) == [
        "found", "fetched", "alert", "fetched", "removed", "fetched", "returned", "alert", "fetched",
    ]  # fmt: skip
    assert kinds(library, edited) == ["found", "fetched", "alert", "fetched", "fetched", "changed", "alert", "fetched"]
    with whorl.open(library) as opened:
        assert [case.state for case in opened.cases] == ["open", "open"]
        assert opened.verify().faults == ()


def test_a_lost_crawl_state_repeats_no_alert(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    with hooks(answering(200)) as receiver:
        watch(library, web.sites(), alerts=settings(receiver.url))
        (library / FILE).unlink()
        with whorl.open(library) as opened:
            opened.permissions.put([{"domain": HOSTS[0], "path": REMOVED}])
        watch(library, web.sites(), alerts=settings(receiver.url))
        alerts = [alert["url"] for got in receiver.received for alert in json.loads(got.body)["alerts"]]
    assert sorted(alerts) == sorted(web.at(HOSTS[0], path) for path in (REMOVED, EDITED))
    with whorl.open(library) as opened:
        assert {case.url: case.state for case in opened.cases} == {
            web.at(HOSTS[0], REMOVED): "permitted",
            web.at(HOSTS[0], EDITED): "open",
        }


@pytest.mark.parametrize("scheme", schemes())
def test_findings_and_cases_agree_on_every_store(scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "user"))
    text = article(1, 600)
    rows = [{"url": f"https://copies.example/{number}", "text": text} for number in range(3)]
    saved = tmp_path / "crawled.jsonl"
    saved.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with whorl.open(place(scheme, tmp_path)) as library:
        library.add({"id": "ice", "title": "冰厂", "text": text, "collection": "protected"})
        library.permissions.put([{"domain": "copies.example", "path": "/2"}])
        run = watch(library, saved=saved, state=tmp_path / "elsewhere")
        log = watch_log(library)
        assert (log.found.copies, log.found.reprints) == (2, 1)
        assert [(item.article, item.title) for item in log.articles] == [("ice", "冰厂")]
        assert [item.site for item in log.sites] == ["copies.example"]
        copies = latest_findings(library, verdict="copy").findings
        assert {item.url for item in copies} == {item.url for item in run.new if item.verdict == "copy"}
        (first, *_) = findings(library)
        assert [item for _, item in findings(library, after=first[0])] == [item for _, item in findings(library)[1:]]
        assert [check.outcome for check in rechecks(library, rows[0]["url"])] == ["there"]
        watch(library, saved=saved, state=tmp_path / "elsewhere")
        assert {case.url: case.verdict for case in library.cases} == {item.url: item.verdict for item in run.found}
        assert [event.kind for event in library.cases.events(1)][:2] == ["found", "fetched"]
        assert library.verify().faults == ()
