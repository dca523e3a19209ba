"""Messages for failure reasons and verdicts of a watch."""

from __future__ import annotations

from whorl.i18n import Message, say

WHY: dict[str, Message] = {
    "address": say("the address is invalid"),
    "broken": say("fetching it crashed the crawler"),
    "format": say("not a page or text"),
    "network": say("the server is unreachable, or the connection broke"),
    "no-text": say("no text"),
    "parser": say("parsing exceeded the limit of time or memory, or crashed"),
    "private": say("the host has a private address, and `allow_private` is not set"),
    "robots": say("robots.txt forbids it"),
    "rules": say("robots.txt cannot be read, so the site is not fetched"),
    "scope": say("redirected outside the watched scope"),
    "size": say("larger than `max_bytes`"),
    "status": say("refused by the server"),
    "hops": say("too many redirects"),
    "time": say("took longer than `seconds`"),
}
"""Messages by the reason keys that the frontier stores."""

VERDICTS: dict[str, Message] = {
    "copy": say("copy"),
    "reprint": say("permitted reprint"),
    "syndication": say("by the same author"),
    "undetermined": say("undetermined"),
    "gone": say("gone"),
}
"""Messages by verdict."""

__all__ = ["VERDICTS", "WHY"]
