"""References that are never dropped: a corpus, or an earlier run whose sketches are reused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import Columns, ReadOptions, Rejects, discover, format_of
from whorl.engines.local.columns import ColumnWriter
from whorl.engines.local.folder import is_finished_run, load_run
from whorl.engines.local.read import (
    FileRecord,
    Segment,
    file_state,
    load_segment,
    read_corpus,
    save_segment,
    write_texts,
)
from whorl.engines.progress import Progress
from whorl.recipe import Recipe
from whorl.text import FOLD_VERSION

REFERENCE = "reference/"
"""Begins the names of files that belong to a reference."""


def read_references(
    paths: Sequence[str], folder: Path, recipe: Recipe, on_error: str, progress: Progress
) -> list[Segment]:
    """Return the segments of all references; their work lies below ``folder``.

    Raises:
        InputError: a reference cannot be read.
    """
    segments: list[Segment] = []
    for number, path in enumerate(paths):
        place = folder / str(number)
        segments += _read_reference(Path(path), path, place, recipe, on_error, progress)
    return segments


def _read_reference(
    path: Path, given: str, folder: Path, recipe: Recipe, on_error: str, progress: Progress
) -> list[Segment]:
    if not is_finished_run(path):
        return read_corpus(discover([given]), folder, recipe, on_error, progress)
    kept = path / "kept"
    if _same_sketches(load_run(path), recipe) and _kept_unchanged(path):
        return [_borrow(place, kept, folder / place.name, recipe) for place in _segment_folders(path)]
    progress.note(f"{path} was made with another recipe or has changed: its kept documents are fingerprinted again")
    return read_corpus(discover([kept]), folder, recipe, on_error, progress)


def _same_sketches(run: dict[str, Any], recipe: Recipe) -> bool:
    """Whether ``recipe`` and this version of whorl make the sketches that ``run`` made."""
    ours, theirs = json.loads(json.dumps(recipe.as_dict())), run["recipe"]
    same_recipe = all(theirs.get(name) == ours.get(name) for name in ("method", "parameters", "text", "version"))
    return same_recipe and _families(theirs) == _families(ours) and run["versions"].get("fold") == FOLD_VERSION


def _families(recipe: dict[str, Any]) -> dict[str, Any]:
    """How each field is fingerprinted; nothing where documents are judged as a whole."""
    names = ("method", "parameters")
    return {part: [own[name] for name in names] for part, own in recipe.get("fields", {}).items()}


def _segment_folders(path: Path) -> list[Path]:
    return sorted(place for place in (path / "sketches").iterdir() if place.is_dir())


def _kept_unchanged(path: Path) -> bool:
    if not (path / "sketches").is_dir():
        return False
    for place in _segment_folders(path):
        segment = load_segment(place)
        states = json.loads((place / "kept.json").read_text(encoding="utf-8"))
        if segment is None or states != [list(file_state(path / "kept" / record.name)) for record in segment.files]:
            return False
    return True


def _borrow(place: Path, kept_folder: Path, folder: Path, recipe: Recipe) -> Segment:
    """Take the kept documents of a segment, and write aside the texts that cannot be read again where they lie."""
    done = load_segment(folder)
    if done is not None:
        return done
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    theirs = load_segment(place)
    assert theirs is not None, "a segment folder of a finished run has its manifest"
    kept = theirs.column("kept")
    with ColumnWriter(folder) as writer:
        for name in ("digest", "length", "key_count", "file"):
            writer.append(name, theirs.column(name)[kept])
        writer.append("code", theirs.column("code").reshape(len(kept), -1)[kept] if len(kept) else kept)
        _take_ids(theirs, kept, writer)
        _take_postings(theirs, kept, writer)
        files = _take_places(theirs, kept, kept_folder, recipe, writer)
    segment = Segment(folder, tuple(files), int(kept.sum()), {})
    save_segment(segment)
    return segment


def _take_ids(theirs: Segment, kept: NDArray[np.bool_], writer: ColumnWriter) -> None:
    lengths = np.diff(theirs.column("id_end"), prepend=0)
    writer.append("id", theirs.column("id")[np.repeat(kept, lengths)])
    writer.append("id_end", np.cumsum(lengths[kept]))


def _take_postings(theirs: Segment, kept: NDArray[np.bool_], writer: ColumnWriter) -> None:
    """Kept postings batch by batch, with the documents numbered anew; partitions keep their order."""
    numbers = (np.cumsum(kept) - 1).astype(np.uint32)
    postings = theirs.column("posting")
    ends = theirs.column("partition_end").astype(np.int64)
    stays = kept[postings["document"]] if len(postings) else np.empty(0, np.bool_)
    chosen = postings[stays]
    chosen["document"] = numbers[chosen["document"]]
    writer.append("posting", chosen)
    writer.append("partition_end", np.concatenate([[0], np.cumsum(stays)])[ends] if len(ends) else ends)


def _take_places(
    theirs: Segment, kept: NDArray[np.bool_], kept_folder: Path, recipe: Recipe, writer: ColumnWriter
) -> list[FileRecord]:
    """Where the kept rows lie in the kept files; texts that cannot be read again there are written aside."""
    offsets, sizes = theirs.column("kept_offset"), theirs.column("size")
    files = []
    first = 0
    for record in theirs.files:
        here = slice(first, first + record.documents)
        first += record.documents
        count = int(kept[here].sum())
        path = kept_folder / record.name
        reduced = replace(record, path=str(path), last_row=count, documents=count, rejected=0)
        writer.append("row", np.arange(1, count + 1))
        if record.encoding is None:
            _write_texts(reduced, recipe, writer)
        else:
            writer.append("offset", offsets[here][kept[here]])
            writer.append("size", sizes[here][kept[here]])
        files.append(reduced)
    return files


def _write_texts(record: FileRecord, recipe: Recipe, writer: ColumnWriter) -> None:
    if not record.documents:
        return
    columns = Columns(recipe.text, recipe.id, None)
    options = ReadOptions(recipe.encoding, recipe.max_row_bytes)
    with TemporaryDirectory(prefix="whorl-") as rejected, Rejects(Path(rejected)) as rejects:
        for batch in format_of(record.source).read(record.source, columns, rejects, options):
            write_texts(batch.texts, writer)


__all__ = ["REFERENCE", "read_references"]
