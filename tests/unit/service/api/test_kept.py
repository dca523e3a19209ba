"""Sites, permissions, attestations and collections over HTTP."""

from __future__ import annotations

import httpx
import pytest
from tests.unit.service.api.newsroom import ALONE, COPY, HOSTILE, PAPER

import whorl
from whorl.service.settings import Settings


def test_sites_are_kept_told_and_forgotten(newsroom: Settings, desk: httpx.Client) -> None:
    site = {"domain": "copies.example", "name": HOSTILE[0], "trust": 0.2, "update_cycle": "6h"}
    assert desk.put("/sites", json=[site, {"domain": "https://b.example/x"}]).json() == {"kept": 2, "known": 0}
    first = desk.get("/sites", params={"limit": 1}).json()
    rest = desk.get("/sites", params={"cursor": first["next"]}).json()
    assert [item["domain"] for item in first["items"] + rest["items"]] == ["b.example", "copies.example"]
    report = rest["items"][0]
    assert (report["name"], report["trust"], report["update_cycle"], rest["next"]) == (HOSTILE[0], 0.2, 21600.0, None)
    assert desk.put("/sites", json=[report | {"authorised": True}]).json()["kept"] == 1
    with whorl.open(newsroom.libraries["news"]) as library:
        assert library.sites.of(COPY).to_dict() == report | {"authorised": True}
    assert desk.delete("/sites", params={"domain": ["copies.example", "none.example"]}).json() == {"removed": 1}
    assert len(desk.get("/sites").json()["items"]) == 1


def test_accounts_of_authors_are_stored_listed_and_removed(desk: httpx.Client) -> None:
    account = {"author": "王小渡", "domain": "https://columns.example/u", "path": "u/wang/"}
    assert desk.put("/accounts", json=[account, account | {"note": "合同"}]).json()["kept"] == 1
    (body,) = desk.get("/accounts").json()["items"]
    assert (body["domain"], body["path"], body["note"]) == ("columns.example", "/u/wang", "合同")
    assert body["by"]
    query = {"author": "王小渡", "domain": "columns.example"}
    assert desk.delete("/accounts", params=query).json() == {"removed": 0}
    assert desk.delete("/accounts", params=query | {"path": "/u/wang"}).json() == {"removed": 1}


def test_leaves_are_kept_told_and_taken_back(newsroom: Settings, desk: httpx.Client) -> None:
    permission = {"domain": "copies.example", "path": "/7", "since": "2026-01-01T00:00:00Z", "note": "contract 12"}
    assert (
        desk.put("/permissions", json=[permission, permission | {"until": "2027-01-01T00:00:00+08:00"}]).json()["kept"]
        == 1
    )
    (body,) = desk.get("/permissions").json()["items"]
    assert (body["path"], body["until"]) == ("/7", "2026-12-31T16:00:00Z")
    with whorl.open(newsroom.libraries["news"]) as library:
        assert library.permissions.covering(COPY, at="2026-05-01").note == "contract 12"
    request = {"domain": "copies.example", "path": "/7"}
    assert desk.delete("/permissions", params=request).json() == {"removed": 0}
    assert desk.delete("/permissions", params=request | {"since": body["since"]}).json() == {"removed": 1}


def test_attestations_are_kept_in_the_name_of_the_caller(desk: httpx.Client) -> None:
    attestation = {"document": PAPER, "kind": "server-log", "at": "2026-03-05T08:00:00+08:00"}
    assert (
        desk.put("/attestations", json=[attestation, attestation | {"kind": "print", "by": "mei"}]).json()["kept"] == 2
    )
    body = desk.get("/attestations", params={"of": PAPER}).json()["items"]
    assert [(item["kind"], item["by"], item["at"]) for item in body] == [
        ("print", "mei", "2026-03-05T00:00:00Z"),
        ("server-log", "local", "2026-03-05T00:00:00Z"),
    ]
    assert desk.get("/attestations").json()["items"] == body
    assert desk.get("/attestations", params={"of": ALONE}).json()["items"] == []
    assert desk.delete("/attestations").status_code == 405


def test_articles_go_into_collections_and_out_of_them(desk: httpx.Client) -> None:
    assert desk.get("/collections").json() == {"protected": 1, "watched": 1}
    assert desk.post("/collections/protected", json={"ids": [ALONE, "none"]}).json() == {"documents": 1}
    assert desk.get("/collections").json() == {"protected": 2, "watched": 1}
    assert desk.delete("/collections", params={"id": [ALONE, COPY]}).json() == {"documents": 2}
    assert desk.get("/collections").json() == {"protected": 1}


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("/sites", [{"domain": "a b"}]),
        ("/sites", [{"domain": "a.example", "trust": 2}]),
        ("/sites", [{"domain": "a.example"}, {"domain": "b.example", "update_cycle": "never"}]),
        ("/sites", [{"domain": "a.example", "update_cycle": 1e300}]),
        ("/sites", [{"domain": "a.example", "name": "x" * 2_000_000}]),
        ("/permissions", [{"domain": "a.example"}, {"domain": ""}]),
        ("/permissions", [{"domain": "a.example", "author": "x\0"}]),
        ("/attestations", [{"document": PAPER, "kind": "", "at": "2026-01-01"}]),
        ("/attestations", [{"document": "none", "kind": "print", "at": "2026-01-01"}]),
    ],
)
def test_of_rows_that_are_wrong_none_is_kept(desk: httpx.Client, path: str, rows: list[dict[str, object]]) -> None:
    answer = desk.put(path, json=rows)
    assert answer.json()["code"] in ("input", "not-found", "usage")
    assert answer.json()["hint"]
    assert desk.get(path).json()["items"] == []


@pytest.mark.parametrize(
    "body", ["[{}]", "{}", "nothing", '[{"domain": "a.example", "trust": NaN}]', '[{"domain": "\\ud800.example"}]']
)
def test_what_is_no_site_is_told(desk: httpx.Client, body: str) -> None:
    answer = desk.put("/sites", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert desk.get("/sites").json()["items"] == []


@pytest.mark.parametrize("path", ["/sites", "/permissions", "/attestations", "/sightings?of=part"])
@pytest.mark.parametrize("cursor", ["x", "W10", "MS41", "dHJ1ZQ"])
def test_a_wrong_cursor_is_told(desk: httpx.Client, path: str, cursor: str) -> None:
    answer = desk.get(path, params={**dict(httpx.QueryParams(path.partition("?")[2])), "cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
