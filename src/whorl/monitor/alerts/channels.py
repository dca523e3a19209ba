"""Alert channels: webhooks, chat bots and e-mail."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import LANGUAGES, Language, say
from whorl.monitor.alerts.secrets import Secret
from whorl.monitor.settings.setting_error import SettingError

ROBOTS = ("wecom", "dingtalk", "feishu", "slack")
"""Chats: 企业微信, 钉钉, 飞书, Slack."""
SECURITIES = ("tls", "starttls", "none")
_PORTS = MappingProxyType({"tls": 465, "starttls": 587, "none": 25})
_SIGNED = ("dingtalk", "feishu", "webhook")
_MOST_TOLD = 1000
_MAIL = re.compile(r"[^\s,;:<>\"()@\[\]\\\x00-\x1f\x7f]+@[^\s,;:<>\"()@\[\]\\\x00-\x1f\x7f]+")


@frozen(kw_only=True)
class Webhook:
    """A channel that posts over HTTP.

    Attributes:
        name: name of the channel.
        kind: "webhook", or one of ``ROBOTS``.
        url: target address; for chats it is a secret.
        secret: signing secret, required for "webhook", optional for "dingtalk" and "feishu".
        allowed: permitted hosts and networks that are not public.
        most: maximum number of alerts per message.
        seconds: timeout including the connection.
        language: language of the messages.
    """

    name: str
    kind: str
    url: Secret
    secret: Secret | None = None
    allowed: tuple[str, ...] = ()
    most: int = 20
    seconds: float = 10.0
    language: Language | None = None

    def __post_init__(self) -> None:
        _demand_common(self)
        if not _is_of_the_web(self.url.reveal()):
            raise SettingError(say("url is not a web address"), hint=say("write it as https://host/path"), key="url")
        if self.kind == "webhook" and not self.secret:
            hint = say('write {name} = {{ env = "NAME" }}', name="secret")
            raise SettingError(say("secret is missing"), hint=hint, key="secret")
        if self.secret is not None and self.kind not in _SIGNED:
            raise UsageError(
                say("secret is set, but {kind} does not support signatures", kind=self.kind), hint=say("remove it")
            )

    @property
    def host(self) -> str:
        """Host name of the address, which is not secret."""
        return urlsplit(self.url.reveal()).hostname or ""


@frozen(kw_only=True)
class Mailbox:
    """A channel that sends e-mail.

    Attributes:
        name: name of the channel.
        host: SMTP server.
        sender: sender address.
        to: receiver addresses.
        security: "tls", "starttls" or "none".
        port: port of the server; None for the default.
        user: user name; empty for no authentication.
        password: password of the user.
        allowed: permitted hosts and networks that are not public.
        most: maximum number of alerts per message.
        seconds: timeout.
        language: language of the messages.
    """

    name: str
    host: str
    sender: str
    to: tuple[str, ...]
    security: str = "starttls"
    port: int | None = None
    user: str = ""
    password: Secret | None = None
    allowed: tuple[str, ...] = ()
    most: int = 200
    seconds: float = 30.0
    language: Language | None = None

    kind = "email"

    def __post_init__(self) -> None:
        _demand_common(self)
        demand_one_of(self.security, "security", SECURITIES)
        demand_names((self.host,), "host")
        if self.port is not None:
            demand_number(self.port, "port", 1, 65535)
        _demand_mail(self.sender, "sender")
        for address in self.to:
            _demand_mail(address, "to")
        if not self.to:
            raise SettingError(say("to is empty"), hint=say("add a receiver"), key="to")
        if bool(self.user) != bool(self.password):
            hint = say("set both, or neither")
            raise SettingError(say("user and password must be set together"), hint=hint, key="password")
        if self.password and self.security == "none":
            hint = say('choose security = "starttls" or "tls"')
            raise SettingError(say("a password would be sent unencrypted"), hint=hint, key="security")

    @property
    def own_port(self) -> int:
        """Port of the server."""
        return self.port or _PORTS[self.security]


Channel = Webhook | Mailbox


def _demand_common(channel: Channel) -> None:
    demand_names(channel.allowed, "allowed")
    demand_number(channel.most, "most", 1, _MOST_TOLD)
    demand_number(channel.seconds, "seconds", 0.01, 600)
    if channel.language is not None:
        demand_one_of(channel.language, "language", LANGUAGES)


def demand_number(value: Any, name: str, minimum: float, maximum: float) -> None:
    """Require a number within bounds; an integer if the lower bound is an integer."""
    kinds = int if isinstance(minimum, int) else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not minimum <= value <= maximum:
        raise SettingError(
            say("{name} is out of range: {value!r}", name=name, value=value),
            hint=say("use a number from {least} to {most}", least=minimum, most=maximum),
            key=name,
            value=str(value),
        )


def demand_names(value: Any, name: str) -> None:
    """Require a tuple of non-empty strings."""
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise SettingError(
            say("expected a list of names for {name}", name=name),
            hint=say('write {name} = ["..."]', name=name),
            key=name,
        )


def demand_one_of(value: Any, name: str, choices: tuple[str, ...]) -> None:
    """Require one of the known values."""
    if value not in choices:
        raise SettingError(
            say("unknown {name} {value!r}", name=name, value=value),
            hint=say("choose one of: {known}", known=", ".join(choices)),
            key=name,
            value=str(value),
        )


def _is_of_the_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_named = bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and is_named and url.isascii() and url.isprintable() and " " not in url


def _demand_mail(address: Any, name: str) -> None:
    if not isinstance(address, str) or not _MAIL.fullmatch(address):
        raise SettingError(
            say("{address!r} is not an e-mail address", address=address),
            hint=say("write it as desk@paper.example"),
            key=name,
            value=str(address),
        )


__all__ = ["ROBOTS", "Channel", "Mailbox", "Webhook", "demand_names", "demand_number", "demand_one_of"]
