"""Contract of every fingerprint family."""

from __future__ import annotations

import random
import sys
from dataclasses import FrozenInstanceError, fields
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, edited, newsroom_articles
from tests.golden.recorded import FOLDER
from tests.quality.exact import jaccard

from whorl.errors import UsageError
from whorl.fingerprints import Family, Fingerprints, families, family, keys

MEMBERS = sorted(families())
FEATURELESS = ["", " ", "。！", "\n\t", "\u200b\u200d", "🎉"]
HEADINGS = ["Is", "Survives", "Blind to", "Cost", "Source"]

member = pytest.mark.parametrize("name", MEMBERS)


def texts_of_all_kinds() -> list[str]:
    return [
        *FEATURELESS,
        "天",
        "a",
        "一二三四五",
        article(1),
        article(2, 5000),
        *(row["text"] for row in newsroom_articles()),
    ]


def alike(a: Fingerprints, b: Fingerprints) -> bool:
    return all((getattr(a, item.name) == getattr(b, item.name)).all() for item in fields(Fingerprints))


@pytest.mark.parametrize("name", [name for name in MEMBERS if families()[name].__module__.startswith("whorl.")])
def test_its_values_are_recorded(name: str) -> None:
    """Hash values are a file format: recorded values exist for each built-in family."""
    recorded = " ".join(path.read_text(encoding="utf-8") for path in FOLDER.iterdir() if path.name.endswith(".json"))
    of_the_sketches = {"exact": "digest", "minhash": "bands"}
    assert f'"{of_the_sketches.get(name, name)}"' in recorded


def test_the_families_are_named_after_their_modules() -> None:
    assert {"exact", "minhash"} <= set(MEMBERS)
    assert all(families()[name].name == name for name in MEMBERS)


@member
def test_it_is_a_family(name: str) -> None:
    assert isinstance(family(name), Family)
    assert family(name).min_shared >= 1


@member
def test_its_docstring_is_its_page(name: str) -> None:
    page = sys.modules[families()[name].__module__].__doc__ or ""
    assert [line for line in page.splitlines() if line in HEADINGS] == HEADINGS
    sections = {heading: page.split(f"\n{heading}\n")[1].split("\n\n")[0].strip() for heading in HEADINGS}
    assert all(sections.values())


@member
def test_it_is_frozen_and_equal_by_value(name: str) -> None:
    chosen = family(name)
    assert chosen == family(name)
    assert hash(chosen) == hash(family(name))
    for item in fields(chosen):  # type: ignore[arg-type]
        with pytest.raises(FrozenInstanceError):
            setattr(chosen, item.name, getattr(chosen, item.name))


@member
def test_it_is_deterministic(name: str) -> None:
    texts = texts_of_all_kinds()
    assert alike(family(name).fingerprint(texts), family(name).fingerprint(texts))


@member
def test_a_batch_is_its_texts_one_by_one(name: str) -> None:
    texts = texts_of_all_kinds()
    batch = family(name).fingerprint(texts)
    ends = batch.counts.cumsum()
    for place, text in enumerate(texts):
        single = family(name).fingerprint([text])
        assert (single.digests[0] == batch.digests[place]).all()
        assert single.lengths[0] == batch.lengths[place]
        assert (single.codes[0] == batch.codes[place]).all()
        assert single.keys.tolist() == batch.keys[ends[place] - batch.counts[place] : ends[place]].tolist()
        assert keys(family(name), text) == set(single.keys.tolist())


@member
def test_no_text_at_all(name: str) -> None:
    assert family(name).fingerprint([]).lengths.shape == (0,)
    assert family(name).fingerprint(pa.array([], pa.string())).digests.shape == (0, 2)


def columns(texts: list[str | None]) -> dict[str, Any]:
    """Return the same texts, with nulls, as the column types of many libraries."""
    padded = ["skipped", *texts, "skipped"]
    relation = duckdb.from_arrow(pa.table({"text": pa.array(texts, pa.string())}))
    return {
        "list": texts,
        "string": pa.array(texts, pa.string()),
        "large_string": pa.array(texts, pa.large_string()),
        "string_view": pa.array(texts, pa.string_view()),
        "sliced string": pa.array(padded, pa.string()).slice(1, len(texts)),
        "sliced large_string": pa.array(padded, pa.large_string()).slice(1, len(texts)),
        "sliced string_view": pa.array(padded, pa.string_view()).slice(1, len(texts)),
        "chunks": pa.chunked_array([texts[:3], [], texts[3:]], pa.string()),
        "polars": pl.Series(texts, dtype=pl.String),
        "sliced polars": pl.Series(padded, dtype=pl.String)[1:-1],
        "pandas": pd.Series(texts, dtype="string[pyarrow]"),
        "duckdb": relation.to_arrow_table().column("text"),
    }


@member
@pytest.mark.parametrize("source", columns(["a"]))
def test_every_column_of_strings_gives_the_same(name: str, source: str) -> None:
    texts: list[str | None] = [
        "天地玄黄，宇宙洪荒。",
        None,
        "",
        "short",
        "a text too long for an inlined view",
        article(3),
        None,
    ]
    expected = family(name).fingerprint([text or "" for text in texts])
    assert alike(family(name).fingerprint(columns(texts)[source]), expected)


