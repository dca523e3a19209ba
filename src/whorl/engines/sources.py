"""Candidate texts for a comparison: all texts of files, or the most similar ones of large collections."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus import HIDDEN_TEXT, MISSING_PARTS, WHOLE, Batch, Columns, ReadOptions, Rejects, Source, read_files
from whorl.engines.progress import Silent
from whorl.engines.ranking import order_values
from whorl.errors import InputError, UsageError
from whorl.fingerprints import Family, family
from whorl.fingerprints.winnowing import Winnowing
from whorl.i18n import say
from whorl.matching.rewritten import MOST_CANDIDATES
from whorl.reports.comparison.summary import Collection
from whorl.reports.naming import file_name
from whorl.text import fold
from whorl.types.scans import PageLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.engines.progress import Progress

_NOMINATING = Winnowing(k=8, window=5)
_BLOCK = 512


class Candidate(NamedTuple):
    """A text that the examined text may have copied from.

    Attributes:
        name: its file, with ``:ROW`` for files with several rows, as accepted by `whorl compare`.
        text: the text.
        authorised: True if it comes from an input of texts that may be copied.
        id: the id in its row, or an empty string.
        place: its path below the folder that holds all inputs.
        hidden: number of hidden characters in its document.
        missing: one sentence about missing contents of its file, or an empty string.
        lines: the places of recognized lines in the text.
    """

    name: str
    text: str
    authorised: bool
    id: str = ""
    place: str = ""
    hidden: int = 0
    missing: str = ""
    lines: tuple[PageLine, ...] = ()


class CandidateTexts(NamedTuple):
    """Candidate texts for a comparison.

    Attributes:
        chosen: the texts, in the order in which they were read.
        left_out: number of further texts, which share fewer keys with the examined text.
        rejected: number of unreadable rows.
        itself: True if the examined text itself was found and left out.
        searched: the inputs, with statistics of each.
    """

    chosen: tuple[Candidate, ...]
    left_out: int
    rejected: int
    itself: bool
    searched: tuple[Collection, ...] = ()


@frozen
class Search:
    """Where to search for the sources of a text.

    Args:
        inputs: files, folders and globs; ``-`` is JSONL on standard input.
        authorised: the same, for texts that may be copied.
        columns: which columns make a text.
        options: how rows are parsed.
        limit: maximum number of texts to compare, at least 1; if there are more, those that share most keys are used.
        itself: file and row of the examined text, which is skipped; None if it has none.
        by_content: also choose the texts with the most rare words, names and numbers in common.

    Raises:
        UsageError: ``limit`` is not an integer of at least 1.
    """

    inputs: Sequence[str]
    authorised: Sequence[str]
    columns: Columns
    options: ReadOptions
    limit: int
    itself: tuple[Path, int] | None = None
    by_content: bool = False

    def __post_init__(self) -> None:
        if type(self.limit) is not int or self.limit < 1:
            raise UsageError(
                say("{name} is {value!r}", name="most", value=self.limit), hint=say("use an integer of at least 1")
            )


def find_candidates(text: str, search: Search, progress: Progress | None = None) -> CandidateTexts:
    """Read all texts and choose those that share most winnowed k-grams with the examined text.

    Args:
        text: the examined text.
        search: where to search.
        progress: receives the progress.

    Raises:
        InputError: a file cannot be read as requested, or there is no text to compare with.

    Cost: reading, and 20 ns per code point, 120 with ``by_content``; memory for twice ``limit`` texts. If there are at
    most ``limit`` texts, all of them are returned. Any twelve consecutive folded code points found in both texts
    produce a common key.
    """
    report = progress or Silent()
    report.stage("read", None, "documents")
    examined_keys = np.unique(_NOMINATING.fingerprint([text]).keys)
    best: list[tuple[int, int, Candidate]] = []
    rewritten: _Rewritten[Candidate] | None = _Rewritten(text) if search.by_content else None
    read, itself, has_text = 0, False, False
    rejects = Rejects()
    reading = _Reading(search)
    for source, batch in _batches(search, rejects):
        reading.add(source, batch)
        texts, ids = _strings(batch.texts), _strings(batch.ids)
        of_file = batch.notices if source.format in WHOLE else {}
        hidden, missing = int(of_file.get(HIDDEN_TEXT, 0)), of_file.get(MISSING_PARTS, "")
        places = batch.lines or [()] * len(texts)
        shared = _shared(_NOMINATING, batch.texts, examined_keys).tolist()
        terms = [0] * len(texts) if rewritten is None else rewritten.shared(batch.texts)
        rows = zip(batch.rows.tolist(), texts, ids, places, shared, terms, strict=True)
        for row, other, document_id, lines, hits, term_count in rows:
            if search.itself == (source.path and Path(os.path.realpath(source.path)), row):
                itself = True
                continue
            read += 1
            has_text = has_text or bool(fold(other))
            authorised = source.input_index < len(search.authorised)
            place = source.name if source.format in WHOLE else f"{source.name}:{row}"
            name = _name(source, row)
            candidate = Candidate(name, other, authorised, document_id or "", place, hidden, missing, lines)
            best.append((hits, -read, candidate))
            if rewritten is not None:
                rewritten.add(term_count, -read, candidate)
        best = heapq.nlargest(search.limit, best) if len(best) > 2 * search.limit else best
        report.advance(len(batch))
    if not has_text:
        raise InputError(say("no text to compare with"), hint=say("check the files and the text column, `text`"))
    chosen = heapq.nlargest(search.limit, best)
    if rewritten is not None:
        chosen = rewritten.with_best(chosen)
    in_order = sorted(chosen, key=lambda entry: -entry[1])
    candidates = tuple(candidate for _, _, candidate in in_order)
    return CandidateTexts(candidates, read - len(chosen), rejects.total, itself, tuple(reading.collections()))


def read_texts(inputs: Sequence[str], columns: Columns, options: ReadOptions) -> list[str]:
    """Return all texts of files. Memory: all texts.

    Raises:
        InputError: a file or a row cannot be read as requested.
    """
    search = Search(inputs, (), columns, options, 1)
    return [text for _, batch in _batches(search, Rejects(on_error="stop")) for text in _strings(batch.texts)]


def most_similar(
    text: str, documents: Iterable[tuple[str, str]], limit: int, *, by_content: bool = False
) -> tuple[list[tuple[str, str]], int]:
    """Return the documents that share most winnowed k-grams with a text, and the number of further ones that share any.

    Args:
        text: the examined text.
        documents: id and text of each document.
        limit: maximum number of documents.
        by_content: also choose up to eight documents with the most rare words, names and numbers in common.

    Cost: 20 ns per code point, 120 with ``by_content``; memory for ``limit`` texts and a block.
    """
    text_keys = np.unique(_NOMINATING.fingerprint([text]).keys)
    best: list[tuple[int, int, tuple[str, str]]] = []
    sharing = read = 0
    remaining = iter(documents)
    rewritten: _Rewritten[tuple[str, str]] | None = _Rewritten(text) if by_content else None
    while block := list(islice(remaining, _BLOCK)):
        texts = [content for _, content in block]
        hits = _shared(_NOMINATING, texts, text_keys)
        for place in np.flatnonzero(hits).tolist():
            best.append((int(hits[place]), -read - place, block[place]))
            sharing += 1
        if rewritten is not None:
            for place, count in enumerate(rewritten.shared(texts)):
                rewritten.add(count, -read - place, block[place])
        read += len(block)
        best = heapq.nlargest(limit, best)
    if rewritten is not None:
        further = rewritten.with_best(best)
        sharing += len(further) - len(best)
        best = further
    return [document for _, _, document in best], sharing - len(best)


def _batches(search: Search, rejects: Rejects) -> Iterator[tuple[Source, Batch]]:
    return read_files([*search.authorised, *search.inputs], search.columns, rejects, search.options)


def _strings(column: Any) -> list[str]:
    import pyarrow as pa

    strings: list[str] = pa.array(column).to_pylist()
    return strings


class _Reading:
    """Statistics of each input while it is read."""

    def __init__(self, search: Search) -> None:
        self._names = [*search.authorised, *search.inputs]
        self._authorised = len(search.authorised)
        self._files: dict[int, set[str]] = {}
        self._texts: Counter[int] = Counter()
        self._times: dict[int, tuple[float, float]] = {}

    def add(self, source: Source, batch: Batch) -> None:
        """Count the rows of a batch and update the range of its dates."""
        place = source.input_index
        self._files.setdefault(place, set()).add(source.label)
        self._texts[place] += len(batch)
        times = order_values(batch.order) if batch.order is not None else np.empty(0)
        times = times[np.isfinite(times)]
        if len(times):
            first, last = self._times.get(place, (np.inf, -np.inf))
            self._times[place] = min(first, float(times.min())), max(last, float(times.max()))

    def collections(self) -> Iterator[Collection]:
        """Yield the inputs with at least one readable row, in their original order."""
        for place in sorted(self._files):
            name = self._names[place]
            first, last = (_day(time) for time in self._times.get(place, (np.nan, np.nan)))
            label = "stdin" if name == "-" else file_name(name)
            count = len(self._files[place])
            yield Collection(label, count, self._texts[place], place < self._authorised, first, last)


def _day(seconds: float) -> str:
    """Return the day of a time in seconds since 1970; empty for an invalid time."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return ""


