"""A right request for every operation of the API: the cases of `cases/authorization.toml`."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from whorl.service.app import create_app
from whorl.service.settings import Settings

MATRIX: dict[str, Any] = tomllib.loads((Path(__file__).parent / "cases" / "authorization.toml").read_text("utf-8"))
CASES: list[dict[str, Any]] = MATRIX["case"]


class RequestArguments(NamedTuple):
    """A request, as `httpx.Client.request` takes it."""

    method: str
    path: str
    options: dict[str, Any]


def label(case: dict[str, Any]) -> str:
    """An operation, and which of its cases this is."""
    return f"{case['operation']} {case.get('name', '')}".rstrip()


def arguments_of(case: dict[str, Any]) -> RequestArguments:
    """The request of a case."""
    method, _, path = case["operation"].partition(" ")
    options: dict[str, Any] = {"params": case.get("query"), "headers": {}}
    if "json" in case:
        options["json"] = case["json"]
    if "lines" in case:
        options["content"] = "\n".join(map(json.dumps, case["lines"])).encode()
        options["headers"] = {"Content-Type": "application/x-ndjson"}
    if "file" in case:
        options["files"] = {case["file"]["field"]: (case["file"]["name"], case["file"]["content"].encode())}
    return RequestArguments(method, path.format_map({"library": "news", **case.get("path", {})}), options)


@cache
def described() -> dict[str, Any]:
    """The OpenAPI document of the service."""
    return create_app(Settings({}, "")).openapi()
