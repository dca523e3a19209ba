"""Delivery of one message within limits of time, response size and permitted addresses.

A host is resolved once, all its addresses must be permitted, and the connection uses one of them. Redirects are not
followed.
"""

from __future__ import annotations

import http.client
import json
import smtplib
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from email.message import EmailMessage
from threading import Event, Timer
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.errors import WhorlError
from whorl.i18n import Message, say
from whorl.monitor.addresses import demand_public
from whorl.monitor.alerts.channels import Channel, Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.messages import Post, mail, post

_MOST_BYTES = 2**16
_LONGEST_WAIT = timedelta(hours=12)
_LATER = (408, 425, 429)
_CODES = {"wecom": ("errcode",), "dingtalk": ("errcode",), "feishu": ("code", "StatusCode")}
"""Fields of the error code in responses of chats."""
_BUSY = (-1, 45009, 130101, 660026, 11232)
"""Codes for rate limits and temporary failures."""


@frozen
class Outcome:
    """Result of a delivery.

    Attributes:
        is_told: True if the receiver accepted the message.
        reason: error without secrets; empty on success.
        may_heal: True if a retry may succeed.
        wait: delay requested by the receiver.
    """

    is_told: bool
    reason: str = ""
    may_heal: bool = False
    wait: timedelta = timedelta(0)


def send(channel: Channel, alerts: Sequence[CopyFound], at: datetime) -> Outcome:
    """Send alerts to a channel. Errors are returned, not raised.

    Cost: at most the timeout of the channel, and 64 kB of memory for the response.
    """
    try:
        if isinstance(channel, Mailbox):
            return _mailed(channel, mail(channel, alerts, at))
        return _posted(channel, post(channel, alerts, at))
    except WhorlError as error:
        return Outcome(False, error.message)
    except (smtplib.SMTPException, http.client.HTTPException, OSError, ValueError) as error:
        return _failed(channel, error)


def _failed(channel: Channel, error: Exception) -> Outcome:
    """Convert a network error. Only its type is reported, as its text may contain the message."""
    host = channel.host
    if isinstance(error, smtplib.SMTPResponseException):
        reason = say("{host} answered {code}", host=host, code=error.smtp_code)
        return Outcome(False, reason, may_heal=400 <= error.smtp_code < 500)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = {code for code, _ in error.recipients.values()}
        reason = say("{host} refuses a receiver: {code}", host=host, code=min(codes))
        return Outcome(False, reason, may_heal=all(code < 500 for code in codes))
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return Outcome(False, say("{host} does not support a required feature", host=host))
    if isinstance(error, ssl.SSLCertVerificationError):
        return Outcome(False, say("the certificate of {host} is not trusted", host=host))
    if isinstance(error, TimeoutError):
        return Outcome(False, _late(channel), may_heal=True)
    kind = getattr(error, "strerror", None) or type(error).__name__
    return Outcome(False, say("{host} is unreachable: {reason}", host=host, reason=kind), may_heal=True)


def _late(channel: Channel) -> Message:
    return say("{host} did not answer within {seconds:g} seconds", host=channel.host, seconds=channel.seconds)


@contextmanager
def _connected(channel: Channel, port: int, *, encrypted: bool) -> Iterator[socket.socket]:
    """Open a connection that is closed at the timeout of the channel, even while data arrives."""
    end = monotonic() + channel.seconds
    late = Event()
    with _opened(channel, port, end) as plain, plain.dup() as guard:
        # The guard is shut down below TLS, whose own shutdown would wait for the peer.
        timer = Timer(max(0.0, end - monotonic()), _stop, (guard, late))
        timer.daemon = True
        timer.start()
        try:
            if encrypted:
                with ssl.create_default_context().wrap_socket(plain, server_hostname=channel.host) as safe:
                    yield safe
            else:
                yield plain
            if late.is_set():
                raise TimeoutError  # the response may be truncated
        except (OSError, http.client.HTTPException, smtplib.SMTPException):
            if late.is_set():
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()
            timer.join()


