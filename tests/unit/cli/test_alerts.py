import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import Invoke
from tests.unit.monitor.alerts.receivers import answering, closed_port, hooks

import whorl

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，比去年这个时候多了一半。"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": "ours", "text": TEXT, "collection": "protected"})
        opened.add({"id": "copy", "text": TEXT, "url": "https://copies.example/7", "collection": "watched"})
    return tmp_path / "library"


def settings(folder: Path, url: str, allowed: str = '["127.0.0.1"]') -> Path:
    (folder / "secret").write_text("s", "utf-8")
    path = folder / "alerts.toml"
    path.write_text(
        f'[channels.desk]\nkind = "webhook"\nurl = "{url}"\nsecret = {{ file = "secret" }}\nallowed = {allowed}\n'
        '[[rules]]\nname = "all"\nto = ["desk"]\n',
        "utf-8",
    )
    return path


@pytest.mark.parametrize("json_output", [True, False])
def test_alerts_that_are_given_up_end_with_4_and_what_waits_does_not(
    invoke: Invoke, library: Path, tmp_path: Path, json_output: bool
) -> None:
    options = ["--json"] if json_output else []
    waiting = invoke("alerts", library, settings(tmp_path, f"http://127.0.0.1:{closed_port()}"), *options)
    assert waiting.exit_code == 0
    with whorl.open(library) as opened:
        opened.outbox.retry(alert.number for alert in opened.outbox.of("waiting"))
    with hooks(answering(404)) as server:
        chosen = settings(tmp_path, server.url)
        refused = invoke("alerts", library, chosen, *options)
        assert refused.exit_code == 4
        assert "404" in refused.stdout
        assert invoke("alerts", library, chosen, *options).exit_code == 0  # nothing is given up anew
        assert invoke("alerts", library, chosen, "--retry", *options).exit_code == 4
    with hooks(answering(200)) as server:
        retried = invoke("alerts", library, settings(tmp_path, server.url), "--retry", "--json")
    assert retried.exit_code == 0
    summary = json.loads(retried.stdout)
    assert (summary["sent"], summary["dead"], summary["given_up"]) == (1, 0, 0)


def test_an_address_that_may_not_be_asked_ends_with_4(invoke: Invoke, library: Path, tmp_path: Path) -> None:
    with hooks(answering(200)) as server:
        assert invoke("alerts", library, settings(tmp_path, server.url, "[]")).exit_code == 4
        assert not server.received


def test_an_alert_that_a_decision_made_needless_is_no_failure(invoke: Invoke, library: Path, tmp_path: Path) -> None:
    assert invoke("alerts", library, settings(tmp_path, f"http://127.0.0.1:{closed_port()}")).exit_code == 0
    with whorl.open(library) as opened:
        opened.review("copy", "ours", "rejected")
        opened.outbox.retry(alert.number for alert in opened.outbox.of("waiting"))
    with hooks(answering(200)) as server:
        ended = invoke("alerts", library, settings(tmp_path, server.url), "--json")
        assert not server.received
    assert (ended.exit_code, json.loads(ended.stdout)["dead"]) == (0, 1)
