"""Alert receivers and rules in the console: forms that store them with the library, without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from lxml import html
from tests.serving import served, state_of
from tests.unit.monitor.alerts.receivers import answering, hooks

import whorl
from whorl.monitor.alerts.stored import alerts_for
from whorl.service.settings import Settings

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HERE = "/settings/libraries/news"
SECRET = "a very secret signature"
HOOK = {"name": "archive", "kind": "webhook", "url": "https://archive.example/whorl", "secret": "WHORL_ALERT_ARCHIVE"}
MAIL = {
    "name": "desk",
    "kind": "email",
    "to": "a@paper.example\r\nb@paper.example",
    "sender": "whorl@paper.example",
    "host": "mail.example",
    "security": "starttls",
    "user": "whorl",
    "password": "WHORL_ALERT_MAIL",
}
RULE = {"name": "large", "to": ["archive"], "share": "50", "length": "200", "sites": "copies.example"}


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHORL_ALERT_ARCHIVE", SECRET)
    monkeypatch.setenv("WHORL_ALERT_MAIL", SECRET)
    monkeypatch.setenv("OTHER_SECRET", SECRET)


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


def text_of(answer: httpx.Response, status: int = 200) -> str:
    assert answer.status_code == status
    assert SECRET not in answer.text
    page = html.fromstring(answer.text)
    assert not page.xpath("//script[not(@src)] | //@style | //@onclick")
    return " ".join(page.text_content().split())


def test_receivers_and_rules_are_added_edited_and_removed(asking: httpx.Client, settings: Settings) -> None:
    assert "No receivers." in text_of(asking.get(HERE))
    for form in (HOOK, MAIL):
        assert asking.post(f"{HERE}/receivers/edit", data=form).status_code == 303
    assert "Nobody is told anything yet" in text_of(asking.get(HERE))
    assert asking.post(f"{HERE}/rules/edit", data=RULE).status_code == 303
    page_text = text_of(asking.get(HERE))
    assert "archive.example" in page_text
    assert "a@paper.example" in page_text
    assert "50.0%" in page_text
    with whorl.open(settings.libraries["news"]) as library:
        alerts = alerts_for(library)
        assert alerts is not None
        assert set(alerts.channels) == {"archive", "desk"}
        assert (alerts.rules[0].share, alerts.rules[0].length, alerts.rules[0].sites) == (0.5, 200, ("copies.example",))
        assert alerts.rules[0].reviews == ("pending", "confirmed")
        assert SECRET not in json.dumps(library.alert_settings.read())
    renamed = {**HOOK, "replaces": "archive", "name": "store"}
    assert asking.post(f"{HERE}/receivers/edit", data=renamed).status_code == 303
    assert "the rule 'large' notifies 'store'" in text_of(
        asking.post(f"{HERE}/receivers/remove", data={"name": "store"}), 422
    )
    assert "WHORL_ALERT_ARCHIVE" in asking.get(f"{HERE}/receivers/edit", params={"name": "store"}).text
    assert text_of(asking.get(f"{HERE}/rules/edit", params={"name": "large"}))
    assert asking.post(f"{HERE}/rules/remove", data={"name": "large"}).status_code == 303
    for name in ("store", "desk"):
        assert asking.post(f"{HERE}/receivers/remove", data={"name": name}).status_code == 303
    assert "No receivers." in text_of(asking.get(HERE))


@pytest.mark.parametrize(
    ("path", "form", "field", "hint"),
    [
        ("receivers", {**HOOK, "url": "archive.example"}, "url", "https://host/path"),
        ("receivers", {**HOOK, "secret": ""}, "secret", "begins with WHORL_ALERT_"),
        ("receivers", {**HOOK, "secret": "OTHER_SECRET"}, "secret", "begins with WHORL_ALERT_"),
        ("receivers", {**HOOK, "secret": "WHORL_ALERT_NONE"}, "secret", "restart the service"),
        ("receivers", {**HOOK, "name": " "}, "name", "add it"),
        ("receivers", {**HOOK, "seconds": "soon"}, "seconds", "use a number"),
        ("receivers", {**MAIL, "to": "nobody"}, "to", "desk@paper.example"),
        ("receivers", {**MAIL, "to": ""}, "to", "add"),
        ("receivers", {**MAIL, "security": "none"}, "security", "starttls"),
        ("receivers", {**MAIL, "port": "0"}, "port", "65535"),
        ("rules", {**RULE, "share": "150"}, "share", "a percentage from 0 to 100"),
        ("rules", {**RULE, "length": "many"}, "length", "use a number"),
        ("rules", {**RULE, "to": []}, "to", "add a channel"),
        ("rules", {**RULE, "name": "taken"}, "name", "use different names"),
    ],
)
def test_an_error_stands_at_its_field(
    asking: httpx.Client, path: str, form: dict[str, str], field: str, hint: str
) -> None:
    assert asking.post(f"{HERE}/receivers/edit", data=HOOK).status_code == 303
    assert asking.post(f"{HERE}/rules/edit", data={**RULE, "name": "taken"}).status_code == 303
    answer = asking.post(f"{HERE}/{path}/edit", data={"replaces": "archive" if path == "receivers" else "", **form})
    text_of(answer, 422)
    (fault,) = html.fromstring(answer.text).xpath(f"//*[@id='fault-{field}']")
    assert hint in fault.text_content()


def test_a_test_message_is_sent_and_its_outcome_shown(
    asking: httpx.Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hooks(answering(200)) as receiver:
        assert asking.post(f"{HERE}/receivers/edit", data={**HOOK, "url": receiver.url}).status_code == 303
        refused = text_of(asking.post(f"{HERE}/receivers/test", data={"name": "archive"}))
        assert "did not accept the test message" in refused
        assert not receiver.received
        folder = Path(settings.libraries["news"])
        (folder / "alerts.toml").write_text(
            f'[channels.archive]\nkind = "webhook"\nurl = "{receiver.url}"\nallowed = ["127.0.0.0/8"]\n'
            'secret = { env = "OTHER_SECRET" }\n'
        )
        assert "accepted the test message" in text_of(asking.post(f"{HERE}/receivers/test", data={"name": "archive"}))
        assert "Test message" in receiver.received[0].body.decode()
        assert "in the file alerts.toml" in text_of(asking.get(HERE))
        assert "in the file alerts.toml" in text_of(asking.post(f"{HERE}/receivers/edit", data=MAIL), 422)
    assert asking.post(f"{HERE}/receivers/test", data={"name": "none"}).status_code == 404


def test_receivers_are_for_administrators_of_the_whole_service(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("boss", "a long password", "admin")
        state.users.make("local", "a long password", "admin", ["news"])
        state.users.make("ed", "a long password", "editor")
    with served(settings) as address, httpx.Client(base_url=address, headers=PAGE, timeout=60) as asking:
        for name, receiver, rule in (("ed", 403, 403), ("boss", 303, 303), ("local", 403, 303)):
            asking.post("/sign-in", data={"name": name, "password": "a long password"})
            assert (
                asking.post(f"{HERE}/receivers/edit", data={**HOOK, "name": f"archive {name}"}).status_code == receiver
            )
            answer = asking.post(f"{HERE}/rules/edit", data={**RULE, "name": name, "to": ["archive boss"]})
            assert answer.status_code == rule
    with state_of(settings) as state:
        entries = state.audit.list(limit=100)
    assert any(entry.what.endswith("/receivers/edit") and entry.subject == "archive boss" for entry in entries)
