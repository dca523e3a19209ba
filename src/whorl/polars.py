"""Expressions of polars: ``import whorl.polars`` gives every expression the namespace ``whorl``.

>>> import polars as pl
>>> import whorl.polars
>>> frame = pl.DataFrame({"text": ["今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]})
>>> frame.select(pl.col("text").whorl.copied_from("今天天气很好，适合出门散步！"))["text"].to_list()
[1.0, 0.0]

Both go text by text: they may stand in lazy and streaming queries, in `group_by` and `over`, `filter` and `list.eval`.
"""

from __future__ import annotations

from itertools import compress, repeat
from typing import Any

from whorl.errors import UsageError
from whorl.language import say
from whorl.matching.compare import compare_many
from whorl.release import missing_program
from whorl.tasks.fingerprint import fingerprint

try:
    import polars as pl
except ModuleNotFoundError:
    raise missing_program(__name__, "polars") from None

_FINGERPRINT = pl.Struct({"digest": pl.Binary, "length": pl.UInt32, "keys": pl.List(pl.UInt64), "code": pl.Binary})
_SOURCE = "copied from"
"""What the text that another is compared with is called beside it."""


@pl.api.register_expr_namespace("whorl")
class Expressions:
    """What an expression of texts can be asked."""

    def __init__(self, texts: pl.Expr) -> None:
        self._texts = texts

    def fingerprint(self, method: str = "minhash", **parameters: Any) -> pl.Expr:
        """Return the fingerprint of each text: a struct of digest, length, keys and code, null for null.

        >>> import polars as pl
        >>> import whorl.polars
        >>> frame = pl.DataFrame({"text": ["今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!"]})
        >>> frame.select(pl.col("text").whorl.fingerprint("exact").struct.field("digest")).n_unique()
        1

        Args:
            method: a fingerprint family or a preset.
            **parameters: of the family, as of ``whorl.fingerprint``.

        Raises:
            NotFoundError: there is no such method; it is raised when the query runs, as the next.
            InputError: the texts are no strings.

        Cost: microseconds a text, on all cores.
        """

        def prints(texts: pl.Series) -> pl.Series:
            table = pl.DataFrame(fingerprint(texts, method, **parameters))
            missing = pl.select(pl.when(texts.is_null()).then(None).otherwise(table.to_struct())).to_series()
            return missing.cast(_FINGERPRINT)

        return self._texts.map_batches(prints, return_dtype=_FINGERPRINT, is_elementwise=True)

    def copied_from(self, other: str | pl.Expr | pl.Series) -> pl.Expr:
        """Return the share of each text that is copied from another, in [0, 1], as of ``whorl.compare``; null for null.

        >>> import polars as pl
        >>> import whorl.polars
        >>> frame = pl.DataFrame({"story": [1, 1], "text": ["今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]})
        >>> first = pl.col("text").first().over("story")
        >>> frame.select(pl.col("text").whorl.copied_from(first))["text"].to_list()
        [1.0, 0.0]

        Args:
            other: one text for all, or an expression or a series of one for each.

        Raises:
            UsageError: ``other`` is neither; when the query runs, a text is no string, or several columns are each to
                be compared with an expression.

        Cost: that of a comparison for each text, on all cores.
        """
        if isinstance(other, str):
            return self._texts.map_batches(lambda texts: _shares(texts, other), pl.Float64, is_elementwise=True)
        if not isinstance(other, pl.Expr | pl.Series):
            raise UsageError(
                say("{other} is no text to compare with", other=f"{other!r:.60}"),
                cure=say("give a text, or `pl.col` of texts"),
            )
        source = pl.lit(other) if isinstance(other, pl.Series) else other
        pairs = pl.struct(self._texts, source.alias(_SOURCE))
        return pairs.map_batches(_shares_of_pairs, return_dtype=pl.Float64, is_elementwise=True)


def _shares_of_pairs(pairs: pl.Series) -> pl.Series:
    if len(pairs.struct.fields) != 2:
        names = ", ".join(pairs.struct.fields[:-1])
        raise UsageError(
            say("several columns are compared: {names}", names=names), cure=say("compare one column at a time")
        )
    texts, sources = (pairs.struct.field(name) for name in pairs.struct.fields)
    return _shares(texts, sources)


def _shares(texts: pl.Series, sources: str | pl.Series) -> pl.Series:
    """The share of each text from its source, or from the one of all."""
    theirs = repeat(sources, len(texts)) if isinstance(sources, str) else sources.to_list()
    pairs = list(zip(theirs, texts.to_list(), strict=True))
    known = [None not in pair for pair in pairs]
    found = iter(compare_many(compress(pairs, known)))
    return pl.Series(texts.name, [next(found).ratios.copied if one else None for one in known], pl.Float64)


__all__ = ["Expressions"]
