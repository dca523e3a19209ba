"""The documents of a run on files, as columns in segments; texts stay in the input files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.corpus import REFERENCE, Corpus, Identifiers, whole_files
from whorl.engines.local.columns import COLUMNS
from whorl.engines.local.read import StoredSegment
from whorl.engines.ranking import Traits
from whorl.fingerprints import Fingerprints

_AT_ONCE = 1 << 16
"""Documents whose fingerprints are yielded together."""


@frozen(eq=False)
class SegmentedCorpus(Corpus):
    """A corpus stored in segments.

    Attributes:
        segments: all segments, those of the references first.
        input_segments: the segments of the input only.
    """

    segments: Sequence[StoredSegment] = ()
    input_segments: Sequence[StoredSegment] = ()

    @classmethod
    def joined(cls, segments: Sequence[StoredSegment], references: Sequence[StoredSegment]) -> SegmentedCorpus:
        """Number the documents of references and of the input."""
        everything = [*references, *segments]
        files: list[str] = []
        numbers = []
        for number, segment in enumerate(everything):
            prefix = REFERENCE if number < len(references) else ""
            if not files or not segment.goes_on:
                first = len(files)
                files += [f"{prefix}{record.name}" for record in segment.files]
            numbers.append(segment.column("file") + np.uint32(first))
        return cls(
            references=sum(segment.documents for segment in references),
            file=np.concatenate([np.empty(0, np.uint32), *numbers]),
            row=np.concatenate([np.empty(0, np.int64), *(segment.column("row") for segment in everything)]),
            files=files,
            ids=_identifiers(everything),
            inputs=whole_files(record for segment in segments for record in segment.files),
            segments=everything,
            input_segments=segments,
        )

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of all documents."""
        return _column(self.segments, name)

    def input_column(self, name: str) -> NDArray[Any]:
        """Return a column of the documents of the input."""
        return _column(self.input_segments, name)

    def prints(self, *, codes: bool = True) -> Iterator[Fingerprints]:
        """Yield the fingerprints of all documents in blocks, without keys and optionally without codes."""
        for segment in self.segments:
            digests, lengths, counts = (segment.mapped(name) for name in ("digest", "length", "key_count"))
            coded = segment.mapped("code") if codes else np.empty((segment.documents, 0), np.uint8)
            for first in range(0, segment.documents, _AT_ONCE):
                some = slice(first, first + _AT_ONCE)
                yield Fingerprints(digests[some], lengths[some], np.empty(0, np.uint64), counts[some], coded[some])

    @property
    def traits(self) -> Traits:
        """Return the traits that rank the documents of the input."""
        dates: Counter[str] = Counter()
        for record in self.inputs:
            dates.update(record.dates)
        lengths, blemishes, order = map(self.input_column, ("length", "blemishes", "order"))
        return Traits(lengths, blemishes, order, dates)

    def texts(self, columns: Sequence[str]) -> _core.FileTexts:
        """Return a reader for the texts, which are built from ``columns``."""
        files: list[tuple[str, str | None]] = []
        numbers = []
        for segment in self.segments:
            places = np.array([len(files) + number for number in range(len(segment.files))], np.uint32)
            files += segment.text_files
            numbers.append(places[segment.column("file")] if segment.documents else np.empty(0, np.uint32))
        file_of = np.concatenate([np.empty(0, np.uint32), *numbers])
        rows = _core.RowColumns(list(columns))
        return _core.FileTexts(files, rows, file_of, self.column("offset"), self.column("size"))


def stretched(segments: Sequence[StoredSegment]) -> list[range]:
    """Return the range of segments of each file that was read in parts."""
    files: list[range] = []
    for place, segment in enumerate(segments):
        if segment.goes_on and files and files[-1].stop == place:
            files[-1] = range(files[-1].start, place + 1)
        elif any(record.span is not None for record in segment.files):
            files.append(range(place, place + 1))
    return files


def _identifiers(segments: Sequence[StoredSegment]) -> Identifiers:
    values = [segment.column("id") for segment in segments]
    begins = np.cumsum([0, *map(len, values)])
    ends = [np.zeros(1, np.int64)]
    ends += [segment.column("id_end") + begin for segment, begin in zip(segments, begins, strict=False)]
    return Identifiers(np.concatenate([np.empty(0, np.uint8), *values]), np.concatenate(ends))


def _column(segments: Sequence[StoredSegment], name: str) -> NDArray[Any]:
    parts = [segment.column(name) for segment in segments]
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0, COLUMNS[name])])


__all__ = ["SegmentedCorpus", "stretched"]
