"""A browser visits the console: every page in both languages, wide and narrow, light and dark; every flow."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from tests.articles import NEWSROOM
from tests.browser.browser import opened
from tests.browser.console import NAME, PASSWORD, PASTED, Console, served_console
from tests.browser.test_pages import LOOKS, PAPER
from tests.serving import state_of

from whorl.service.state.second_factor import STEP_SECONDS, code_of

_OF_LIBRARY = (
    "dashboard",
    "check",
    "documents",
    "clusters",
    "hot",
    "review",
    "watch",
    "cohorts",
    "lab",
    "cluster",
    "document",
    "pair",
    "library-settings",
    "sites",
)
_FORMS = ("site", "receiver", "rule")
"""Pages whose fields scroll where a value is longer than they are, so that hostile values are not tried."""
NAMES = (
    *_OF_LIBRARY,
    *_FORMS,
    "watched",
    "home",
    "settings",
    "account",
    "problem",
    *(f"hostile-{name}" for name in _OF_LIBRARY),
)
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
MOST_BYTES = 100_000
COHORT = NEWSROOM.parent / "cohort"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with served_console(tmp_path_factory.mktemp("console")) as console:
        yield console


@pytest.fixture
def page(browser: Browser, console: Console) -> Iterator[Page]:
    """Return a page of a signed-in administrator with English as the language."""
    with console.visit(browser, locale="en") as page:
        yield page


def article() -> str:
    """Return a text some of whose sources are in the library."""
    rows = map(json.loads, (NEWSROOM / "articles.jsonl").read_text(encoding="utf-8").splitlines())
    return next(row["text"] for row in rows if row["id"] == PASTED)


def grave(page: Page) -> dict[str, list[str]]:
    """Return the violations that exclude users of assistive technology."""
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return {
        rule["id"]: [node["html"][:200] for node in rule["nodes"][:3]]
        for rule in violations
        if rule["impact"] in ("serious", "critical")
    }


def demand_good_looks(page: Page, address: str = "", *, is_for_all: bool = True) -> None:
    """Assert that nothing overlaps or is cut off: wide and English, narrow and Chinese in dark mode, and printed.

    ``is_for_all`` enables the accessibility checks.
    """
    complaints = {}
    for name, language, size, scheme in (("wide", "en", WIDE, "light"), ("narrow", "zh", NARROW, "dark")):
        page.set_viewport_size(size)
        page.emulate_media(media="screen", color_scheme=scheme)
        if address:
            page.goto(f"{address}{'&' if '?' in address else '?'}lang={language}")
        complaints[name] = [page.evaluate(LOOKS), grave(page) if is_for_all else {}]
    page.set_viewport_size({"width": PAPER, "height": 800})
    page.emulate_media(media="print", color_scheme="light")
    complaints["print"] = [page.evaluate(LOOKS), {}]
    page.set_viewport_size(WIDE)
    page.emulate_media(media="screen")
    assert complaints == {name: [[], {}] for name in complaints}


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_whole_for_everybody_and_light(page: Page, console: Console, name: str) -> None:
    complaints: list[str] = []
    sizes: list[int] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.goto(console.pages[name])
    assert sum(sizes) <= MOST_BYTES or name.startswith("hostile"), sizes
    demand_good_looks(page, console.pages[name], is_for_all=not name.startswith("hostile"))
    allowed = 3 if name == "problem" else 0
    assert len(complaints) == allowed, complaints
    assert page.title() != "owned"


def test_an_account_is_looked_after(browser: Browser, console: Console) -> None:
    with state_of(console.settings) as state:
        state.users.make("lin", PASSWORD)
    with console.visit(browser, signed_in=False, locale="en") as page:
        page.goto("/account")
        page.get_by_label("Name").fill("lin")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_label("Old password").fill(PASSWORD)
        page.get_by_label("New password,").fill(f"{PASSWORD}!")
        page.get_by_label("Repeat the new password").fill(f"{PASSWORD}!")
        page.get_by_role("button", name="Change", exact=True).click()
        expect(page.get_by_role("status")).to_be_visible()
        page.get_by_role("button", name="Set up").click()
        demand_good_looks(page)
        secret = page.locator("#second-factor code").inner_text()
        page.get_by_label("Password", exact=True).fill(f"{PASSWORD}!")
        page.get_by_label("Code").fill(code_of(secret, int(time.time()) // STEP_SECONDS))
        page.get_by_role("button", name="Enable").click()
        expect(page.locator("#second-factor li")).to_have_count(10)
        demand_good_looks(page)
        page.get_by_role("button", name=re.compile("End the session")).click()
        expect(page).to_have_url(re.compile("/sign-in"))


def test_signing_in_and_out(browser: Browser, console: Console) -> None:
    with console.visit(browser, signed_in=False, locale="en") as page:
        page.goto(console.pages["clusters"])
        page.get_by_label("Name").fill(NAME)
        page.get_by_label("Password").fill("another password")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        demand_good_looks(page)
        page.get_by_label("Name").fill(NAME)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(re.compile("/clusters$"))
        page.get_by_role("button", name="Sign out").click()
        page.goto(console.pages["clusters"])
        expect(page).to_have_url(re.compile("/sign-in"))


def test_a_pasted_text_leads_to_its_source_and_to_both_texts(page: Page, console: Console) -> None:
    page.goto(console.pages["check"])
    page.get_by_label("Text", exact=True).fill(article())
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="Sources")).to_be_visible()
    expect(page.get_by_role("heading", name="Passages")).to_be_visible()
    demand_good_looks(page)
    page.locator(".sources th a").first.click()
    expect(page).to_have_url(re.compile("/documents/"))
    page.locator('a[href*="/pair?"]').first.click()
    expect(page.locator(".aligned").first).to_be_visible()


def test_matches_are_decided_and_undone_by_keyboard(page: Page, console: Console) -> None:
    page.goto(console.pages["review"])
    waiting = page.locator("p.deck").inner_text()
    first = page.locator(".pair h2").all_inner_texts()
    page.keyboard.press("c")
    expect(page.locator(".decided")).to_contain_text("confirmed")
    assert page.locator("p.deck").inner_text() != waiting
    page.keyboard.press("n")
    page.keyboard.type("dc")
    expect(page.get_by_role("textbox", name="Note")).to_have_value("dc")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.locator("p.deck")).to_have_text(waiting)
    assert page.locator(".pair h2").all_inner_texts() == first


def test_a_cluster_opens_with_its_candidates_and_articles(page: Page, console: Console) -> None:
    page.goto(console.pages["clusters"])
    page.locator("table.clusters th a").first.click()
    expect(page).to_have_url(re.compile(r"/clusters/\d+$"))
    expect(page.locator(".candidate").first).to_be_visible()
    assert page.locator('main a[href*="/documents/"]').count() >= 2


def test_the_threshold_follows_the_slider(page: Page, console: Console) -> None:
    page.goto(console.pages["lab"])
    output = page.locator('output[data-figure="at"]')
    before = output.inner_text()
    page.locator('input[type="range"]').focus()
    page.keyboard.press("Home")
    assert output.inner_text() != before


def test_a_class_is_compared_and_decided(page: Page, console: Console, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(COHORT / "make.py")], cwd=tmp_path, check=True, capture_output=True)
    page.goto(console.pages["cohorts"])
    page.locator('input[name="manuscripts"]').set_input_files(sorted((tmp_path / "class").iterdir()))
    page.get_by_label("Title").fill("渔港班")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#class")).to_be_visible(timeout=60_000)
    expect(page.locator("#class tbody tr")).to_have_count(25)
    place = page.url
    demand_good_looks(page, place)
    page.goto(f"{place}&lang=en")
    row = page.locator("#class tbody tr").first
    row.locator("summary").click()
    row.get_by_label("Decision").select_option(label="to be discussed")
    row.get_by_role("button", name="Save").click()
    expect(page.locator("#class tbody tr").first).to_contain_text("to be discussed")
    page.locator("#class tbody th a").first.click()
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate(LOOKS) == []


def test_a_key_is_made_and_revoked(page: Page, console: Console) -> None:
    page.goto(console.pages["settings"])
    page.get_by_text("Create a key").click()
    page.get_by_label("Purpose").fill("nightly")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("code.secret")).to_contain_text("whorl_")
    demand_good_looks(page)
    page.goto(console.pages["settings"])
    row = page.locator("#keys tr", has_text="nightly")
    row.get_by_role("button").click()
    expect(page.locator("#keys tr", has_text="nightly")).to_contain_text("revoked")
    assert page.locator("code.secret").count() == 0


def test_a_job_is_followed_to_its_end(page: Page, console: Console) -> None:
    with state_of(console.settings) as state:
        state.jobs.put("followed", "unknown to the service", "newsroom", {}, "boss")
        assert state.jobs.claim("somebody", ["unknown to the service"])
        page.goto(console.pages["dashboard"])
        bar, far = page.locator("#work progress"), page.locator("#work [data-far]")
        for done in (3, 40):
            assert state.jobs.renew("followed", "somebody", "", done, 80)
            expect(far).to_have_text(f"{done} / 80")
            expect(bar).to_have_attribute("value", str(done))
        assert state.jobs.end("followed", "somebody", "done")
        expect(page.locator("#work")).to_contain_text("No running or queued jobs.")


def test_without_scripts_everything_can_be_done(browser: Browser, console: Console) -> None:
    with console.visit(browser, locale="en", java_script_enabled=False) as page:
        page.goto(console.pages["check"])
        page.get_by_label("Text", exact=True).fill(article())
        page.get_by_role("button", name="Check", exact=True).click()
        expect(page.get_by_role("heading", name="Sources")).to_be_visible()
        page.goto(console.pages["review"])
        page.get_by_role("button", name="Dismiss").click()
        expect(page.locator(".decided")).to_contain_text("dismissed")
        page.locator(".decided button").click()
        expect(page).to_have_url(re.compile("/review"))
        page.goto(console.pages["lab"])
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page).to_have_url(re.compile("at="))
