from datetime import timedelta
from pathlib import Path

import pytest

from whorl.errors import InputError, UsageError
from whorl.monitor.settings.listed import addresses_of
from whorl.monitor.settings.scope import Scope
from whorl.monitor.settings.sites import read_watch, watch_of

WHOLE = """
contact = "https://owner.example/watch"
rate = 2
zone = "Asia/Shanghai"
[[site]]
name = "转载站"
start = ["https://news.example/"]
feeds = "https://news.example/rss.xml"
sitemaps = ["https://www.news.example/sitemap.xml"]
pages = ["list.txt", "https://elsewhere.example/1.html"]
exclude = ["/tag/*"]
revisit = "never"
depth = 3
[[site]]
start = ["http://10.1.2.3:8080/"]
allow_private = true
rate = 0.5
revisit = "12h"
zone = "America/New_York"
"""


def test_a_file_says_what_is_watched(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("# found by hand\nhttps://third.example/a\nhttps://third.example/a\n", "utf-8")
    (tmp_path / "sites.toml").write_text(WHOLE, "utf-8")
    watch = read_watch(tmp_path / "sites.toml")
    first, second = watch.sites
    assert watch.agent == "whorl (+https://owner.example/watch)"
    assert (first.name, first.rate, first.depth, first.revisit) == ("转载站", 2, 3, None)
    assert first.pages == ("https://third.example/a", "https://elsewhere.example/1.html")
    assert first.scope.has("https://www.news.example/2026/1.html")
    assert first.scope.has("https://third.example/other")
    assert not first.scope.has("https://news.example/tag/1")
    assert not first.scope.has("https://other.example/")
    assert not first.allow_private
    assert (second.name, second.rate, second.revisit) == ("10.1.2.3:8080", 0.5, timedelta(hours=12))
    assert second.allow_private
    assert (first.zone, second.zone) == ("Asia/Shanghai", "America/New_York")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no site"),
        ("[[site]]\n", r"site 1 has no start address"),
        ('[[site]]\nstart = ["news.example"]', r"site 1: start is 'news.example'(?s:.)*write it in full"),
        ('[[site]]\nstart = ["https://a.example"]\nrate = 0', "site 1: rate is 0(?s:.)*from 0.001"),
        ('[[site]]\nstart = ["https://a.example"]\nrevisit = "soon"', "site 1: revisit is 'soon'"),
        ('[[site]]\nstart = ["https://a.example"]\nallow_private = "yes"', "true or false"),
        ('[[site]]\nstart = ["https://a.example"]\nzone = "Nowhere"', "site 1: zone is 'Nowhere'(?s:.)*Asia/Shanghai"),
        ('[[site]]\nstart = ["https://a.example"]\nstarts = []', "unknown key 'starts' in(?s:.)*choose one"),
        ("[[site]]\nstart = [1]", "site 1: start is"),
        ('[[site]]\nname = "a"\nstart = "http://a.example"\n' * 2, "two sites called 'a'"),
        ('speed = 1\n[[site]]\nstart = "http://a.example"', "key 'speed'"),
        ('contact = "a\\nX-Other: 1"\n[[site]]\nstart = "http://a.example"', "contact is"),
        ('[site]\nstart = "http://a.example"', "write each site as a table"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_its_hint(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=says) as error:
        read_watch(path)
    assert "sites.toml" in str(error.value)
    assert error.value.hint


def test_what_is_no_toml_or_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[[site", "utf-8")
    for name in ("bad.toml", "none.toml"):
        with pytest.raises(InputError, match=name):
            read_watch(tmp_path / name)
    with pytest.raises(InputError, match=r"none\.csv"):
        watch_of({"site": [{"pages": ["none.csv"]}]}, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.csv", "标题,网址\n甲,https://a.example/1\n乙,http://b.example/2\n丙,\n"),
        ("results.jsonl", '{"title": "甲", "url": "https://a.example/1"}\n{"link": "http://b.example/2"}\n'),
        ("results.json", '{"items": [{"link": "https://a.example/1"}, {"link": "http://b.example/2", "n": 1}]}'),
        ("results.html", '<a href="https://a.example/1">甲</a><a href="/next"></a><a href="http://b.example/2">乙</a>'),
        ("results.txt", "https://a.example/1\nno address\n  http://b.example/2\n"),
    ],
)
def test_a_list_of_results_gives_its_addresses(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert addresses_of(tmp_path / name) == ("https://a.example/1", "http://b.example/2")


def test_a_list_without_addresses_is_told(tmp_path: Path) -> None:
    for name, text in (("a.txt", "nothing"), ("a.json", "{"), ("a.csv", "url\n")):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(InputError, match=name):
            addresses_of(tmp_path / name)


def test_a_scope_knows_hosts_paths_and_everything_else() -> None:
    scope = Scope(("*.news.example", "blog.example/zh/*"), ("*.news.example/login*", "/private/*"))
    assert scope.has("https://www.news.example/a?b=1")
    assert scope.has("http://blog.example:80/zh/a")
    for outside in (
        "https://news.example/",
        "https://blog.example/en/a",
        "https://www.news.example/login?to=1",
        "https://www.news.example/private/a",
        "ftp://www.news.example/",
        "file:///etc/passwd",
        "https://evil.example/?www.news.example",
        "https://www.news.example@evil.example/",
        "https://www.news.example/" + "a" * 3000,
    ):
        assert not scope.has(outside), outside
