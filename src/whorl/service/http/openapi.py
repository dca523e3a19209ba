"""OpenAPI description of the API, including every problem that an operation may return."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from whorl.service.http.problems import MEDIA, TITLES

_REF = "#/components/{kind}/{name}"
_FASTAPI_OWN = ("HTTPValidationError", "ValidationError")
_ALWAYS = (400, 401, 403, 404, 422, 429, 500, 503)
_EXAMPLES = re.compile(r"^>>> .*?(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*?)(?=^ {4}\w|\Z)", re.MULTILINE | re.DOTALL)
_COOKIE = "Session of a signed-in user; over TLS the cookie is called `__Host-whorl_session`."
_SECURITY = {
    "key": {"type": "http", "scheme": "bearer", "description": "A key, such as `whorl key add` makes: `whorl_…`."},
    "session": {"type": "apiKey", "in": "cookie", "name": "whorl_session", "description": _COOKIE},
}


class WrongPart(BaseModel):
    """An invalid part of a request."""

    where: str = Field(description="Location, such as `body.text`.")
    message: str = Field(description="Error message.")


class ProblemDetails(BaseModel):
    """Problem details (RFC 9457) in the language of `Accept-Language`."""

    type: str = Field(description="Problem type: the code as a URI.", examples=["urn:whorl:problem:not-found"])
    title: str = Field(description="Summary of the problem type.", examples=["Not there"])
    status: int = Field(description="HTTP status.", examples=[404])
    code: str = Field(
        description="Machine-readable code.", json_schema_extra={"enum": list(TITLES)}, examples=["not-found"]
    )
    detail: str = Field(description="Error message.", examples=["there is no library 'nwes'"])
    hint: str = Field(description="Hint that fixes the problem.", examples=["see which there are: GET /v1/libraries"])
    errors: list[WrongPart] | None = Field(None, description="For `invalid`: invalid parts of the request.")


class DescribedApp(FastAPI):
    """Application with an OpenAPI description of the actual problem responses."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description. It is cached."""
        is_new = self.openapi_schema is None
        schema = super().openapi()
        if is_new:
            _describe(schema)
        return schema


def _describe(schema: dict[str, Any]) -> None:
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in _FASTAPI_OWN:
        schemas.pop(name, None)
    template = _REF.format(kind="schemas", name="{model}")
    details = ProblemDetails.model_json_schema(ref_template=template)
    schemas |= details.pop("$defs") | {"ProblemDetails": details}
    for component in schemas.values():
        _tell_attributes(component)
    components["securitySchemes"] = _SECURITY
    components["responses"] = dict(_responses())
    schema["security"] = [{"key": []}, {"session": []}, {}]
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            problems = {str(status): {"$ref": _named(status)} for status in _statuses(method, operation)}
            operation["responses"] |= problems


def _tell_attributes(schema: dict[str, Any]) -> None:
    """Move descriptions of attributes from docstrings to the properties, and remove examples."""
    summary, _, attributes = schema.get("description", "").partition("Attributes:\n")
    if summary:
        schema["description"] = _EXAMPLES.sub("", summary).strip()
    for name, meaning in _ATTRIBUTE.findall(attributes):
        if name in schema.get("properties", {}):
            schema["properties"][name].setdefault("description", " ".join(meaning.split()))


def _responses() -> Any:
    titles: dict[int, list[str]] = {}
    for status, title in TITLES.values():
        titles.setdefault(status, []).append(str(title))
    content = {MEDIA: {"schema": {"$ref": _REF.format(kind="schemas", name="ProblemDetails")}}}
    for status, names in sorted(titles.items()):
        yield f"Problem{status}", {"description": "; ".join(names), "content": content}


def _named(status: int) -> str:
    return _REF.format(kind="responses", name=f"Problem{status}")


def _statuses(method: str, operation: dict[str, Any]) -> set[int]:
    """Return the problem statuses that an operation may return."""
    headers = {item["name"].lower() for item in operation.get("parameters", ()) if item["in"] == "header"}
    statuses = set(_ALWAYS) | (set() if method == "get" else {507})
    statuses |= {400, 413} if "requestBody" in operation else set()
    statuses |= {409} if "idempotency-key" in headers else set()
    statuses |= {412} if "if-match" in headers else set()
    return statuses


__all__ = ["DescribedApp", "ProblemDetails"]
