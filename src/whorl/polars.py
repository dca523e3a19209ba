"""Polars plugin: ``import whorl.polars`` registers the expression namespace ``whorl``.

>>> import polars as pl
>>> import whorl.polars
>>> frame = pl.DataFrame({"text": ["今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]})
>>> frame.select(pl.col("text").whorl.copied_from("今天天气很好，适合出门散步！"))["text"].to_list()
[1.0, 0.0]

Both work element by element, also in lazy and streaming queries, `group_by`, `over`, `filter` and `list.eval`.
"""

from __future__ import annotations

from itertools import compress, repeat
from typing import Any

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.matching.compare import compare_many
from whorl.release import missing_program
from whorl.tasks.fingerprint import fingerprint

try:
    import polars as pl
except ModuleNotFoundError:
    raise missing_program(__name__, "polars") from None

_FINGERPRINT = pl.Struct({"digest": pl.Binary, "length": pl.UInt32, "keys": pl.List(pl.UInt64), "code": pl.Binary})
_SOURCE = "copied from"
"""Name of the column with the source texts in the struct passed to the plugin."""


@pl.api.register_expr_namespace("whorl")
class Expressions:
    """The methods of the namespace, for string expressions."""

    def __init__(self, texts: pl.Expr) -> None:
        self._texts = texts

    def fingerprint(self, method: str = "minhash", **parameters: Any) -> pl.Expr:
        """Return the fingerprint of each text: a struct of digest, length, keys and code; null for null.

        >>> import polars as pl
        >>> import whorl.polars
        >>> frame = pl.DataFrame({"text": ["今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!"]})
        >>> frame.select(pl.col("text").whorl.fingerprint("exact").struct.field("digest")).n_unique()
        1

        Args:
            method: name of a method or a preset.
            **parameters: parameters of the method, see ``whorl.fingerprint``.

        Raises:
            NotFoundError: the method does not exist (raised when the query runs).
            InputError: the texts are not strings (raised when the query runs).

        Cost: microseconds for each text, on all cores.
        """

        def prints(texts: pl.Series) -> pl.Series:
            table = pl.DataFrame(fingerprint(texts, method, **parameters))
            missing = pl.select(pl.when(texts.is_null()).then(None).otherwise(table.to_struct())).to_series()
            return missing.cast(_FINGERPRINT)

        return self._texts.map_batches(prints, return_dtype=_FINGERPRINT, is_elementwise=True)

    def copied_from(self, other: str | pl.Expr | pl.Series) -> pl.Expr:
        """Return the share of each text copied from another, in [0, 1], see ``whorl.compare``; null for null.

        >>> import polars as pl
        >>> import whorl.polars
        >>> frame = pl.DataFrame({"story": [1, 1], "text": ["今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]})
        >>> first = pl.col("text").first().over("story")
        >>> frame.select(pl.col("text").whorl.copied_from(first))["text"].to_list()
        [1.0, 0.0]

        Args:
            other: one text for all rows, or an expression or a series with one for each row.

        Raises:
            UsageError: ``other`` has another type; when the query runs, a text is not a string, or several columns are
                compared with an expression.

        Cost: one comparison for each text, on all cores.
        """
        if isinstance(other, str):
            return self._texts.map_batches(lambda texts: _shares(texts, other), pl.Float64, is_elementwise=True)
        if not isinstance(other, pl.Expr | pl.Series):
            raise UsageError(
                say("expected a text or an expression, got {other}", other=f"{other!r:.60}"),
                hint=say("pass a text, or `pl.col` of texts"),
            )
        source = pl.lit(other) if isinstance(other, pl.Series) else other
        pairs = pl.struct(self._texts, source.alias(_SOURCE))
        return pairs.map_batches(_shares_of_pairs, return_dtype=pl.Float64, is_elementwise=True)


def _shares_of_pairs(pairs: pl.Series) -> pl.Series:
    if len(pairs.struct.fields) != 2:
        names = ", ".join(pairs.struct.fields[:-1])
        raise UsageError(
            say("several columns are compared: {names}", names=names), hint=say("compare one column at a time")
        )
    texts, sources = (pairs.struct.field(name) for name in pairs.struct.fields)
    return _shares(texts, sources)


def _shares(texts: pl.Series, sources: str | pl.Series) -> pl.Series:
    """Return the copied share of each text from its source, or from a common source."""
    theirs = repeat(sources, len(texts)) if isinstance(sources, str) else sources.to_list()
    pairs = list(zip(theirs, texts.to_list(), strict=True))
    complete = [None not in pair for pair in pairs]
    comparisons = iter(compare_many(compress(pairs, complete)))
    return pl.Series(
        texts.name, [next(comparisons).ratios.copied if is_complete else None for is_complete in complete], pl.Float64
    )


__all__ = ["Expressions"]
