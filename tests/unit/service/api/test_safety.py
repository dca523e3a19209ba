"""Access rights, and attacks that must fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from tests.serving import served, state_of
from tests.unit.service.api.newsroom import COPY, HOSTILE, INJECTIONS, PAPER, TEXT, fill

import whorl
from whorl.service.settings import Settings

MATCH = {"id": COPY, "other": PAPER}
FILTERS = {
    "/matches": ["of", "among"],
    "/sightings": ["of", "cursor"],
    "/pair": ["id", "other"],
    "/clusters": ["at_least", "since", "cursor", "limit"],
    "/hot": ["since", "top"],
    "/statistics": ["by", "since", "until", "top"],
    "/statistics/copies": ["of", "by", "period", "zone", "since", "until", "top"],
    "/sites": ["cursor"],
    "/permissions": ["cursor"],
    "/attestations": ["of", "cursor"],
    "/reviews": ["state", "among", "cursor"],
    "/reviews/decisions": ["id", "other"],
    "/watch/findings": ["site", "article", "verdict", "run", "gone", "cursor"],
    "/watch/checks": ["url"],
    "/alerts": ["state", "cursor"],
    "/ledger": ["cursor"],
}
READ: dict[str, dict[str, Any]] = {
    "/matches": {"of": COPY},
    "/sightings": {"of": COPY},
    "/pair": MATCH,
    "/clusters": {},
    "/clusters/1": {},
    "/clusters/1/trace": {},
    "/hot": {},
    "/statistics": {},
    "/statistics/copies": {},
    "/sites": {},
    "/permissions": {},
    "/attestations": {},
    "/collections": {},
    "/reviews": {},
    "/reviews/decisions": MATCH,
    "/watch": {},
    "/watch/findings": {},
    "/watch/checks": {"url": COPY},
    "/alerts": {},
    "/ledger": {},
}
CHANGES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/reviews"): {"json": MATCH | {"state": "rejected"}},
    ("DELETE", "/reviews"): {"params": MATCH},
    ("POST", "/evidence"): {"json": MATCH | {"pdf": False}},
    ("PUT", "/sites"): {"json": [{"domain": "copies.example"}]},
    ("DELETE", "/sites"): {"params": {"domain": "copies.example"}},
    ("PUT", "/permissions"): {"json": [{"domain": "copies.example"}]},
    ("DELETE", "/permissions"): {"params": {"domain": "copies.example"}},
    ("PUT", "/attestations"): {"json": [{"document": PAPER, "kind": "print", "at": "2026-01-01"}]},
    ("POST", "/collections/own"): {"json": {"ids": [COPY]}},
    ("DELETE", "/collections"): {"params": {"id": COPY}},
    ("POST", "/alerts/retry"): {},
}


def test_no_filter_asks_for_more_than_it_says(newsroom: Settings, desk: httpx.Client, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><article><p>{TEXT}</p></article></body></html>", "utf-8")
    assert whorl.watch.watch(newsroom.libraries["news"], saved=page).new
    for path, names in FILTERS.items():
        for name in names:
            for injection in INJECTIONS:
                answer = desk.get(path, params=READ[path] | {name: injection})
                where = (path, name, injection[:20], answer.text[:200])
                if answer.status_code == 200:
                    assert not any(answer.json().get(item) for item in ("items", "matches", "waiting")), where
                else:
                    assert answer.json()["code"] in ("invalid", "usage", "input", "not-found"), where
    with whorl.open(newsroom.libraries["news"]) as library:
        assert (len(library), library.verify().faults) == (5, ())


def test_what_is_kept_comes_back_as_it_is(newsroom: Settings, desk: httpx.Client) -> None:
    for text in (*INJECTIONS, *HOSTILE):
        desk.put("/sites", json=[{"domain": "a.example", "name": text}])
        assert desk.get("/sites").json()["items"][0]["name"] == text
        desk.post("/reviews", json=MATCH | {"state": "confirmed", "note": text})
        assert desk.get("/reviews/decisions", params=MATCH).json()["review"]["note"] == text
        collected = desk.post(f"/collections/{quote(text, safe='')}", json={"ids": [COPY]})
        assert desk.get("/collections").json().get(text, 0) == (collected.status_code == 200)
    with whorl.open(newsroom.libraries["news"]) as library:
        assert library.verify().faults == ()


def test_a_library_is_there_for_its_own_keys_alone(newsroom: Settings) -> None:
    theirs = newsroom.libraries["news"] + "-theirs"
    fill(theirs)
    both = Settings({**newsroom.libraries, "theirs": theirs}, newsroom.state, port=0)
    with state_of(both) as state, served(both) as address:
        secret, _ = state.keys.make("ours", ["read", "write", "review", "admin"], ["news"])
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=f"{address}/v1/libraries", headers=headers, timeout=60) as asking:
            assert asking.get("/news/collections").status_code == 200
            for path, options in READ.items():
                assert asking.get(f"/theirs{path}", params=options).status_code == 404, path
            for (method, path), options in CHANGES.items():
                assert asking.request(method, f"/theirs{path}", **options).status_code == 404, path
            pack = asking.post("/news/evidence", json=MATCH | {"pdf": False}).content
            verify = f"{address}/v1/evidence/verify"
            hidden = httpx.post(verify, files={"pack": pack}, params={"library": "theirs"}, headers=headers)
            assert hidden.status_code == 404
    with whorl.open(theirs) as library:
        assert (len(library.reviews), len(library.ledger), len(library.sites)) == (0, 0, 0)
        assert library.collections() == {"protected": 1, "watched": 1}


def test_every_operation_is_described_with_an_example(desk: httpx.Client) -> None:
    described = httpx.get(f"{str(desk.base_url).rpartition('/libraries/')[0]}/openapi.json").json()["paths"]
    requests = [("get", path.replace("/1", "/{number}")) for path in READ]
    requests += [(method.lower(), path.replace("/own", "/{name}")) for method, path in CHANGES]
    for method, path in requests:
        operation = described[f"/v1/libraries/{{library}}{path}"][method]
        assert operation["description"], path
        (content,) = operation["responses"]["200"]["content"].values()
        assert "example" in content or content["schema"]["format"] == "binary", path
        assert all(parameter.get("description") for parameter in operation["parameters"]), path