_Entry = TypeVar("_Entry")


class _Rewritten(Generic[_Entry]):
    """The texts with the most rare words, names and numbers of an examined text, which share no passage with it."""

    def __init__(self, text: str) -> None:
        self._family = family("content")
        self._keys = np.unique(self._family.fingerprint([text]).keys)
        self._best: list[tuple[int, int, _Entry]] = []

    def shared(self, texts: Any) -> list[int]:
        """Return the number of terms of the examined text in each of some texts."""
        counts: list[int] = _shared(self._family, texts, self._keys).tolist()
        return counts

    def add(self, count: int, order: int, entry: _Entry) -> None:
        """Keep a text if it is among the best."""
        if count >= self._family.min_shared:
            self._best = heapq.nlargest(MOST_CANDIDATES, [*self._best, (count, order, entry)])

    def with_best(self, chosen: list[tuple[int, int, _Entry]]) -> list[tuple[int, int, _Entry]]:
        """Return the chosen texts and the best ones that are not among them."""
        orders = {order for _, order, _ in chosen}
        return [*chosen, *(entry for entry in self._best if entry[1] not in orders)]


def _shared(method: Family, texts: Any, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of wanted keys in each text."""
    fingerprints = method.fingerprint(texts)
    owner = np.repeat(np.arange(len(texts)), fingerprints.counts)
    return np.bincount(owner[np.isin(fingerprints.keys, keys)], minlength=len(texts))


def _name(source: Source, row: int) -> str:
    here = Path.cwd()
    if source.path is None or source.address is not None:
        file = source.address or source.name
    else:
        file = str(source.path.relative_to(here) if source.path.is_relative_to(here) else source.path)
    return file if source.format in WHOLE else f"{file}:{row}"


__all__ = ["Candidate", "CandidateTexts", "Search", "find_candidates", "most_similar", "read_texts"]
