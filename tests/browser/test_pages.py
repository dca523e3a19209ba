"""A browser opens every page that whorl writes: in both languages, light and dark, wide, narrow and printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.browser.browser import opened
from tests.browser.pages import write_pages
from tests.once import made_once

from whorl.i18n import LANGUAGES, Language

NAMES = (
    "dedup",
    "dedup-minhash",
    "dedup-hostile",
    "dedup-nothing",
    "comparison",
    "comparison-sources",
    "comparison-hostile",
    "cohort",
    "cohort-hostile",
    "evaluation",
    "recommendation",
    "hot",
    "hot-hostile",
    "watch",
    "cards-en",
    "cards-zh",
)
LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
STRUCTURE = ("empty-table-header", "heading-order", "region")
"""Rules of lower impact that pages satisfy as well."""
PAPER = 688
"""Width of A4 in CSS pixels between margins of 14 mm."""

each_page = pytest.mark.parametrize("name", NAMES)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = made_once(tmp_path_factory, "pages", write_pages)
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture
def complaints() -> list[str]:
    """Return the messages of the browser console."""
    return []


@pytest.fixture
def requests() -> list[str]:
    """Return the requests of the browser."""
    return []


@pytest.fixture
def page(
    browser: Browser, pages: dict[str, Path], name: str, complaints: list[str], requests: list[str]
) -> Iterator[Page]:
    with browser.new_page() as page:
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(pages[name].as_uri())
        yield page


def choose(page: Page, language: Language) -> None:
    """Select a language of the page, if it has a selector."""
    choice = page.locator(f'label[for="speak-{language}"]')
    if choice.count():
        choice.click()


@each_language
@each_page
def test_nothing_overlaps_or_is_cut_off(page: Page, name: str, language: Language) -> None:
    choose(page, language)
    faults: dict[str, Any] = {}
    for medium, width in (("screen", 1280), ("screen", 800), ("screen", 500), ("screen", 390), ("print", PAPER)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(media=medium)
        faults[f"{medium} {width}"] = page.evaluate(LOOKS)
    assert not any(faults.values()), faults


@pytest.mark.parametrize(("language", "scheme", "width"), [("en", "light", 1280), ("zh", "dark", 390)])
@each_page
def test_readers_who_need_help_are_not_shut_out(
    page: Page, name: str, language: Language, scheme: Literal["light", "dark"], width: int
) -> None:
    choose(page, language)
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [rule for rule in violations if rule["impact"] in ("serious", "critical") or rule["id"] in STRUCTURE]
    assert not {rule["id"]: [node["html"][:200] for node in rule["nodes"][:3]] for rule in grave}


@each_page
def test_browser_loads_nothing_and_has_no_complaint(
    page: Page, name: str, complaints: list[str], requests: list[str]
) -> None:
    assert complaints == []
    assert [address for address in requests if not address.startswith("data:")] == [page.url]
    assert page.title() != "owned"


@each_language
@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("cards")])
def test_a_click_chooses_the_language(page: Page, name: str, language: Language) -> None:
    choose(page, language)
    other = next(candidate for candidate in LANGUAGES if candidate != language)
    heading = page.locator("h2").first.inner_text()
    assert (re.search(r"[一-鿿]", heading) is not None) == (language == "zh")
    assert page.locator(f'.page [lang="{other}"]:visible').count() == 0
