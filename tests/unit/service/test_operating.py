"""The service for operators: health, metrics, the log, and common response headers."""

from __future__ import annotations

import gc
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.articles import article
from tests.panics import panic_in_core
from tests.serving import served, state_of

from whorl.service.app import create_app
from whorl.service.logs import Lines
from whorl.service.settings import Settings


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    """Return an application with an endpoint that fails."""
    application = create_app(settings)

    @application.post("/v1/failing")
    def fail() -> None:
        raise KeyError("渔港的冰厂")

    @application.post("/v1/panicking")
    def panic() -> None:
        panic_in_core()

    return application


@pytest.fixture
def inside(app: FastAPI) -> Iterator[TestClient]:
    """Return a local client in the process of the service."""
    with TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 1)) as client:
        yield client


def test_ready_until_it_stops(inside: TestClient, app: FastAPI) -> None:
    assert (inside.get("/healthz").status_code, inside.get("/readyz").json()) == (200, {"status": "ready"})
    stopping: Event = app.state.service.stopping
    stopping.set()
    assert (inside.get("/healthz").status_code, inside.get("/readyz").status_code) == (200, 503)


def test_what_it_asks_of_garbage_collection_ends_with_it(app: FastAPI) -> None:
    before = gc.get_threshold()
    with TestClient(app):
        assert gc.get_freeze_count()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_not_ready_without_its_libraries(inside: TestClient, app: FastAPI) -> None:
    app.state.service.shelf["news"].close()
    answer = inside.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "failing"})


def test_health_is_told_by_whatever_name_it_is_asked(client: httpx.Client) -> None:
    foreign = {"Host": "10.1.2.3:8000"}
    assert client.get("/healthz", headers=foreign).status_code == 200
    assert client.get("/v1/libraries", headers=foreign).status_code == 403


def test_figures_by_route_and_status(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address, httpx.Client(base_url=address) as client:
        client.get("/v1/libraries/news")
        client.get("/v1/libraries/none")
        client.get("/v1/nothing/a")
        client.get("/v1/nothing/b")
        job = client.post("/v1/libraries/news/jobs", json={"kind": "verify"}).json()
        state.jobs.cancel(job["id"]) if state.jobs.get(job["id"]).state == "queued" else None
        figures = client.get("/metrics").text
        assert 'whorl_requests_total{method="GET",route="/v1/libraries/{library}",status="200"} 1.0' in figures
        assert 'whorl_requests_total{method="GET",route="/v1/libraries/{library}",status="404"} 1.0' in figures
        assert 'whorl_requests_total{method="",route="",status="404"} 2.0' in figures
        assert 'whorl_request_seconds_count{method="GET",route="/v1/libraries/{library}"} 2.0' in figures
        assert 'whorl_library_articles{library="news"} 0.0' in figures
        assert 'whorl_jobs{kind="verify"' in figures
        state.keys.make("desk", ["read"])
        assert client.get("/metrics").status_code == 401


def test_articles_are_counted_however_they_come(client: httpx.Client) -> None:
    place = "/v1/libraries/news/documents"
    client.post(place, json={"id": "one", "text": article(1)})
    lines = [json.dumps({"id": str(number), "text": article(number)}) for number in (2, 3)]
    client.post(
        f"{place}/bulk", content="\n".join([*lines, "no JSON"]), headers={"Content-Type": "application/x-ndjson"}
    )
    assert 'whorl_articles_total{library="news",what="added"} 3.0' in client.get("/metrics").text


def test_a_line_of_the_log_for_each_request(inside: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "whorl.service.requests"):
        inside.post(
            "/v1/libraries/news/check?lang=secret", json={"text": "渔港的冰厂"}, headers={"X-Request-Id": "mine"}
        )
    (line,) = [json.loads(Lines().format(record)) for record in caplog.records if "requests" in record.name]
    report = {name: line[name] for name in ("request", "method", "route", "status", "caller", "library", "address")}
    assert report == {
        "request": "mine",
        "method": "POST",
        "route": "/v1/libraries/{library}/check",
        "status": 200,
        "caller": "local",
        "library": "news",
        "address": "127.0.0.1",
    }
    assert line["ms"] > 0
    assert "渔港" not in str(line)
    assert "secret" not in str(line)


def test_a_defect_is_answered_like_all_else_and_its_texts_are_not_logged(
    inside: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = inside.post("/v1/failing", headers={"X-Request-Id": "mine"})
    assert (answer.status_code, answer.json()["code"]) == (500, "defect")
    assert answer.json()["detail"] == "request mine failed"
    assert answer.headers["x-request-id"] == "mine"
    lines = [Lines().format(record) for record in caplog.records if record.levelname == "ERROR"]
    (output,) = map(json.loads, lines)
    assert output["error"] == "KeyError"
    assert any("fail" in frame for frame in output["frames"])
    assert "渔港" not in lines[0]


def test_a_panic_of_the_core_is_answered_like_any_defect(inside: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    answer = inside.post("/v1/panicking", headers={"X-Request-Id": "mine"})
    assert (answer.status_code, answer.json()["code"]) == (500, "defect")
    assert answer.json()["detail"] == "request mine failed"
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["request mine failed"]


def test_a_long_message_keeps_its_end() -> None:
    """The last line of a traceback is the one that names the error."""
    message = "Traceback\n" + "  File ...\n" * 100 + "whorl.errors.ResourceError: the disk is full"
    line = json.loads(Lines().format(logging.makeLogRecord({"msg": message})))["message"]
    assert line.startswith("Traceback\n")
    assert line.endswith("ResourceError: the disk is full")
    assert len(line) < 310


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/v1/libraries", {}, 200),
        ("POST", "/v1/failing", {}, 500),
        ("GET", "/v1/libraries", {"Host": "elsewhere.example"}, 403),
        ("POST", "/v1/libraries/news/check", {"Origin": "https://elsewhere.example"}, 403),
        ("GET", "/v1/libraries", {"Authorization": "Bearer whorl_no"}, 401),
        ("GET", "/v1/nothing", {}, 404),
        ("PATCH", "/v1/libraries", {}, 405),
        ("POST", "/v1/libraries/news/check", {"Content-Length": "999999999"}, 413),
    ],
)
def test_every_answer_tells_browsers_what_they_may_do(
    inside: TestClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = inside.request(method, path, headers=headers)
    assert answer.status_code == status
    for name in ("content-security-policy", "x-content-type-options", "x-frame-options", "x-request-id"):
        assert name in answer.headers


def test_the_word_of_a_proxy_counts_only_where_it_was_named(settings: Settings) -> None:
    passed_on = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    with served(settings) as address:
        answer = httpx.get(f"{address}/v1/libraries", headers=passed_on)
        assert answer.status_code == 401
        assert "strict-transport-security" not in answer.headers
        assert httpx.get(f"{address}/v1/libraries").status_code == 200
    report = replace(settings, proxies=("127.0.0.1",))
    with state_of(report) as state, served(report) as address:
        secret, _ = state.keys.make("desk", ["read", "write", "admin"])
        asking = {**passed_on, "Authorization": f"Bearer {secret}"}
        answer = httpx.post(f"{address}/v1/libraries/news/jobs", json={"kind": "verify"}, headers=asking)
        assert "strict-transport-security" in answer.headers
        assert state.audit.list()[0].address == "203.0.113.9"
