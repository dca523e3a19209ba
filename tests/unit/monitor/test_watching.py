import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited
from tests.newsweb import HOSTS, TROUBLES, Web
from tests.unit.monitor.alerts.receivers import answering, hooks
from tests.unit.monitor.alerts.test_telling import settings

import whorl
from whorl._internal.scratch import PREFIX
from whorl.errors import InputError, ResourceError, UsageError
from whorl.monitor.frontier import FILE, Frontier
from whorl.monitor.run import AT_ONCE
from whorl.monitor.settings.stored_sites import put_site
from whorl.monitor.watching import due_sites, repeat, watch
from whorl.results import Permission

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is an address of Linux alone")

ONCE = """
import json, re, resource, sys
from pathlib import Path
from whorl.monitor.watching import watch
watch(sys.argv[1], json.loads(sys.argv[2]))
status = Path("/proc/self/status").read_text()  # what getrusage tells of a process begins at the peak of its parent
own = int(re.search("VmHWM:\\s+(\\d+)", status)[1])
print(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""
KEPT = ("/slow.html", "/fragment.html", "/headers.html")
"""Articles without numbers."""


@pytest.fixture
def web() -> Iterator[Web]:
    with Web(articles=6, hosts=HOSTS[:2], is_troubled=False).served() as web:
        yield web


def once(library: Path, sites: dict[str, Any]) -> subprocess.Popen[str]:
    """Start a process that watches once."""
    return subprocess.Popen(
        [sys.executable, "-c", ONCE, str(library), json.dumps(sites)], stdout=subprocess.PIPE, text=True
    )


def every_page(web: Web) -> set[str]:
    """Return the addresses of all pages to store."""
    return {web.at(host, path) for host in web.hosts for path in (*web.paths(), *KEPT)}


def demand_whole(web: Web, library: Path) -> None:
    """Assert every allowed page once, no page forbidden by robots.txt, every copy found and nothing else."""
    with whorl.open(library) as opened:
        assert set(opened.ids(collection="watched")) == every_page(web)
        assert opened.verify().faults == ()
        assert {snapshot.url for snapshot in opened.pages} == every_page(web)
    with Frontier(library / FILE) as frontier:
        result = [finding for finding in frontier.findings() if finding.verdict == "copy"]
    assert web.truth()
    right = web.truth() & {(finding.url, finding.article) for finding in result}
    assert len(right) >= 0.98 * len(web.truth())
    assert len(right) >= 0.99 * len(result)
    assert not [path for _, path in web.requests if path.startswith("/private")]
    assert not web.cookies


@pytest.mark.parametrize("articles", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_every_page_comes_once_and_every_copy_is_found(articles: int, tmp_path: Path) -> None:
    with Web(articles=articles).served() as web:
        library = web.library(tmp_path / "library")
        process = once(library, web.sites())
        kilobytes = int(process.communicate()[0])
        assert process.returncode == 0
        assert kilobytes < 600 * 1024
        demand_whole(web, library)
        twice = [place for place, count in web.requests.items() if count > 1]
        assert {path for _, path in twice} <= {"/broken", "/cut"}  # which are retried


@pytest.mark.parametrize("articles", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_a_killed_watch_goes_on_without_a_lost_or_doubled_page(articles: int, tmp_path: Path) -> None:
    with Web(articles=articles, hosts=HOSTS[:3]).served() as web:
        library = web.library(tmp_path / "library")
        kills = 0
        for share in (0.1, 0.4, 0.7):
            process = once(library, web.sites())
            while process.poll() is None and web.requests.total() < share * len(web.hosts) * (articles + len(TROUBLES)):
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
        done = once(library, web.sites())
        done.communicate()
        assert done.returncode == 0
        demand_whole(web, library)
        with Frontier(library / FILE) as frontier:
            assert frontier.queued() == 0
            assert len(list(frontier.findings())) == len(
                {(finding.url, finding.article) for finding in frontier.findings()}
            )
        again = sum(count - 1 for (_, path), count in web.requests.items() if path in web.paths())
        assert again <= kills * AT_ONCE * len(web.hosts)  # in progress and not acknowledged


def test_a_killed_watch_leaves_no_page_in_the_temporary_folder(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    library = web.library(tmp_path / "library")
    process = once(library, web.sites())
    while process.poll() is None and not list(place.glob(f"{PREFIX}*/[0-9]*")):
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert list(place.glob(PREFIX + "*"))
    other = place / "other"
    other.mkdir()
    once(library, web.sites()).communicate()
    assert list(place.iterdir()) == [other]


def test_a_page_that_changes_or_goes_is_noted_with_its_history(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    web.copied.clear()
    removed, rewritten, copied = "/a/1.html", "/a/2.html", "/a/3.html"
    for path in (removed, rewritten):
        web.changed[HOSTS[0], path] = web.original(7)
    first = watch(library, web.sites())
    assert {(finding.url, finding.article) for finding in first.new} == {
        (web.at(HOSTS[0], path), "protected-7") for path in (removed, rewritten)
    }
    web.changed |= {
        (HOSTS[0], removed): None,
        (HOSTS[0], rewritten): article(5, 400),
        (HOSTS[0], copied): web.original(8),
    }
    second = watch(library, web.sites(revisit="1m"))
    assert second.number == first.number + 1
    assert {finding.url for finding in second.gone} == {web.at(HOSTS[0], removed), web.at(HOSTS[0], rewritten)}
    assert not second.new  # /a/3.html is not due yet
    outcomes = {check.url: check.outcome for check in second.checks}
    assert outcomes[web.at(HOSTS[0], removed)] == "gone"
    assert outcomes[web.at(HOSTS[0], rewritten)] == "changed"
    del web.changed[HOSTS[0], removed]
    third = watch(library, web.sites())
    assert third.sites[0].found.gone == 2
    web.changed[HOSTS[0], removed] = web.original(7)
    fourth = watch(library, web.sites())
    assert fourth.sites[0].found.copies == 1
    assert [check.outcome for check in fourth.checks if check.url == web.at(HOSTS[0], removed)] == [
        "there", "gone", "changed", "there",
    ]  # fmt: skip


def test_what_is_new_in_the_library_is_held_against_what_was_crawled(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    web.copied.clear()
    watch(library, web.sites())
    text = web.text(HOSTS[0], "/a/1.html")
    with whorl.open(library) as opened:
        opened.add({"id": "late", "text": text, "collection": "protected"})
    run = watch(library, web.sites())
    assert [finding.article for finding in run.new] == ["late"]
    again = {place for place, count in web.requests.items() if count > 1 and place[1].startswith("/a/")}
    assert again == {(HOSTS[0], "/a/1.html")}  # whether its copy is still there
    with whorl.open(library) as opened:
        assert {len(opened.visits.of(web.at(host, "/")).times) for host in web.hosts} == {2}


def test_an_article_that_is_new_is_held_against_every_copy_that_was_crawled(tmp_path: Path) -> None:
    text = article(1, 600)
    rows = [
        *({"url": f"https://edited.example/{number}", "text": edited(text, 12, seed=number)} for number in range(70)),
        *({"url": f"https://equal.example/{number}", "text": text} for number in range(50)),
    ]
    saved = tmp_path / "crawled.jsonl"
    saved.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with whorl.open(tmp_path / "library") as opened:
        watch(opened, saved=saved)
        opened.add({"id": "late", "text": text, "collection": "protected"})
        opened.review("late", "https://equal.example/49", "rejected")
        matches = list(opened.every_match(text, collection="watched"))
        assert sorted(match.id for match in matches) == sorted(row["url"] for row in rows)
        assert matches[0].passages
    (tmp_path / "other.html").write_text(f"<article><p>{article(2, 600)}</p></article>", "utf-8")
    run = watch(tmp_path / "library", saved=tmp_path / "other.html")
    assert {finding.url for finding in run.new} == {row["url"] for row in rows} - {"https://equal.example/49"}
    assert {finding.verdict for finding in run.new} == {"copy"}


def test_leave_and_claims_about_time_are_no_copies(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    web.copied = {(HOSTS[0], "/a/1.html"): 1, (HOSTS[1], "/a/1.html"): 2}
    with whorl.open(library) as opened:
        opened.permissions.put([Permission(HOSTS[0], path="/a")])
    run = watch(library, web.sites())
    assert {finding.url: finding.verdict for finding in run.new} == {
        web.at(HOSTS[0], "/a/1.html"): "reprint",
        web.at(HOSTS[1], "/a/1.html"): "copy",
    }
    assert [(site.found.copies, site.found.reprints) for site in run.sites] == [(0, 1), (1, 0)]


def test_copies_are_told_while_a_run_goes_on_and_a_receiver_that_hangs_does_not_hold_it_up(
    web: Web, tmp_path: Path
) -> None:
    library = web.library(tmp_path / "library")
    web.copied = {(HOSTS[0], "/a/1.html"): 1, (HOSTS[1], "/a/2.html"): 2}

    def hang(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(30)

    with hooks(answering(200)) as swift, hooks(hang) as slow:
        run = watch(library, web.sites(), alerts=settings(swift.url, slow.url, seconds=2))
        output = [alert["document"] for got in swift.received for alert in json.loads(got.body)["alerts"]]
        assert sorted(output) == sorted(alert.document for alert in run.new)
        assert len(output) == 2
    with whorl.open(library) as opened:
        assert len(opened.outbox.of("sent")) == 2
        assert len(opened.outbox.of("waiting")) == 2


def test_saved_pages_are_watched_without_the_network(tmp_path: Path) -> None:
    web = Web()
    library = web.library(tmp_path / "library")
    folder = tmp_path / "saved"
    folder.mkdir()
    for number in (3, 4):
        page = f'<html><head><link rel="canonical" href="https://copies.example/{number}?spm=1"></head><body><article>'
        text = "".join(f"<p>{web.original(number)[at : at + 100]}</p>" for at in range(0, 600, 100))
        (folder / f"{number}.html").write_text(f"{page}{text}</article></body></html>", "utf-8")
    run = watch(library, saved=folder)
    assert {(finding.url, finding.article, finding.site) for finding in run.new} == {
        (f"https://copies.example/{number}", f"protected-{number}", "copies.example") for number in (3, 4)
    }
    again = watch(library, {"site": [{"name": "站", "start": "https://copies.example"}]}, saved=folder)
    assert (again.new, again.sites[0].found.copies) == ((), 2)


def test_two_watches_at_once_are_refused(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    with Frontier(library / FILE), pytest.raises(ResourceError, match="another process is watching"):
        watch(library, web.sites())


def test_what_cannot_be_watched_is_told(tmp_path: Path) -> None:
    whorl.open(tmp_path / "library").close()
    with pytest.raises(UsageError, match="the library has no sites to watch"):
        watch(tmp_path / "library")
    with pytest.raises(InputError, match="no library at"):
        watch(tmp_path / "none", {"site": [{"start": "https://a.example/"}]})


def test_a_private_host_is_not_asked_unless_that_is_allowed(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    run = watch(library, web.sites(allow_private=False))
    assert not web.requests
    assert all(dict(site.missed) == {"private": site.pages} for site in run.sites)


def test_a_watch_repeats_until_it_is_interrupted() -> None:
    times: list[datetime] = []

    def note() -> None:
        times.append(datetime.now(UTC))
        if len(times) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        repeat(timedelta(seconds=0.05), note)
    assert len(times) == 3


def test_a_watch_goes_on_after_an_outage_unless_it_is_there_from_the_beginning() -> None:
    calls: list[bool] = []
    failures: list[ResourceError] = []
    outage = ResourceError("the database does not respond", hint="wait")

    def visit(failing: set[int]) -> None:
        calls.append(len(calls) in failing)
        if calls[-1]:
            raise outage
        if len(calls) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        repeat(timedelta(seconds=0.05), partial(visit, {1, 2}), failures.append)
    assert (calls, failures) == ([False, True, True, False, False], [outage, outage])
    calls.clear()
    with pytest.raises(ResourceError):
        repeat(timedelta(seconds=0.05), partial(visit, {0}), failures.append)
    assert len(calls) == 1


def test_a_folder_that_is_named_remembers_what_was_fetched(web: Web, tmp_path: Path) -> None:
    library = web.library(tmp_path / "library")
    watch(library, web.sites(), state=tmp_path / "state")
    assert {path.name for path in (tmp_path / "state").iterdir()} == {FILE, "watch.lock"}
    assert not (library / FILE).exists()


def test_sites_of_the_library_are_watched_where_an_operator_opens_the_network(web: Web, tmp_path: Path) -> None:
    path, sites = web.library(tmp_path / "library"), web.sites()
    operator = {key: value for key, value in sites.items() if key != "site"}
    with whorl.open(path) as library:
        for table in sites["site"]:
            put_site(library, {**table, "every": "1d"})
        refused = watch(library, state=tmp_path / "state")
        assert [set(site.missed) for site in refused.sites] == [{"private"}, {"private"}]
        assert not web.requests
        assert due_sites(library).sites == ()
        assert len(due_sites(library, sites).sites) == len(sites["site"])
        assert [site.articles for site in watch(library, operator).sites] == [6, 6]
