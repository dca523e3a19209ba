"""Write the reference of the HTTP API, docs/API.md and docs/API.zh-CN.md, from what the service says of itself.

python scripts/endpoints.py [--check]

All is in English but for the list of operations, whose sentences stand in Chinese in ``endpoints.zh.toml``.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from whorl.service import api
from whorl.service.app import create_app
from whorl.service.settings import Settings

DOCS = Path(__file__).parents[1] / "docs"
CHINESE = Path(__file__).with_suffix(".zh.toml")
_BY_HAND = {
    "add_document": "write",
    "check": "read",
    **dict.fromkeys(("begin", "cancel_job", "get_result"), "of its kind"),
}
"""Operations that ask for their scope themselves."""
_ENGLISH_HEAD = """\
# Endpoints

[中文](API.zh-CN.md)

Every operation of the [service](SERVE.md), as its own description has it: `GET /v1/openapi.json`, from which programs
make clients. This page is made of that by `make endpoints`. How to ask, and what is common to all, is told
[there](SERVE.md#asking).

Times are ISO 8601; offsets count code points from 0; shares and probabilities lie between 0 and 1. A *scope* is what
the [caller](SERVE.md#roles-and-scopes) must have.
"""
_CHINESE_HEAD = """\
# 接口

[English](API.md)

[服务](SERVE.zh-CN.md)的全部操作。服务自带机器可读的说明 `GET /v1/openapi.json`，可用来生成客户端；
本页由它生成（`make endpoints`）。字段名和各字段的说明是英文的，见[英文页](API.md)；
怎样提问、各操作共有的规矩，见[服务](SERVE.zh-CN.md#怎样提问)。

时间用 ISO 8601；位置从 0 起，按码位计；占比和概率在 0 与 1 之间。
“权限”一栏是[调用者](SERVE.zh-CN.md#角色与权限)须有的。
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked.

    Attributes:
        name: of the function that answers.
        heading: the method, and the path from the root.
        tag: what it is about.
        about: what it does, as Markdown.
        scope: that the caller must have.
        described: as OpenAPI has it.
    """

    name: str
    heading: str
    tag: str
    about: str
    scope: str
    described: dict[str, Any]

    @property
    def first(self) -> str:
        """The first sentence of what it does."""
        return _line(re.split(r"(?<=[^.…])\. (?=[A-Z`])|\n\n", self.about, maxsplit=1)[0].rstrip(". "))


def operations(schema: dict[str, Any]) -> list[Operation]:
    """Return all operations of an OpenAPI document, in its order."""
    scopes, found = dict(_scopes()), []
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            name = told["summary"].lower().replace(" ", "_")
            heading = f"{method.upper()} {path}"
            found.append(Operation(name, heading, told["tags"][0], told["description"], scopes[name], told))
    return found


def _scopes() -> Iterator[tuple[str, str]]:
    """What each operation asks for, by the name of its function."""
    for _, module in inspect.getmembers(api, inspect.ismodule):
        for route in module.router.routes if hasattr(module, "router") else ():
            if isinstance(route, APIRoute):
                asked = {scope for part in _parts(route.dependant) for scope in _closed_over(part)}
                yield route.name, _BY_HAND.get(route.name) or " and ".join(sorted(asked - {"read"}) or asked)


def _parts(dependant: Dependant) -> Iterator[Any]:
    for one in dependant.dependencies:
        yield one.call
        yield from _parts(one)


def _closed_over(function: Any) -> Iterator[str]:
    """The scopes that a dependency was made with, by ``may`` or ``library_for``."""
    kept = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    if "scope" in kept:
        yield kept["scope"]
    if "allowed" in kept:
        yield from _closed_over(kept["allowed"])


def english(schema: dict[str, Any]) -> str:
    """Return the page in English."""
    asked = operations(schema)
    parts = [_ENGLISH_HEAD, *_summary(asked, ("operation", "scope", "what it does"), {})]
    for tag, some in groupby(asked, lambda one: one.tag):
        parts.append(f"## {tag.capitalize()}\n")
        for one in some:
            parts += _told(one)
    parts.append("## Data\n")
    for name, described in sorted(schema["components"]["schemas"].items()):
        parts += _data(name, described)
    return "\n".join(parts).rstrip() + "\n"


def chinese(schema: dict[str, Any]) -> str:
    """Return the page in Chinese.

    Raises:
        KeyError: an operation is not translated.
    """
    said = tomllib.loads(CHINESE.read_text("utf-8"))
    asked = operations(schema)
    lacking = [one.first for one in asked if one.first not in said["sentences"]]
    if lacking:
        sys.exit("\n".join([f"{CHINESE.name} lacks:", *lacking]))
    parts = [_CHINESE_HEAD]
    for tag, some in groupby(asked, lambda one: one.tag):
        parts += [f"## {said['tags'][tag]}\n", *_summary(list(some), ("操作", "权限", "做什么"), said["sentences"])]
    return "\n".join(parts).rstrip() + "\n"


def _summary(asked: list[Operation], heads: tuple[str, ...], said: dict[str, str]) -> Iterator[str]:
    """The table of some operations; those in English lead to where they are described."""
    yield _table(heads, ((_named(one, is_link=not said), one.scope, said.get(one.first, one.first)) for one in asked))


def _named(one: Operation, *, is_link: bool) -> str:
    return f"[`{one.heading}`](#{_anchor(one.heading)})" if is_link else f"`{one.heading}`"


def _told(one: Operation) -> Iterator[str]:
    yield f"### `{one.heading}`\n"
    yield f"{_text(one.about)}\n\nScope: {one.scope}.\n"
    parameters = one.described.get("parameters", ())
    if parameters:
        rows = (
            (f"`{given['name']}`", _kind_of(given), _type(given["schema"]), _line(given.get("description", "")))
            for given in parameters
        )
        yield _table(("parameter", "in", "is", "means"), rows)
    body = one.described.get("requestBody", {}).get("content", {})
    if body:
        yield f"Takes {_contents(body)}.\n"
    answers = {status: told for status, told in one.described["responses"].items() if "$ref" not in told}
    yield f"Gives {'; '.join(f'{status}: {_answer(told)}' for status, told in sorted(answers.items()))}.\n"


def _kind_of(given: dict[str, Any]) -> str:
    return f"{given['in']}, required" if given.get("required") and given["in"] != "path" else given["in"]


def _answer(told: dict[str, Any]) -> str:
    content = _contents(told.get("content", {}))
    description = told.get("description", "").rstrip(".")
    own = "" if description == "Successful Response" else description
    return " – ".join(part for part in (own, content) if part) or "nothing"


def _contents(content: dict[str, Any]) -> str:
    kinds = (
        _type(told["schema"]) if kind == "application/json" and told.get("schema") else f"`{kind}`"
        for kind, told in content.items()
    )
    forms = (told["schema"]["$ref"] for kind, told in content.items() if kind.startswith("multipart/"))
    return ", ".join([*kinds, *(_link(one) for one in forms)])


def _data(name: str, described: dict[str, Any]) -> Iterator[str]:
    yield f"### `{name}`\n"
    if described.get("description"):
        yield f"{_text(described['description'])}\n"
    if described.get("properties"):
        rows = (
            (f"`{field}`", _type(told), _line(told.get("description", "")))
            for field, told in described["properties"].items()
        )
        yield _table(("field", "is", "means"), rows)


def _type(schema: dict[str, Any]) -> str:
    """What a value is, in words."""
    match schema:
        case {"$ref": named}:
            return _link(named)
        case {"anyOf": several} | {"oneOf": several}:
            return " or ".join(dict.fromkeys(_type(one) for one in several))
        case {"const": value}:
            return f"`{value}`"
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"items": dict(items)}:
            return f"list of {_type(items)}"
        case {"prefixItems": items}:
            return f"list of {', '.join(map(_type, items))}"
    return _plain_type(schema)


def _plain_type(schema: dict[str, Any]) -> str:
    match schema:
        case {"additionalProperties": dict(values)} if values:
            return f"object of {_type(values)}"
        case {"format": "date-time"}:
            return "time"
        case {"format": "binary"} | {"contentMediaType": _}:
            return "file"
        case {"type": str(kind)}:
            return kind
    return "anything"


def _link(named: str) -> str:
    name = named.rpartition("/")[2]
    return f"[{name}](#{_anchor(name)})"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _text(described: str) -> str:
    """Markdown of a description, each paragraph a line."""
    return "\n\n".join(_line(part) for part in described.strip().split("\n\n"))


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    """Write both pages; with ``--check`` only say whether they are as they would be written."""
    schema = create_app(Settings({"newsroom": "newsroom"}, "service")).openapi()
    made = {"API.md": english(schema), "API.zh-CN.md": chinese(schema)}
    for name, text in made.items():
        place = DOCS / name
        if "--check" not in sys.argv[1:]:
            place.write_text(text, "utf-8")
        elif not place.exists() or place.read_text("utf-8") != text:
            sys.exit(f"docs/{name} is not what the service says of itself: run `make endpoints`")


if __name__ == "__main__":
    main()
