"""A post that everyone repeats with a comment is an article: its copies are found, however many exist."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article

import whorl
from whorl.matching.boilerplate import SAMPLE, Notices


def english(number: int, length: int) -> str:
    """Return a generated English text of about ``length`` code points; each number gives an unrelated one."""
    rng = random.Random(number)
    words = ("".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(3, 9))) for _ in range(length // 7))
    return " ".join(words) + ". "


WRITTEN = {"zh": article, "en": english}


def bearers(language: str, count: int, shared: int, unique: int, seed: int = 0) -> list[dict[str, str]]:
    """Return texts that share their first ``shared`` code points and continue with ``unique`` unique ones."""
    write = WRITTEN[language]
    post = write(10_000 + seed, shared)
    return [{"id": f"{row}", "text": f"{post}{write(20_000 + 50 * seed + row, unique)}"} for row in range(count)]


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(WRITTEN)), st.integers(0, 500), st.integers(150, 400), st.integers(0, 2))
def test_majority_text_is_no_boilerplate(language: str, seed: int, shared: int, kind: int) -> None:
    texts = [row["text"] for row in bearers(language, SAMPLE, shared, (6 * shared // 10, shared // 2, 0)[kind], seed)]
    assert not Notices.of_sample(texts)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(WRITTEN)), st.integers(0, 500), st.integers(60, 150), st.integers(2, 6))
def test_minority_text_is_boilerplate(language: str, seed: int, shared: int, times: int) -> None:
    texts = [row["text"] for row in bearers(language, SAMPLE, shared, times * shared, seed)]
    assert Notices.of_sample(texts)


@pytest.mark.parametrize("language", sorted(WRITTEN))
@pytest.mark.parametrize("method", ["news", "library"])
def test_copies_of_a_viral_post_are_found(language: str, method: str) -> None:
    result = whorl.dedup(bearers(language, 20, 240, 160), method=method)
    actual = {*result.duplicates["id"].to_pylist(), *result.related["id"].to_pylist()}
    assert (len(actual), result.run["boilerplate"]["count"]) == (19, 0)


@pytest.mark.parametrize("language", sorted(WRITTEN))
@pytest.mark.parametrize("at_once", [1, 20])
def test_a_library_joins_copies_of_a_viral_post(language: str, at_once: int, tmp_path: Path) -> None:
    documents = bearers(language, 20, 240, 160)
    with whorl.open(tmp_path / "library") as library:
        for start in range(0, len(documents), at_once):
            library.add(documents[start : start + at_once])
        assert [set(library.cluster(cluster.id).documents) for cluster in library.clusters()] == [set(library.ids())]
        assert library.notices() == []
        assert len(library.check(documents[3]["text"]).matches) == 20
