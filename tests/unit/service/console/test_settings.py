"""Settings in the console: people, keys, permissions, boilerplate, receivers of alerts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from lxml import html
from tests.serving import served, settings_of, state_of

import whorl
from whorl.library.reviews.permissions import Permission
from whorl.service.settings import Settings

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HOSTILE = '"><script>alert(1)</script>'
BOSS = ("boss", "a long password")


@contextmanager
def signed_in(settings: Settings, name: str = BOSS[0], password: str = BOSS[1]) -> Iterator[httpx.Client]:
    with served(settings) as address, httpx.Client(base_url=address, headers=PAGE, timeout=60) as client:
        assert client.post("/sign-in", data={"name": name, "password": password}).status_code == 303
        yield client


@pytest.fixture
def boss(settings: Settings) -> Iterator[httpx.Client]:
    with state_of(settings) as state:
        state.users.make(*BOSS, "admin")
    with signed_in(settings) as client:
        yield client


def text_of(answer: httpx.Response) -> str:
    return html.fromstring(answer.text).text_content()


def test_the_first_user_is_an_administrator(client: httpx.Client) -> None:
    client.headers.update(PAGE)
    assert "No users." in text_of(client.get("/settings"))
    refused = client.post("/settings/users", data={"name": "mei", "password": "a long password", "role": "reader"})
    assert refused.status_code == 422
    assert "no administrator of all libraries would be left" in text_of(refused)
    assert html.fromstring(refused.text).xpath("//input[@name='name']/@value")[0] == "mei"
    key = client.post("/settings/keys", data={"name": "desk", "scopes": ["read"]})
    assert (key.status_code, "whorl_" in key.text.replace("whorl_…", "")) == (422, False)
    response = client.post("/settings/users", data={"name": "mei", "password": "a long password", "role": "admin"})
    assert (response.status_code, response.headers["location"]) == (303, "/settings#people")
    assert client.get("/settings").headers["location"] == "/sign-in?next=%2Fsettings"


def test_the_secret_of_a_key_is_shown_once(boss: httpx.Client) -> None:
    response = boss.post("/settings/keys", data={"name": HOSTILE, "scopes": ["read", "write"]})
    (secret,) = html.fromstring(response.text).xpath("//code[@class='secret']/text()")
    assert response.headers["cache-control"] == "no-store"
    asking = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(boss.base_url.join("/v1/libraries"), headers=asking).status_code == 200
    again = boss.get("/settings")
    assert secret not in again.text
    assert not html.fromstring(again.text).xpath("//script[not(@src)]")
    assert HOSTILE in text_of(again)
    (number,) = html.fromstring(again.text).xpath("//input[@name='number']/@value")
    assert boss.post("/settings/keys/revoke", data={"number": number}).status_code == 303
    assert httpx.get(boss.base_url.join("/v1/libraries"), headers=asking).status_code == 401
    assert "revoked" in text_of(boss.get("/settings"))


def test_keys_without_scope_or_for_unknown_libraries_are_refused(boss: httpx.Client) -> None:
    for item in ({"name": "desk"}, {"name": "desk", "scopes": ["read"], "libraries": ["elsewhere"]}):
        assert boss.post("/settings/keys", data=item).status_code == 422
    assert "No keys." in text_of(boss.get("/settings"))


def test_people_are_added_changed_and_removed(boss: httpx.Client, settings: Settings) -> None:
    name = "<b>梅</b>"
    boss.post("/settings/users", data={"name": name, "password": "a long password", "role": "reader"})
    page = boss.get("/settings")
    assert name in html.fromstring(page.text).xpath("//form[@action='/settings/users/change']/input/@value")
    twice = boss.post("/settings/users", data={"name": name, "password": "another password", "role": "admin"})
    assert "already" in text_of(twice)
    changed = boss.post("/settings/users/change", data={"name": name, "role": "editor", "libraries": ["news"]})
    assert changed.status_code == 303
    with state_of(settings) as state:
        (user,) = [record for record in state.users.all() if record.name == name]
        assert (user.role, user.libraries) == ("editor", ("news",))
        assert state.users.sign_in(name, "a long password", "here") is not None
        boss.post("/settings/users/change", data={"name": name, "role": "editor", "password": "another password"})
        assert state.users.sign_in(name, "another password", "here") is not None
    assert boss.post("/settings/users/change", data={"name": "nobody", "role": "editor"}).status_code == 404
    assert boss.post("/settings/users/remove", data={"name": name}).status_code == 303
    with state_of(settings) as state:
        assert [record.name for record in state.users.all()] == ["boss"]


def test_the_last_administrator_stays(boss: httpx.Client) -> None:
    assert boss.post("/settings/users/remove", data={"name": "boss"}).status_code == 422
    assert boss.post("/settings/users/change", data={"name": "boss", "role": "reader"}).status_code == 422
    limited = boss.post("/settings/users/change", data={"name": "boss", "role": "admin", "libraries": ["news"]})
    assert limited.status_code == 422
    assert boss.get("/settings").status_code == 200


def test_only_administrators_come_here(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make(*BOSS, "admin")
        state.users.make("mei", "a long password", "editor")
    with signed_in(settings, "mei") as client:
        refused = client.get("/settings")
        assert refused.status_code == 403
        assert "/settings" not in html.fromstring(refused.text).xpath("//a/@href")
        assert client.get("/settings/libraries/news").status_code == 403
        assert client.post("/settings/keys", data={"name": "own", "scopes": ["admin"]}).status_code == 403
        assert client.post("/settings/users/change", data={"name": "mei", "role": "admin"}).status_code == 403


def test_administrators_of_some_libraries_see_to_those_alone(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state:
        state.users.make(*BOSS, "admin")
        state.users.make("mei", "a long password", "admin", ["ours"])
    with signed_in(settings, "mei") as client:
        assert client.get("/settings").status_code == 403
        assert client.post("/settings/keys", data={"name": "own", "scopes": ["admin"]}).status_code == 403
        assert client.get("/settings/libraries/ours").status_code == 200
        assert client.get("/settings/libraries/theirs").status_code == 404
        assert client.post("/settings/libraries/theirs/permissions", data={"domain": "a.example"}).status_code == 404


def test_pages_of_other_sites_change_nothing(boss: httpx.Client) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}):
        for place, value in (
            ("/settings/keys", {"name": "theirs", "scopes": ["admin"]}),
            ("/settings/users", {"name": "theirs", "password": "a long password", "role": "admin"}),
            ("/settings/libraries/news/permissions", {"domain": "elsewhere.example"}),
        ):
            assert boss.post(place, data=value, headers=headers).status_code == 403
    assert "theirs" not in boss.get("/settings").text
    assert "elsewhere" not in boss.get("/settings/libraries/news").text


def test_leaves_are_added_and_removed(boss: httpx.Client, settings: Settings) -> None:
    assert "No permissions." in text_of(boss.get("/settings/libraries/news"))
    fields = {
        "domain": "partner.example", "path": "/news", "author": HOSTILE, "since": "2026-01-31", "note": "合同 7"
    }  # fmt: skip
    added = boss.post("/settings/libraries/news/permissions", data=fields)
    assert added.headers["location"] == "/settings/libraries/news#permissions"
    with whorl.open(settings.libraries["news"]) as library:
        (permission,) = library.permissions
        assert (permission.domain, permission.path, permission.author, permission.note) == (
            "partner.example", "/news", HOSTILE, "合同 7",
        )  # fmt: skip
    page = html.fromstring(boss.get("/settings/libraries/news").text)
    assert not page.xpath("//script[not(@src)]")
    form = page.xpath("//form[contains(@action, '/permissions/remove')]")[0]
    assert boss.post(form.action, data=dict(form.form_values())).status_code == 303
    with whorl.open(settings.libraries["news"]) as library:
        assert list(library.permissions) == []


def test_a_leave_that_cannot_be_read_says_why(boss: httpx.Client) -> None:
    refused = boss.post("/settings/libraries/news/permissions", data={"domain": "partner.example", "since": "soon"})
    assert refused.status_code == 422
    page = html.fromstring(refused.text)
    assert "is not a valid time: 'soon'" in page.xpath("//*[@role='alert']")[0].text_content()
    assert page.xpath("//input[@name='domain']/@value") == ["partner.example"]


def test_leaves_of_sites_with_hidden_characters_can_be_removed(boss: httpx.Client, settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        library.permissions.put([Permission("partner.example", author="a\u202eb\u200b")])
    page = html.fromstring(boss.get("/settings/libraries/news").text)
    assert "⟨RLO⟩" in page.text_content()
    form = page.xpath("//form[contains(@action, '/permissions/remove')]")[0]
    boss.post(form.action, data=dict(form.form_values()))
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library.permissions) == 0


def test_receivers_are_shown_without_secrets(boss: httpx.Client, settings: Settings) -> None:
    folder = Path(settings.libraries["news"])
    assert "No receivers." in text_of(boss.get("/settings/libraries/news"))
    (folder / "robot.secret").write_text("https://chat.example/send?key=VERY-SECRET")
    (folder / "alerts.toml").write_text(
        '[channels.desk]\nkind = "wecom"\nurl = { file = "robot.secret" }\n'
        '[[rules]]\nname = "reprints"\nto = ["desk"]\nshare = 0.5\n'
    )
    response = boss.get("/settings/libraries/news")
    assert "VERY-SECRET" not in response.text
    assert "chat.example" in text_of(response)
    assert "50.0%" in text_of(response)
    (folder / "robot.secret").unlink()
    assert "cannot read" in text_of(boss.get("/settings/libraries/news"))


def test_boilerplate_is_shown_once_it_is_learned(boss: httpx.Client) -> None:
    assert "No boilerplate learned yet." in text_of(boss.get("/settings/libraries/news"))


def test_changes_are_written_down_without_secrets(boss: httpx.Client) -> None:
    response = boss.post("/settings/keys", data={"name": "desk", "scopes": ["read"]})
    (secret,) = html.fromstring(response.text).xpath("//code[@class='secret']/text()")
    boss.post("/settings/users", data={"name": "mei", "password": "a long password"})
    page = boss.get("/settings")
    rows = [
        " ".join(row.text_content().split()) for row in html.fromstring(page.text).xpath("//*[@id='audit']//tbody/tr")
    ]
    assert any("user boss" in row and "POST /settings/users" in row and "mei" in row for row in rows)
    assert secret not in page.text
    assert "a long password" not in page.text


def test_who_is_limited_to_a_library_stays_so(boss: httpx.Client, settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("mei", "a long password", "reader", ["news"])
        form = next(
            form
            for form in html.fromstring(boss.get("/settings").text).forms
            if form.action == "/settings/users/change" and form.fields["name"] == "mei"
        )
        assert boss.post(form.action, data=dict(form.form_values())).status_code == 303
        assert next(record for record in state.users.all() if record.name == "mei").libraries == ("news",)