@member
@pytest.mark.parametrize("bad", [[1], [b"bytes"], pa.array([1, 2]), "a bare text", 5, [["nested"]]])
def test_what_is_no_text_is_refused(name: str, bad: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        family(name).fingerprint(bad)


@member
@given(text=st.text(st.characters(codec="utf-8"), max_size=300))
@settings(max_examples=50)
def test_any_text_can_be_fingerprinted(name: str, text: str) -> None:
    chosen = family(name)
    assert alike(chosen.fingerprint([text]), chosen.fingerprint(pa.array([text])))
    similarity = chosen.similarity(text, text)
    assert similarity == (1.0 if keys(chosen, text) else 0.0)


@member
def test_a_lone_surrogate_is_no_obstacle(name: str) -> None:
    assert alike(family(name).fingerprint(["天地\ud800玄黄"]), family(name).fingerprint(["天地\udfff玄黄"]))


@member
@pytest.mark.parametrize("text", FEATURELESS)
def test_a_text_without_features_equals_nothing(name: str, text: str) -> None:
    chosen = family(name)
    assert keys(chosen, text) == frozenset()
    assert chosen.fingerprint([text]).lengths.tolist() == [0]
    assert chosen.similarity(text, text) == chosen.similarity(text, "文章") == chosen.similarity("文章", text) == 0.0


@member
def test_what_the_fold_forgets_changes_nothing(name: str) -> None:
    chosen = family(name)
    variants = ["臺灣新聞ＡＢＣ：第１版", "台湾新闻 abc 第1版。", "台湾\u200b新闻——ABC 第1版"]
    assert len({keys(chosen, text) for text in variants}) == 1
    assert chosen.similarity(variants[0], variants[1]) == 1.0


@member
def test_similarity_is_symmetric_and_a_share(name: str) -> None:
    chosen = family(name)
    texts = texts_of_all_kinds()[:20]
    for a in texts:
        for b in texts:
            assert 0.0 <= chosen.similarity(a, b) == chosen.similarity(b, a) <= 1.0


@member
def test_more_alike_texts_have_more_alike_fingerprints(name: str) -> None:
    """On average over thirty articles, the estimate falls with the number of edits."""
    chosen = family(name)
    steps = [0, 4, 12, 30, 80, 200]
    means = []
    for edits in steps:
        pairs = [(article(number, 400), edited(article(number, 400), edits, seed=number)) for number in range(30)]
        means.append(sum(chosen.similarity(a, b) for a, b in pairs) / len(pairs))
    assert means[0] == 1.0
    assert means == sorted(means, reverse=True)
    strangers = [(article(number, 400), article(number + 30, 400)) for number in range(30)]
    by_chance = sum(chosen.similarity(a, b) for a, b in strangers) / len(strangers)
    assert means[-1] < by_chance + 0.1


@pytest.mark.parametrize("edits", [0, 4, 12, 30, 80])
def test_the_estimate_of_minhash_is_close_to_the_exact_figure(edits: int) -> None:
    chosen = family("minhash")
    pairs = [(article(number, 400), edited(article(number, 400), edits, seed=number)) for number in range(60)]
    errors = [chosen.similarity(a, b) - jaccard(a, b) for a, b in pairs]
    assert abs(sum(errors) / len(errors)) < 0.02, "unbiased"
    assert max(map(abs, errors)) < 4 * 0.5 / 128**0.5, "four standard errors"


def test_texts_at_the_threshold_share_a_key_as_often_as_the_curve_says() -> None:
    chosen = family("minhash", threshold=0.7, target_recall=0.9)
    pairs = [(article(number, 400), edited(article(number, 400), 20, seed=number)) for number in range(300)]
    expected = sum(chosen.recall(jaccard(a, b)) for a, b in pairs) / len(pairs)  # type: ignore[attr-defined]
    share = sum(bool(keys(chosen, a) & keys(chosen, b)) for a, b in pairs) / len(pairs)
    assert share == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize(
    "parameters",
    [
        {"threshold": 0},
        {"threshold": -0.1},
        {"threshold": 1.01},
        {"threshold": float("nan")},
        {"threshold": "0.8"},
        {"target_recall": 0},
        {"target_recall": 1},
        {"target_recall": None},
        {"shingle": 0},
        {"shingle": 65},
        {"shingle": 2.5},
        {"shingle": "5"},
        {"values": 0},
        {"values": 12},
        {"values": 8192},
        {"values": 128.0},
        {"threshold": 0.01, "target_recall": 0.999999, "values": 8},
        {"no_such_parameter": 1},
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        family("minhash", **parameters)


def test_an_unknown_parameter_or_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no parameter 'shingle'"):
        family("exact", shingle=3)
    with pytest.raises(UsageError, match=r"(?s)did you mean 'minhash'\? choose one of: .*exact, .*minhash"):
        family("mnihash")
    with pytest.raises(UsageError, match="choose one of") as error:
        family("telepathy")
    assert "did you mean" not in str(error.value), "nothing is near"


def test_the_false_rejects_of_the_codes_are_rare() -> None:
    """No pair at or above the threshold is excluded by its code."""
    chosen = family("minhash")
    needed = chosen.verdict(0.8).least_agreement
    rng = random.Random(5)
    for number in range(400):
        a = article(number, 400)
        b = edited(a, rng.randint(0, 8), seed=number)
        if jaccard(a, b) < 0.8:
            continue
        codes = chosen.fingerprint([a, b]).codes
        agreement = sum(int(x) >> 4 == int(y) >> 4 for x, y in zip(*codes, strict=True))
        agreement += sum(int(x) & 15 == int(y) & 15 for x, y in zip(*codes, strict=True))
        assert agreement >= needed
