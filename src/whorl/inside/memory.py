"""``whorl.strip``: strip repeated text from documents in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypedDict, overload

import numpy as np

from whorl import _core
from whorl.engines.corpus import Corpus, Identifiers
from whorl.engines.memory.rows import Rows
from whorl.engines.memory.sources import hold, is_spark
from whorl.engines.progress import Silent
from whorl.engines.ranking import Traits, keep_rule, rank_documents
from whorl.engines.summary import versions
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.cuts import CutBlock, decided
from whorl.inside.edits import CorpusEdits
from whorl.inside.frames import column_of, with_changes
from whorl.inside.index import RankBuckets, RankedTexts, pairs_of
from whorl.inside.labels import Labels
from whorl.inside.repetition import Repetitions
from whorl.inside.search import MASK, NONE, Strip
from whorl.inside.tables import UNITS, CutTables
from whorl.inside.tally import CutTally
from whorl.recipe import Recipe
from whorl.release import __version__
from whorl.types.frames import KeptT

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from numpy.typing import NDArray

    from whorl.types.frames import FrameT_co, ItemT, LazyQuery, SourceT


class StripOptions(TypedDict, total=False):
    """The options of ``whorl.strip``."""

    inside: str | None
    text: str | Sequence[str] | None
    id: str | None
    date: str | None
    least: int | str | None
    repeats: int
    per: str | None
    keep: str | None
    action: str
    mask: str
    drop_below: int
    by: str | None
    repetition: str | None
    approved: str | Path | None
    workers: int | None


@overload
def strip(source: SourceT, **options: Unpack[StripOptions]) -> StripResult[SourceT]: ...


@overload
def strip(source: LazyQuery[FrameT_co], **options: Unpack[StripOptions]) -> StripResult[FrameT_co]: ...


@overload
def strip(source: Iterable[ItemT], **options: Unpack[StripOptions]) -> StripResult[list[ItemT]]: ...


@overload
def strip(source: Any, **options: Unpack[StripOptions]) -> StripResult[Any]: ...


def strip(
    source: Any,
    *,
    inside: str | None = None,
    text: str | Sequence[str] | None = None,
    id: str | None = None,
    date: str | None = None,
    least: int | str | None = None,
    repeats: int = 2,
    per: str | None = None,
    keep: str | None = None,
    action: str = "cut",
    mask: str = MASK,
    drop_below: int = 1,
    by: str | None = None,
    repetition: str | None = None,
    approved: str | Path | None = None,
    workers: int | None = None,
) -> StripResult[Any]:
    r"""Remove text that is repeated within and across documents in memory.

    >>> import whorl
    >>> notice = "Reproduction of this article without the written consent of the publisher is prohibited."
    >>> result = whorl.strip([f"The ice house burned down.\n{notice}", f"Rain tomorrow.\n{notice}"], inside="lines")
    >>> result.kept[1]
    'Rain tomorrow.'

    Args:
        source: documents as for ``whorl.dedup``: strings, dicts, a pandas or polars frame, Arrow data, or a dataset.
        inside: what is searched for: "lines", "sentences", "paragraphs", or "passages", which are runs of tokens; None
            is passages, or the unit of ``approved``.
        text: the column or columns of the text; default "text".
        id: the column of document ids; default "id" if it exists.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``.
        least: minimum length in letters, where a character of a script written without spaces counts as three, or in
            tokens: ``"20 tokens"``. Default 60 letters, for passages 150.
        repeats: minimum number of occurrences.
        per: only compare documents with the same value in this column, such as a site; an address counts as its host.
        keep: which occurrence stays: that of the first document by a rule of ``whorl.Recipe``, or "none".
        action: "cut" removes repeated text, "mask" replaces it by ``mask``, "tag" only lists it in ``cuts``.
        mask: the replacement.
        drop_below: documents with cuts of which less than this length is left are dropped.
        by: a column, for figures about what its values share.
        repetition: "measure" also measures the repetition within each document; "filter" first drops documents above
            the limits of Rae et al. 2021.
        approved: a reviewed list of ``whorl.learn_boilerplate_files``. Only the texts that it marks with cut are
            removed, at every occurrence, whatever their length.
        workers: threads of this call; None uses all cores.

    Raises:
        UsageError: the arguments contradict each other.
        InputError: the source or the list cannot be read as requested.

    Cost: linear; memory about the size of the texts in addition to the source.
    """
    settings = Strip.of(
        inside,
        approved,
        least=least,
        repeats=repeats,
        per=per,
        keep=keep,
        action=action,
        mask=mask,
        drop_below=drop_below,
        by=by,
        repetition=repetition,
    )
    columns = (text,) if isinstance(text, str) else None if text is None else tuple(text)
    recipe = Recipe().changed(method="exact", text=columns, id=id, date=date, keep=settings.rule)
    if is_spark(source):
        raise UsageError(
            say("a Spark DataFrame cannot be stripped"), hint=say("write it as Parquet and use `whorl strip`")
        )
    if not isinstance(source, str | bytes | Mapping) and isinstance(source, Iterable) and iter(source) is source:
        source = list(source)
    with bounded(workers):
        return StripResult(source, recipe, settings)


class StripResult(Generic[KeptT]):
    """Result of ``whorl.strip``.

    >>> import whorl
    >>> whorl.strip(["Rain tomorrow."], inside="lines").kept
    ['Rain tomorrow.']

    Attributes:
        run: settings and figures, as ``run.json`` has them.
    """

    def __init__(self, source: Any, recipe: Recipe, settings: Strip) -> None:
        documents = hold(source, recipe)
        readable = documents.rows.readable()
        rows = documents.rows if readable.all() else documents.rows.where(readable)
        self._select = documents.select
        self._readable = readable
        self._text = recipe.text
        self._settings = settings
        labels = [_labels(documents.select, readable, column) for column in (settings.per, settings.by)]
        lengths = np.frombuffer(memoryview(_core.exact(rows.texts)[1]), np.uint32)
        traits = Traits(lengths, _blemishes(rows, recipe), rows.order, rows.dates)
        order = rank_documents(recipe, traits, Identifiers.of(rows.ids), Silent())
        ranked = RankedTexts(rows.take, order, lengths, labels[0].scopes)
        self._repetitions = None if settings.repetition is None else Repetitions.of(rows.texts)
        if self._repetitions is not None and settings.repetition == "filter":
            order = order[~self._repetitions.is_above[order]]
            ranked = replace(ranked, order=order)
        if settings.approved is not None:
            ranked = replace(ranked, approved=settings.approved.scoped(labels[0]))
        self._block = _decide(ranked, settings)
        self._changes = CorpusEdits.of(iter([self._block]), order, len(lengths), settings)
        self._tables = CutTables(_corpus(rows, readable), order, UNITS[settings.inside], settings.approved is not None)
        self.run = self._describe(recipe, traits, labels[1])

    def _describe(self, recipe: Recipe, traits: Traits, labels: Labels) -> dict[str, Any]:
        tally = CutTally(self._tables, labels)
        tally.add(self._block)
        letters = int(traits.lengths.sum(dtype=np.int64))
        dropped = self._changes.dropped
        return {
            "whorl": __version__,
            "versions": versions(),
            "strip": self._settings.as_dict(),
            "keep": keep_rule(recipe, traits) if self._settings.keeps else NONE,
            "text": list(self._text),
            "counts": {
                "rows": len(self._readable),
                "kept": len(traits.lengths) - len(dropped.documents),
                "changed": len(self._changes.documents) - dropped.short,
                "dropped": len(dropped.documents),
                "repetitive": len(dropped.documents) - dropped.short,
                "rejected": int((~self._readable).sum()),
                "letters": letters,
            },
            **tally.as_dict(letters),
        }

    @cached_property
    def kept(self) -> KeptT:
        r"""The documents without the repeated text, in the order and the type of the source.

        >>> import whorl
        >>> notice = "Reproduction of this article without the written consent of the publisher is prohibited."
        >>> result = whorl.strip([notice, f"Rain tomorrow.\n{notice}"], inside="lines", keep="first")
        >>> result.kept[1]
        'Rain tomorrow.'
        """
        mask = self._readable.copy()
        documents = np.flatnonzero(self._readable)
        mask[documents[self._changes.dropped.documents]] = False
        kept = self._select(mask)
        if self._settings.action == "tag" or not len(self._changes.documents):
            return kept  # type: ignore[no-any-return]
        places = np.cumsum(mask) - 1
        changes: dict[int, list[tuple[int, int]]] = {}
        for number, document in enumerate(documents[self._changes.documents].tolist()):
            if mask[document]:
                bounds = self._changes.bounds[number : number + 2]
                ranges = self._changes.ranges[bounds[0] : bounds[1]].tolist()
                changes[int(places[document])] = [(start, end) for start, end in ranges]
        masked = self._settings.mask if self._settings.action == "mask" else ""
        return with_changes(kept, self._text, changes, masked)  # type: ignore[no-any-return]

    @cached_property
    def cuts(self) -> pa.Table:
        r"""A row for each cut: document, place, the document and place that keep the text, unit, count, tokens, text.

        >>> import whorl
        >>> notice = "Reproduction of this article without the written consent of the publisher is prohibited."
        >>> result = whorl.strip([notice, f"Rain tomorrow.\n{notice}"], inside="lines", keep="first")
        >>> result.cuts.num_rows
        1
        """
        import pyarrow as pa

        return pa.concat_tables(self._tables.cuts(iter([self._block])))

    @cached_property
    def dropped(self) -> pa.Table:
        r"""A row for each dropped document.

        >>> import whorl
        >>> notice = "Reproduction of this article without the written consent of the publisher is prohibited."
        >>> result = whorl.strip([notice, f"Rain tomorrow.\n{notice}"], inside="lines", keep="first")
        >>> result.dropped.num_rows
        0
        """
        return self._tables.dropped(self._changes.dropped)

    @cached_property
    def repetition(self) -> pa.Table | None:
        """The measures of the repetition within each document; None if they were not requested."""
        return None if self._repetitions is None else self._tables.repetition(self._repetitions)

    @cached_property
    def rejected(self) -> Any:
        """The documents whose text is null, in the type of the source."""
        return self._select(~self._readable)

    def __repr__(self) -> str:
        counts = self.run["counts"]
        return f"<StripResult: {counts['kept']} of {counts['rows']} kept, {counts['changed']} changed>"


def _decide(ranked: RankedTexts, settings: Strip) -> CutBlock:
    """Find and decide all repeated text at once."""
    search, keys = settings.search, None
    blocks: list[memoryview] = []
    if ranked.approved is not None:
        of_approved, _, keys = ranked.approved.records(search, 0)
        blocks.append(of_approved)
    blocks += [records for _, records, _ in ranked.records(search, 0, keys)]
    records = np.concatenate([np.empty(0, np.uint8), *(np.frombuffer(block, np.uint8) for block in blocks)])
    approved = ranked.approved_count
    pairs, _, _ = pairs_of(records, settings, RankBuckets.of(len(ranked) + approved, 1), approved)
    return CutBlock.of(decided(ranked.decider(settings), ranked, np.frombuffer(pairs, np.uint8)))


def _blemishes(rows: Rows, recipe: Recipe) -> NDArray[np.uint32]:
    blemishes = _core.blemishes(rows.texts) if recipe.judges_form else b""
    return np.frombuffer(memoryview(blemishes), np.uint32)


def _corpus(rows: Rows, readable: NDArray[np.bool_]) -> Corpus:
    numbers = np.flatnonzero(readable).astype(np.int64)
    ids = [id_ or str(row) for row, id_ in zip(numbers.tolist(), rows.ids, strict=True)]
    return Corpus(0, np.zeros(len(ids), np.uint32), numbers, ("memory",), Identifiers.of(ids))


def _labels(select: Callable[[NDArray[np.bool_]], Any], readable: NDArray[np.bool_], column: str | None) -> Labels:
    """Return the labels of the readable documents from a column."""
    if column is None:
        return Labels.none(int(readable.sum()))
    values = column_of(select(readable), column)
    return Labels.of(None if value is None else str(value) for value in values)


__all__ = ["StripResult", "strip"]
