"""Values of content controls that are stored in a part of custom XML (``w:dataBinding``) [ECMA-376-1, 17.5.2.6].

Programs that fill in a template often write only the custom XML: Word displays these values, while the document still
has the placeholders. Without the values, all forms of one template would be equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO, Any
from xml.etree import ElementTree as ET

from whorl.corpus.formats.office.zip_parts import events

_STEP = re.compile(r"(?P<is_attribute>@)?(?:[\w.-]+:)?(?P<name>[\w.-]+)(?:\[(?P<number>\d{1,6})\])?")
_MAX_STEPS = 64


class Bindings:
    """Values of custom XML parts, which are parsed at the first lookup.

    Args:
        parts: opens each of them.
    """

    def __init__(self, parts: Iterable[Callable[[], IO[bytes]]] = ()) -> None:
        self._parts = list(parts)
        self._roots: list[Any] | None = None

    def value(self, path: str) -> str:
        """Return the text at an XPath of names and numbers, on one line; empty if there is no such element."""
        if self._roots is None:
            self._roots = [root for root in map(_root, self._parts) if root is not None]
        steps = [_STEP.fullmatch(step) for step in path.strip("/").split("/")]
        if len(steps) > _MAX_STEPS or not all(steps):
            return ""
        texts = (_text(root, [step for step in steps if step is not None]) for root in self._roots)
        return next((text for text in texts if text), "")


def _root(open_part: Callable[[], IO[bytes]]) -> Any:
    """Return the root element of a part; None if it is not XML, since Word opens such documents."""
    root = None
    with suppress(ET.ParseError), open_part() as part:
        for _, element in events(part, "end"):
            root = element
    return root


def _text(root: Any, steps: list[re.Match[str]]) -> str:
    if _local(root.tag) != steps[0]["name"]:
        return ""
    element = root
    for step in steps[1:]:
        if step["is_attribute"]:
            values = (value for name, value in element.items() if _local(name) == step["name"])
            return " ".join(next(values, "").split())
        same = [child for child in element if _local(child.tag) == step["name"]]
        number = int(step["number"] or 1)
        if not 0 < number <= len(same):
            return ""
        element = same[number - 1]
    return "" if len(element) else " ".join((element.text or "").split())


def _local(name: str) -> str:
    return name.rpartition("}")[2]


__all__ = ["Bindings"]
