import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread

import pytest
from tests.newsweb import TROUBLES, Web

from whorl.monitor.fetcher import Answer, Fetcher, PageRequest
from whorl.monitor.settings.scope import Scope

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is an address of Linux alone")

FEW_BYTES = 2**20
PATIENCE = 60
"""Seconds that a busy machine may take to start a process and to answer."""


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with Web(articles=4).served() as web:
        yield web


def ask(urls: dict[str, str], *, private: bool = True, rate: float = 1000, seconds: float = 3) -> dict[str, Answer]:
    """Return the results for some addresses, each of a kind."""
    with Fetcher("whorl (+https://owner.example)") as fetcher:
        for number, (url, kind) in enumerate(urls.items()):
            fetcher.ask(PageRequest(number, url, kind, rate, FEW_BYTES, seconds, private))
        result: dict[str, Answer] = {}
        names = list(urls)
        while fetcher.waiting:
            for answer in fetcher.answers(5):
                assert answer.body is None or 0 < answer.body.stat().st_size <= FEW_BYTES
                result[names[answer.number]] = answer
    return result


def test_every_trouble_of_a_page_is_told_and_none_ends_the_process(web: Web) -> None:
    host = "127.0.0.1"
    answers = ask({web.at(host, path): "page" for path in (*TROUBLES, "/a/1.html")})
    report = {path: answers[web.at(host, path)] for path in (*TROUBLES, "/a/1.html")}
    assert {path: answer.why for path, answer in report.items() if answer.outcome == "failed"} == {
        "/private/secret.html": "robots",
        "/huge": "size",
        "/huge-unsaid": "size",
        "/bomb": "size",
        "/endless": "time",
        "/cut": "network",
        "/to-nowhere": "address",
    }
    assert {path: answer.to for path, answer in report.items() if answer.outcome == "moved"} == {
        "/loop/a": web.at(host, "/loop/b"),
        "/chain/1": web.at(host, "/chain/2"),
        "/to-file": "file:///etc/passwd",
        "/to-outside": f"http://127.0.0.99:{web.port}/",
    }
    flooded = report["/headers.html"]
    assert (flooded.status, 50 < len(flooded.headers) <= 200) == (200, True)
    assert (report["/broken"].status, report["/missing"].status) == (500, 404)
    assert (report["/a/1.html"].status, report["/a/1.html"].address) == (200, host)
    assert (host, "/private/secret.html") not in web.requests
    assert web.requests[host, "/robots.txt"] == 1
    assert web.agents == {"whorl (+https://owner.example)"}
    assert not web.cookies


def test_lists_feeds_and_sitemaps_name_their_pages(web: Web) -> None:
    kinds = {"/": "list", "/feed.xml": "feed", "/sitemap.xml": "sitemap", "/sitemap-1.xml.gz": "sitemap"}
    answers = ask({web.at("127.0.0.2", path): kind for path, kind in kinds.items()})
    links = {path: answers[web.at("127.0.0.2", path)].links for path in kinds}
    pages = [web.at("127.0.0.2", path) for path in web.paths()]
    assert set(pages) < set(links["/"])
    assert all(link.startswith("http://") for link in links["/"])
    assert links["/feed.xml"] == tuple(web.at("127.0.0.1", path) for path in web.paths())
    assert links["/sitemap-1.xml.gz"] == tuple(pages)
    assert answers[web.at("127.0.0.2", "/sitemap.xml")].sitemaps == (web.at("127.0.0.2", "/sitemap-1.xml.gz"),)


def test_what_is_not_of_the_public_network_is_refused_however_it_is_written(web: Web) -> None:
    before = web.requests.total()
    names = ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0")
    answers = ask({f"http://{name}:{web.port}/": "page" for name in names}, private=False)
    assert {answer.why for answer in answers.values()} == {"private"}
    assert web.requests.total() == before


