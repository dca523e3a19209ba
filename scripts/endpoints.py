"""Write the reference of the HTTP API, docs/API.md and docs/API.zh-CN.md, from the OpenAPI document of the service.

python scripts/endpoints.py [--check]

The Chinese page is translated only in its list of operations, whose sentences are in ``endpoints.zh.toml``.
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
"""Operations that check their scope themselves."""
_ENGLISH_HEAD = """\
# Endpoints

[中文](API.zh-CN.md)

All operations of the [service](SERVE.md). The service has the same description at `GET /v1/openapi.json`, for
generators of clients; `make endpoints` generates this page from it. Examples and common rules: [requests](HTTP.md).

Times are ISO 8601; offsets count code points from 0; shares and probabilities lie between 0 and 1. The *scope* is
that of the [key or user](SERVE.md#roles-and-scopes).
"""
_CHINESE_HEAD = """\
# 接口

[English](API.md)

[服务](SERVE.zh-CN.md)的全部接口。机器可读的说明在 `GET /v1/openapi.json`，可用来生成客户端；
本页由它生成（`make endpoints`）。字段说明只有英文，见[英文页](API.md)；示例与通用规则见[调用服务](HTTP.zh-CN.md)。

时间用 ISO 8601；位置从 0 起，按码位计；占比和概率在 0 与 1 之间。
“权限”一栏是[密钥或用户](SERVE.zh-CN.md#角色与权限)须有的权限。
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API.

    Attributes:
        name: name of the handler function.
        heading: the method, and the path from the root.
        tag: its group.
        about: description in Markdown.
        scope: required scope of the caller.
        described: its OpenAPI entry.
    """

    name: str
    heading: str
    tag: str
    about: str
    scope: str
    described: dict[str, Any]

    @property
    def first(self) -> str:
        """First sentence of the description."""
        return _line(re.split(r"(?<=[^.…])\. (?=[A-Z`])|\n\n", self.about, maxsplit=1)[0].rstrip(". "))


def operations(schema: dict[str, Any]) -> list[Operation]:
    """Return all operations of an OpenAPI document, in its order."""
    scopes, result = dict(_scopes()), []
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            name = described["summary"].lower().replace(" ", "_")
            heading = f"{method.upper()} {path}"
            result.append(
                Operation(name, heading, described["tags"][0], described["description"], scopes[name], described)
            )
    return result


def _scopes() -> Iterator[tuple[str, str]]:
    """Return the required scope of each operation, by the name of its function."""
    for _, module in inspect.getmembers(api, inspect.ismodule):
        for route in module.router.routes if hasattr(module, "router") else ():
            if isinstance(route, APIRoute):
                scopes = {scope for part in _parts(route.dependant) for scope in _closed_over(part)}
                yield route.name, _BY_HAND.get(route.name) or " and ".join(sorted(scopes - {"read"}) or scopes)


def _parts(dependant: Dependant) -> Iterator[Any]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from _parts(dependency)


def _closed_over(function: Any) -> Iterator[str]:
    """Return the scopes in the closure of a dependency made by ``may`` or ``library_for``."""
    kept = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    if "scope" in kept:
        yield kept["scope"]
    if "allowed" in kept:
        yield from _closed_over(kept["allowed"])


def english(schema: dict[str, Any]) -> str:
    """Return the page in English."""
    listed = operations(schema)
    parts = [_ENGLISH_HEAD, *_summary(listed, ("operation", "scope", "what it does"), {})]
    for tag, some in groupby(listed, lambda operation: operation.tag):
        parts.append(f"## {tag.capitalize()}\n")
        for operation in some:
            parts += _details(operation)
    parts.append("## Data\n")
    for name, described in sorted(schema["components"]["schemas"].items()):
        parts += _data(name, described)
    return "\n".join(parts).rstrip() + "\n"


def chinese(schema: dict[str, Any]) -> str:
    """Return the page in Chinese.

    Raises:
        KeyError: an operation has no translation.
    """
    translation = tomllib.loads(CHINESE.read_text("utf-8"))
    listed = operations(schema)
    lacking = [operation.first for operation in listed if operation.first not in translation["sentences"]]
    if lacking:
        sys.exit("\n".join([f"{CHINESE.name} lacks:", *lacking]))
    parts = [_CHINESE_HEAD]
    for tag, some in groupby(listed, lambda operation: operation.tag):
        parts += [
            f"## {translation['tags'][tag]}\n",
            *_summary(list(some), ("操作", "权限", "做什么"), translation["sentences"]),
        ]
    return "\n".join(parts).rstrip() + "\n"


def _summary(listed: list[Operation], heads: tuple[str, ...], sentences: dict[str, str]) -> Iterator[str]:
    """Return the table of some operations; English rows link to their description."""
    yield _table(
        heads,
        (
            (_named(operation, is_link=not sentences), operation.scope, sentences.get(operation.first, operation.first))
            for operation in listed
        ),
    )


def _named(operation: Operation, *, is_link: bool) -> str:
    return f"[`{operation.heading}`](#{_anchor(operation.heading)})" if is_link else f"`{operation.heading}`"


def _details(operation: Operation) -> Iterator[str]:
    yield f"### `{operation.heading}`\n"
    yield f"{_text(operation.about)}\n\nScope: {operation.scope}.\n"
    parameters = operation.described.get("parameters", ())
    if parameters:
        rows = (
            (
                f"`{parameter['name']}`",
                _kind_of(parameter),
                _type(parameter["schema"]),
                _line(parameter.get("description", "")),
            )
            for parameter in parameters
        )
        yield _table(("parameter", "in", "is", "means"), rows)
    body = operation.described.get("requestBody", {}).get("content", {})
    if body:
        yield f"Takes {_contents(body)}.\n"
    answers = {status: answer for status, answer in operation.described["responses"].items() if "$ref" not in answer}
    yield f"Gives {'; '.join(f'{status}: {_answer(answer)}' for status, answer in sorted(answers.items()))}.\n"


def _kind_of(parameter: dict[str, Any]) -> str:
    return (
        f"{parameter['in']}, required" if parameter.get("required") and parameter["in"] != "path" else parameter["in"]
    )


def _answer(answer: dict[str, Any]) -> str:
    content = _contents(answer.get("content", {}))
    description = answer.get("description", "").rstrip(".")
    note = "" if description == "Successful Response" else description
    return " – ".join(part for part in (note, content) if part) or "nothing"


def _contents(content: dict[str, Any]) -> str:
    kinds = (
        _type(content_type["schema"]) if kind == "application/json" and content_type.get("schema") else f"`{kind}`"
        for kind, content_type in content.items()
    )
    forms = (content_type["schema"]["$ref"] for kind, content_type in content.items() if kind.startswith("multipart/"))
    return ", ".join([*kinds, *(_link(form) for form in forms)])


def _data(name: str, described: dict[str, Any]) -> Iterator[str]:
    yield f"### `{name}`\n"
    if described.get("description"):
        yield f"{_text(described['description'])}\n"
    if described.get("properties"):
        rows = (
            (f"`{field}`", _type(schema), _line(schema.get("description", "")))
            for field, schema in described["properties"].items()
        )
        yield _table(("field", "is", "means"), rows)


def _type(schema: dict[str, Any]) -> str:
    """Describe the type of a value in words."""
    match schema:
        case {"$ref": named}:
            return _link(named)
        case {"anyOf": several} | {"oneOf": several}:
            return " or ".join(dict.fromkeys(_type(option) for option in several))
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
    """Return a description as Markdown, one line per paragraph."""
    return "\n\n".join(_line(part) for part in described.strip().split("\n\n"))


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    """Write both pages; with ``--check`` only report whether they are up to date."""
    schema = create_app(Settings({"newsroom": "newsroom"}, "service")).openapi()
    pages = {"API.md": english(schema), "API.zh-CN.md": chinese(schema)}
    for name, text in pages.items():
        place = DOCS / name
        if "--check" not in sys.argv[1:]:
            place.write_text(text, "utf-8")
        elif not place.exists() or place.read_text("utf-8") != text:
            sys.exit(f"docs/{name} is not what the service says of itself: run `make endpoints`")


if __name__ == "__main__":
    main()