def _opened(channel: Channel, port: int, end: float) -> socket.socket:
    resolved = socket.getaddrinfo(channel.host, port, type=socket.SOCK_STREAM)
    addresses = demand_public(channel.host, (str(item[4][0]) for item in resolved), channel.allowed)
    failure: OSError = TimeoutError()
    for address in addresses:
        remaining = end - monotonic()
        if remaining <= 0:
            break
        try:
            return socket.create_connection((address, port), remaining)
        except OSError as error:
            failure = error
    raise failure


def _stop(guard: socket.socket, late: Event) -> None:
    late.set()
    with suppress(OSError):  # the peer has already closed the connection
        guard.shutdown(socket.SHUT_RDWR)


def _posted(channel: Webhook, message: Post) -> Outcome:
    parts = urlsplit(message.url.reveal())
    encrypted = parts.scheme == "https"
    port = parts.port or (443 if encrypted else 80)
    with _connected(channel, port, encrypted=encrypted) as connection:
        asking = http.client.HTTPConnection(channel.host, port)
        asking.sock = connection
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        asking.request("POST", target, message.body, {"Host": parts.netloc, "Connection": "close", **message.headers})
        answer = asking.getresponse()
        if answer.status // 100 != 2:
            return _refused(channel, answer)
        # After a success status, the body is not needed and may never end.
        return _answered(channel, answer.read(_MOST_BYTES)) if channel.kind in _CODES else Outcome(True)


def _refused(channel: Webhook, answer: http.client.HTTPResponse) -> Outcome:
    if answer.status // 100 == 3:
        return Outcome(False, say("{host} redirects, and redirects are not followed", host=channel.host))
    may_heal = answer.status >= 500 or answer.status in _LATER
    delay = answer.headers.get("Retry-After", "")
    wait = timedelta(seconds=int(delay)) if delay.isascii() and delay.isdigit() and len(delay) < 8 else timedelta(0)
    reason = say("{host} answered {code}", host=channel.host, code=answer.status)
    return Outcome(False, reason, may_heal, min(wait, _LONGEST_WAIT))


def _answered(channel: Webhook, body: bytes) -> Outcome:
    """Interpret the response of a chat, whose HTTP status is always a success."""
    try:
        data: Any = json.loads(body)
        code = next(data[name] for name in _CODES[channel.kind] if name in data)
    except (ValueError, TypeError, StopIteration, RecursionError):
        return Outcome(False, say("unexpected response from {host}", host=channel.host), may_heal=True)
    if code == 0:
        return Outcome(True)
    shown_code = code if type(code) is int else "?"
    return Outcome(False, say("{host} answered {code}", host=channel.host, code=shown_code), may_heal=code in _BUSY)


class _Smtp(smtplib.SMTP):
    """SMTP session over an existing connection."""

    def __init__(self, connection: socket.socket, channel: Mailbox) -> None:
        self._connection = connection
        domain = channel.sender.rpartition("@")[2]
        super().__init__(channel.host, channel.own_port, local_hostname=domain, timeout=channel.seconds)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:  # noqa: ARG002
        return self._connection


def _mailed(channel: Mailbox, message: EmailMessage) -> Outcome:
    encrypted = channel.security == "tls"
    with _connected(channel, channel.own_port, encrypted=encrypted) as connection, _Smtp(connection, channel) as smtp:
        if channel.security == "starttls":
            smtp.starttls(context=ssl.create_default_context())
        if channel.password:
            smtp.login(channel.user, channel.password.reveal())
        refused = smtp.send_message(message)
    if refused:
        addresses = ", ".join(sorted(refused))
        return Outcome(True, say("{host} refuses mail for {addresses}", host=channel.host, addresses=addresses))
    return Outcome(True)


__all__ = ["Outcome", "send"]
