"""Repairs of pages for people who cannot see or point: what the theme of the site leaves out."""

from __future__ import annotations

import re
from pathlib import Path

from whorl.i18n import Language

_NAMES = {"en": ("Documents", "On this page"), "zh": ("文档", "本页目录")}
_EMPTY_HEADING = re.compile(r'<th class="head([^"]*)">(?:<p></p>)?</th>')


def make_accessible(folder: Path, language: Language) -> None:
    """Give captions a level, both side bars a name and blocks of code a place in the order of the keyboard.

    Empty headings of tables become plain cells.
    """
    documents, contents = _NAMES[language]
    for page in (folder / language).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = text.replace('role="heading"', 'role="heading" aria-level="2"')
        text = text.replace("<pre>", '<pre tabindex="0">')
        text = text.replace('<aside class="sidebar-drawer"', f'<aside aria-label="{documents}" class="sidebar-drawer"')
        text = text.replace('<aside class="toc-drawer', f'<aside aria-label="{contents}" class="toc-drawer')
        page.write_text(_EMPTY_HEADING.sub(r'<td class="head\1"></td>', text), encoding="utf-8")


__all__ = ["make_accessible"]
