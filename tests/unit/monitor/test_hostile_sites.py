"""A watch of a site that does all it can to end or stall it: other sites go on, and every harm has its reason."""

import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import html
from tests.hostile_site import HARMS, PAGES, TAGS, HostileSite
from tests.newsweb import Web

from whorl.corpus.pages.attributes import MAX_ATTRIBUTES, without_many_attributes
from whorl.i18n import Message
from whorl.monitor.findings.reasons import WHY
from whorl.monitor.frontier import FILE
from whorl.monitor.watching import watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is an address of Linux alone")

GOOD = ("127.0.0.2",)
ROBOTS = b"User-agent: *\n" + b"Disallow: /*a*a*a*a*a*a*a*b\n" * 15_000


@pytest.fixture
def hostile() -> Iterator[HostileSite]:
    with HostileSite("127.0.0.1", ROBOTS).served() as site:
        yield site


@pytest.fixture
def good() -> Iterator[Web]:
    with Web(articles=8, hosts=GOOD, is_troubled=False).served() as web:
        yield web


class Notes:
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def stage(self, name: str, total: int | None, unit: str) -> None:
        pass

    def advance(self, count: int) -> None:
        pass

    def note(self, text: Message | str) -> None:
        self.notes.append(str(text))


def sites(hostile: HostileSite, good: Web) -> dict[str, object]:
    watched = good.sites(rate=100, seconds=30, max_bytes=2**21)
    return {**watched, "site": [hostile.site(), *watched["site"]]}


def states(library: Path, site: str) -> dict[str, tuple[str, str]]:
    """The state of each page of a site, with the reason."""
    rows = sqlite3.connect(library / FILE).execute("SELECT url, state, why FROM pages WHERE site = ?", (site,))
    return {urlsplit(url).path: (state, why or "") for url, state, why in rows}


def test_whatever_a_site_sends_the_others_go_on_and_every_harm_is_answered(
    hostile: HostileSite, good: Web, tmp_path: Path
) -> None:
    library = good.library(tmp_path / "library")
    run = watch(library, sites(hostile, good))
    assert {(finding.url, finding.article) for finding in run.found} == good.truth()
    outcomes = {path: state for path, state in states(library, "hostile").items() if path in HARMS}
    assert set(outcomes) >= set(PAGES)
    assert [path for path, (state, _) in outcomes.items() if state == "queued"] == []
    assert {why for _, why in outcomes.values()} <= {"", *WHY}
    assert (outcomes["/moves/no-address"], outcomes["/lengths/bomb"]) == (("refused", "address"), ("failed", "size"))
    assert max(hostile.requests[path] for path in HARMS) <= 4


@pytest.mark.soak
def test_hours_of_hostile_sites_neither_stall_the_watch_nor_leak(tmp_path: Path) -> None:
    """Watch a hostile site and an ordinary one again and again for SOAK seconds, an hour unless that is set."""
    seconds, begun, resident = float(os.environ.get("SOAK", "3600")), time.monotonic(), []
    while time.monotonic() - begun < seconds:
        place = tmp_path / str(len(resident))
        with (
            HostileSite("127.0.0.1", ROBOTS).served() as hostile,
            Web(articles=8, hosts=GOOD, is_troubled=False).served() as good,
        ):
            library = good.library(place)
            run = watch(library, sites(hostile, good))
            assert {(copy.url, copy.article) for copy in run.found} == good.truth()
            reached = [state for path, (state, _) in states(library, "hostile").items() if path in HARMS]
            assert len(reached) >= len(PAGES)
            assert "queued" not in reached
        shutil.rmtree(place)
        resident.append(_resident_bytes())
    print(f"{len(resident)} watches, {resident[0] / 2**20:.0f} to {max(resident) / 2**20:.0f} MiB")  # noqa: T201
    warm = resident[min(4, len(resident) - 1)]
    assert max(resident) <= warm + 128 * 2**20


def _resident_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_site_that_holds_up_the_others_is_set_aside_with_the_reason_and_tried_later(
    hostile: HostileSite, good: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whorl.monitor.run._SLOW_PAGE", -1.0)  # every page holds up the others
    monkeypatch.setattr("whorl.monitor.run._MOST_HELD_UP", 2.0)
    library, notes = good.library(tmp_path / "library"), Notes()
    watched = sites(hostile, good)
    watched["site"][1]["name"] = "good"
    watch(library, {**watched, "site": watched["site"][:1]}, progress=notes)
    assert any(note.startswith("hostile is postponed to the next run") for note in notes.notes)
    before = states(library, "hostile")
    assert "queued" in {state for path, (state, _) in before.items() if path in HARMS}
    monkeypatch.undo()
    watch(library, {**watched, "site": watched["site"][:1]})
    after = states(library, "hostile")
    assert "queued" not in {state for path, (state, _) in after.items() if path in HARMS}


@pytest.mark.parametrize("name", ["/tags/attributes", "/tags/quoted", "/tags/unspaced"])
def test_a_tag_of_very_many_attributes_costs_what_its_bytes_cost(name: str) -> None:
    """libxml2 takes 10 s of a core for each of these pages as they come."""
    tree = html.document_fromstring(without_many_attributes(TAGS[name].partition(b"\r\n\r\n")[2]))
    (link,) = tree.iter("a")
    assert (len(link.attrib), link.text) == (MAX_ATTRIBUTES, "x")
