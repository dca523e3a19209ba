import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.unit.monitor.alerts.receivers import HERE, answering, certified, closed_port, hooks

import whorl
from whorl.library import Library
from whorl.monitor.alerting import Alerting
from whorl.monitor.alerts.channels import Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.rules import AlertRule
from whorl.monitor.alerts.secrets import Secret
from whorl.monitor.alerts.settings import AlertSettings
from whorl.monitor.alerts.telling import WAITS, alert, queue_alerts, send_alerts
from whorl.monitor.records import Finding

AT = datetime(2026, 3, 5, tzinfo=UTC)
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海，老渔民都说好。"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = whorl.open(tmp_path / "newsroom")
    library.add(
        [
            {"id": "a1", "text": TEXT, "collection": "protected", "title": "冰厂"},
            {"id": "b7", "text": f"据悉，{TEXT}", "url": "https://copies.example/7"},
            {"id": "b8", "text": f"本报讯，{TEXT}", "url": "https://others.example/8"},
        ]
    )
    return library


def settings(*urls: str, rules: tuple[AlertRule, ...] = (), **more: Any) -> AlertSettings:
    fields = {"kind": "webhook", "secret": Secret("s"), "allowed": HERE, "seconds": 2, **more}
    channels = {
        f"c{place}": Webhook(**{"name": f"c{place}", "url": Secret(url), **fields}) for place, url in enumerate(urls)
    }
    return AlertSettings(channels, rules or (AlertRule(name="all", to=tuple(channels)),))


def copies(count: int) -> list[CopyFound]:
    return [CopyFound(f"b{number}", "a1", share=1, length=9, kind="exact") for number in range(count)]


def ids(body: bytes) -> list[str]:
    return sorted(alert["document"] for alert in json.loads(body)["alerts"])


def test_each_match_is_told_once_in_one_message(library: Library) -> None:
    with hooks(answering(200)) as server:
        counts = alert(library, settings(server.url))
        assert (counts.queued, counts.sent, counts.waiting, counts.dead) == (2, 2, 0, 0)
        assert alert(library, settings(server.url)).sent == 0
        (received,) = server.received
    assert ids(received.body) == ["b7", "b8"]


def test_rules_say_who_is_told(library: Library) -> None:
    with hooks(answering(200)) as first, hooks(answering(200)) as other:
        rules = (AlertRule(name="1", to=("c0",), sites=("copies.example",)), AlertRule(name="2", to=("c1",), share=1.0))
        alert(library, settings(first.url, other.url, rules=rules))
        assert [ids(received.body) for received in first.received] == [["b7"]]
        assert [ids(received.body) for received in other.received] == [["b7", "b8"]]


def test_what_was_decided_since_is_not_told(library: Library) -> None:
    with hooks(answering(200)) as server:
        chosen = settings(server.url)
        alert(library, settings(f"http://127.0.0.1:{closed_port()}"))
        library.review("b7", "a1", "rejected")
        library.review("b8", "a1", "confirmed")
        counts = send_alerts(library, chosen, now=datetime.now(UTC) + timedelta(hours=1))
        assert (counts.sent, counts.waiting, counts.dead) == (1, 0, 1)
        (received,) = server.received
    assert json.loads(received.body)["alerts"][0]["review"] == "confirmed"


def test_a_dismissed_match_is_never_told_and_a_confirmed_one_where_that_is_asked(library: Library) -> None:
    library.review("b7", "a1", "rejected")
    library.review("b8", "a1", "confirmed")
    with hooks(answering(200)) as server:
        alert(library, settings(server.url, rules=(AlertRule(name="1", to=("c0",), reviews=("confirmed",)),)))
        assert [ids(received.body) for received in server.received] == [["b8"]]


def test_messages_have_as_many_alerts_as_the_channel_takes(library: Library) -> None:
    with hooks(answering(200)) as server:
        chosen = settings(server.url, most=3)
        assert queue_alerts(library, chosen, copies(7)) == 7
        assert send_alerts(library, chosen, now=AT + timedelta(days=999)).sent == 7
        assert [len(ids(received.body)) for received in server.received] == [3, 3, 1]


