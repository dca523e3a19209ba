"""Change single values of a JSON object; everything else keeps its spelling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder(strict=False)


def member_spans(text: str) -> tuple[dict[str, tuple[int, int]], int]:
    """Return where the value of each member of an object is, and where its closing brace is.

    Of members with the same name, the last one counts.

    Raises:
        ValueError: the text is not a JSON object.
    """
    spans: dict[str, tuple[int, int]] = {}
    at = _skip(text, 0, "\ufeff" + _BLANKS)
    if text[at : at + 1] != "{":
        raise ValueError("not a JSON object")
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise ValueError("a name is missing")
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("a colon is missing")
        start = _skip(text, at + 1)
        _, end = _DECODER.raw_decode(text, start)
        spans[name] = start, end
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return spans, at


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """Return an object with new values; members that it lacks are appended.

    Characters beyond ASCII are escaped if the object has none and escapes them itself.
    """
    spans, closing = member_spans(text)
    escapes = text.isascii() and "\\u" in text

    def spelled(value: Any) -> str:
        return json.dumps(value, ensure_ascii=escapes)

    added = [
        f"{json.dumps(name, ensure_ascii=escapes)}: {spelled(values[name])}" for name in values if name not in spans
    ]
    pieces = [(*spans[name], spelled(value)) for name, value in values.items() if name in spans]
    if added:
        end = len(text[:closing].rstrip(_BLANKS))
        pieces.append((end, end, (", " if spans else "") + ", ".join(added)))
    for start, end, value in sorted(pieces, reverse=True):
        text = text[:start] + value + text[end:]
    return text


def _skip(text: str, at: int, signs: str = _BLANKS) -> int:
    while at < len(text) and text[at] in signs:
        at += 1
    return at


__all__ = ["member_spans", "with_values"]
