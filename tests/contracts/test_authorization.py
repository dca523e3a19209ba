"""Authorization matrix: every operation of the API × every caller, with the answers of `cases/authorization.toml`."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.articles import article, edited
from tests.operations import CASES, MATRIX, arguments_of, described, label
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.http.callers import COOKIE
from whorl.service.settings import Settings
from whorl.service.state.state import State

SCOPES = ("read", "review", "write", "metrics", "admin")
ROLES = ("reader", "reviewer", "editor", "admin")
PASSWORD = "a long password"
Headers = dict[str, str]


class Matrix:
    """A running service, and the headers of every caller by name."""

    def __init__(self, address: str, callers: dict[str, Headers]) -> None:
        self.callers = callers
        self._client = httpx.Client(base_url=address, timeout=60)

    def ask(self, case: dict[str, Any], headers: Headers) -> httpx.Response:
        """Send the request of a case."""
        method, path, options = arguments_of(case)
        return self._client.request(method, path, **{**options, "headers": {**headers, **options["headers"]}})

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    folder = tmp_path_factory.mktemp("service")
    settings = settings_of(folder, "news", "other")
    with whorl.open(settings.libraries["news"]) as library:
        text = article(1)
        library.add({"id": "original", "text": text, "collection": "protected"})
        library.add([{"id": "copy", "text": edited(text, 2)}, {"id": "kept", "text": "图书馆晚上十点关门"}])
    page = folder / "page.html"
    page.write_text(f"<html><body><article><p>{text}</p></article></body></html>", "utf-8")
    whorl.watch.watch(settings.libraries["news"], saved=page)
    with state_of(settings) as state, served(settings) as address:
        asking = Matrix(address, {**strangers(state), **key_holders(state), **signed_in(state)})
        _run_jobs(state, settings)
        yield asking
        asking.close()


def _run_jobs(state: State, settings: Settings) -> None:
    """Let the service carry out two jobs of a caller that nobody of the matrix is."""
    state.jobs.put("finished", "export", "news", {"order": "added"}, "somebody else")
    state.jobs.put("verified", "verify", "news", {"repair": False}, "somebody else")
    deadline = time.monotonic() + 60
    while {state.jobs.get(id_).state for id_ in ("finished", "verified")} != {"done"}:
        assert time.monotonic() < deadline, [state.jobs.get(id_) for id_ in ("finished", "verified")]
        time.sleep(0.05)


def bearer(secret: str) -> Headers:
    return {"Authorization": f"Bearer {secret}"}


def session(state: State, name: str) -> str:
    begun = state.users.sign_in(name, PASSWORD, "127.0.0.1")
    assert begun is not None
    return begun[0]


def strangers(state: State) -> dict[str, Headers]:
    """Callers that nobody knows, or no longer."""
    secret, _ = state.keys.make("all", SCOPES)
    revoked, key = state.keys.make("revoked", SCOPES)
    state.keys.revoke(key.number)
    soon = datetime.now(UTC) + timedelta(milliseconds=500)
    expired, key = state.keys.make("expired", SCOPES, expires_at=soon)
    while not key.has_expired:
        time.sleep(0.05)
    for name in ("left", "removed", "present"):
        state.users.make(name, PASSWORD, "admin")
    signed_out, removed, present = (session(state, name) for name in ("left", "removed", "present"))
    state.users.sign_out(signed_out)
    state.users.remove("removed")
    return {
        "nobody": {},
        "wrong key": bearer("whorl_" + "0" * 43),
        "key in another scheme": {"Authorization": "Basic " + b64encode(f"key:{secret}".encode()).decode()},
        "revoked key": bearer(revoked),
        "expired key": bearer(expired),
        "invented session": cookie("0" * 43),
        "session after signing out": cookie(signed_out),
        "session of a removed user": cookie(removed),
        "session beside a wrong key": {**cookie(present), **bearer("whorl_wrong")},
    }


def key_holders(state: State) -> dict[str, Headers]:
    """Keys: of each scope alone, and of all scopes for one library."""
    alone = {f"key {scope}": bearer(state.keys.make(scope, [scope])[0]) for scope in SCOPES}
    return alone | {
        "key of this library": bearer(state.keys.make("this", SCOPES, ["news"])[0]),
        "key of another library": bearer(state.keys.make("another", SCOPES, ["other"])[0]),
    }


def signed_in(state: State) -> dict[str, Headers]:
    """Sessions: of each role, of a role that was lowered since, and of an administrator of another library."""
    for role in ROLES:
        state.users.make(role, PASSWORD, role)
    state.users.make("former editor", PASSWORD, "editor")
    state.users.make("admin of another library", PASSWORD, "admin", ["other"])
    callers = {name: cookie(session(state, name)) for name in (*ROLES, "former editor", "admin of another library")}
    state.users.change("former editor", "reader")
    return callers


def cookie(secret: str) -> Headers:
    return {"Cookie": f"{COOKIE}={secret}", "Sec-Fetch-Site": "same-origin"}


def test_every_operation_has_a_case_and_every_case_an_operation() -> None:
    paths = described()["paths"]
    operations = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert {case["operation"] for case in CASES} == operations
    assert len({label(case) for case in CASES}) == len(CASES)


def test_every_kind_of_job_that_can_be_begun_has_a_case() -> None:
    content = described()["paths"]["/v1/libraries/{library}/jobs"]["post"]["requestBody"]["content"]
    kinds = content["application/json"]["schema"]["discriminator"]["mapping"]
    jobs = [case for case in CASES if case["operation"] == "POST /v1/libraries/{library}/jobs"]
    assert {case["json"]["kind"] for case in jobs if case.get("json", {}) and "kind" in case["json"]} == set(kinds)


def test_every_rule_names_every_caller_once(matrix: Matrix) -> None:
    for name, rule in MATRIX["rules"].items():
        named = [*MATRIX["unknown"], *(caller for callers in rule.values() for caller in callers)]
        assert sorted(named) == sorted(matrix.callers), name


@pytest.mark.parametrize("case", CASES, ids=label)
def test_every_caller_gets_the_answer_of_the_matrix(matrix: Matrix, case: dict[str, Any]) -> None:
    expected = dict.fromkeys(MATRIX["unknown"], "unknown")
    expected |= {caller: answer for answer, callers in MATRIX["rules"][case["rule"]].items() for caller in callers}
    order = ("unknown", "hidden", "forbidden", "allowed")
    answers = {
        caller: named(matrix.ask(case, matrix.callers[caller]), case.get("answer", 200))
        for caller in sorted(expected, key=lambda caller: order.index(expected[caller]))
    }
    assert answers == expected


def named(answer: httpx.Response, allowed: int) -> str:
    """What an answer is called in the matrix; its text where it is none of these."""
    problem = answer.json() if answer.headers.get("content-type", "") == "application/problem+json" else {}
    match answer.status_code, problem.get("code"):
        case 401, "unknown-caller":
            return "unknown"
        case 403, "forbidden":
            return "forbidden"
        case 404, "not-found" if re.match("(library|job) .* not found", problem["detail"]):
            return "hidden"
        case status, _ if status == allowed:
            return "allowed"
    return f"{answer.status_code} {answer.text[:300]}"


@pytest.mark.parametrize("case", [case for case in CASES if not case["operation"].startswith("GET ")], ids=label)
def test_no_page_of_another_site_acts_with_a_session(matrix: Matrix, case: dict[str, Any]) -> None:
    admin = matrix.callers["admin"]
    for foreign in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}):
        assert matrix.ask(case, {**admin, "Sec-Fetch-Site": "", **foreign}).status_code == 403
