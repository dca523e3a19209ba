"""Keys of texts without those that lie within boilerplate."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article

from whorl.fingerprints.winnowing import Winnowing
from whorl.library.rules import Making, Rules
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices
from whorl.recipe import Recipe

NOTICE = article(7100, 90)
MAKING = Making(Recipe().changed(method="library"), Rules())
NOTICES = Notices(frozenset().union(*Notices.runs_in([NOTICE])))


@given(st.lists(st.lists(st.sampled_from([NOTICE, article(1, 80), article(2, 30), "短文。", ""]), max_size=4)))
def test_what_is_left_is_what_a_text_has_elsewhere(parts: list[list[str]]) -> None:
    texts = ["\n".join(part) for part in parts]
    prints = MAKING.fingerprint(texts)
    keys = TextKeys(prints.keys, prints.counts)
    remaining = keys.without_boilerplate(MAKING, NOTICES, texts)
    family = MAKING.family
    assert isinstance(family, Winnowing)
    assert len(remaining.counts) == len(texts)
    for row, text in enumerate(texts):
        within = [text[start:end] for start, end in NOTICES.spans([text])[0]]
        dropped = set(family.keys_within(within).keys.tolist())
        assert remaining.row(row).tolist() == [key for key in keys.row(row).tolist() if key not in dropped]


def test_a_text_of_boilerplate_alone_has_few_keys_left() -> None:
    prints = MAKING.fingerprint([NOTICE])
    remaining = TextKeys(prints.keys, prints.counts).without_boilerplate(MAKING, NOTICES, [NOTICE])
    assert len(remaining.keys) <= 1 < len(prints.keys)
