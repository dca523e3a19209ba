"""Fingerprints for other pipelines: as an Arrow table, and as expressions of polars."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from tests.articles import article, edited

import whorl
import whorl.polars
from whorl.errors import InputError, UsageError
from whorl.fingerprints import families, family
from whorl.recipe import PRESETS

TEXTS = [article(1), None, "", edited(article(1), 3), *(article(number) for number in range(2, 9))]


@pytest.mark.parametrize("method", sorted(families()))
def test_the_table_holds_what_the_family_makes(method: str) -> None:
    table = whorl.fingerprint(TEXTS, method)
    prints = family(method).fingerprint(TEXTS)
    assert table["digest"].to_pylist() == [digest.tobytes() for digest in prints.digests]
    assert table["length"].to_pylist() == prints.lengths.tolist()
    assert [len(keys) for keys in table["keys"].to_pylist()] == prints.counts.tolist()
    assert table["keys"].combine_chunks().flatten().to_pylist() == prints.keys.tolist()
    codes = [code.tobytes() if prints.codes.shape[1] else None for code in prints.codes]
    assert table["code"].to_pylist() == codes


def test_the_schema_depends_on_nothing() -> None:
    schemas = [whorl.fingerprint(texts, method).schema for method in ("minhash", "exact") for texts in (TEXTS, [])]
    assert (
        schemas
        == [
            pa.schema(
                [
                    ("digest", pa.binary(16)),
                    ("length", pa.uint32()),
                    ("keys", pa.list_(pa.uint64())),
                    ("code", pa.binary()),
                ]
            )
        ]
        * 4
    )


def test_more_texts_than_are_made_at_once_keep_their_order() -> None:
    texts = [f"{number} {article(number % 7, 40)}" for number in range(9000)]
    table = whorl.fingerprint(texts, "winnowing")
    assert len(table) == len(texts)
    assert table.slice(8999).to_pylist() == whorl.fingerprint(texts[8999:], "winnowing").to_pylist()


def test_presets_and_parameters_are_those_of_the_recipe() -> None:
    assert whorl.fingerprint(TEXTS, "news") == whorl.fingerprint(TEXTS, "winnowing", **PRESETS["news"]["parameters"])
    assert whorl.fingerprint(TEXTS, "news", window=30) != whorl.fingerprint(TEXTS, "news")
    assert whorl.fingerprint(TEXTS, threshold=0.5) != whorl.fingerprint(TEXTS)


@pytest.mark.parametrize(("method", "parameters"), [("minhush", {}), ("exact", {"k": 5}), ("winnowing", {"k": -5})])
def test_unknown_parameter_is_refused_with_a_hint(method: str, parameters: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=r"(?s)hint: "):
        whorl.fingerprint(TEXTS, method, **parameters)


def test_non_text_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match=r"(?s)item 1: expected str, got int.*hint: "):
        whorl.fingerprint(["a", 5])


FRAME = pl.DataFrame({"text": TEXTS, "other": [article(1)] * len(TEXTS)})


@pytest.mark.parametrize("method", ["minhash", "exact", "news"])
def test_an_expression_gives_the_same_fingerprints(method: str) -> None:
    prints = FRAME.lazy().select(pl.col("text").whorl.fingerprint(method)).collect()["text"]
    expected = whorl.fingerprint(TEXTS, method).to_pylist()
    assert prints.to_list() == [None if text is None else row for text, row in zip(TEXTS, expected, strict=True)]


def test_keys_join_what_shares_them() -> None:
    keys = FRAME.with_row_index().filter(pl.col("text") != "").select("index", pl.col("text").whorl.fingerprint("news"))
    exploded = keys.select("index", pl.col("text").struct.field("keys")).explode("keys")
    pairs = exploded.join(exploded, on="keys").filter(pl.col("index") < pl.col("index_right"))
    assert set(pairs.select("index", "index_right").unique().rows()) == {(0, 3)}


def test_shares_are_those_of_a_comparison() -> None:
    expected = [None if text is None else whorl.compare(article(1), text).ratios.copied for text in TEXTS]
    shares = (
        FRAME.lazy()
        .select(
            "other",
            one=pl.col("text").whorl.copied_from(article(1)),
            each=pl.col("text").whorl.copied_from(pl.col("other")),
        )
        .collect()
    )
    assert shares["one"].to_list() == shares["each"].to_list() == expected
    assert expected[0] == 1.0
    assert expected[4] == 0.0


def test_expression_keeps_name_and_type_without_rows() -> None:
    empty = FRAME.clear().select(
        pl.col("text").whorl.copied_from(pl.col("text")), prints=pl.col("text").whorl.fingerprint("exact")
    )
    full = FRAME.select(pl.col("text").whorl.copied_from(pl.col("text")), prints=pl.col("text").whorl.fingerprint())
    assert empty.schema == full.schema
    assert full.columns == ["text", "prints"]


def test_namespace_is_registered_on_import() -> None:
    program = "import polars, whorl; whorl.fingerprint(['a']); print(hasattr(polars.col('a'), 'whorl'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_missing_polars_has_a_hint(tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text("raise ModuleNotFoundError('polars')\n", encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import whorl.polars"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "hint: pip install polars" in done.stderr


def test_the_example_of_the_namespace_runs() -> None:
    assert doctest.testmod(whorl.polars).failed == 0
