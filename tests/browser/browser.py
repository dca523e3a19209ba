"""The installed browser, or the reason why the browser tests are skipped."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


def browser_path() -> str | None:
    """Return the browser named by ``WHORL_BROWSER``, or an installed one."""
    named = os.environ.get("WHORL_BROWSER")
    paths = (shutil.which(name) for name in ((named,) if named else (*NAMES, *_PLACES)))
    return next(filter(None, paths), None)


@contextmanager
def opened() -> Iterator[Browser]:
    """Open the browser with a temporary profile.

    Without a browser the tests that need it are skipped with installation advice. On CI that is a failure."""
    path = browser_path()
    if path is None:
        message = "browser tests skipped: Chromium is missing. Hint: run sh scripts/browser.sh"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_QUIET, chromium_sandbox=False)
        try:
            yield browser
        finally:
            browser.close()
