"""Find candidates while the input is read: in libraries, and in references that are searched with extra keys.

The column ``sought`` of each segment stores the results. Of a library, only the documents that were found are written
to the working folder, as a segment of references.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.engines.against import SoughtReferences, seeks
from whorl.engines.corpus import FileRecord
from whorl.engines.decide import Sought
from whorl.engines.local.columns import LIBRARY, SOUGHT, ColumnWriter
from whorl.engines.local.read import StoredSegment, load_segment, save_segment, write_ids, write_texts
from whorl.fingerprints import Fingerprints, SoughtKeys
from whorl.matching.candidates import CandidateRows, CandidateSource
from whorl.recipe import Recipe

_AT_ONCE = 4096
_OF_REFERENCES = 0
"""Source number of the references of the run; libraries are numbered from 1."""


class Against(NamedTuple):
    """Sources of candidates for each document.

    Attributes:
        sources: libraries.
        references: the references of the run, if they are searched with more keys than they store.
    """

    sources: Sequence[CandidateSource]
    references: SoughtReferences | None

    @classmethod
    def of(cls, recipe: Recipe, references: Sequence[StoredSegment], sources: Sequence[CandidateSource]) -> Against:
        """Return the candidate sources of a run."""
        family = seeks(recipe) if references else None
        return cls(sources, None if family is None else SoughtReferences(family, map(_keys_of, references)))

    @property
    def asks(self) -> bool:
        """Return True if there is a source to search."""
        return self.references is not None or bool(self.sources)

    def find(self, texts: Any, prints: Fingerprints, first: int) -> NDArray[Any]:
        """Return the candidates of consecutive documents, the first with number ``first``, as rows of the column."""
        parts = [np.empty(0, SOUGHT)]
        if self.references is not None:
            parts.append(_sought(self.references.find(texts), _OF_REFERENCES, first))
        for number, source in enumerate(self.sources, start=1):
            parts.append(_sought(source.find(texts, prints), number, first))
        return np.concatenate(parts)

    def borrow(self, segments: Sequence[StoredSegment], folder: Path) -> list[StoredSegment]:
        """Write the documents that were found in each library to disk; return one segment per library."""
        borrowed = []
        for number, source in enumerate(self.sources, start=1):
            parts = [segment.column("sought") for segment in segments]
            matched = [np.unique(part["number"][part["source"] == number]) for part in parts]
            numbers = np.unique(np.concatenate([np.empty(0, np.uint64), *matched]))
            borrowed.append(_borrow(source, numbers, folder / f"{LIBRARY}-{number}"))
        return borrowed

    def boilerplate(self) -> list[int]:
        """Return the hashes of token runs that are known boilerplate."""
        return [run for source in self.sources for run in source.boilerplate()]


def _keys_of(segment: StoredSegment) -> SoughtKeys:
    """Return the keys of the documents of a segment, read from its postings."""
    postings = segment.column("posting")
    by_document = postings[np.argsort(postings["document"], kind="stable")]
    counts = np.bincount(postings["document"], minlength=segment.documents)
    return SoughtKeys(np.ascontiguousarray(by_document["key"]), counts.astype(np.uint32))


def _sought(candidates: CandidateRows, source: int, first: int) -> NDArray[Any]:
    rows = np.empty(len(candidates.query), SOUGHT)
    rows["document"] = candidates.query + np.uint32(first)
    rows["source"] = source
    rows["number"], rows["hits"] = candidates.number, candidates.hits
    return rows


def _borrow(source: CandidateSource, numbers: NDArray[np.uint64], folder: Path) -> StoredSegment:
    done = load_segment(folder)
    if done is not None and done.is_whole():
        return done
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    with ColumnWriter(folder) as writer:
        for first in range(0, len(numbers), _AT_ONCE):
            records = source.records(numbers[first : first + _AT_ONCE].tolist())
            count += len(records.ids)
            for name, values in (
                ("digest", records.prints.digests),
                ("length", records.prints.lengths),
                ("code", records.prints.codes),
                ("key_count", records.prints.counts),
                ("file", np.zeros(len(records.ids))),
                ("row", records.rows),
                ("number", records.numbers),
            ):
                writer.append(name, values)
            write_ids(records.ids, writer)
            write_texts(records.texts, writer)
    file = FileRecord(source.name, source.address, LIBRARY, None, 0, 0, None, count, count, 0)
    segment = StoredSegment(folder, (file,), count, {}, writer.sums)
    save_segment(segment)
    return segment


def sought_of(segments: Sequence[StoredSegment], references: Sequence[StoredSegment], against: Against) -> Sought:
    """Return the candidates of all documents.

    Args:
        segments: segments of the input.
        references: segments of the references; those of libraries come last.
        against: the sources that were searched.
    """
    libraries = len(against.sources)
    bases = np.concatenate([[0], np.cumsum([segment.documents for segment in [*references, *segments]])])
    parts = list(_numbered(segments, references[len(references) - libraries :], bases, len(references)))
    documents, candidates, hits = (
        np.concatenate([np.empty(0, np.uint32), *(part[place] for part in parts)]).astype(np.uint32)
        for place in range(3)
    )
    return Sought(documents, candidates, hits, against.boilerplate())


def _numbered(
    segments: Sequence[StoredSegment], libraries: Sequence[StoredSegment], bases: NDArray[np.int64], references: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    library_numbers = [library.column("number") for library in libraries]
    for segment, first in zip(segments, bases[references:], strict=False):
        sought = segment.column("sought")
        of_references = sought[sought["source"] == _OF_REFERENCES]
        yield of_references["document"] + first, of_references["number"].astype(np.int64), of_references["hits"]
        for number, numbers in enumerate(library_numbers, start=1):
            of_library = sought[sought["source"] == number]
            places = np.searchsorted(numbers, of_library["number"])
            there = places < len(numbers)
            there[there] = numbers[places[there]] == of_library["number"][there]
            base = bases[references - len(libraries) + number - 1]
            yield of_library["document"][there] + first, places[there] + base, of_library["hits"][there]


__all__ = ["Against", "sought_of"]
