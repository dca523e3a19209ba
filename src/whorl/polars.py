"""Expressions of polars: ``import whorl.polars`` gives every expression the namespace ``whorl``.

>>> import polars as pl
>>> import whorl.polars
>>> frame = pl.DataFrame({"text": ["今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]})
>>> frame.select(pl.col("text").whorl.copied_from("今天天气很好，适合出门散步！"))["text"].to_list()
[1.0, 0.0]
"""

from __future__ import annotations

from itertools import compress
from typing import Any

from whorl.errors import UsageError
from whorl.language import say
from whorl.matching.compare import compare_many
from whorl.tasks.fingerprint import fingerprint

try:
    import polars as pl
except ModuleNotFoundError:
    raise UsageError(
        say("{what} needs {package}", what="whorl.polars", package="polars"),
        cure=say("pip install {package}", package="polars"),
    ) from None

_FINGERPRINT = pl.Struct({"digest": pl.Binary, "length": pl.UInt32, "keys": pl.List(pl.UInt64), "code": pl.Binary})


@pl.api.register_expr_namespace("whorl")
class Expressions:
    """What an expression of texts can be asked."""

    def __init__(self, texts: pl.Expr) -> None:
        self._texts = texts

    def fingerprint(self, method: str = "minhash", **parameters: Any) -> pl.Expr:
        """Return the fingerprint of each text: a struct of digest, length, keys and code, null for null.

        Args:
            method: a fingerprint family or a preset.
            **parameters: of the family, as of ``whorl.fingerprint``.
        """

        def prints(texts: pl.Series) -> pl.Series:
            table = pl.DataFrame(fingerprint(texts, method, **parameters))
            missing = pl.select(pl.when(texts.is_null()).then(None).otherwise(table.to_struct())).to_series()
            return missing.cast(_FINGERPRINT)

        return self._texts.map_batches(prints, return_dtype=_FINGERPRINT, is_elementwise=True)

    def copied_from(self, other: str | pl.Expr) -> pl.Expr:
        """Return the share of each text that is copied from another, in [0, 1], as of ``whorl.compare``; null for null.

        Args:
            other: one text for all, or an expression of one for each.
        """

        def shares(pairs: pl.Series) -> pl.Series:
            texts, others = (pairs.struct.field(name).to_list() for name in pairs.struct.fields)
            known = [None not in pair for pair in zip(others, texts, strict=True)]
            found = iter(compare_many(compress(zip(others, texts, strict=True), known)))
            return pl.Series(pairs.name, [next(found).ratios.copied if one else None for one in known], pl.Float64)

        source = pl.lit(other) if isinstance(other, str) else other
        both = pl.struct(self._texts, source.alias("copied_from"))
        return both.map_batches(shares, return_dtype=pl.Float64, is_elementwise=True)


__all__ = ["Expressions"]
