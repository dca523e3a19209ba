from pathlib import Path

import pytest

from whorl.errors import InputError, NotFoundError, UsageError, WhorlError
from whorl.monitor.alerts.channels import Mailbox, Webhook
from whorl.monitor.alerts.copies import CopyFound
from whorl.monitor.alerts.settings import load_alerts

SETTINGS = """
[channels.desk]
kind = "wecom"
url = { env = "DESK_ROBOT" }
language = "zh"

[channels.archive]
kind = "webhook"
url = "https://archive.example/whorl?x=1"
secret = { file = "archive.secret" }
allowed = ["10.0.0.0/8"]

[channels.editors]
kind = "email"
host = "mail.example"
sender = "whorl@paper.example"
to = ["a@paper.example", "b@paper.example"]
user = "whorl"
password = { env = "MAIL_PASSWORD" }

[[rules]]
name = "reprints"
to = ["desk", "archive"]
sites = ["copies.example"]
share = 0.5
length = 100
collections = ["protected"]
kinds = ["exact", "excerpt"]

[[rules]]
to = ["archive", "editors"]
share = 0.9
reviews = ["confirmed"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DESK_ROBOT", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=hidden-key")
    monkeypatch.setenv("MAIL_PASSWORD", "hidden-password")
    (tmp_path / "archive.secret").write_text("hidden-secret\n")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "alerts.toml"
    path.write_text(text, encoding="utf-8")
    return path


def copy_found(**changes: object) -> CopyFound:
    fields = {
        "share": 0.6,
        "length": 200,
        "kind": "excerpt",
        "url": "https://m.copies.example/7",
        "collection": "protected",
    }
    return CopyFound("b7", "a1", **fields | changes)  # type: ignore[arg-type]


def test_channels_and_rules_are_read(folder: Path) -> None:
    settings = load_alerts(written(folder, SETTINGS))
    desk, archive, editors = settings.channels.values()
    assert isinstance(desk, Webhook)
    assert desk.url.reveal().endswith("hidden-key")
    assert desk.language == "zh"
    assert isinstance(archive, Webhook)
    assert archive.secret
    assert archive.secret.reveal() == "hidden-secret"
    assert isinstance(editors, Mailbox)
    assert editors.own_port == 587
    assert [rule.name for rule in settings.rules] == ["reprints", "2"]


def test_a_rule_takes_what_fulfils_all_of_it(folder: Path) -> None:
    settings = load_alerts(written(folder, SETTINGS))
    assert settings.channels_for(copy_found()) == ("desk", "archive")
    assert settings.channels_for(copy_found(share=0.95, review="confirmed")) == ("desk", "archive", "editors")
    for change in (
        {"share": 0.49}, {"length": 99}, {"kind": "partial"}, {"collection": "own"}, {"review": "rejected"},
        {"review": "authorised"}, {"url": "https://notcopies.example/"}, {"url": ""}, {"url": "http://[broken"},
    ):  # fmt: skip
        assert settings.channels_for(copy_found(**change)) == ()


def test_no_secret_is_shown(folder: Path) -> None:
    settings = load_alerts(written(folder, SETTINGS))
    assert "hidden" not in repr(settings)
    assert "hidden" not in str(settings.channels)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name = "reprints"', "", None),
        ("share = 0.5", "share = 5", "rules[1]: share is out of range: 5"),
        ("share = 0.5", "shaer = 0.5", "rules[1].shaer: unknown key"),
        ('to = ["desk", "archive"]', 'to = ["dsek"]', "rules[1].to: channel 'dsek' not found"),
        ('to = ["desk", "archive"]', "", "rules[1]: to is missing"),
        ('to = ["desk", "archive"]', 'to = "desk"', "rules[1]: expected a list of names for to"),
        ('"exact", "excerpt"', '"exactly"', "rules[1]: unknown kinds 'exactly'"),
        ('kind = "wecom"', 'kind = "wechat"', "channels.desk: missing or unknown kind"),
        ('{ env = "DESK_ROBOT" }', '"https://x.example/key"', "channels.desk: url is written in the settings"),
        ('{ env = "DESK_ROBOT" }', '{ env = "NOT_SET" }', "channels.desk: url: the variable NOT_SET is not set"),
        ('{ env = "DESK_ROBOT" }', "{ path = 1 }", "channels.desk: url refers to neither a variable nor a file"),
        ('{ file = "archive.secret" }', '{ file = "none" }', "channels.archive: secret: cannot read"),
        ('secret = { file = "archive.secret" }', "", "channels.archive: secret is missing"),
        ("https://archive.example", "ftp://archive.example", "channels.archive: url is not a web address"),
        ("https://archive.example", "https://u:p@archive.example", "channels.archive: url is not a web address"),
        ('host = "mail.example"', "", "channels.editors: host is missing"),
        ('"a@paper.example"', '"a@paper.example\\nBcc: x@y"', "is not an e-mail address"),
        ('user = "whorl"', 'user = "whorl"\nsecurity = "none"', "a password would be sent unencrypted"),
        ('user = "whorl"', "port = 0", "port is out of range: 0"),
        ('user = "whorl"', "", "user and password must be set together"),
        ('language = "zh"', 'language = "fr"', "channels.desk: unknown language 'fr'"),
        ("[channels.desk]", "[canals.desk]", "canals: unknown key"),
        ("[[rules]]", "[[rules", "is not a TOML file"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_key_and_hint(folder: Path, before: str, after: str, message: str | None) -> None:
    assert before in SETTINGS
    path = written(folder, SETTINGS.replace(before, after, 1))
    if message is None:
        assert load_alerts(path).rules[0].name == "1"
        return
    with pytest.raises(WhorlError) as refused:
        load_alerts(path)
    assert message in refused.value.message
    assert str(path) in refused.value.message
    assert refused.value.hint
    assert "hidden" not in str(refused.value)
    assert "x.example/key" not in str(refused.value)


def test_what_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(InputError):
        load_alerts(folder / "none.toml")
    with pytest.raises(NotFoundError):
        load_alerts(written(folder, SETTINGS)).channel("none")
    with pytest.raises(UsageError):
        load_alerts(written(folder, "rules = 1"))
