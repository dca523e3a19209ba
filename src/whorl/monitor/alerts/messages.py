"""Formatting of alerts for each kind of channel. Pure functions: the time is a parameter, and nothing is sent.

Chats receive plain text only, so that titles of copies cannot inject markup, links or mentions.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

from whorl._internal.frozen import frozen
from whorl.i18n import Language, say, spoken, translated
from whorl.monitor.alerts.channels import Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound, heading, lines
from whorl.monitor.alerts.secrets import Secret

_ROOM = {"wecom": 2000, "dingtalk": 18_000, "feishu": 14_000, "slack": 30_000}
"""Maximum text size of chats in bytes, with a reserve."""
_VERSION = 1


@frozen
class Post:
    """An HTTP request for a webhook.

    Attributes:
        url: target address.
        headers: HTTP headers.
        body: JSON body.
    """

    url: Secret
    headers: dict[str, str]
    body: bytes


def post(channel: Webhook, alerts: Sequence[CopyFound], at: datetime) -> Post:
    """Format alerts as the request for a webhook.

    A "webhook" gets ``Whorl-Timestamp``, seconds since 1970, and ``Whorl-Signature``, which is ``sha256=`` and the
    HMAC-SHA256 of the timestamp, a full stop and the body, in hexadecimal digits. ``Whorl-Delivery`` stays the same if
    the same alerts are sent again.
    """
    language = channel.language or spoken()
    url, headers = channel.url, {"Content-Type": "application/json; charset=utf-8", "User-Agent": "whorl"}
    seconds = str(int(at.timestamp()))
    if channel.kind == "webhook":
        body = _json({"version": _VERSION, "alerts": [_data(alert) for alert in alerts]})
        headers["Whorl-Timestamp"] = seconds
        headers["Whorl-Delivery"] = delivery(alerts)
        if channel.secret:
            headers["Whorl-Signature"] = f"sha256={signature(channel.secret, seconds, body)}"
        return Post(url, headers, body)
    text = _text(alerts, language, _ROOM[channel.kind])
    match channel.kind:
        case "wecom":
            data: dict[str, Any] = {"msgtype": "text", "text": {"content": text}}
        case "dingtalk":
            data = {"msgtype": "text", "text": {"content": text}}
            url = _signed_address(channel, int(at.timestamp() * 1000))
        case "feishu":
            data = _feishu(channel, text, seconds)
        case _:
            data = {"text": text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    return Post(url, headers, _json(data))


def signature(secret: Secret, timestamp: str, body: bytes) -> str:
    """Return the signature by which a receiver verifies sender and integrity of a message."""
    return hmac.new(secret.reveal().encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


def delivery(alerts: Sequence[CopyFound]) -> str:
    """Return the id of a message, which is stable over retries."""
    return hashlib.sha256("\n\n".join(alert.key for alert in alerts).encode("utf-8", "replace")).hexdigest()[:32]


def mail(channel: Mailbox, alerts: Sequence[CopyFound], at: datetime) -> EmailMessage:
    """Format alerts as an e-mail in plain text."""
    language = channel.language or spoken()
    message = EmailMessage()
    message["Subject"] = f"whorl: {heading(len(alerts), language)}"
    message["From"] = channel.sender
    message["To"] = ", ".join(channel.to)
    message["Date"] = format_datetime(at.astimezone(UTC))
    message["Message-ID"] = f"<{delivery(alerts)}@{channel.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_text(alerts, language, None))
    return message


def _text(alerts: Sequence[CopyFound], language: Language, room: int | None) -> str:
    """Return the text of as many alerts as fit, and the number of omitted ones."""
    parts, size = [heading(len(alerts), language)], 0
    for number, alert in enumerate(alerts):
        part = "\n".join(lines(alert, language))
        size += len(part.encode("utf-8", "replace")) + 2
        if room is not None and size > room - 200 and number:
            remaining = len(alerts) - number
            parts.append(
                str(translated(say("… and {count:,} more: `whorl review` has all", count=remaining), language))
            )
            break
        parts.append(part)
    return "\n\n".join(parts).encode("utf-8", "replace").decode()


def _feishu(channel: Webhook, text: str, seconds: str) -> dict[str, Any]:
    title, _, rest = text.partition("\n")
    content = [[{"tag": "text", "text": line}] for line in rest.strip("\n").split("\n")]
    data: dict[str, Any] = {"msg_type": "post", "content": {"post": {"zh_cn": {"title": title, "content": content}}}}
    if channel.secret:
        key = f"{seconds}\n{channel.secret.reveal()}".encode()
        data |= {"timestamp": seconds, "sign": base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()}
    return data


def _signed_address(channel: Webhook, milliseconds: int) -> Secret:
    """Return the signed address for 钉钉."""
    if not channel.secret:
        return channel.url
    key = channel.secret.reveal()
    mac = hmac.new(key.encode(), f"{milliseconds}\n{key}".encode(), hashlib.sha256).digest()
    url = channel.url.reveal()
    sign = quote(base64.b64encode(mac).decode(), safe="")
    return Secret(f"{url}{'&' if '?' in url else '?'}timestamp={milliseconds}&sign={sign}")


def _data(alert: CopyFound) -> dict[str, Any]:
    return alert.to_dict() | {"site": alert.site}


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


__all__ = ["Post", "delivery", "mail", "post", "signature"]