def test_what_cannot_be_sent_is_tried_again_later_and_at_last_given_up(library: Library) -> None:
    chosen = settings(f"http://127.0.0.1:{closed_port()}")
    queue_alerts(library, chosen, copies(1))
    now = datetime.now(UTC)
    for wait in WAITS:
        summary = send_alerts(library, chosen, now=now)
        assert (summary.waiting, summary.dead, summary.given_up) == (1, 0, 0)
        assert "c0" in summary.problems
        assert send_alerts(library, chosen, now=now + wait - timedelta(seconds=1)).problems == {}
        now += wait
    last = send_alerts(library, chosen, now=now)
    assert (last.dead, last.given_up) == (1, 1)
    with hooks(answering(200)) as server:
        library.outbox.retry(record.number for record in library.outbox.of("dead"))
        assert send_alerts(library, settings(server.url), now=now).sent == 1


def test_a_receiver_that_asks_for_time_gets_it(library: Library) -> None:
    with hooks(answering(429, Retry_After="3600")) as server:
        queue_alerts(library, settings(server.url), copies(1))
        now = datetime.now(UTC)
        send_alerts(library, settings(server.url), now=now)
    (waiting,) = library.outbox.of("waiting")
    assert waiting.next_try is not None
    assert abs(waiting.next_try - now - timedelta(hours=1)) < timedelta(seconds=1)


def test_what_is_refused_for_good_is_given_up_at_once(library: Library) -> None:
    with hooks(answering(404)) as server:
        queue_alerts(library, settings(server.url), copies(2))
        summary = send_alerts(library, settings(server.url))
    assert (summary.sent, summary.waiting, summary.dead, summary.given_up) == (0, 0, 2, 2)
    assert send_alerts(library, settings(server.url)).given_up == 0  # these were given up before
    assert [alert.error for alert in library.outbox.of("dead")] == ["127.0.0.1 answered 404"] * 2


def test_a_channel_that_hangs_holds_up_no_other(library: Library) -> None:
    def hang(handler: Any) -> None:
        handler.server.released.wait(30)

    with hooks(hang) as slow, hooks(answering(200)) as quick:
        chosen = settings(slow.url, quick.url, seconds=0.5)
        queue_alerts(library, chosen, copies(2))
        counts = send_alerts(library, chosen)
        assert (counts.sent, counts.waiting) == (2, 2)
        assert len(quick.received) == 1
        assert len(slow.received) == 1


def test_a_channel_that_is_no_longer_there_is_told(library: Library) -> None:
    queue_alerts(library, settings("http://127.0.0.1:9"), copies(1))
    counts = send_alerts(library, AlertSettings())
    assert (counts.dead, counts.problems) == (1, {"c0": "channel 'c0' not found"})


def test_copies_are_told_while_a_watch_runs(library: Library) -> None:
    arrived = Event()

    def answer(handler: Any) -> None:
        answering(200)(handler)
        arrived.set()

    with hooks(answer) as server, Alerting(library, settings(server.url), "protected") as alerting:
        alerting.tell(finding("b7", "copy"))
        assert arrived.wait(30)  # before the watch ends
        alerting.tell(finding("b8", "leave"))
        alerting.tell(finding("b7", "copy"))
    (received,) = server.received
    (output,) = json.loads(received.body)["alerts"]
    assert (output["document"], output["original_title"], output["share"]) == ("b7", "冰厂", 0.9)


def finding(document: str, verdict: str) -> Finding:
    return Finding(
        document=document, article="a1", url="https://copies.example/7", site="copies", kind="excerpt",
        verdict=verdict, share=0.9, similarity=0.8, length=40, fetched_at=AT, found_at=AT, run=1,
    )  # fmt: skip


def test_a_receiver_is_told_over_tls_only_if_its_certificate_is_trusted(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certified(tmp_path / "receiver.pem")
    with hooks(answering(204), certificate) as server:
        counts = alert(library, settings(server.url))
        assert (counts.sent, counts.waiting, counts.dead) == (0, 0, 2)
        assert counts.problems == {"c0": "the certificate of 127.0.0.1 is not trusted"}
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert alert(library, settings(server.url)).sent == 0
        assert alert(library, settings(server.url), retry=True).sent == 2
        (received,) = server.received
    assert ids(received.body) == ["b7", "b8"]


def test_a_certificate_of_another_host_is_not_trusted(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certified(tmp_path / "other.pem", "127.0.0.2")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with hooks(answering(204), certificate) as server:
        assert alert(library, settings(server.url)).dead == 2
        assert not server.received
