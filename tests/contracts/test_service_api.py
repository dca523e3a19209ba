"""Every operation of the API responds according to its own description, for any input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.articles import article, edited
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.app import create_app
from whorl.service.http.callers import COOKIE
from whorl.service.settings import Settings

LIBRARY = "news"
CONFORMS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
MODES = {"right": GenerationMode.POSITIVE, "wrong": GenerationMode.NEGATIVE}
_UNKNOWN = 401
few = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@cache
def operations() -> dict[str, APIOperation[Any, Any, Any, Any]]:
    """Return every operation by name, such as "GET /v1/libraries"."""
    generation = GenerationConfig(deterministic=True, with_security_parameters=False)
    project = ProjectConfig(generation=generation)
    config = SchemathesisConfig(projects=ProjectsConfig(default=project))
    described = create_app(Settings({}, "")).openapi()
    schema = schemathesis.openapi.from_dict(described, config=config)
    return {operation.ok().label: operation.ok() for operation in schema.get_all_operations()}


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Return an administrator client of a service over a library with copies, decisions and keys."""
    chosen = settings_of(tmp_path_factory.mktemp("service"), LIBRARY)
    with whorl.open(chosen.libraries[LIBRARY]) as library:
        texts = [copy for number in range(4) for copy in (article(number), edited(article(number), number))]
        library.add([{"id": str(number), "text": text, "title": f"t{number}"} for number, text in enumerate(texts)])
        library.review("0", "1", "confirmed", by="boss")
    with state_of(chosen) as state:
        state.users.make("boss", "a long password", "admin")
        signed_in = state.users.sign_in("boss", "a long password", "127.0.0.1")
        assert signed_in is not None
    with served(chosen) as address, httpx.Client(base_url=address, cookies={COOKIE: signed_in[0]}) as client:
        yield client


def kinds() -> Iterator[tuple[str, str]]:
    """Return every operation with valid data, and with invalid data where not all text is valid."""
    for name, operation in operations().items():
        yield name, "right"
        definition = operation.definition.raw
        kept = [
            parameter["schema"].get("anyOf", [parameter["schema"]])[0] for parameter in definition.get("parameters", ())
        ]
        if "application/json" in definition.get("requestBody", {}).get("content", {}) or any(map(_may_be_wrong, kept)):
            yield name, "wrong"


def _may_be_wrong(schema: dict[str, Any]) -> bool:
    return schema.get("type") != "string" or bool({"enum", "format", "pattern", "maxLength"} & set(schema))


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> bytes:
    """Return a line with an article, and one with generated content."""
    return f"{json.dumps({'id': str(value)[:20], 'text': str(value)})}\n{value}\n".encode("utf-8", "replace")


@schemathesis.serializer("application/zip")
def archive(context: Any, value: Any) -> bytes:
    """Return a ZIP with a manuscript of generated content."""
    data = BytesIO()
    with ZipFile(data, "w") as packed:
        packed.writestr("manuscript.txt", str(value).encode("utf-8", "replace"))
    return data.getvalue()


@pytest.mark.parametrize(("name", "mode"), list(kinds()))
def test_every_operation_answers_as_it_is_described(asking: httpx.Client, name: str, mode: str) -> None:
    @few
    @given(case=operations()[name].as_strategy(generation_mode=MODES[mode]))
    def answers(case: Case) -> None:
        if "library" in case.path_parameters:
            case.path_parameters["library"] = LIBRARY
        response = case.call(base_url=str(asking.base_url), cookies=dict(asking.cookies), timeout=30)
        case.validate_response(response, checks=CONFORMS)
        assert response.status_code != _UNKNOWN or mode == "wrong"

    answers()


def test_no_job_that_was_begun_met_a_defect(asking: httpx.Client) -> None:
    jobs = asking.get("/v1/jobs", params={"limit": 1000}).json()["items"]
    assert {job["problem"]["code"] for job in jobs if job["problem"]} <= {"usage", "input", "not-found"}
