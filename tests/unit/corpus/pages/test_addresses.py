"""Addresses of pages: hand-written cases, and properties of any text."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whorl.corpus.pages.addresses import canonical_url, plausible_canonical

FILE = tomllib.loads((Path(__file__).parents[3] / "cases" / "addresses.toml").read_text(encoding="utf-8"))
PARTS = [
    *(
        "http",
        "https",
        "HTTP",
        "ftp",
        "://",
        "//",
        ":",
        "/",
        "?",
        "&",
        "=",
        "#",
        "#!",
        "%",
        "%25",
        "%2",
        "%41",
        "@",
        "[",
    ),
    *("a", "Example.com", "mp.weixin.qq.com", "/s", "__biz=", "mid=1", "idx=1", "sn=2", "utm_source=1", "from", "amp;"),
    *(":80", ":443", ":99999", "例子", " ", "\t", "\0", "\ud800", ";jsessionid=1", "..", "xn--", "]", ".", ";"),
]


@pytest.mark.parametrize("case", FILE["case"], ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    assert canonical_url(case["input"]) == case["is"]


@pytest.mark.parametrize("case", FILE["own"], ids=lambda case: case["name"])
def test_what_a_page_says_is_its_own_address(case: dict[str, Any]) -> None:
    assert (plausible_canonical(case["stated"], case["at"]) or "") == case["is"]


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=16).map("".join))
@example("http://x/%%34%31")
@example("http://x/;jsessionid=1;%6Asessionid=2")
def test_the_address_of_an_address_is_itself(text: str) -> None:
    once = canonical_url(text)
    assert canonical_url(once) == once


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=16).map("".join))
def test_a_link_on_any_page_is_of_the_web_or_none(text: str) -> None:
    result = plausible_canonical([text], "https://news.example.com/a")
    assert result is None or result.startswith(("http://", "https://"))
