"""Copies in other letters are the same text, and misread characters are not reported as homophones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.quality.corpora import data_folder, lines

import whorl

FOLDER = data_folder()

pytestmark = pytest.mark.skipif(FOLDER is None, reason="WHORL_DATA names no real corpora")


def copies(language: str, kinds: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    assert FOLDER is not None
    rows = list(lines(FOLDER / "foreign" / f"disguised-{language}.jsonl.gz"))
    texts = {row["id"]: row["text"] for row in rows}
    return ((texts[row["source"]], row["text"]) for row in rows if row["kind"] in kinds)


MAIL = re.compile(r"^(From|Received): |wrote:$|unsubscribe", re.MULTILINE)


def is_flagged(a: str, b: str) -> bool:
    return any(flag.kind == "homophones" for flag in whorl.compare(a, b).flags)


@pytest.mark.parametrize("method", ["minhash", "news", "library"])
def test_texts_in_cyrillic_letters_are_found(method: str) -> None:
    for pair in copies("en", ("cyrillic",)):
        assert whorl.dedup(pair, method=method).duplicates.num_rows == 1


def test_texts_that_lost_their_spaces_are_identical() -> None:
    for pair in copies("en", ("cyrillic", "spaced", "dots")):
        comparison = whorl.compare(*pair)
        if MAIL.search(pair[0]) and comparison.relation != "exact":
            # Headers and footers of mail, which are ignored, are not recognized if letters are spaced out.
            assert comparison.relation in ("near_duplicate", "excerpt")
        else:
            assert (comparison.relation, comparison.similarity) == ("exact", 1.0)


def test_only_homophones_are_flagged() -> None:
    assert not any(is_flagged(*pair) for pair in copies("zh", ("ocr1", "ocr3", "ocr8", "ocr15")))
    assert all(is_flagged(*pair) for pair in copies("zh", ("homophone30", "homophone60")))
