"""The description of the API: every operation is documented with its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest


@pytest.fixture
def schema(client: httpx.Client) -> dict[str, Any]:
    return client.get("/v1/openapi.json").json()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, some in schema["paths"].items():
        for method, operation in some.items():
            yield f"{method} {path}", operation


def referred(schema: dict[str, Any], reference: str) -> Any:
    result: Any = schema
    for part in reference.removeprefix("#/").split("/"):
        result = result[part]
    return result


def references(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        yield from (value for name, value in data.items() if name == "$ref" and isinstance(value, str))
        for value in data.values():
            yield from references(value)
    elif isinstance(data, list):
        for value in data:
            yield from references(value)


def test_problems_are_told_as_they_are_answered(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        for status in ("401", "403", "422", "500"):
            report = referred(schema, operation["responses"][status]["$ref"])
            assert list(report["content"]) == ["application/problem+json"], name
    details = schema["components"]["schemas"]["ProblemDetails"]["properties"]
    assert {"type", "title", "status", "code", "detail", "hint", "errors"} == details.keys()


def test_every_reference_is_there(schema: dict[str, Any]) -> None:
    for reference in references(schema):
        assert referred(schema, reference)


def test_everything_says_what_it_is(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        assert operation.get("description"), name
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (name, parameter["name"])
    for name, component in schema["components"]["schemas"].items():
        assert ">>>" not in component.get("description", ""), name
        assert "Attributes:" not in component.get("description", ""), name
    match = schema["components"]["schemas"]["Match"]["properties"]
    assert match["similarity"]["description"] == "the exact Jaccard similarity of both texts, in [0, 1]."


def test_changes_may_be_named_and_asked_for_again(schema: dict[str, Any]) -> None:
    for path in ("/v1/libraries/{library}/documents", "/v1/libraries/{library}/documents/bulk"):
        operation = schema["paths"][path]["post"]
        assert [parameter["name"] for parameter in operation["parameters"]].count("Idempotency-Key") == 1
        assert {"409", "413"} <= operation["responses"].keys()
