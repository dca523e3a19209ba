"""Detect the layout of rows in a JSON file from its beginning.

Many files called .json, and some called .jsonl, are not JSON Lines: an array of objects, an object with such an array,
columns side by side, or pretty-printed objects. Read line by line, all of these would be bad rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from whorl._internal.patterns import lazy_pattern

HEAD_BYTES = 2**16
"""Number of bytes that the detection reads."""

_TOKEN = lazy_pattern(r'"(?:[^"\\\r\n]|\\[^\r\n])*("?)|[{}\[\]:,\n]|[^\s"{}\[\]:,]+')
_SPACES = " \t\r\n\ufeff"
_WRAPPERS = frozenset(
    (
        *("data", "rows", "row", "items", "articles", "results", "records", "docs", "documents", "entries", "list"),
        *("response", "hits", "result", "posts", "news", "corpus", "dataset", "examples", "train", "test", "texts"),
        *("数据", "列表", "文章", "结果", "记录", "新闻"),
    )
)
"""Usual names of row arrays and of objects around them. Only checked for files on one line."""


class JsonLayout(NamedTuple):
    """Layout of the rows of a file.

    Attributes:
        kind: "array" of objects; "values", consecutive objects; "columns", each an array of its values.
        start: number of characters before the first row.
    """

    kind: Literal["array", "values", "columns"]
    start: int = 0


def layout_of(head: str, text_columns: Collection[str], *, is_all: bool) -> JsonLayout | None:
    """Return the layout of a file; None for JSON Lines and for data that is not JSON.

    Args:
        head: its beginning.
        text_columns: the possible names of the text columns.
        is_all: whether ``head`` is the whole file.
    """
    begins = len(head) - len(head.lstrip(_SPACES))
    first = head[begins : begins + 1]
    if first not in ("[", "{"):
        return None
    beginning = _JsonHead(head, begins, text_columns, is_all=is_all)
    return beginning.of_array() if first == "[" else beginning.layout()


class _JsonHead:
    """The beginning of a file that begins with an object."""

    def __init__(self, head: str, begins: int, text_columns: Collection[str], *, is_all: bool) -> None:
        self._head = head
        self._begins = begins
        self._text_columns = text_columns
        self._is_all = is_all

    def of_array(self) -> JsonLayout | None:
        """Return the layout of a file that begins with an array; in JSON Lines, this may be a bad line."""
        end, is_printed = self._first_object()
        if end < 0 or (not is_printed and self._head[end:].partition("\n")[2].strip(_SPACES)):
            return None
        return JsonLayout("array", self._begins + 1)

    def layout(self) -> JsonLayout | None:
        if self._head[self._begins + 1 :].lstrip(_SPACES)[:1] not in ('"', "'", "}", ""):
            return None  # a brace that opens no object
        end, is_printed = self._first_object()
        if end < 0:
            return None
        is_cut = end == len(self._head) and not self._is_all
        rest = self._head[end:]
        if not is_printed and not is_cut:
            line, _, others = rest.partition("\n")
            if line.strip(_SPACES):
                return JsonLayout("values") if line.strip(_SPACES)[0] in "{," else None
            if others.strip(_SPACES) or not self._is_all:
                return None
        if rest.strip(_SPACES):
            return JsonLayout("values")
        wrapped = self._wrapped(is_one_line=not is_printed and is_cut)
        if wrapped is not None:
            return wrapped
        if self._is_columns():
            return JsonLayout("columns")
        return JsonLayout("values") if is_printed else None

    def _first_object(self) -> tuple[int, bool]:
        """Return the end of the first object, and whether it spans several lines; -1 if its line is broken.

        If the object continues beyond the head, the end of the head is returned.
        """
        depth: list[str] = []
        is_printed = False
        before = ""
        for match in _TOKEN.finditer(self._head, self._begins):
            sign = match[0][0]
            if sign == "{" and before == "}" and depth[-1] == "{":
                return -1, False  # the next row, after a row truncated before its value
            before = before if sign == "\n" else sign
            if sign == '"' and not match[1] and match.end() < len(self._head):
                return -1, False  # strings cannot contain a newline
            if sign in "{[":
                depth.append(sign)
            elif sign in "}]":
                depth.pop()
                if not depth:
                    return match.end(), is_printed
            elif sign == "\n" and not is_printed:
                # Within an object, the next line begins with a name; otherwise it is the next row after a broken one.
                after = self._head[match.end() :].lstrip(_SPACES)[:1]
                if depth[-1] == "{" and after == "{" and not self._head[: match.start()].rstrip(_SPACES).endswith(":"):
                    return -1, False
                is_printed = True
        return len(self._head), is_printed

    def _wrapped(self, *, is_one_line: bool) -> JsonLayout | None:
        """Return the nested array whose objects have a text."""
        for path, start, names in self._arrays():
            if is_one_line and not all(name.casefold() in _WRAPPERS for name in path):
                continue
            if any(name in self._text_columns for name in names):
                return JsonLayout("array", start)
        return None

    def _arrays(self) -> Iterator[tuple[list[str], int, set[str]]]:
        """Yield the arrays of objects within objects: the path of names, the start, and the names in the first object.

        A file whose outer object has a text is a single row and yields none.
        """
        path: list[str] = []
        tokens = [match for match in _TOKEN.finditer(self._head, self._begins) if match[0] != "\n"]
        place = 1
        while place < len(tokens) - 2:
            sign, following = tokens[place][0], tokens[place + 2][0]
            if sign[0] == '"' and tokens[place + 1][0] == ":":
                name = sign.strip('"')
                if len(path) == 0 and name in self._text_columns and following[0] == '"':
                    return
                if following == "{":
                    path.append(name)
                    place += 3
                    continue
                if following == "[" and place + 3 < len(tokens) and tokens[place + 3][0] == "{":
                    yield [*path, name], tokens[place + 2].end(), self._names(tokens, place + 3)
                if following in "{[":
                    place = self._behind(tokens, place + 2)
                    continue
            if sign == "}" and path:
                path.pop()
            place += 1

    def _names(self, tokens: list[re.Match[str]], place: int) -> set[str]:
        """Return the names in the object that begins at a token."""
        end = self._behind(tokens, place)
        names, depth = set[str](), 0
        for number in range(place, min(end, len(tokens) - 1)):
            sign = tokens[number][0]
            depth += (sign in "{[") - (sign in "}]")
            if depth == 1 and sign[0] == '"' and tokens[number + 1][0] == ":":
                names.add(sign.strip('"'))
        return names

    def _behind(self, tokens: list[re.Match[str]], place: int) -> int:
        """Return the index of the token after an object or array."""
        depth = 0
        for number in range(place, len(tokens)):
            sign = tokens[number][0]
            depth += (sign in "{[") - (sign in "}]")
            if not depth:
                return number + 1
        return len(tokens)

    def _is_columns(self) -> bool:
        """True if all names have arrays of plain values, or plain values by number as pandas writes them."""
        tokens = [match for match in _TOKEN.finditer(self._head, self._begins) if match[0] != "\n"]
        place, columns = 1, 0
        while place + 4 < len(tokens) and tokens[place][0] not in "},":
            value = [match[0] for match in tokens[place + 2 : place + 5]]
            is_array = value[0] == "[" and value[1] not in ("{", "[", "]")
            if not is_array and not (value[0] == "{" and value[1].strip('"').isdigit() and value[2] == ":"):
                return False
            columns += 1
            place = self._behind(tokens, place + 2) + 1
        return columns > 1  # a single list may be the paragraphs of one text


__all__ = ["HEAD_BYTES", "JsonLayout", "layout_of"]
