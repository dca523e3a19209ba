"""A run warns about real corpora that do not suit its method, and prints no warning for news."""

from __future__ import annotations

from itertools import islice

import pytest
from tests.quality.corpora import data_folder, lines

import whorl

_ROWS = 2_500

pytestmark = pytest.mark.skipif(data_folder() is None, reason="WHORL_DATA is not set")


def kinds_of(texts: list[str]) -> list[str]:
    return [warning["kind"] for warning in whorl.dedup(texts, method="news").run["warnings"]]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("foreign/templates", {"forms"}),
        ("foreign/command-pages", {"versions", "clauses"}),
        ("families/laws-zh", {"clauses"}),
        ("foreign/licences", {"forms", "versions"}),
        ("foreign/laws-zh", {"versions", "clauses"}),
        ("en-news/articles", set()),
        ("mutated-zh/docs", set()),
        ("mutated-en/docs", set()),
    ],
)
def test_real_corpora_are_warned_of_where_news_does_not_suit_them(name: str, kinds: set[str]) -> None:
    folder = data_folder()
    assert folder is not None
    rows = islice(lines(folder / f"{name}.jsonl.gz"), _ROWS)
    assert set(kinds_of([row["text"] for row in rows])) == kinds
