"""Quotations of one sentence within other articles are found, in Chinese and in English."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.articles import article

import whorl


@pytest.mark.parametrize("length", [20, 25, 30, 40])
def test_a_quotation_in_an_article_is_found(tmp_path: Path, length: int) -> None:
    rng = random.Random(length)
    sources = {f"{number}": article(number, 600).replace("。", "") for number in range(60)}
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": name, "text": text} for name, text in sources.items()])
        hits = 0
        for number, (name, text) in enumerate(sources.items()):
            start = rng.randrange(len(text) - length)
            host = f"{article(1000 + number, 500)}他说，{text[start : start + length]}。{article(2000 + number, 500)}"
            hits += name in {match.id for match in library.check(host).matches}
    assert hits >= 57


def test_a_word_in_ten_replaced_hides_no_short_text(tmp_path: Path) -> None:
    rng = random.Random(5)
    sources = {f"{number}": article(number, 200) for number in range(30)}
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": name, "text": text} for name, text in sources.items()])
        for number, (name, text) in enumerate(sources.items()):
            signs = list(text)
            for start in range(0, len(signs), 11):
                signs[start + rng.randrange(2)] = article(9000 + number, 10)[start % 10]
            assert name in {match.id for match in library.check("".join(signs)).matches}
