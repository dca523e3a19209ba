"""Texts in common encodings are decoded correctly: as text files, and as pages with and without a declared encoding."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest
from tests.quality.corpora import data_folder, lines

from whorl.corpus.encoding import decode_page, decode_text

TESTS = Path(__file__).parents[1]
FLOORS = tomllib.loads((TESTS / "quality" / "floors.toml").read_text(encoding="utf-8"))["encodings"]
TEXTS = tomllib.loads((TESTS / "cases" / "encodings.toml").read_text(encoding="utf-8"))["text"]
WIDE = ("utf-16-le", "utf-16-be")
LEAST_BYTES = 200
ENOUGH = 8
CLAIMS = ("utf-8", "iso-8859-1", "windows-1251", "gb2312", "big5", "shift_jis")
LABELS = {
    **{f"cp125{page}": f"windows-125{page}" for page in (0, 1, 2, 4)},
    "mac_roman": "macintosh",
    "gbk": "gb2312",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
}


@dataclass(frozen=True)
class Sample:
    """A text and its encoding."""

    text: str
    encoding: str


def samples() -> Iterator[Sample]:
    """Return every text whole, and from each of its sentences on until ``LEAST_BYTES`` are filled."""
    for text, encodings in [*invented(), *real()]:
        for encoding in (*encodings, *WIDE):
            for piece in {text, *pieces(text, encoding)}:
                data = piece.encode(encoding, "ignore")
                if encoding in WIDE or not data.isascii():
                    yield Sample(data.decode(encoding), encoding)


def invented() -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((text["text"].strip(), tuple(text["encodings"])) for text in TEXTS)


def real() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return a hundred real articles of each language, if available."""
    folder = data_folder()
    if folder is None:
        return
    for path, encodings in (
        ("zh-news/articles.jsonl.zst", ("gbk", "gb18030")),
        ("en-news/articles.jsonl.gz", ("cp1252", "mac_roman")),
    ):
        articles = [row["text"] for row in lines(folder / path)]
        yield from ((article, encodings) for article in articles[:: len(articles) // 100])


def pieces(text: str, encoding: str) -> Iterator[str]:
    sentences = re.split(r"(?<=[.!?。！？…])(?=\s|[^\x00-\x7f])", text)
    for first in range(len(sentences)):
        piece = ""
        for sentence in sentences[first:]:
            piece += sentence
            if len(piece.encode(encoding, "ignore")) >= LEAST_BYTES:
                yield piece.strip()
                break


def page(text: str, claim: str | None) -> str:
    meta = "" if claim is None else f'<meta http-equiv="Content-Type" content="text/html; charset={claim}">'
    body = "".join(f"<p>{escape(line, quote=False)}</p>\n" for line in text.splitlines())
    return f"<html><head>{meta}<title>a page</title></head>\n<body>\n{body}</body></html>\n"


def below(labelled: list[Sample], floors: dict[str, float], is_right: Callable[[Sample], bool]) -> dict[str, float]:
    """Return the share decoded correctly in each encoding, where it is below the floor."""
    every = Counter(sample.encoding for sample in labelled)
    right = Counter(sample.encoding for sample in labelled if is_right(sample))
    shares = {encoding: right[encoding] / every[encoding] for encoding in every}
    return {encoding: share for encoding, share in shares.items() if share < floors.get(encoding, floors["others"])}


def is_read(page: str, encoding: str) -> bool:
    return decode_page(page.encode(encoding), None).text == page


@pytest.fixture(scope="module")
def labelled() -> list[Sample]:
    collected = list(samples())
    assert {sample.encoding for sample in collected} == {*LABELS, "gb18030", "big5", "shift_jis"}
    return collected


def test_text_files_are_read_as_they_were_written(labelled: list[Sample]) -> None:
    def is_right(sample: Sample) -> bool:
        return decode_text(sample.text.encode(sample.encoding), None).text == sample.text

    assert below(labelled, FLOORS["unsaid"], is_right) == {}


def test_pages_that_say_nothing(labelled: list[Sample]) -> None:
    assert below(labelled, FLOORS["unsaid"], lambda sample: is_read(page(sample.text, None), sample.encoding)) == {}


def test_pages_that_say_their_encoding(labelled: list[Sample]) -> None:
    def is_right(sample: Sample) -> bool:
        return is_read(page(sample.text, LABELS.get(sample.encoding, sample.encoding)), sample.encoding)

    assert below(labelled, FLOORS["said"], is_right) == {}


@pytest.mark.parametrize("claim", CLAIMS)
def test_pages_that_say_another_encoding(labelled: list[Sample], claim: str) -> None:
    labelled = [sample for sample in labelled if sum(not character.isascii() for character in sample.text) >= ENOUGH]
    assert below(labelled, FLOORS["wrongly_said"], lambda item: is_read(page(item.text, claim), item.encoding)) == {}
