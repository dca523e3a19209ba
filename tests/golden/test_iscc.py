"""Text-Codes equal the conformance vectors of ISO 24138, and a slow reference implementation on any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, newsroom_articles
from tests.golden.reference_iscc import text_code, vectors

import whorl
from whorl.text.iscc import BITS


@pytest.mark.parametrize(("text", "bits", "code"), vectors())
def test_the_conformance_vectors(text: str, bits: int, code: str) -> None:
    assert whorl.iscc.text_code(text, bits) == text_code(text, bits) == code


def test_articles() -> None:
    texts = [*(row["text"] for row in newsroom_articles()[:10]), article(1), article(2, 3000)]
    assert whorl.iscc.text_codes(texts, 256) == [text_code(text, 256) for text in texts]


# Characters that every supported Python knows; newer ones are unassigned in some.
OLD = st.characters(codec="utf-8", max_codepoint=0x2FFF)
DIFFICULT = st.sampled_from("今天ｶﾞΣσς가각ßﬁÅ①½㎡℃İ\u0301\u3099\u200b\ufeff𠀀🎉 ，.ΑΣ")


@given(text=st.text(OLD | DIFFICULT, max_size=60), bits=st.sampled_from(BITS))
@settings(max_examples=150)
def test_any_text(text: str, bits: int) -> None:
    assert whorl.iscc.text_code(text, bits) == text_code(text, bits)
