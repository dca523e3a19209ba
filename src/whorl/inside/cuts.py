"""Decide which repeated text is cut, one bucket of documents at a time, and store the decisions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.local.durable import read_json, write_json
from whorl.engines.local.read import strings
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.approved import ScopedTexts
from whorl.inside.index import PassageIndex, RankedTexts
from whorl.inside.search import Strip

if TYPE_CHECKING:
    import pyarrow as pa

NOWHERE = np.uint32(0xFFFF_FFFF)
"""The kept document of text that no document keeps."""
FORMS = (None, "heading", "table row", "table head", "code block")
"""Names of the numbered forms of cuts; None is the searched kind."""
_NUMBERS = ("rank", "start", "end", "kept", "kept_start", "kept_end", "form", "count", "letters", "tokens", "approved")
_STORED = (*_NUMBERS, "text", "text_bounds", "document", "left", "deletion_bounds", "deletions")
_TYPES = {"text": np.uint8, "text_bounds": np.int64, "deletion_bounds": np.uint64, "past": np.uint8}


@frozen(eq=False)
class CutBlock:
    """Decisions on the documents of a bucket.

    Attributes:
        columns: the cuts by column: ``rank`` and ``kept`` are ranks of documents, ``approved`` is the line of the list
            that approves the cut, or ``NOWHERE``.
        documents: uint32, the ranks of the documents with cuts.
        remaining: uint32, the remaining length of each.
        bounds: uint64 (n + 1,), the ranges of each document.
        ranges: uint32 (m, 2), the ranges that are deleted or masked.
    """

    columns: dict[str, NDArray[Any]]
    documents: NDArray[np.uint32]
    remaining: NDArray[np.uint32]
    bounds: NDArray[np.uint64]
    ranges: NDArray[np.uint32]

    @classmethod
    def of(cls, stored: dict[str, NDArray[Any]]) -> CutBlock:
        """Return the decisions from their stored arrays."""
        names = (*_NUMBERS, "text", "text_bounds")
        columns = {name: stored[name] for name in names}
        ranges = stored["deletions"].reshape(-1, 2)
        return cls(columns, stored["document"], stored["left"], stored["deletion_bounds"], ranges)

    @classmethod
    def joined(cls, blocks: Sequence[CutBlock]) -> CutBlock:
        """Join decisions on different documents, in the order of rank."""
        import pyarrow as pa

        if len(blocks) == 1:
            return blocks[0]
        columns = {name: np.concatenate([block.columns[name] for block in blocks]) for name in _NUMBERS}
        sequence = np.argsort(columns["rank"], kind="stable")
        text, bounds = strings(pa.concat_arrays([block.texts for block in blocks]).take(pa.array(sequence)))
        documents = np.concatenate([block.documents for block in blocks])
        by_rank = np.argsort(documents, kind="stable")
        counts = np.concatenate([np.diff(block.bounds.astype(np.int64)) for block in blocks])
        ends, places = chosen_ranges(np.concatenate([[0], np.cumsum(counts)]), by_rank)
        return cls(
            {**{name: values[sequence] for name, values in columns.items()}, "text": text, "text_bounds": bounds},
            documents[by_rank],
            np.concatenate([block.remaining for block in blocks])[by_rank],
            ends.astype(np.uint64),
            np.concatenate([block.ranges for block in blocks])[places],
        )

    @property
    def texts(self) -> pa.Array:
        """The text of each cut."""
        import pyarrow as pa

        bounds, values = self.columns["text_bounds"], self.columns["text"]
        return pa.LargeStringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(values))


class CutStore:
    """The decisions of a search, a file for each bucket; existing files are not computed again.

    Args:
        folder: the folder of the files.
        ranked: the documents.
        strip: the settings.
    """

    def __init__(self, folder: Path, ranked: RankedTexts, strip: Strip) -> None:
        self._folder = folder
        self._ranked = ranked
        self._strip = strip

    def decide(self, index: PassageIndex, progress: Progress) -> int:
        """Decide all buckets of an index. Returns the number of refuted pairs.

        Raises:
            InputError: a text changed since it was read.
        """
        ranked, strip = self._ranked, self._strip
        self._folder.mkdir(parents=True, exist_ok=True)
        progress.stage("decide", index.buckets, "parts")
        decider = ranked.decider(strip)
        refuted = 0
        for bucket in range(index.buckets):
            path = self._path(bucket)
            done = read_json(path.with_suffix(".json"))
            if done is None:
                first = decider.cuts()
                stored = decided(decider, ranked, index.pairs(bucket))
                stored["past"] = np.frombuffer(memoryview(decider.past(first)), np.uint8)
                done = {"refuted": int(stored.pop("refuted"))}
                _save(stored, path)
                write_json(done, path.with_suffix(".json"))
            else:
                decider.resume(_load(path)["past"])
            refuted += done["refuted"]
            progress.advance(1)
        return refuted

    def blocks(self) -> Iterator[CutBlock]:
        """Yield the decisions by rank."""
        for path in sorted(self._folder.glob("cuts-*.npz")):
            yield CutBlock.of(_load(path))

    def _path(self, bucket: int) -> Path:
        return self._folder / f"cuts-{bucket:04d}.npz"


def decided(decider: _core.InsideDecider, ranked: RankedTexts, pairs: NDArray[np.uint8]) -> dict[str, Any]:
    """Decide pairs and return the columns as arrays. No document keeps an approved text.

    Raises:
        InputError: a text changed since it was read.
    """
    with unchanged_texts():
        columns = decider.decide(ranked.texts, pairs)
    return cut_arrays(columns, ranked.approved)


@contextmanager
def unchanged_texts() -> Iterator[None]:
    """Convert the failure to read a text again into an ``InputError``."""
    try:
        yield
    except ValueError as error:
        raise InputError(str(error), hint=say("do not change the input while whorl runs, and start again")) from error


def cut_arrays(columns: dict[str, Any], approved: ScopedTexts | None) -> dict[str, Any]:
    """Return the columns of the core as arrays, with ranks of documents only and the lines of approved texts."""
    refuted = columns.pop("refuted")
    arrays = {name: np.frombuffer(memoryview(column), _TYPES.get(name, np.uint32)) for name, column in columns.items()}
    arrays["approved"] = np.full(len(arrays["rank"]), NOWHERE)
    if approved is not None:
        count = np.uint32(len(approved))
        listed = arrays["kept"] != NOWHERE
        arrays["approved"][listed] = approved.lines[arrays["kept"][listed]]
        arrays |= {
            "kept": np.full(len(listed), NOWHERE),
            **{name: arrays[name] - count for name in ("rank", "document")},
        }
    return {**arrays, "refuted": refuted}


def chosen_ranges(
    bounds: NDArray[np.int64], chosen: NDArray[np.integer[Any]] | NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bounds of the chosen lists of ranges, and the places of their ranges among all."""
    sizes = np.diff(bounds)[chosen]
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return ends, np.repeat(bounds[:-1][chosen] - ends[:-1], sizes) + np.arange(ends[-1])


def _save(arrays: dict[str, NDArray[Any]], path: Path) -> None:
    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _load(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        return {name: data[name] for name in (*_STORED, "past")}


__all__ = ["FORMS", "NOWHERE", "CutBlock", "CutStore", "chosen_ranges", "cut_arrays", "decided", "unchanged_texts"]
