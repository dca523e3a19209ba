"""Watched sites in the console: forms that store sites with the library."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from lxml import html
from tests.serving import served, state_of

import whorl
from whorl.monitor.settings.schedule import claim_due
from whorl.monitor.settings.sites import read_watch
from whorl.monitor.settings.stored_sites import watch_for
from whorl.service.jobs import JobQueue
from whorl.service.jobs.scheduling import submit_due
from whorl.service.settings import Settings
from whorl.service.shelf import Shelf

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HOSTILE = '"><script>alert(1)</script>'
SITES = "/libraries/news/watch/sites"
SITE = {
    "name": "转载站",
    "start": "https://www.copies.example/news/\r\nhttps://copies.example/old/\r\n",
    "exclude": "/tag/*",
    "every": "12h",
    "rate": "0.5",
    "depth": "3",
    "zone": "Asia/Shanghai",
}


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


def text_of(answer: httpx.Response, status: int = 200) -> str:
    assert answer.status_code == status
    page = html.fromstring(answer.text)
    assert not page.xpath("//script[not(@src)] | //@style | //@onclick")
    return " ".join(page.text_content().split())


def edited(asking: httpx.Client, site: str, /, **changed: str) -> httpx.Response:
    page = html.fromstring(asking.get(f"{SITES}/edit", params={"name": site}).text)
    (form,) = (form for form in page.forms if form.action == f"{SITES}/edit")
    return asking.post(f"{SITES}/edit", data={**dict(form.form_values()), **changed})


def test_a_site_is_added_edited_and_removed(asking: httpx.Client, settings: Settings) -> None:
    assert "No sites." in text_of(asking.get(SITES))
    assert asking.post(f"{SITES}/edit", data=SITE).headers["location"] == f"{SITES}?saved=%E8%BD%AC%E8%BD%BD%E7%AB%99"
    assert asking.post(f"{SITES}/contact", data={"contact": "https://paper.example/watch"}).status_code == 303
    page_text = text_of(asking.get(SITES))
    assert "转载站" in page_text
    assert "every 12 hours" in page_text
    assert "due now" in page_text
    with whorl.open(settings.libraries["news"]) as library:
        (site,) = watch_for(library).sites
        assert (site.name, site.rate, site.depth, site.every) == ("转载站", 0.5, 3, timedelta(hours=12))
        assert site.start == ("https://www.copies.example/news/", "https://copies.example/old/")
        assert not site.allow_private
        assert watch_for(library).contact == "https://paper.example/watch"
    assert edited(asking, "转载站", name="新名", rate="").status_code == 303
    with whorl.open(settings.libraries["news"]) as library:
        (site,) = watch_for(library).sites
        assert (site.name, site.rate, site.zone) == ("新名", 1.0, "Asia/Shanghai")
    assert asking.post(f"{SITES}/remove", data={"name": "新名"}).status_code == 303
    assert "No sites." in text_of(asking.get(SITES))


@pytest.mark.parametrize(
    ("changed", "field", "hint"),
    [
        ({"start": "copies.example"}, "start", "write it in full"),
        ({"start": ""}, "start", "set start, feeds or pages"),
        ({"rate": "fast"}, "rate", "use a number from 0.001"),
        ({"depth": "1.5"}, "depth", "use a whole number"),
        ({"zone": "Nowhere"}, "zone", "Asia/Shanghai"),
        ({"every": "soon"}, "every", "use a duration"),
        ({"pages": "/etc/passwd"}, "pages", "write it in full"),
        ({"name": "taken"}, "name", "use different names"),
    ],
)
def test_an_error_stands_at_its_field(asking: httpx.Client, changed: dict[str, str], field: str, hint: str) -> None:
    asking.post(f"{SITES}/edit", data={"name": "taken", "start": "https://taken.example/"})
    answer = asking.post(f"{SITES}/edit", data={**SITE, **changed})
    text_of(answer, 422)
    page = html.fromstring(answer.text)
    (invalid,) = page.xpath("//*[@aria-invalid]")
    assert invalid.name == field
    (fault,) = page.xpath(f"//*[@id='{invalid.get('aria-describedby')}']")
    assert hint in fault.text_content()
    assert page.xpath("//input[@name='zone']/@value") == [changed.get("zone", "Asia/Shanghai")]


def test_no_form_opens_the_private_network(asking: httpx.Client, settings: Settings) -> None:
    assert asking.post(f"{SITES}/edit", data={**SITE, "allow_private": "true"}).status_code == 303
    with whorl.open(settings.libraries["news"]) as library:
        assert "allow_private" not in library.watch_settings.read()["site"][0]
        assert not watch_for(library).sites[0].allow_private
        assert watch_for(library, {"allow_private": True}).sites[0].allow_private


def test_the_download_is_a_valid_file_with_the_same_sites(
    asking: httpx.Client, settings: Settings, tmp_path: Path
) -> None:
    asking.post(f"{SITES}/edit", data={**SITE, "name": 'a "quoted" \\ name'})
    asking.post(f"{SITES}/contact", data={"contact": "desk@paper.example"})
    answer = asking.get(f"{SITES}.toml")
    assert answer.headers["content-disposition"] == 'attachment; filename="sites.toml"'
    (tmp_path / "sites.toml").write_bytes(answer.content)
    with whorl.open(settings.libraries["news"]) as library:
        assert read_watch(tmp_path / "sites.toml") == watch_for(library)
        assert tomllib.loads(answer.text) == library.watch_settings.read()


def test_a_change_by_somebody_else_is_not_overwritten(asking: httpx.Client) -> None:
    asking.post(f"{SITES}/edit", data=SITE)
    page = html.fromstring(asking.get(f"{SITES}/edit", params={"name": SITE["name"]}).text)
    (form,) = (form for form in page.forms if form.action == f"{SITES}/edit")
    stale = dict(form.form_values())
    assert edited(asking, SITE["name"], depth="5").status_code == 303
    assert "changed by somebody else" in text_of(asking.post(f"{SITES}/edit", data=stale), 422)


def test_authors_and_permission_of_a_site(asking: httpx.Client, settings: Settings) -> None:
    asking.post(f"{SITES}/edit", data={**SITE, "authorised": "on"})
    author = {"name": SITE["name"], "author": "王小渡", "domain": "copies.example", "prefix": "/u/wang"}
    assert asking.post(f"{SITES}/authors", data=author).status_code == 303
    page_text = text_of(asking.get(f"{SITES}/edit", params={"name": SITE["name"]}))
    assert "王小渡" in page_text
    with whorl.open(settings.libraries["news"]) as library:
        assert [site.domain for site in library.sites if site.authorised] == ["copies.example"]
        assert [(item.author, item.path) for item in library.accounts] == [("王小渡", "/u/wang")]
    assert edited(asking, SITE["name"], authorised="").status_code == 303
    assert asking.post(f"{SITES}/authors/remove", data=author).status_code == 303
    with whorl.open(settings.libraries["news"]) as library:
        assert not [site for site in library.sites if site.authorised]
        assert not list(library.accounts)
    assert "author" in text_of(asking.post(f"{SITES}/authors", data={**author, "author": " "}), 422)


def test_whatever_is_entered_is_shown_as_text(asking: httpx.Client) -> None:
    asking.post(f"{SITES}/edit", data={**SITE, "name": HOSTILE})
    assert HOSTILE in text_of(asking.get(SITES))
    assert HOSTILE in text_of(asking.get(f"{SITES}/edit", params={"name": HOSTILE}))


def test_only_administrators_manage_sites_and_every_change_is_audited(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("boss", "a long password", "admin")
        state.users.make("ed", "a long password", "editor")
    with served(settings) as address, httpx.Client(base_url=address, headers=PAGE, timeout=60) as asking:
        for name, status in (("ed", 403), ("boss", 303)):
            asking.post("/sign-in", data={"name": name, "password": "a long password"})
            for path in ("edit", "remove", "contact", "run", "authors", "authors/remove"):
                answer = asking.post(f"{SITES}/{path}", data={**SITE, "domain": "a.example", "author": "b"})
                assert answer.status_code == status, (name, path)
                if path == "remove" and status == 303:
                    asking.post(f"{SITES}/edit", data=SITE)
            assert asking.get(f"{SITES}.toml").status_code == (200 if status == 303 else 403)
        foreign = asking.post(f"{SITES}/edit", data=SITE, headers={"Origin": "https://evil.example"})
        assert foreign.status_code == 403
    with state_of(settings) as state:
        entries = state.audit.list(limit=100)
    saved = [entry for entry in entries if entry.what.endswith("/watch/sites/edit") and entry.who == "user boss"]
    assert saved
    assert {entry.subject for entry in saved} == {SITE["name"]}


def test_a_due_site_is_visited_once_whoever_asks(settings: Settings, tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    with whorl.open(settings.libraries["news"]) as library, state_of(settings) as state:
        queue, shelf = JobQueue(state, tmp_path), Shelf({"news": library}, state, None)
        assert submit_due(shelf, queue, now) == 0
        library.watch_settings.change(
            lambda _: {
                "site": [
                    {"name": "a", "start": "https://a.example/", "every": "6h"},
                    {"name": "b", "start": "https://b.example/", "every": "1d"},
                    {"name": "c", "start": "https://c.example/"},
                ]
            }
        )
        assert submit_due(shelf, queue, now) == 1
        (job,) = queue.list(library="news", kind="watch")
        assert job.by == "schedule"
        assert submit_due(shelf, queue, now + timedelta(days=2)) == 0
        queue.cancel(job.id)
        assert claim_due(library, now + timedelta(hours=5)) == []
        assert claim_due(library, now + timedelta(hours=6)) == ["a"]
        assert claim_due(library, now + timedelta(hours=24)) == ["a", "b"]
        assert claim_due(library, now + timedelta(hours=24)) == []