def test_robots_that_move_to_a_private_host_are_not_read_there_and_nothing_is_asked(web: Web) -> None:
    class Moves(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(302)
            self.send_header("Location", web.at("127.0.0.2", "/robots.txt"))
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Discard the message."""

    requests: list[str] = []
    before = web.requests["127.0.0.2", "/robots.txt"]
    with ThreadingHTTPServer(("127.0.0.1", 0), Moves) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/a/1.html"
        answer = ask({url: "page"})[url]
        server.shutdown()
    assert (answer.outcome, answer.why) == ("failed", "network")
    assert requests == ["/robots.txt"]
    assert web.requests["127.0.0.2", "/robots.txt"] == before


REBOUND = """
import sys
from twisted.internet import endpoints, protocol, reactor
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer
from whorl.monitor.crawl.resolver import HOSTS, Guard

PORT, ANSWERS = int(sys.argv[1]), [["8.8.8.8"], ["127.0.0.1"], ["8.8.4.4", "127.0.0.1"]]

@implementer(IHostnameResolver)
class Changing:
    def resolveHostName(self, receiver, host, port=0, types=None, transport="TCP"):
        receiver.resolutionBegan(None)
        for address in ANSWERS.pop(0):
            receiver.addressResolved(IPv4Address("TCP", address, port))
        receiver.resolutionComplete()

class Told:
    def __init__(self):
        self.addresses = []
    def resolutionBegan(self, resolution): pass
    def addressResolved(self, address): self.addresses.append(address.host)
    def resolutionComplete(self): pass

reactor.installNameResolver(Changing())
Guard(reactor).install_on_reactor()
first = Told()
reactor.nameResolver.resolveHostName(first, "rebound.example", PORT)
print(first.addresses, sorted(HOSTS.refused))

def then(outcome):
    print(type(outcome.value).__name__, sorted(HOSTS.refused))
    third = Told()
    reactor.nameResolver.resolveHostName(third, "rebound.example", PORT)
    print(third.addresses)
    reactor.stop()

def connect():
    endpoint = endpoints.HostnameEndpoint(reactor, "rebound.example", PORT)
    endpoint.connect(protocol.Factory.forProtocol(protocol.Protocol)).addBoth(then)

reactor.callLater(0, connect)
reactor.run()
"""


def test_a_name_that_later_leads_inside_is_refused_where_it_is_connected_to(web: Web) -> None:
    with socket() as inside:
        inside.bind(("127.0.0.1", 0))
        inside.listen()
        inside.setblocking(False)
        command = [sys.executable, "-c", REBOUND, str(inside.getsockname()[1])]
        process = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        with pytest.raises(BlockingIOError):
            inside.accept()  # no client has connected
    assert process.stdout.splitlines() == [
        "['8.8.8.8'] []",
        "DNSLookupError ['rebound.example']",
        "['8.8.4.4']",
    ], process.stderr


def test_a_host_is_asked_no_faster_than_its_rate(web: Web) -> None:
    web.times.pop("127.0.0.3", None)
    ask({web.at("127.0.0.3", path): "page" for path in web.paths()}, rate=10)
    times = web.times["127.0.0.3"]
    assert len(times) == len(web.paths()) + 1  # after robots.txt
    assert max(times) - min(times) > 0.2  # four gaps of 0.1 s, as far as they can be measured from here


def test_a_process_that_is_ended_leaves_no_question_open(web: Web) -> None:
    with Fetcher("whorl") as fetcher:
        fetcher.ask(PageRequest(1, web.at("127.0.0.1", "/a/1.html"), "page", 1000, FEW_BYTES, PATIENCE, private=True))
        assert [answer.outcome for answer in fetcher.answers(PATIENCE)] == ["page"]
        fetcher.ask(PageRequest(2, web.at("127.0.0.1", "/endless"), "page", 1000, FEW_BYTES, 30, private=True))
        time.sleep(0.2)
        fetcher.renew()
        assert [(answer.number, answer.outcome) for answer in fetcher.answers(PATIENCE)] == [(2, "ended")]
        fetcher.ask(PageRequest(3, web.at("127.0.0.1", "/a/2.html"), "page", 1000, FEW_BYTES, PATIENCE, private=True))
        assert [answer.outcome for answer in fetcher.answers(PATIENCE)] == ["page"]


def test_what_was_not_changed_is_not_sent_again(web: Web) -> None:
    url = web.at("127.0.0.4", "/a/1.html")
    first = ask({url: "page"})[url]
    with Fetcher("whorl") as fetcher:
        fetcher.ask(PageRequest(1, url, "page", 1000, FEW_BYTES, PATIENCE, private=True, etag=first.etag))
        [again] = fetcher.answers(PATIENCE)
    assert (first.status, again.status, again.body) == (200, 304, None)


def test_a_page_moves_only_within_what_is_watched(tmp_path: Path, web: Web) -> None:
    scope = Scope((f"127.0.0.1:{web.port}",))
    answers = ask({web.at("127.0.0.1", path): "page" for path in ("/to-file", "/to-outside", "/moved/1")})
    assert [answer.to for answer in answers.values() if scope.has(answer.to)] == [web.at("127.0.0.1", "/a/1.html")]
