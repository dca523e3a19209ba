import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article
from tests.newsweb import HOSTS, Web
from tests.unit.cli.articles import Invoke
from tests.unit.monitor.alerts.receivers import answering, hooks

import whorl
from whorl.monitor.settings.sites import read_watch
from whorl.monitor.settings.stored_sites import put_site


@pytest.fixture
def web() -> Iterator[Web]:
    with Web(articles=4, hosts=HOSTS[:1], is_troubled=False).served() as web:
        web.copied = {(HOSTS[0], "/a/1.html"): 1}
        yield web


@pytest.fixture
def library(web: Web, tmp_path: Path) -> Path:
    return web.library(tmp_path / "library")


def toml(web: Web, path: Path, **others: object) -> Path:
    keys = {"rate": 1000, "allow_private": True, **others}
    top = "".join(f"{name} = {json.dumps(value)}\n" for name, value in keys.items())
    path.write_text(f'{top}[[site]]\nname = "转载站"\nstart = ["{web.at(HOSTS[0], "/")}"]\n', "utf-8")
    return path


def test_watch_reports_findings_and_writes_a_page(invoke: Invoke, web: Web, library: Path, tmp_path: Path) -> None:
    sites, page = toml(web, tmp_path / "sites.toml"), tmp_path / "run.html"
    result = invoke("watch", library, sites, "--once", "--html", page, "--fail-on", "copy", "--quiet", "--json")
    assert result.exit_code == 1
    run = json.loads(result.stdout)
    assert [(finding["verdict"], finding["article"], finding["url"]) for finding in run["new"]] == [
        ("copy", "protected-1", web.at(HOSTS[0], "/a/1.html"))
    ]
    assert run["sites"][0]["found"] == {"copies": 1, "reprints": 0, "undetermined": 0, "gone": 0, "syndicated": 0}
    assert web.at(HOSTS[0], "/a/1.html") in page.read_text("utf-8")
    again = invoke("watch", library, sites, "--html", page, "--fail-on", "match")
    assert again.exit_code == 0
    assert "转载站" in again.stdout
    assert "0 new matches with protected articles" in again.stdout


def test_the_sites_of_the_library_are_exported(invoke: Invoke, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    refused = invoke("watch", library, "--export", path, "--lang", "en")
    assert (refused.exit_code, path.exists()) == (2, False)
    assert "the library has no sites to watch" in refused.stderr
    with whorl.open(library) as opened:
        put_site(opened, {"name": "转载站", "start": ["https://copies.example/"]})
    for others in ([tmp_path / "other.toml"], ["--import", tmp_path / "other.toml"]):
        assert invoke("watch", library, *others, "--export", path).exit_code == 2
    assert invoke("watch", library, "--export", path).exit_code == 0
    (site,) = read_watch(path).sites
    assert (site.name, site.start) == ("转载站", ("https://copies.example/",))


def test_sites_of_a_file_are_stored(invoke: Invoke, library: Path, tmp_path: Path) -> None:
    path, copy = tmp_path / "sites.toml", tmp_path / "copy.toml"
    path.write_text(
        'contact = "https://paper.example/watch"\nzone = "Asia/Shanghai"\n'
        '[[site]]\nname = "转载站"\nstart = ["https://copies.example/"]\n'
        '[[site]]\nname = "晚报"\nstart = ["https://evening.example/"]\nzone = "UTC"\n',
        "utf-8",
    )
    with whorl.open(library) as opened:
        for name in ("转载站", "别站"):
            put_site(opened, {"name": name, "start": ["https://before.example/"]})
    result = invoke("watch", library, "--import", path, "--lang", "en")
    assert (result.exit_code, result.stdout.strip()) == (0, "2 sites stored in the library")
    assert invoke("watch", library, "--export", copy).exit_code == 0
    stored = read_watch(copy)
    assert {site.name: (site.start, site.zone) for site in stored.sites} == {
        "转载站": (("https://copies.example/",), "Asia/Shanghai"),
        "别站": (("https://before.example/",), ""),
        "晚报": (("https://evening.example/",), "+00:00"),
    }
    assert stored.contact == "https://paper.example/watch"

    path.write_text(f"allow_private = true\n{path.read_text('utf-8')}", "utf-8")
    refused = invoke("watch", library, "--import", path, "--lang", "en")
    assert refused.exit_code == 2
    assert "allow_private cannot be stored in a library" in refused.stderr
    with whorl.open(library) as opened:
        assert len(opened.watch_settings.read()["site"]) == 3


def test_receivers_of_the_library_are_notified(
    invoke: Invoke, web: Web, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHORL_ALERT_SECRET", "hidden")
    sites = toml(web, tmp_path / "sites.toml")
    with hooks(answering(200)) as receiver:
        (library / "alerts.toml").write_text(
            f'[channels.desk]\nkind = "webhook"\nurl = "{receiver.url}"\nallowed = ["127.0.0.0/8"]\n'
            'secret = {env = "WHORL_ALERT_SECRET"}\n'
            '[[rules]]\nname = "copies"\nto = ["desk"]\n',
            "utf-8",
        )
        assert invoke("watch", library, sites, "--no-alerts").exit_code == 0
        assert not receiver.received
        assert invoke("watch", library, sites).exit_code == 0
        (alert,) = [alert for got in receiver.received for alert in json.loads(got.body)["alerts"]]
    assert alert["original"] == "protected-1"


def test_saved_pages_need_no_sites(invoke: Invoke, web: Web, library: Path, tmp_path: Path) -> None:
    paragraphs = "".join(f"<p>{web.original(2)[at : at + 100]}</p>" for at in range(0, 600, 100))
    page = tmp_path / "saved.html"
    page.write_text(f"<html><body><article>{paragraphs}</article></body></html>", "utf-8")
    result = invoke("watch", library, "--from", page, "--json")
    assert result.exit_code == 0
    assert [finding["article"] for finding in json.loads(result.stdout)["new"]] == ["protected-2"]
    assert not web.requests


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "the library has no sites to watch"),
        (["none.toml"], 3, "none.toml"),
        (["sites.toml", "--every", "often"], 2, "'often' is not a duration"),
        (["sites.toml", "--every", "1d", "--once"], 2, "--once and --every contradict each other"),
        (["sites.toml", "--alerts", "a.toml", "--no-alerts"], 2, "--alerts and --no-alerts exclude each other"),
        (["wrong.toml"], 2, "unknown key 'speed' in"),
    ],
)
def test_user_mistakes_have_a_hint(
    arguments: list[str], code: int, says: str, invoke: Invoke, web: Web, library: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    toml(web, tmp_path / "sites.toml")
    toml(web, tmp_path / "wrong.toml", speed=1)
    result = invoke("watch", library, *arguments)
    assert result.exit_code == code
    assert says in result.stderr
    assert "hint" in result.stderr


def test_library_without_protected_articles_is_reported(invoke: Invoke, web: Web, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "other") as other:
        other.add({"id": "a", "text": article(1)})
    result = invoke("watch", tmp_path / "other", toml(web, tmp_path / "sites.toml"))
    assert result.exit_code == 0
    assert "no article in the collection 'protected'" in result.stderr
