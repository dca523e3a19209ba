"""The expressions of polars in every context."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest
from tests.articles import article, edited

import whorl
import whorl.polars
from whorl.errors import UsageError

TEXTS = [article(1), edited(article(1), 3), None, "", article(2), article(3)]
STORIES = ["a", "a", "a", "b", "b", "b"]
FRAME = pl.DataFrame({"story": STORIES, "text": TEXTS})
PRINT = pl.col("text").whorl.fingerprint("news")
SHARE = pl.col("text").whorl.copied_from(article(1))
PRINTS = FRAME.select(PRINT)["text"]
SHARES = [None if text is None else whorl.compare(article(1), text).ratios.copied for text in TEXTS]
FIRST = pl.col("text").first()

QUERIES: dict[str, Callable[[pl.Expr], pl.Series]] = {
    "eager": lambda expression: FRAME.select(x=expression)["x"],
    "lazy": lambda expression: FRAME.lazy().with_columns(x=expression).collect()["x"],
    "streaming": lambda expression: FRAME.lazy().with_columns(x=expression).collect(engine="streaming")["x"],
    "grouped": lambda expression: FRAME.group_by("story", maintain_order=True).agg(x=expression).explode("x")["x"],
    "grouped lazily": lambda expression: (
        FRAME.lazy().group_by("story", maintain_order=True).agg(x=expression).explode("x").collect()["x"]
    ),
    "over groups": lambda expression: FRAME.select(x=expression.over("story"))["x"],
    "categories": lambda expression: FRAME.with_columns(pl.col("text").cast(pl.Categorical)).select(x=expression)["x"],
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_any_kind_gives_the_same(query: str) -> None:
    assert QUERIES[query](PRINT).to_list() == PRINTS.to_list()
    assert QUERIES[query](SHARE).to_list() == SHARES


def test_each_is_compared_with_the_first_of_its_group() -> None:
    expected = [*SHARES[:3], *(whorl.compare(text, "").ratios.copied for text in TEXTS[3:])]
    assert FRAME.select(x=pl.col("text").whorl.copied_from(FIRST.over("story")))["x"].to_list() == expected
    grouped = FRAME.group_by("story", maintain_order=True).agg(x=pl.col("text").whorl.copied_from(FIRST))
    assert grouped.explode("x")["x"].to_list() == expected


def test_a_query_is_filtered_and_sorted_by_what_is_copied() -> None:
    assert FRAME.filter(SHARE > 0.5)["text"].to_list() == TEXTS[:2]
    limit = FRAME.lazy().sort(SHARE, descending=True, nulls_last=True).head(2).collect()
    assert set(limit["text"]) == set(TEXTS[:2])


def test_schema_is_resolved_before_the_query() -> None:
    query = FRAME.lazy().select(print=PRINT, share=SHARE)
    assert query.collect_schema() == query.collect().schema


def test_list_columns_are_supported() -> None:
    lists = FRAME.group_by("story", maintain_order=True).agg("text")
    request = lists.select(pl.col("text").list.eval(pl.element().whorl.copied_from(article(1))))
    assert request.explode("text")["text"].to_list() == SHARES


def test_several_columns_are_compared_with_one_text() -> None:
    result = FRAME.select(pl.col("text"), again="text").select(pl.all().whorl.copied_from(article(1)))
    assert result.to_dict(as_series=False) == {"text": SHARES, "again": SHARES}


def test_a_series_has_a_text_for_each() -> None:
    assert FRAME.select(pl.col("text").whorl.copied_from(FRAME["text"]))["text"].to_list()[:3] == [1.0, 1.0, None]


def test_long_texts_among_many_short_ones() -> None:
    long = "".join(article(number) for number in range(400))
    frame = pl.DataFrame({"text": [long, *TEXTS, long[len(long) // 2 :]]})
    result = frame.lazy().select(pl.col("text").whorl.copied_from(long), prints=PRINT).collect(engine="streaming")
    assert [result["text"][0], result["text"][-1]] == [1.0, 1.0]
    assert result["prints"].to_list()[1:-1] == PRINTS.to_list()


@pytest.mark.parametrize("other", [None, 5, b"text"])
def test_what_is_no_text_is_refused_with_a_hint(other: object) -> None:
    with pytest.raises(UsageError, match=r"(?s)expected a text or an expression.*hint: "):
        pl.col("text").whorl.copied_from(other)


def test_several_columns_are_not_compared_with_an_expression() -> None:
    with pytest.raises(UsageError, match=r"(?s)several columns.*hint: compare one column at a time"):
        FRAME.select(pl.col("text", "story").whorl.copied_from(pl.col("story")))
