"""Why pages do not come, and what became of those that do, in words for people."""

from __future__ import annotations

from whorl.language import Message, say

WHY: dict[str, Message] = {
    "address": say("the address cannot be asked for"),
    "broken": say("fetching it ended the process that fetches"),
    "format": say("it is no page and no text"),
    "network": say("the server cannot be reached, or broke off"),
    "no-text": say("it has no text"),
    "parser": say("reading what it sent took too long or too much memory, or broke the parser"),
    "private": say("its host has an address that is not public, and `allow_private` is not set"),
    "robots": say("robots.txt forbids it"),
    "rules": say("robots.txt cannot be read, so nothing is asked for"),
    "scope": say("it moved out of what is watched"),
    "size": say("it is larger than `max_bytes`"),
    "status": say("the server refused it"),
    "hops": say("it moves in circles"),
    "time": say("it took longer than `seconds`"),
}
"""By the words that the frontier keeps."""

VERDICTS: dict[str, Message] = {
    "copy": say("copy"),
    "leave": say("reprint with leave"),
    "undetermined": say("undetermined"),
    "gone": say("gone"),
}
"""What is found on a watched page."""

__all__ = ["VERDICTS", "WHY"]
