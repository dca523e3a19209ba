"""Take the screenshots of the documentation: pictures.py FOLDER"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser
from tests.articles import NEWSROOM
from tests.browser.browser import opened
from tests.browser.console import PASTED, served_console
from tests.browser.pages import write_pages

_WIDTH, _HEIGHT, _PHONE = 1280, 860, 390
_PAGES = ("dedup", "comparison", "comparison-sources", "evaluation", "recommendation", "hot")
_CONSOLE = ("dashboard", "review", "cluster", "watch", "lab")
_COLOURS = 48


def main(folder: Path) -> None:
    """Write ``NAME.LANGUAGE.png`` of each page, and for some pages a lower part and the phone layout."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as aside, opened() as browser:
        pages = write_pages(Path(aside))
        for name in _PAGES:
            for language in ("en", "zh"):
                with browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}) as page:
                    page.goto(pages[name].as_uri())
                    page.locator(f'label[for="speak-{language}"]').click()
                    page.screenshot(path=folder / f"{name}.{language}.png")
        for language in ("en", "zh"):
            with browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}) as page:
                page.goto(pages[f"cards-{language}"].as_uri())
                page.screenshot(path=folder / f"cards.{language}.png")
        with browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}) as page:
            page.goto(pages["dedup"].as_uri())
            page.locator("#cluster-1").evaluate("cluster => cluster.scrollIntoView()")
            page.screenshot(path=folder / "cluster.png")
        with browser.new_page(viewport={"width": _PHONE, "height": _HEIGHT}, color_scheme="dark") as page:
            page.goto(pages["dedup"].as_uri())
            page.screenshot(path=folder / "phone.png")
        _take_console(browser, Path(aside), folder)
    for picture in folder.glob("*.png"):
        _shrink(picture)


def _take_console(browser: Browser, aside: Path, folder: Path) -> None:
    """Write ``console-NAME.LANGUAGE.png`` of console pages, of the result of a check, and of the phone layout."""
    rows = (NEWSROOM / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    with served_console(aside / "console") as console:
        for language in ("en", "zh"):
            with console.visit(browser, locale=language, viewport={"width": _WIDTH, "height": _HEIGHT}) as page:
                for name in _CONSOLE:
                    page.goto(console.pages[name])
                    page.screenshot(path=folder / f"console-{name}.{language}.png")
                page.goto(console.pages["check"])
                page.locator("textarea").fill(next(row["text"] for row in map(json.loads, rows) if row["id"] == PASTED))
                page.locator("form.check button.main").click()
                page.locator("#sources").wait_for()
                page.screenshot(path=folder / f"console-check.{language}.png")
        phone = {"width": _PHONE, "height": _HEIGHT}
        with console.visit(browser, locale="zh", viewport=phone, color_scheme="dark") as page:
            page.goto(console.pages["review"])
            page.screenshot(path=folder / "console-phone.png")


def _shrink(picture: Path) -> None:
    """Reduce the palette: pages have few colors, and a palette takes a third of the size."""
    with Image.open(picture) as image:
        palette = image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    palette.save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
