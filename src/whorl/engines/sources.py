"""The texts of files that one text is to be compared with: all, or of very many those that share most."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.corpus import HIDDEN_TEXT, MISSING_PARTS, WHOLE, Batch, Columns, ReadOptions, Rejects, Source, read_files
from whorl.engines.progress import Silent
from whorl.engines.ranking import order_values
from whorl.errors import InputError, UsageError
from whorl.fingerprints.winnowing import Winnowing
from whorl.language import say
from whorl.reports.comparison import Collection
from whorl.reports.naming import file_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.engines.progress import Progress

_NOMINATING = Winnowing(k=8, window=5)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that another may have something from.

    Attributes:
        name: its file, with ``:ROW`` where a file has many, as `whorl compare` takes it.
        text: the text.
        authorised: whether it was found among those that may be copied.
        id: what its row says it is called; empty for nothing.
        place: its path below the folder that holds all inputs.
        hidden: how many characters its document hides.
        missing: what its file lacks, in one plain sentence; empty for nothing.
    """

    name: str
    text: str
    authorised: bool
    id: str = ""
    place: str = ""
    hidden: int = 0
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a text is to be compared with.

    Attributes:
        chosen: the texts, in the order in which they were read.
        left_out: further texts, which share fewer keys with the text.
        rejected: rows that could not be read.
        itself: whether the text itself was among them, and was left out.
        searched: the inputs, with what was read of each.
    """

    chosen: tuple[Candidate, ...]
    left_out: int
    rejected: int
    itself: bool
    searched: tuple[Collection, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """Where to look for what a text was copied from.

    Args:
        inputs: files, folders and globs; ``-`` is JSONL on standard input.
        authorised: the same, with texts that may be copied.
        columns: which columns make a text.
        options: how bytes become rows.
        most: how many texts are compared; of more, those that share most keys. At least 1.
        itself: the file and row of the text, which is passed over; None where it has none.

    Raises:
        UsageError: ``most`` is no whole number from 1.
    """

    inputs: Sequence[str]
    authorised: Sequence[str]
    columns: Columns
    options: ReadOptions
    most: int
    itself: tuple[Path, int] | None = None

    def __post_init__(self) -> None:
        if type(self.most) is not int or self.most < 1:
            raise UsageError(
                say("{name} is {value!r}", name="most", value=self.most), cure=say("give a whole number from 1")
            )


def find_candidates(text: str, search: Search, progress: Progress | None = None) -> Candidates:
    """Read all texts and choose those that share most winnowed k-grams with one.

    Args:
        text: the text that is examined.
        search: where to look.
        progress: is told what happens.

    Raises:
        InputError: a file cannot be read as asked, or there is no text to compare with.

    Cost: reading, and 20 ns a code point; memory for twice ``most`` texts. Where no more than ``most`` texts are there,
    all of them are returned. Any twelve folded code points in a row that are in both give a common key.
    """
    report = progress or Silent()
    report.stage("read", None, "documents")
    wanted = np.unique(_NOMINATING.fingerprint([text]).keys)
    best: list[tuple[int, int, Candidate]] = []
    read, itself = 0, False
    rejects = Rejects()
    reading = _Reading(search)
    for source, batch in _batches(search, rejects):
        reading.add(source, batch)
        texts, ids = _strings(batch.texts), _strings(batch.ids)
        of_file = batch.notices if source.format in WHOLE else {}
        hidden, missing = int(of_file.get(HIDDEN_TEXT, 0)), of_file.get(MISSING_PARTS, "")
        rows = zip(batch.rows.tolist(), texts, ids, _shared(batch, wanted).tolist(), strict=True)
        for row, other, own, hits in rows:
            if search.itself == (source.path and Path(os.path.realpath(source.path)), row):
                itself = True
                continue
            read += 1
            authorised = source.input_index < len(search.authorised)
            place = source.name if source.format in WHOLE else f"{source.name}:{row}"
            name = _name(source, row)
            best.append((hits, -read, Candidate(name, other, authorised, own or "", place, hidden, missing)))
        best = heapq.nlargest(search.most, best) if len(best) > 2 * search.most else best
        report.advance(len(batch))
    if not read:
        raise InputError(
            say("there is no text to compare with"), cure=say("check the files and the text column, `text`")
        )
    chosen = heapq.nlargest(search.most, best)
    in_order = sorted(chosen, key=lambda entry: -entry[1])
    candidates = tuple(candidate for _, _, candidate in in_order)
    return Candidates(candidates, read - len(chosen), rejects.total, itself, tuple(reading.collections()))


def read_texts(inputs: Sequence[str], columns: Columns, options: ReadOptions) -> list[str]:
    """Return all texts of files; memory for all of them.

    Raises:
        InputError: a file cannot be read as asked, or a row of it.
    """
    search = Search(inputs, (), columns, options, 1)
    return [text for _, batch in _batches(search, Rejects(on_error="stop")) for text in _strings(batch.texts)]


def _batches(search: Search, rejects: Rejects) -> Iterator[tuple[Source, Batch]]:
    return read_files([*search.authorised, *search.inputs], search.columns, rejects, search.options)


def _strings(column: Any) -> list[str]:
    import pyarrow as pa

    strings: list[str] = pa.array(column).to_pylist()
    return strings


class _Reading:
    """What is read of each input, while it is read."""

    def __init__(self, search: Search) -> None:
        self._names = [*search.authorised, *search.inputs]
        self._authorised = len(search.authorised)
        self._files: dict[int, set[str]] = {}
        self._texts: Counter[int] = Counter()
        self._times: dict[int, tuple[float, float]] = {}

    def add(self, source: Source, batch: Batch) -> None:
        """Count the rows of a batch, and see between which times they are."""
        given = source.input_index
        self._files.setdefault(given, set()).add(source.label)
        self._texts[given] += len(batch)
        times = order_values(batch.order) if batch.order is not None else np.empty(0)
        times = times[np.isfinite(times)]
        if len(times):
            first, last = self._times.get(given, (np.inf, -np.inf))
            self._times[given] = min(first, float(times.min())), max(last, float(times.max()))

    def collections(self) -> Iterator[Collection]:
        """Yield the inputs of which something was read, in the order in which they were given."""
        for given in sorted(self._files):
            name = self._names[given]
            first, last = (_day(time) for time in self._times.get(given, (np.nan, np.nan)))
            shown = "stdin" if name == "-" else file_name(name)
            count = len(self._files[given])
            yield Collection(shown, count, self._texts[given], given < self._authorised, first, last)


def _day(seconds: float) -> str:
    """The day of a time in seconds since 1970; empty for what is none."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return ""


def _shared(batch: Batch, wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many of the keys of each text are wanted."""
    found = _NOMINATING.fingerprint(batch.texts)
    owner = np.repeat(np.arange(len(batch)), found.counts)
    return np.bincount(owner[np.isin(found.keys, wanted)], minlength=len(batch))


def _name(source: Source, row: int) -> str:
    here = Path.cwd()
    if source.path is None or source.address is not None:
        file = source.address or source.name
    else:
        file = str(source.path.relative_to(here) if source.path.is_relative_to(here) else source.path)
    return file if source.format in WHOLE else f"{file}:{row}"


__all__ = ["Candidate", "Candidates", "Search", "find_candidates", "read_texts"]
