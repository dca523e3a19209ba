from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler
from threading import active_count
from typing import Any

import pytest
from tests.unit.monitor.alerts.receivers import HERE, answering, closed_port, hooks, letters

from whorl.monitor.alerts.channels import Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.secrets import Secret
from whorl.monitor.alerts.sending import Outcome, send

COPY = CopyFound("b7", "a1", share=0.9, length=420, kind="excerpt", title="冰厂扩建")
AT = datetime(2026, 3, 5, tzinfo=UTC)


def hook(url: str, kind: str = "webhook", **more: Any) -> Webhook:
    secret = Secret("hidden") if kind == "webhook" else None
    return Webhook(
        **{"name": "h", "kind": kind, "url": Secret(url), "secret": secret, "allowed": HERE, "seconds": 2, **more}
    )


def box(port: int, **more: Any) -> Mailbox:
    fields = {"name": "m", "host": "127.0.0.1", "port": port, "sender": "whorl@paper.example", "to": ("a@x.example",)}
    return Mailbox(**{**fields, "security": "none", "allowed": HERE, "seconds": 2, **more})


def test_a_webhook_is_told() -> None:
    with hooks(answering(204)) as server:
        assert send(hook(server.url + "?a=b"), [COPY], AT) == Outcome(True)
        (received,) = server.received
    assert received.path == "/hook?a=b"
    assert received.headers["Whorl-Signature"].startswith("sha256=")
    assert received.headers["Host"] == f"127.0.0.1:{server.server_port}"


@pytest.mark.parametrize(
    ("status", "may_heal"),
    [(500, True), (503, True), (429, True), (408, True), (400, False), (404, False), (410, False)],
)
def test_a_refusal_says_whether_to_try_again(status: int, may_heal: bool) -> None:
    with hooks(answering(status, b"no", Retry_After="60")) as server:
        outcome = send(hook(server.url), [COPY], AT)
    assert (outcome.is_told, outcome.may_heal) == (False, may_heal)
    assert str(status) in outcome.reason
    assert outcome.wait == timedelta(minutes=1)


def test_nobody_is_followed_elsewhere() -> None:
    with hooks(answering(200)) as inside, hooks(answering(307, Location=inside.url)) as server:
        outcome = send(hook(server.url), [COPY], AT)
        assert not inside.received
    assert not outcome.is_told
    assert not outcome.may_heal
    assert "redirects" in outcome.reason


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """Send a response whose header never ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.released.wait(0.05):  # type: ignore[attr-defined]
        handler.wfile.write(b"X")


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.server.released.wait(30)  # type: ignore[attr-defined]


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send a successful response that never ends."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.released.is_set():  # type: ignore[attr-defined]
        handler.wfile.write(b"[" * 2**16)


@pytest.mark.parametrize("behaviour", [dripping, silent])
def test_a_webhook_that_hangs_is_left(behaviour: Any) -> None:
    threads = active_count()
    with hooks(behaviour) as server:
        outcome = send(hook(server.url, seconds=0.3), [COPY], AT)
        assert outcome == Outcome(False, "127.0.0.1 did not answer within 0.3 seconds", may_heal=True)
    assert active_count() <= threads + 1  # the receiver's


def test_an_endless_answer_is_not_read() -> None:
    with hooks(endless) as server:
        assert send(hook(server.url), [COPY], AT).is_told
    with hooks(endless) as server:
        outcome = send(hook(server.url, "wecom"), [COPY], AT)
    assert not outcome.is_told
    assert outcome.may_heal


@pytest.mark.parametrize(
    ("kind", "answer", "outcome"),
    [
        ("wecom", b'{"errcode":0,"errmsg":"ok"}', (True, False)),
        ("wecom", b'{"errcode":45009,"errmsg":"too often"}', (False, True)),
        ("dingtalk", b'{"errcode":310000,"errmsg":"sign not match"}', (False, False)),
        ("feishu", b'{"code":0,"msg":"success"}', (True, False)),
        ("feishu", b'{"StatusCode":0}', (True, False)),
        ("feishu", b'{"code":19021,"msg":"sign match fail"}', (False, False)),
        ("feishu", b"<html>", (False, True)),
        ("wecom", b"[]", (False, True)),
        ("slack", b"ok", (True, False)),
    ],
)
def test_chats_say_in_the_answer_whether_they_have_it(kind: str, answer: bytes, outcome: tuple[bool, bool]) -> None:
    with hooks(answering(200, answer)) as server:
        result = send(hook(server.url, kind), [COPY], AT)
    assert (result.is_told, result.may_heal) == outcome


def test_the_inside_of_the_network_is_not_told() -> None:
    with hooks(answering(200)) as server:
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            outcome = send(hook(url, allowed=()), [COPY], AT)
            assert not outcome.is_told
            assert "not public" in outcome.reason
        assert not server.received


def test_who_is_not_there_is_tried_again() -> None:
    outcome = send(hook(f"http://127.0.0.1:{closed_port()}/secret-token"), [COPY], AT)
    assert not outcome.is_told
    assert outcome.may_heal
    assert "secret-token" not in outcome.reason


def test_what_speaks_no_http_is_told() -> None:
    with letters() as server:
        outcome = send(hook(f"http://127.0.0.1:{server.server_address[1]}/"), [COPY], AT)
        encrypted = send(hook(f"https://127.0.0.1:{server.server_address[1]}/"), [COPY], AT)
    assert not outcome.is_told
    assert not encrypted.is_told


def test_a_letter_arrives() -> None:
    with letters() as server:
        assert send(box(server.server_address[1], to=("a@x.example", "b@x.example")), [COPY], AT) == Outcome(True)
        ((sender, to, letter),) = server.letters
    assert (sender, to) == ("whorl@paper.example", ["a@x.example", "b@x.example"])
    assert "冰厂扩建" in message_from_bytes(letter, policy=policy.default).get_content()


def test_refused_receivers_are_told() -> None:
    refused = {"a@x.example": "550 unknown", "b@x.example": "450 full"}
    with letters(refused) as server:
        port = server.server_address[1]
        part = send(box(port, to=("a@x.example", "c@x.example")), [COPY], AT)
        for_ever = send(box(port), [COPY], AT)
        later = send(box(port, to=("b@x.example",)), [COPY], AT)
    assert part.is_told
    assert "a@x.example" in part.reason
    assert not for_ever.is_told
    assert not for_ever.may_heal
    assert not later.is_told
    assert later.may_heal


def test_a_server_of_mail_that_cannot_encrypt_gets_no_password() -> None:
    with letters() as server:
        outcome = send(
            box(server.server_address[1], security="starttls", user="u", password=Secret("hidden")), [COPY], AT
        )
        assert not server.letters
    assert not outcome.is_told
    assert "hidden" not in outcome.reason


def test_a_server_of_mail_that_is_busy_is_tried_again() -> None:
    with letters(greeting="421 busy") as server:
        assert send(box(server.server_address[1]), [COPY], AT).may_heal
