"""The console over the example newsroom, with decisions and a finished watch, and over hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, urlencode

from playwright.sync_api import Browser, BrowserContext, Page
from tests.articles import NEWSROOM, write_jsonl
from tests.browser.pages import hostile_rows
from tests.serving import served, settings_of, state_of

import whorl
from whorl.monitor.alerts.stored import put_channel, put_rule
from whorl.monitor.findings.watched import latest_findings
from whorl.monitor.settings.stored_sites import put_site
from whorl.service.http.callers import COOKIE
from whorl.service.settings import Settings

NAME, PASSWORD = "mei", "a long password"
PASTED = "nr-042"
"""The article of the newsroom that is missing in the library."""
_DECIDED, _WATCHED, _MAX_MEMBERS = 24, 5, 8
_DAYS = 28


@dataclass(frozen=True, slots=True)
class Console:
    """A running console.

    Attributes:
        address: its address.
        pages: the paths of its pages by name.
        secret: session secret of an administrator.
        settings: settings of the service.
    """

    address: str
    pages: Mapping[str, str]
    secret: str
    settings: Settings

    @contextmanager
    def visit(self, browser: Browser, *, signed_in: bool = True, **how: object) -> Iterator[Page]:
        """Open an empty page of a visitor; ``how`` are the options of the browser context."""
        with browser.new_context(base_url=self.address, **how) as context:  # type: ignore[arg-type]
            if signed_in:
                _sign_in(context, self)
            yield context.new_page()


def _sign_in(context: BrowserContext, console: Console) -> None:
    context.add_cookies([{"name": COOKIE, "value": console.secret, "url": console.address}])


@contextmanager
def served_console(folder: Path) -> Iterator[Console]:
    """Serve a console whose libraries are created in a folder."""
    settings = settings_of(folder, "newsroom", "hostile")
    with whorl.open(settings.libraries["newsroom"]) as library:
        _fill(library, folder)
        _set_up_watch(library, "转载站", "转载站")
        pages = dict(_pages(library))
    with whorl.open(settings.libraries["hostile"]) as library:
        rows = hostile_rows()
        library.add([{**rows[0], "collection": "protected"}, *rows[1:]])
        _set_up_watch(library, rows[0]["title"][:200], rows[0]["id"])
        pages |= {f"hostile-{name}": path for name, path in _pages(library, "hostile")}
    with state_of(settings) as state:
        state.users.make(NAME, PASSWORD, "admin")
        state.keys.make("desk", ["read", "write"])
        signed_in = state.users.sign_in(NAME, PASSWORD, "127.0.0.1")
    assert signed_in is not None
    with served(settings) as address:
        yield Console(address, pages, signed_in[0], settings)


def _fill(library: whorl.Library, folder: Path) -> None:
    """Add the newsroom, most of it day by day and some by a watch of saved pages, and decide some matches."""
    originals, articles = (_rows(NEWSROOM / name) for name in ("originals.jsonl", "articles.jsonl"))
    rows = [row for row in articles if row["id"] != PASTED]
    watched = rows[::_WATCHED]
    initial = [{**row, "collection": "protected"} for row in originals] + [row for row in rows if row not in watched]
    initial.sort(key=lambda row: datetime.fromisoformat(row["date"]))
    begin = datetime.now(UTC) - timedelta(days=_DAYS)
    for number, row in enumerate(initial):
        at = begin + timedelta(days=number * _DAYS / len(initial))
        fields = {name: row.get(name) for name in ("id", "title", "text", "source", "url", "collection")}
        library.add({**fields, "published_at": at - timedelta(minutes=17), "first_seen_at": at})
    saved = folder / "saved"
    saved.mkdir()
    write_jsonl(
        saved / "a.jsonl", [{**row, "url": f"https://copies.example/{row['id']}", "date": None} for row in watched]
    )
    whorl.watch.watch(library, saved=saved)
    for number, waiting in enumerate(whorl.library.review_queue(library, top=_DECIDED).matches):
        library.review(waiting.id, waiting.other, "rejected" if number % 6 == 5 else "confirmed", by="chief")


def _set_up_watch(library: whorl.Library, name: str, site: str) -> None:
    """Store sites, a receiver and a rule, with names, and visit the sites, none of which exists."""
    put_site(
        library, {"name": site, "start": ["https://copies.example/news/"], "every": "12h", "zone": "Asia/Shanghai"}
    )
    put_site(library, {"pages": [f"https://a-rather-long-name-of-a-host.example/{row}.html" for row in range(9)]})
    library.accounts.put([{"author": site, "domain": "copies.example", "path": "/u/wang", "note": site}])
    mail = {"kind": "email", "host": "mail.example", "sender": "whorl@paper.example", "to": ["desk@paper.example"]}
    put_channel(library, name, mail)
    put_rule(library, {"name": name, "to": [name], "share": 0.5, "sites": ["copies.example"]})
    whorl.watch.watch(library)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _pages(library: whorl.Library, name: str = "newsroom") -> Iterator[tuple[str, str]]:
    """Return the pages of a library, and those without one."""
    here = f"/libraries/{name}"
    for tab in ("dashboard", "check", "documents", "clusters", "clusters/hot", "review", "watch", "cohorts", "lab"):
        yield tab.replace("clusters/", ""), f"{here}/{tab}"
    cluster = max(
        (candidate for candidate in library.clusters() if candidate.size <= _MAX_MEMBERS),
        key=lambda candidate: candidate.size,
    )
    second = library.trace(cluster.id)[1].document.id
    first = library.matches(second)[0].id
    yield "cluster", f"{here}/clusters/{cluster.id}"
    yield "document", f"{here}/documents/{quote(second, safe='')}"
    yield "pair", f"{here}/pair?{urlencode({'id': second, 'other': first})}"
    settings, site = f"/settings/libraries/{name}", library.watch_settings.read()["site"][0]["name"]
    rule = urlencode({"name": library.alert_settings.read()["rules"][0]["name"]})
    yield "library-settings", settings
    yield "sites", f"{here}/watch/sites"
    yield "site", f"{here}/watch/sites/edit?{urlencode({'name': site})}"
    yield "receiver", f"{settings}/receivers/edit?{rule}"
    yield "rule", f"{settings}/rules/edit?{rule}"
    if name == "newsroom":
        finding = latest_findings(library, limit=1).findings[0]
        yield "watched", f"{here}/watch/page?{urlencode({'url': finding.url})}"
        yield from (
            ("home", "/"),
            ("settings", "/settings"),
            ("account", "/account"),
            ("problem", f"{here}/documents/nowhere"),
        )
