"""The documentation site builds without warnings, both languages have all pages, and its links are checked."""

import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from scripts.website.links import complaints
from tests.browser.browser import opened
from tests.docs.test_readme import ROOT
from tests.once import made_once

from whorl.i18n import LANGUAGES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "website", _build) / "site"


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "scripts.website", str(folder / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_every_page_leads_to_the_same_page_in_the_other_language(site: Path) -> None:
    chinese = {path.relative_to(site / "zh") for path in (site / "zh").rglob("*.html")}
    english = {path.relative_to(site / "en") for path in (site / "en").rglob("*.html")}
    assert {Path("index.html"), Path("README.html"), Path("docs/COMPARE.html")} <= chinese <= english
    for page in chinese:
        up = "../" * len(page.parts)
        assert f'href="{up}en/{page.as_posix()}"' in (site / "zh" / page).read_text(encoding="utf-8")
        assert f'href="{up}zh/{page.as_posix()}"' in (site / "en" / page).read_text(encoding="utf-8")


def test_readers_who_need_help_are_not_shut_out(site: Path) -> None:
    with opened() as browser, browser.new_page() as page:
        for name in ("index.html", "docs/LIBRARY.html"):
            for language in LANGUAGES:
                page.goto((site / language / name).as_uri())
                violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
                assert not {rule["id"]: [node["html"][:200] for node in rule["nodes"][:3]] for rule in violations}


def test_the_first_page_is_light(site: Path) -> None:
    assert all((site / language / "index.html").stat().st_size < 100_000 for language in LANGUAGES)


def test_help_uses_the_language_of_the_page(site: Path) -> None:
    english, chinese = ((site / name / "reference" / "command-line.html").read_text("utf-8") for name in ("en", "zh"))
    assert 'id="cmdoption-whorl-dedup-keep"' in english
    assert 'id="cmdoption-whorl-dedup-keep"' in chinese
    assert "找出重复、近似重复和抄袭的文字。" in chinese
    assert "找出重复、近似重复和抄袭的文字。" not in english


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<a href="b.html#here">b</a><a href="https://example.org">a site</a><img src="data:,">', None),
        ('<a href="c.html">c</a>', "leads nowhere: c.html"),
        ('<a href="b.html#there">b</a>', "has no such place: b.html#there"),
        ('<a href="english://b.html">b</a>', "no such address: english://b.html"),
        ('<img src="https://example.org/a.png">', "asks another host: https://example.org/a.png"),
        ('<script src="//example.org/a.js"></script>', "asks another host: //example.org/a.js"),
    ],
)
def test_links_are_looked_after(body: str, complaint: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(body, encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="here">', encoding="utf-8")
    assert list(complaints(tmp_path)) == ([f"a.html: {complaint}"] if complaint else [])


def test_styles_ask_no_other_host(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@import url('https://example.org/a.css'); b { background: url(c.png) }", "utf-8")
    assert list(complaints(tmp_path)) == ["a.css: asks another host: url('https://example.org/a.css"]
