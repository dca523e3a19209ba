"""Libraries of tenants: created and deleted over HTTP, each with keys that open nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
from tests.articles import article
from tests.servers.shared import fresh, fresh_database
from tests.serving import served, settings_of, state_of
from tests.stores import run_sql

from whorl.errors import UsageError
from whorl.service.running import Service
from whorl.service.settings import Settings

TEXT = article(1)


@pytest.fixture(params=["folder", "postgresql", "mysql"])
def settings(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    place = str(tmp_path / "tenants")
    if request.param == "postgresql":
        place = fresh_database("postgresql")
    elif request.param == "mysql":
        place = f"{fresh('mariadb')}?connect_timeout=10"
    return replace(settings_of(tmp_path, "news"), tenants=place)


def places(settings: Settings) -> list[str]:
    """Return the folders, schemas or databases of tenants."""
    if settings.tenants.startswith("mysql:"):
        address = settings.tenants.partition("?")[0]
        name = address.rpartition("/")[2]
        return [place for (place,) in run_sql(address, f"SHOW DATABASES LIKE '{name}\\_%'")]
    if not settings.tenants.startswith("postgresql:"):
        return [folder.name for folder in Path(settings.tenants).iterdir()]
    with psycopg.connect(settings.tenants) as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tenant%'").fetchall()
    return [name for (name,) in rows]


@pytest.fixture
def client(settings: Settings) -> Iterator[httpx.Client]:
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as opened:
        yield opened


def key_of(client: httpx.Client, *libraries: str) -> dict[str, str]:
    """Create a key for some libraries, and return the header with it."""
    scopes = ["read", "write"] if libraries else ["read", "write", "review", "admin"]
    answer = client.post("/v1/keys", json={"name": "key", "scopes": scopes, "libraries": list(libraries)})
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['secret']}"}


def test_a_tenant_has_a_library_and_a_key_for_it_only(client: httpx.Client) -> None:
    client.headers.update(key_of(client))
    created = client.put("/v1/libraries/desk", json={"recipe": "news", "zone": "Asia/Shanghai"})
    assert (created.status_code, created.json()["documents"]) == (201, 0)
    assert created.json()["recipe"].startswith("winnowing/")
    again = client.put("/v1/libraries/desk", json={"recipe": "news", "zone": "Asia/Shanghai"})
    assert again.status_code == 200
    assert client.put("/v1/libraries/other", json={}).status_code == 201
    assert client.get("/v1/libraries").json()["libraries"] == ["news", "desk", "other"]

    desk = key_of(client, "desk")
    assert client.get("/v1/libraries", headers=desk).json()["libraries"] == ["desk"]
    added = client.post("/v1/libraries/desk/documents", json={"id": "a", "text": TEXT}, headers=desk)
    assert added.is_success
    (match,) = client.post("/v1/libraries/desk/check", json={"text": f"据悉，{TEXT}"}, headers=desk).json()["matches"]
    assert match["id"] == "a"
    for library in ("news", "other"):
        assert client.get(f"/v1/libraries/{library}", headers=desk).status_code == 404
    for method in ("PUT", "DELETE"):
        assert client.request(method, "/v1/libraries/desk", json={}, headers=desk).status_code == 403


def test_a_deleted_library_leaves_nothing(client: httpx.Client, settings: Settings) -> None:
    client.headers.update(key_of(client))
    client.put("/v1/libraries/desk", json={})
    desk, both = key_of(client, "desk"), key_of(client, "desk", "news")
    client.post("/v1/libraries/desk/documents", json={"id": "a", "text": TEXT})
    assert len(places(settings)) == 1
    assert client.delete("/v1/libraries/desk").status_code == 204
    assert places(settings) == []
    assert client.get("/v1/libraries").json()["libraries"] == ["news"]
    assert client.get("/v1/libraries/desk").status_code == 404
    assert client.delete("/v1/libraries/desk").status_code == 404
    assert client.get("/v1/libraries", headers=desk).status_code == 401
    assert client.get("/v1/libraries", headers=both).json()["libraries"] == ["news"]
    refused = client.put("/v1/libraries/desk", json={})
    assert refused.status_code == 422
    assert "deleted" in refused.json()["detail"]
    (entry, *_) = client.get("/v1/audit?library=desk").json()["items"]
    assert entry["library"] == "desk"


def test_other_processes_see_new_and_deleted_libraries(client: httpx.Client, settings: Settings) -> None:
    client.headers.update(key_of(client))
    with served(settings) as address, httpx.Client(base_url=address, timeout=60, headers=client.headers) as other:
        client.put("/v1/libraries/desk", json={})
        assert other.post("/v1/libraries/desk/documents", json={"id": "a", "text": TEXT}).is_success
        assert client.get("/v1/libraries/desk").json()["documents"] == 1
        assert client.delete("/v1/libraries/desk").status_code == 204
        assert other.get("/v1/libraries/desk").status_code == 404
        assert other.get("/readyz").json() == {"status": "ready"}
        assert other.get("/metrics").status_code == 200
    assert places(settings) == []


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("desk", {"recipe": "nws"}),
        ("desk", {"recipe": "../recipe.toml"}),
        ("desk", {"zone": "Asia/Nowhere"}),
        ("desk", {"more": 1}),
        ("a%2Fb", {}),
        ("%2e%2e", {}),
        ("x" * 101, {}),
        ("news", {}),
    ],
)
def test_a_wrong_request_creates_nothing(client: httpx.Client, settings: Settings, name: str, body: object) -> None:
    client.headers.update(key_of(client))
    answer = client.put(f"/v1/libraries/{name}", json=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert client.get("/v1/libraries").json()["libraries"] == ["news"]
    with state_of(settings) as state:
        assert state.tenants.names() == []
    assert client.delete("/v1/libraries/news").status_code == 422
    if name == "desk":
        assert client.put("/v1/libraries/desk", json={}).status_code == 201


def test_tenants_outlive_a_restart(settings: Settings) -> None:
    for start in range(2):
        with served(replace(settings, libraries={})) as address:
            assert httpx.put(f"{address}/v1/libraries/desk", json={}, timeout=60).status_code == (200 if start else 201)


@pytest.mark.parametrize(
    "place",
    [
        "postgresql://h/d?schema=news",
        "mysql://h/d?schema=news",
        "mongodb://h/d",
        "postgresql://whorl:secret@h/d?schema=a",
    ],
)
def test_an_address_that_cannot_hold_tenants_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(UsageError, match="cannot hold the libraries of tenants") as failed:
        Service.open(replace(settings_of(tmp_path, "news"), tenants=place))
    assert "secret" not in str(failed.value)


def test_a_user_who_may_not_create_databases_is_referred_to_the_rights(tmp_path: Path) -> None:
    address = fresh("mariadb")
    database, place = address.rpartition("/")[2], address.rpartition("@")[2]
    run_sql(
        address,
        f"CREATE USER 'only {database}'@'%' IDENTIFIED BY 'secret'",
        f"GRANT ALL ON {database}.* TO 'only {database}'@'%'",
    )
    tenants = f"mysql://only%20{database}:secret@{place}"
    with served(replace(settings_of(tmp_path, "news"), tenants=tenants)) as address:
        refused = httpx.put(f"{address}/v1/libraries/desk", json={}, timeout=60)
        assert refused.status_code == 503
        assert "permissions listed in docs/STORES.md" in refused.json()["hint"]
        assert "secret" not in refused.text
        assert httpx.get(f"{address}/v1/libraries").json()["libraries"] == ["news"]


def test_the_name_of_a_database_of_tenants_is_not_too_long(tmp_path: Path) -> None:
    tenants = f"{fresh('mariadb')}{'x' * 30}"
    with served(replace(settings_of(tmp_path, "news"), tenants=tenants)) as address:
        refused = httpx.put(f"{address}/v1/libraries/desk", json={}, timeout=60)
    assert refused.status_code == 422
    assert "at most 40 characters" in refused.json()["hint"]


def test_a_service_without_tenants_creates_no_libraries(settings: Settings) -> None:
    with served(replace(settings, tenants="")) as address:
        refused = httpx.put(f"{address}/v1/libraries/desk", json={}, timeout=60)
    assert refused.status_code == 422
    assert "--tenants" in refused.json()["hint"]
