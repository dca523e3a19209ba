import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from whorl.monitor.alerts.channels import Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.messages import mail, post
from whorl.monitor.alerts.secrets import Secret

AT = datetime(2026, 3, 5, 6, 7, 8, tzinfo=UTC)
COPY = CopyFound(
    "b7", "a1", share=0.875, length=420, kind="excerpt", url="https://copies.example/7", title="冰厂扩建 <all>",
    original_title="渔港的冰厂", original_url="https://paper.example/1", found_at=AT,
)  # fmt: skip


def channel(
    kind: str, secret: str | None = None, url: str = "https://desk.example/robot?key=k", **more: object
) -> Webhook:
    value = None if secret is None else Secret(secret)
    return Webhook(name="desk", kind=kind, url=Secret(url), secret=value, language="en", **more)  # type: ignore[arg-type]


def test_a_webhook_gets_data_that_it_can_prove() -> None:
    sent = post(channel("webhook", "秘密"), [COPY], AT)
    data = json.loads(sent.body)
    assert data["version"] == 1
    assert CopyFound.of(data["alerts"][0]) == COPY
    assert data["alerts"][0]["site"] == "copies.example"
    at = sent.headers["Whorl-Timestamp"]
    assert at == str(int(AT.timestamp()))
    signature = hmac.new("秘密".encode(), at.encode() + b"." + sent.body, hashlib.sha256).hexdigest()
    assert sent.headers["Whorl-Signature"] == f"sha256={signature}"


def test_a_message_that_is_sent_again_has_the_same_name() -> None:
    first, again = (post(channel("webhook", "s"), [COPY], AT.replace(hour=hour)).headers for hour in (6, 7))
    assert first["Whorl-Delivery"] == again["Whorl-Delivery"]
    assert first["Whorl-Signature"] != again["Whorl-Signature"]


def test_wecom_gets_text() -> None:
    data = json.loads(post(channel("wecom"), [COPY], AT).body)
    assert data["msgtype"] == "text"
    assert data["text"]["content"].splitlines() == [
        "1 copy was found",
        "",
        "88% of “渔港的冰厂” is contained in “冰厂扩建 <all>”",
        "excerpt, 420 characters in common",
        "copy: https://copies.example/7",
        "original: https://paper.example/1",
        "match: b7 a1",
    ]


def test_dingtalk_is_signed_in_its_address() -> None:
    sent = post(channel("dingtalk", "SECabc"), [COPY], AT)
    request = parse_qs(urlsplit(sent.url.reveal()).query)
    (at,) = request["timestamp"]
    assert at == str(int(AT.timestamp()) * 1000)
    assert request["key"] == ["k"]
    signature = hmac.new(b"SECabc", f"{at}\nSECabc".encode(), hashlib.sha256).digest()
    assert base64.b64decode(request["sign"][0]) == signature
    assert "sign" not in repr(sent)


def test_feishu_is_signed_in_its_body() -> None:
    data = json.loads(post(channel("feishu", "secret"), [COPY], AT).body)
    signature = hmac.new(f"{data['timestamp']}\nsecret".encode(), b"", hashlib.sha256).digest()
    assert base64.b64decode(data["sign"]) == signature
    value = data["content"]["post"]["zh_cn"]
    assert value["title"] == "1 copy was found"
    assert {part["tag"] for line in value["content"] for part in line} == {"text"}


def test_slack_reads_no_markup() -> None:
    message = json.loads(post(channel("slack"), [COPY], AT).body)["text"]
    assert "&lt;all&gt;" in message
    assert "<" not in message


@pytest.mark.parametrize(
    ("kind", "room"), [("wecom", 2048), ("dingtalk", 20_000), ("feishu", 20_000), ("slack", 40_000)]
)
def test_a_message_has_room(kind: str, room: int) -> None:
    many = [CopyFound(f"b{item}", "a", share=1, length=9, kind="exact", title="冰" * 500) for item in range(500)]
    message = json.loads(post(channel(kind), many, AT).body)
    text = json.dumps(message, ensure_ascii=False)
    assert len(text.encode()) < room
    assert "500 copies were found" in text
    assert "more: `whorl review` has all" in text


def test_lies_in_titles_are_shown_and_change_no_line() -> None:
    lying = CopyFound("b\n7", "a1", share=1, length=9, kind="exact", title="a\r\nb\u202ec\ud800")
    content = json.loads(post(channel("wecom"), [lying], AT).body)["text"]["content"]
    assert "“a b⟨RLO⟩c⟨U+D800⟩”" in content
    assert "match: b 7 a1" in content


def test_a_letter_is_plain_text() -> None:
    box = Mailbox(
        name="m", host="mail.example", sender="whorl@paper.example", to=("a@x.example", "b@x.example"), language="zh"
    )
    letter = mail(box, [COPY], AT)
    assert letter["To"] == "a@x.example, b@x.example"
    assert letter["Message-ID"].endswith("@paper.example>")
    assert letter.get_content_type() == "text/plain"
    assert "渔港的冰厂" in letter.get_content()
