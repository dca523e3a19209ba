"""Fast scans of pages find what the regular expressions that define them find."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from whorl.corpus.pages import attributes
from whorl.corpus.pages.attributes import MAX_ATTRIBUTES, without_many_attributes
from whorl.corpus.pages.visibility import _rules

RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,5000})\}")

STRETCH = st.one_of(st.text("{}ab;", max_size=8), st.integers(490, 510).map("a".__mul__), st.just("b" * 5001))
PAGE = st.lists(
    st.sampled_from(["<p", "<script", " a", ' b="<i c>"', "/", ">", "x", "</script", "<!--", "-->", " d=1"])
)


@given(st.lists(STRETCH, max_size=12).map("".join))
@example("x" * 501 + "{" + "y" * 5000 + "}")
@example("x{" + "y" * 5001 + "}z{}")
def test_rules_of_a_style_sheet(css: str) -> None:
    assert list(_rules(css)) == RULE.findall(css)


@given(
    PAGE.map("".join), st.sampled_from([0, MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES, MAX_ATTRIBUTES + 1]), PAGE.map("".join)
)
def test_tags_with_many_attributes(before: str, count: int, after: str) -> None:
    page = f"{before}<p{' a=1' * count}>{after}"
    assert without_many_attributes(page) == attributes._OF_TEXT.sub(attributes._WITHOUT, page)
    data = page.encode()
    assert without_many_attributes(data) == attributes._OF_BYTES.sub(attributes._WITHOUT.encode(), data)
