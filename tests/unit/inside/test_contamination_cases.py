"""Reasons of hits: the cases of ``tests/cases/contamination.toml``, and obvious slow twins."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl._core import ContaminationIndex

_FILE = Path(__file__).parents[2] / "cases" / "contamination.toml"
_CASES: list[dict[str, Any]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))["case"]

_WORDS = ["aln", "brede", "goose", "harbour", "ferry", "winter", "clock", "bell", "tower", "salt"]
_HAN = "雾渡口船石桥灯塔霜雁山水"


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_the_reason_says_what_was_found(case: dict[str, Any]) -> None:
    hits = whorl.decontaminate([case["document"]], against={"quiz": [case["item"]]}).hits.to_pylist()
    reasons = [hit["reason"] for hit in hits]
    assert reasons == ([case["reason"]] if "reason" in case else [])
    if "answer" in case:
        assert hits[0]["answer_found"] is case["answer"]


@given(
    st.lists(st.lists(st.sampled_from(_WORDS), min_size=5, max_size=30), min_size=1, max_size=6),
    st.lists(st.sampled_from(_WORDS), max_size=40),
    st.data(),
)
def test_an_item_word_for_word_is_found_where_it_is(
    items: list[list[str]], words: list[str], data: st.DataObject
) -> None:
    texts = [" ".join(item) for item in items]
    planted = data.draw(st.sampled_from(texts))
    at = data.draw(st.integers(0, len(words)))
    document = " ".join([*words[:at], planted, *words[at:]])
    index = ContaminationIndex(texts, list(range(len(texts))), ["question"] * len(texts))
    whole = {(texts[hit.item], hit.span) for hit in index.scan([document]) if hit.question == 1 and not hit.gaps}
    assert planted in {text for text, _ in whole}
    for text, (start, end) in whole:
        assert document[start:end] == text


@given(st.text(_HAN, min_size=10, max_size=60), st.text(_HAN, max_size=80), st.integers(0, 80))
def test_han_characters_need_no_borders(item: str, text: str, at: int) -> None:
    document = text[:at] + item + text[at:]
    index = ContaminationIndex([item], [0], ["question"])
    spans = {hit.span for hit in index.scan([document]) if hit.question == 1 and not hit.gaps}
    assert spans <= {(match.start(), match.start() + len(item)) for match in re.finditer(f"(?={item})", document)}
    assert spans


def test_words_end_at_borders() -> None:
    items = [{"question": "many geese live on the isle"}]
    for text in ("so many geese live on the isles", "germany geese live on the isle"):
        reasons = whorl.decontaminate([text], against={"quiz": items}).run["reasons"]
        assert "verbatim" not in reasons


def test_what_many_items_share_is_a_form() -> None:
    names = ["harbour", "orchard", "glacier", "windmill", "lighthouse", "brewery"]
    items = [
        {"question": f"Describe in your own words the history of the {name}", "answer": name * 2} for name in names
    ]
    texts = ["Describe in your own words the history of the tannery"]
    hits = whorl.decontaminate(texts, against={"quiz": items}).hits.to_pylist()
    assert {hit["reason"] for hit in hits} <= {"template"}


def test_versions_of_an_item_are_not_a_form() -> None:
    question = "Which river flows through the old town of Vesterholm"
    versions = {f"v{number}": [{"question": f"{question}{'?' * number}", "answer": "the Aln"}] for number in range(6)}
    hits = whorl.decontaminate([f"{question}?"], against=versions).hits.to_pylist()
    assert [hit["reason"] for hit in hits] == ["verbatim"] * 6


def test_a_slot_that_documents_fill_differently_makes_a_form() -> None:
    item = "The committee of the parish of Ulm met on the first evening of spring to discuss the repair of the bell."
    texts = [item.replace("bell", name) for name in ("roof", "gate", "well", "organ")]
    assert whorl.decontaminate(texts[:1], against={"b": [item]}).run["reasons"] == {"edited": 1}
    assert whorl.decontaminate(texts, against={"b": [item]}).run["reasons"] == {"template": 4}


def test_a_saying_of_many_documents_is_common_stock() -> None:
    item = "The sea keeps no ledger and the harbour keeps two"
    texts = [f"Chapter {number}. {item}, said the captain of boat {number}." for number in range(12)]
    assert whorl.decontaminate(texts[:3], against={"b": [item]}).run["reasons"] == {"verbatim": 3}
    assert whorl.decontaminate(texts, against={"b": [item]}).run["reasons"] == {"quotation": 12}
